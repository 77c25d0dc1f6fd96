// SPDX-License-Identifier: Apache-2.0
// Decks that together have every block.
#include "other_values.hpp"
#include <tesserec/deck/deck.hpp>

namespace tesserec::test {
namespace {

const std::string tables_deck = R"([run]
name = "two"
[data.synthetic]
kind = "planted"
samples = 1000
evaluate_samples = 100
rows = [50, 30, 20, 10]
dense_features = 5
[preprocess]
format = "table"
train = ["raw.csv"]
output = "data"
vocabulary = "old.h5"
header = true
sequence = [{name = "past", user = "user", item = "job", time = "when"}]
join = [{file = "jobs.csv", on = ["C1"], columns = ["job"]}]
[preprocess.split]
by = "hash"
[[preprocess.column]]
name = "other"
kind = "key"
[[preprocess.column]]
name = "age"
kind = "number"
[[preprocess.column]]
name = "job"
kind = "category"
[[preprocess.column]]
name = "tags"
kind = "category"
separator = "|"
[[preprocess.column]]
name = "when"
kind = "time"
[[preprocess.column]]
name = "both"
kind = "category"
cross = ["job", "user"]
[[preprocess.column]]
name = "user"
kind = "category"
ids = "hashed"
[[preprocess.column]]
name = "income"
kind = "label"
positive = ["1"]
negative = ["0"]
[[preprocess.column]]
name = "owner"
kind = "label"
threshold = 1
[model]
embedding_dim = 4
bottom = [8, 4]
top = [8, 1]
[[table]]
name = "C1"
[[table]]
name = "C2"
[[table]]
name = "C3"
features = ["C3", "C4"]
optimizer = {lr = 0.1}
[train]
batch_size = 64
lanes = 8
steps = 100
[plan.tables.C1]
min_partition = 4
[evaluate]
every_steps = 10
[sweep]
method = "random"
points = 3
[sweep.keys]
"optimizer.dense.lr" = {min = 0.01, max = 0.1}
[sweep.halving]
first_steps = 5
)";

const std::string layers_deck = R"([data]
train = ["a.h5"]
evaluate = ["b.h5"]
[model]
type = "network"
embedding_dim = 4
[[model.layer]]
name = "bottom"
type = "mlp"
inputs = ["dense"]
widths = [4]
[[model.layer]]
name = "drop"
type = "dropout"
inputs = ["bottom"]
rate = 0.5
[[model.layer]]
name = "mix"
type = "mixture_cross"
inputs = ["drop", "pooled"]
layers = 1
rank = 2
experts = 2
[[model.layer]]
name = "product"
type = "product"
inputs = ["mix", "mix"]
dim = 2
[[model.layer]]
name = "weighted"
type = "weighted_sum"
inputs = ["unpooled.C1"]
positions = 3
[[model.layer]]
name = "attention"
type = "attention"
inputs = ["pooled.C2", "unpooled.C1"]
widths = [4]
[[model.layer]]
name = "sum"
type = "sum"
inputs = ["weighted", "attention"]
[[model.layer]]
name = "top"
type = "mlp"
inputs = ["product", "sum"]
widths = [1]
[[table]]
name = "C1"
unpooled = ["C1"]
[[table]]
name = "C2"
)";

}  // namespace

const std::vector<std::string>& decks_with_every_block() {
  static const std::vector<std::string> decks = {
      tables_deck,
      deck::effective_deck(deck::as_network(deck::parse_deck(tables_deck, "d.toml"))),
      tables_deck +
          "[[schedule.stages]]\npolicy = \"constant\"\nmax_steps = 10\n"
          "[[schedule.stages]]\npolicy = \"constant\"\nmax_steps = 50\n"
          "[[import]]\nname = \"logit\"\nfrom = \"head.weight\"\n",
      layers_deck,
      "[model]\ntype = \"wide_deep\"\nwide = [\"dense\"]\n",
      "[model]\ntasks = [\"click\", \"C1\"]\ntop = [8, 2]\n",
      "[model]\ntype = \"two_tower\"\nitem = [\"pooled.C2\"]\ntowers = [8, 3]\n",
      "[model]\ntype = \"din\"\nitem = [\"pooled.C2\"]\nhistory = [\"unpooled.C2\"]\nattention = [5, 3]\n",
  };
  return decks;
}

}  // namespace tesserec::test
