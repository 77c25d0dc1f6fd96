// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "catch.hpp"
#include "decks.hpp"
#include "errors.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/deck.hpp>

using namespace tesserec;

namespace {

std::string message_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return error_of([&] { deck::parse_deck(text, "d.toml", overrides); });
}

struct Bad {
  const char* text;
  std::vector<const char*> texts;
};

const std::vector<Bad> bad_decks = {
    // not a deck
    {"", {"d.toml: the deck is empty"}},
    {"# only a comment\n\n", {"d.toml: the deck is empty"}},
    {"[train\n", {"d.toml:1: not valid TOML"}},
    {"[train]\nlanes = = 3\n", {"d.toml:2: not valid TOML"}},
    {"[train]\nlanes = 1\nlanes = 2\n", {"d.toml:3: not valid TOML"}},
    {"[train]\n[model]\n[train]\n", {"d.toml:3: not valid TOML"}},
    {"[train]\nlanes = \n", {"d.toml:2: not valid TOML"}},
    {"[run]\nname = \"a\n", {"d.toml:2: not valid TOML"}},
    {"[run]\nname = \"\xff\xfe\"\n", {"d.toml:2: not valid TOML"}},
    {"[train]\nlanes = 9223372036854775808\n", {"d.toml:2: not valid TOML"}},
    {"[train]\nlanes = 0x10000000000000000\n", {"d.toml:2: not valid TOML"}},
    // unknown blocks and keys
    {"[trian]\n", {"d.toml:1: trian is unknown", "did you mean train?"}},
    {"seed = 1\n", {"d.toml:1: seed is unknown", "did you mean run.seed?"}},
    {"[frobnicate]\n", {"d.toml:1: frobnicate is unknown", "the blocks are run, data"}},
    {"[train]\nlanes = 1\nbach_size = 3\n", {"d.toml:3: train.bach_size is unknown", "did you mean train.batch_size?"}},
    {"[train]\nseed = 3\n", {"d.toml:2: train.seed is unknown", "did you mean run.seed?"}},
    {"[train]\nqqqqqqqq = 3\n", {"d.toml:2: train.qqqqqqqq is unknown", "train has", "batch_size, accumulate"}},
    {"[data.syntetic]\n", {"d.toml:1: data.syntetic is unknown", "did you mean data.synthetic?"}},
    {"[train]\n\"qq\\nqq\" = 3\n", {"d.toml:2: train.qq\\x0Aqq is unknown"}},
    {"[optimizer]\nlr = 1\n", {"d.toml:2: optimizer.lr is unknown", "did you mean optimizer.dense.lr?"}},
    {"[optimizer.dense]\nbeta_1 = 0.5\n", {"d.toml:2: optimizer.dense.beta_1 is unknown", "optimizer.dense.beta1?"}},
    {"[[table]]\nname = \"C1\"\nrow = 5\n", {"d.toml:3: table.C1.row is unknown", "did you mean table.C1.rows?"}},
    {"[plan.tables.C1]\nshading = \"row_wise\"\n",
     {"d.toml:2: plan.tables.C1.shading is unknown", "did you mean plan.tables.C1.sharding?"}},
    {"[[preprocess.column]]\nname = \"a\"\nkin = \"skip\"\n",
     {"d.toml:3: preprocess.column.0.kin is unknown", "kind?"}},
    {"[[table]]\nname = \"C1\"\noptimizer = {learning = 1}\n", {"d.toml:3: table.C1.optimizer.learning is unknown"}},
    // wrong types
    {"train = 3\n", {"d.toml:1: train must be a block, but is the integer 3"}},
    {"[[train]]\n", {"d.toml:1: train must be a block, but is a list"}},
    {"[table]\nname = \"a\"\n", {"d.toml:1: table must be blocks [[table]]"}},
    {"table = []\n", {"d.toml:1: table is an empty list", "give [[table]] blocks"}},
    {"table = [1]\n", {"table.0 must be a block"}},
    {"[train]\nbatch_size = \"64\"\n", {"d.toml:2: train.batch_size must be an integer", "is the text \"64\""}},
    {"[train]\nbatch_size = 64.0\n", {"d.toml:2: train.batch_size must be an integer", "the number 64.0"}},
    {"[train]\nbatch_size = true\n", {"d.toml:2: train.batch_size must be an integer", "is true"}},
    {"[train]\nbatch_size = [64]\n", {"d.toml:2: train.batch_size must be an integer", "a list"}},
    {"[train]\nbatch_size = {}\n", {"d.toml:2: train.batch_size must be an integer", "a block"}},
    {"[train]\nshuffle = 1\n", {"d.toml:2: train.shuffle must be true or false, but is the integer 1"}},
    {"[train]\nshuffle = \"true\"\n", {"d.toml:2: train.shuffle must be true or false"}},
    {"[run]\nname = 2024-01-01\n", {"d.toml:2: run.name must be text", "a date or time"}},
    {"[run]\nname = 5\n", {"d.toml:2: run.name must be text"}},
    {"[data]\ntrain = [1]\n", {"d.toml:2: data.train[0] must be text"}},
    {"[model]\nbottom = 16\n", {"d.toml:2: model.bottom must be a list"}},
    {"[model]\nbottom = [16.5]\n", {"d.toml:2: model.bottom[0] must be an integer"}},
    {"[model]\nbottom = [\n  32,\n  \"16\"]\n", {"d.toml:4: model.bottom[1] must be an integer"}},
    {"[optimizer.dense]\nlr = \"0.1\"\n", {"d.toml:2: optimizer.dense.lr must be a finite number"}},
    {"[plan]\ntables = 5\n", {"d.toml:2: plan.tables must be a block"}},
    {"[plan.tables]\nC1 = \"row_wise\"\n", {"d.toml:2: plan.tables.C1 must be a block"}},
    {"[[table]]\nname = \"C1\"\noptimizer = \"sgd\"\n", {"d.toml:3: table.C1.optimizer must be a block"}},
    // out of range
    {"[train]\nbatch_size = 0\n", {"d.toml:2: train.batch_size", "1 to", "the integer 0"}},
    {"[train]\nbatch_size = -5\n", {"d.toml:2: train.batch_size", "the integer -5"}},
    {"[train]\nbatch_size = 9223372036854775807\n", {"d.toml:2: train.batch_size", "9223372036854775807"}},
    {"[train]\nsteps = -1\n", {"d.toml:2: train.steps must be an integer, 0 to 2^53"}},
    {"[train]\nlanes = 6\n", {"d.toml:2: train.lanes must be a power of two or 0, but is 6"}},
    {"[train]\naccumulate = 3\n", {"d.toml:2: train.accumulate must be a power of two, but is 3"}},
    {"[train]\naccumulate = 16\nlanes = 8\n",
     {"d.toml:2: train.accumulate is 16 and needs as many lanes, but train.lanes is 8; set train.lanes = 16 or "
      "more, or train.accumulate = 8 or less"}},
    {"[train]\nbatch_size = 4\naccumulate = 8\n",
     {"d.toml:3: train.accumulate is 8 and needs as many lanes, but train.lanes is 1 (from train.batch_size); set "
      "train.lanes = 8"}},
    {"[optimizer]\nmax_norm = -1.0\n", {"d.toml:2: optimizer.max_norm must be"}},
    {"[train]\nlanes = 4294967296\n", {"d.toml:2: train.lanes must be an integer, 0 to 65536"}},
    {"[run]\nseed = -1\n", {"d.toml:2: run.seed"}},
    {"[run]\nname = \"\"\n", {"d.toml:2: run.name", "not empty"}},
    {"[run]\nname = \"a/b\"\n", {"d.toml:2: run.name", "no '/'"}},
    {"[run]\nname = \"..\"\n", {"d.toml:2: run.name"}},
    {"[model]\nembedding_dim = 0\n", {"d.toml:2: model.embedding_dim"}},
    {"[model]\nbottom = []\n", {"d.toml:2: model.bottom must be a list of at least 1 entry, but has 0"}},
    {"[model]\ntop = []\n", {"d.toml:2: model.top must be a list"}},
    {"[model]\nbottom = [0, 16]\n", {"d.toml:2: model.bottom[0]"}},
    {"[model]\nloss = \"wbce\"\nloss_weights = [1.0]\n",
     {"d.toml:3: model.loss_weights must be a list of 2 entries, but has 1"}},
    {"[model]\nloss = \"wbce\"\nloss_weights = [1, 2, 3]\n",
     {"d.toml:3: model.loss_weights must be a list of 2 entries, but has 3"}},
    {"[model]\nloss = \"wbce\"\nloss_weights = [1, -2]\n", {"d.toml:3: model.loss_weights[1]"}},
    {"[model]\nloss_weights = [1, 2]\n",
     {"d.toml:2: model.loss_weights does not apply to model.loss = \"bce\"", "loss_threshold"}},
    {"[model]\nloss_threshold = 1.0\n", {"d.toml:2: model.loss_threshold", "below 0.5"}},
    {"[model]\nloss_threshold = -0.1\n", {"d.toml:2: model.loss_threshold"}},
    {"[model]\nloss_threshold = nan\n", {"d.toml:2: model.loss_threshold must be a finite number", "nan"}},
    {"[model]\nloss = \"bcee\"\n", {"d.toml:2: model.loss must be one of bce | mse | wbce", "did you mean \"bce\"?"}},
    {"[model]\ntype = \"dlrm_dcn\"\nitself = true\n",
     {"d.toml:3: model.itself does not apply to model.type = \"dlrm_dcn\", which reads bottom, top, cross"}},
    {"[model]\ncross_rank = 4\n", {"d.toml:2: model.cross_rank does not apply to model.type = \"dlrm\""}},
    {"[model]\ntype = \"dlrm_dcn\"\ntop = [4, 2]\n", {"d.toml:3: model.top is 4-2: its last width must be 1"}},
    {"[model]\ninteraction = \"sum\"\n", {"d.toml:2: model.interaction must be one of dot | cat"}},
    {"[model]\ntype = \"DLRM\"\n", {"d.toml:2: model.type must be one of dlrm"}},
    {"[optimizer.dense]\nlr = nan\n", {"d.toml:2: optimizer.dense.lr must be a finite number", "nan"}},
    {"[optimizer.dense]\nlr = inf\n", {"d.toml:2: optimizer.dense.lr must be a finite number", "inf"}},
    {"[optimizer.dense]\nlr = -inf\n", {"d.toml:2: optimizer.dense.lr must be a finite number", "-inf"}},
    {"[optimizer.dense]\nlr = 1e400\n", {"d.toml:2: "}},
    {"[optimizer.dense]\nlr = 1e300\n", {"d.toml:2: optimizer.dense.lr must be a finite number"}},
    {"[optimizer.dense]\nlr = -0.1\n", {"d.toml:2: optimizer.dense.lr"}},
    {"[optimizer.dense]\nbeta1 = 1.0\n", {"d.toml:2: optimizer.dense.beta1", "below 1"}},
    {"[optimizer.dense]\ntype = \"rowwise_adagrad\"\n",
     {"d.toml:2: optimizer.dense.type must be one of sgd | momentum_sgd | nesterov_sgd | adagrad | adam | lion"}},
    {"[optimizer.sparse]\ntype = \"ftrl\"\n", {"d.toml:2: optimizer.sparse.type must be one of", "rowwise_adagrad"}},
    {"[optimizer.sparse]\nmomentum = 0.9\n",
     {"d.toml:2: optimizer.sparse.momentum does not apply to type = \"sgd\"; it applies to momentum_sgd, "
      "nesterov_sgd"}},
    {"[[table]]\nname = \"a\"\noptimizer = {type = \"lamb\", eta = 1}\n",
     {"d.toml:3: table.a.optimizer.eta does not apply to type = \"lamb\"; it applies to lars_sgd"}},
    {"[optimizer.sparse]\ntype = \"partial_rowwise_lamb\"\neps = 0\n", {"d.toml:3: optimizer.sparse.eps is 0"}},
    {"[optimizer.dense]\ntype = \"partial_rowwise_lamb\"\n",
     {"d.toml:2: optimizer.dense.type must be one of sgd | momentum_sgd"}},
    {"[checkpoint]\nkeep = -1\n", {"d.toml:2: checkpoint.keep"}},
    {"[checkpoint]\nresume = \"\"\n", {"d.toml:2: checkpoint.resume"}},
    {"[evaluate]\nmetrics = []\n", {"d.toml:2: evaluate.metrics"}},
    {"[evaluate]\nmetrics = [\"acu\"]\n", {"d.toml:2: evaluate.metrics[0] must be one of", "did you mean \"auc\"?"}},
    {"[train]\nmetrics = [\"auc\"]\n", {"d.toml:2: train.metrics[0] must be one of log_loss | ne"}},
    {"[train]\nmetrics = [\"ne\", \"ne\"]\n", {"d.toml:2: train.metrics has \"ne\" twice"}},
    {"[train]\nwindow = 0\n", {"d.toml:2: train.window"}},
    {"[evaluate]\nk = 0\n", {"d.toml:2: evaluate.k"}},
    {"[evaluate]\ngroup_weight = \"clicks\"\n", {"d.toml:2: evaluate.group_weight", "samples | equal"}},
    {"[evaluate]\nmetrics = [\"auc\", \"ndcg\"]\n",
     {"d.toml:2: evaluate.metrics has \"ndcg\", which needs groups; set evaluate.group to the feature"}},
    {"[[table]]\nname = \"t\"\nfeatures = [\"user\", \"item\"]\n[evaluate]\nmetrics = \"gauc\"\n",
     {"d.toml:5: evaluate.metrics has \"gauc\"", "one of \"user\", \"item\""}},
    {"[evaluate]\nthreshold = 1.5\n", {"d.toml:2: evaluate.threshold"}},
    {"[evaluate]\nmetrics = [\"auc\", \"auc\"]\n", {"d.toml:2: evaluate.metrics has \"auc\" twice"}},
    {"[preprocess]\ndelimiter = \"\"\n", {"d.toml:2: preprocess.delimiter", "one character"}},
    {"[preprocess]\ndelimiter = \";;\"\n", {"d.toml:2: preprocess.delimiter"}},
    {"[preprocess]\nminimum_count = 0\n", {"d.toml:2: preprocess.minimum_count"}},
    {"[data]\ntrain = [\"\"]\n", {"d.toml:2: data.train[0]", "not empty"}},
    {"[data.synthetic]\nkind = \"planted\"\nrows = [5, 0]\n", {"d.toml:3: data.synthetic.rows[1]"}},
    {"[data.synthetic]\nkind = \"planted\"\nclick_rate = 1.0\n", {"d.toml:3: data.synthetic.click_rate"}},
    {"[plan.tables.C1]\nranks = [-1]\n", {"d.toml:2: plan.tables.C1.ranks[0]"}},
    {"[plan.tables.C1]\nranks = [2147483648]\n", {"d.toml:2: plan.tables.C1.ranks[0]"}},
    {"[[table]]\nname = \"C1\"\nrows = -1\n", {"d.toml:3: table.C1.rows"}},
    {"[[table]]\nname = \"C1\"\nfeatures = []\n", {"d.toml:3: table.C1.features"}},
    {"[[table]]\nrows = 5\n", {"d.toml:1: table.0.name is missing"}},
    {"[[table]]\nname = \"a/b\"\n", {"d.toml:2: table.a/b.name", "no '/'"}},
    // keys against each other
    {"[model]\nembedding_dim = 8\nbottom = [32, 16]\n",
     {"d.toml:3: model.bottom is 32-16", "its last width must be model.embedding_dim = 8"}},
    {"[model]\nembedding_dim = 8\n", {"d.toml:1: model.bottom is 512-256-64-16", "model.embedding_dim = 8"}},
    {"[data.synthetic]\nkind = \"planted\"\nsamples = 1\nrows = [2, 3]\nbag_lengths = [4]\n",
     {"d.toml:5: data.synthetic.bag_lengths has 1 length for 2 features"}},
    {"[data.synthetic]\nkind = \"reference\"\nsamples = 1\nrows = [2, 3]\nbag_lengths = [4, 1]\n",
     {"d.toml:5: data.synthetic.bag_lengths applies only to kind = \"planted\""}},
    {"[data.synthetic]\nkind = \"planted\"\nsamples = 1\nrows = [2, 3]\npair = [\"C1\", \"C4\"]\n",
     {"d.toml:5: data.synthetic.pair names \"C4\", which is not a feature; the features are C1, C2"}},
    {"[data.synthetic]\nkind = \"planted\"\nsamples = 1\nrows = [2, 3]\npair = \"C1\"\n",
     {"d.toml:5: data.synthetic.pair must name two different features"}},
    {"[data.synthetic]\nkind = \"planted\"\nsamples = 1\nrows = [2, 3]\nids_per_bag = 2\npair = [\"C1\", \"C2\"]\n",
     {"d.toml:6: data.synthetic.pair names \"C1\", which does not have exactly one id", "set bag_lengths"}},
    {"[[table]]\nname = \"t\"\nunpooled = \"u\"\n", {"d.toml:3: table.t.unpooled has \"u\", which is not one of"}},
    {"[[table]]\nname = \"t\"\nweighted = true\nunpooled = \"t\"\n",
     {"d.toml:4: table.t.unpooled does not apply to a weighted"}},
    {"[[table]]\nname = \"t\"\nprojection = 16\nunpooled = \"t\"\n",
     {"d.toml:4: table.t.unpooled does not apply to a table with"}},
    {"[model]\ntype = \"din\"\nhistory = \"unpooled.h\"\n", {"d.toml:1: model.item has 0 inputs, but history has 1"}},
    {"[data.synthetic]\nkind = \"planted\"\nbit_generator = \"mt19937\"\nsamples = 1\nrows = [2]\n",
     {"d.toml:3: data.synthetic.bit_generator is mt19937", "kind = \"reference\""}},
    {"[data.synthetic]\nkind = \"reference\"\nbit_generator = \"mt19937\"\nsamples = 1\nrows = [2]\n",
     {"d.toml:3: data.synthetic.bit_generator is mt19937", "set train.shuffle = false"}},
    {"[model]\ntop = [8, 2]\n", {"d.toml:2: model.top is 8-2", "must be 1"}},
    {"[model]\nloss = \"wbce\"\nloss_weights = [0, 0]\n", {"d.toml:3: model.loss_weights are both 0"}},
    {"[data]\ntrain = [\"a\"]\n[data.synthetic]\nkind = \"planted\"\nsamples = 1\nrows = [2]\n",
     {"d.toml:3: data.synthetic and data.train are both given"}},
    {"[data.synthetic]\nsamples = 5\n", {"d.toml:1: data.synthetic.kind is missing"}},
    {"[data.synthetic]\nkind = \"planted\"\nsamples = 1\nrows = []\n",
     {"d.toml:4: data.synthetic.rows is empty", "rows of each table"}},
    {"[data.synthetic]\nkind = \"planted\"\nrows = [3]\n", {"d.toml:1: data.synthetic.samples is 0; give at least 1"}},
    {"[[table]]\nname = \"a\"\n[[table]]\nname = \"a\"\n", {"d.toml:4: table.a.name: two tables are called \"a\""}},
    {"[[table]]\nname = \"a\"\nfeatures = [\"x\", \"y\", \"x\"]\n", {"d.toml:3: table.a.features has \"x\" twice"}},
    {"[model]\ntype = \"network\"\n", {"d.toml:1: model.layer is missing", "[[model.layer]]"}},
    {"[[model.layer]]\nname = \"a\"\n", {"d.toml:1: [[model.layer]] does not apply to model.type = \"dlrm\""}},
    {"[model]\ntype = \"network\"\n[[model.layer]]\nname = \"a\"\ntype = \"mpl\"\n",
     {"d.toml:5: model.layer.a.type", "\"mlp\""}},
    {"[model]\ntype = \"network\"\n[[model.layer]]\nname = \"a\"\ntype = \"mlp\"\n",
     {"d.toml:3: model.layer.a.inputs is missing"}},
    {"[model]\ntype = \"network\"\n[[model.layer]]\nname = \"a\"\ntype = \"fm\"\ninputs = [\"dense\"]\nrank = 2\n",
     {"d.toml:7: model.layer.a.rank does not apply to type = \"fm\"", "no key of its own"}},
    {"[model]\ntype = \"network\"\n[[model.layer]]\nname = \"a\"\ntype = \"dot\"\ninputs = [\"dense\"]\nrank = 2\n",
     {"d.toml:7: model.layer.a.rank does not apply to type = \"dot\"", "which reads itself"}},
    {"[[table]]\nname = \"a\"\n[plan.tables.b]\nkernel = \"fused\"\n",
     {"d.toml:3: plan.tables.b: there is no table \"b\""}},
    {"[[table]]\nname = \"a\"\noptimizer = {type = \"rowwise_adagrad\"}\n[plan.tables.a]\nkernel = "
     "\"dense\"\n",
     {"d.toml:5: plan.tables.a.kernel is dense", "rowwise_adagrad has no dense form; ", "one of sgd, momentum_sgd"}},
    {"[plan.tables.a]\nsharding = \"table_wise\"\nranks = [0, 1]\n",
     {"d.toml:3: plan.tables.a.ranks has 2 ranks", "one owner"}},
    {"[plan.tables.a]\nsharding = \"data_parallel\"\nranks = [0]\n", {"d.toml:3: plan.tables.a.ranks", "every rank"}},
    {"[plan.tables.a]\nranks = [0]\n", {"d.toml:2: plan.tables.a.ranks is set, so the sharding"}},
    {"[plan.tables.a]\nsharding = \"row_wise\"\nranks = [1, 1]\n",
     {"d.toml:3: plan.tables.a.ranks names a rank twice"}},
    {"[schedule]\nwarmup_steps = 10\ndecay_start_step = 5\ndecay_steps = 1\n",
     {"d.toml:3: schedule.decay_start_step is 5", "schedule.warmup_steps = 10"}},
    {"[[schedule.stages]]\npolicy = \"linear\"\nmax_steps = 9\n[[schedule.stages]]\npolicy = \"step\"\nmax_steps = 9\n",
     {"d.toml:6: schedule.stages.1.max_steps is 9", "set more than 9"}},
    {"[schedule]\nwarmup_steps = 3\n[[schedule.stages]]\npolicy = \"step\"\nmax_steps = 9\n",
     {"schedule.stages cannot be combined with warmup_steps"}},
    {"[[schedule.stages]]\npolicy = \"step\"\nmax_steps = 9\nperiod = 3\n",
     {"d.toml:4: schedule.stages.0.period does not apply to policy = \"step\", which reads max_steps, scale, value"}},
    {"[[schedule.stages]]\nmax_steps = 9\n", {"d.toml:1: schedule.stages.0.policy is missing"}},
    {"[schedule]\nstages = 3\n", {"d.toml:2: schedule.stages must be blocks [[schedule.stages]]"}},
    {"[optimizer.sparse]\ntype = \"adagrad\"\neps = 0\n", {"d.toml:3: optimizer.sparse.eps", "both 0"}},
    {"[optimizer.dense]\ntype = \"adam\"\neps = 1e-60\n", {"d.toml:3: optimizer.dense.eps is 0"}},
    {"[preprocess]\nformat = \"table\"\n",
     {"d.toml:2: preprocess.format is table, but there is no [[preprocess.column]]"}},
    {"[[preprocess.column]]\nname = \"a\"\nkind = \"skip\"\n",
     {"d.toml:1: preprocess.column is given, but preprocess.format is criteo"}},
    {"[preprocess]\nformat = \"table\"\n[[preprocess.column]]\nname = \"a\"\nkind = \"category\"\n",
     {"no column has kind = \"label\""}},
    {"[preprocess]\nformat = \"table\"\n[[preprocess.column]]\nname = \"a\"\nkind = \"weight\"\n"
     "[[preprocess.column]]\nname = \"b\"\nkind = \"weight\"\n",
     {"d.toml:8: preprocess.column.1.kind of column \"b\" is weight, but another column is the weight already"}},
    {"[preprocess]\nformat = \"table\"\n[[preprocess.column]]\nname = \"a\"\nkind = \"label\"\nnegative = "
     "\"0\"\n",
     {"d.toml:3: preprocess.column.0.positive of column \"a\" is missing"}},
    {"[preprocess]\nformat = \"table\"\n[[preprocess.column]]\nname = \"a\"\nkind = \"label\"\npositive = "
     "\"1\"\nnegative = \"1\"\n",
     {"d.toml:6: preprocess.column.0.positive of column \"a\" has \"1\", which is also in negative"}},
    {"[preprocess]\nformat = \"table\"\n[[preprocess.column]]\nname = \"a\"\nkind = \"category\"\ntransform "
     "= \"log1p\"\n",
     {"d.toml:6: preprocess.column.0.transform of column \"a\" applies only to numbers"}},
    {"[preprocess]\nformat = \"table\"\n[[preprocess.column]]\nname = \"a\"\nkind = "
     "\"skip\"\n[[preprocess.column]]\nname = \"a\"\nkind = \"skip\"\n",
     {"d.toml:7: preprocess.column.1.name \"a\" is used twice"}},
};

}  // namespace

TEST_CASE("parse_deck: a bad deck throws with file and line and key and reason") {
  REQUIRE(bad_decks.size() >= 60);
  for (const Bad& bad : bad_decks) {
    const std::string message = message_of(bad.text);
    for (const char* expected : bad.texts) {
      INFO(bad.text << "\nmessage: " << message);
      CHECK(message.find(expected) != std::string::npos);
    }
  }
}

TEST_CASE("parse_deck: throws on bytes that are not a deck") {
  using namespace std::string_literals;
  CHECK(message_of("\xff\xfe[\0t\0"s).find("UTF-16") != std::string::npos);
  CHECK(message_of("\xfe\xff\0["s).find("UTF-16") != std::string::npos);
  CHECK(message_of("[run]\nname = \"a\0\"\n"s).find("d.toml:2: the deck holds a NUL byte") != std::string::npos);
  CHECK(message_of(std::string(2 << 20, '#')).find("larger than 1 MiB") != std::string::npos);
  std::string dotted = "a";
  for (int i = 0; i < 400000; ++i) dotted += ".a";
  CHECK(message_of(dotted + " = 1\n").find("more than 1000 parts") != std::string::npos);
  CHECK(message_of("[" + dotted + "]\n").find("more than 1000 parts") != std::string::npos);
  CHECK(message_of("a = " + std::string(300000, '[')).find("d.toml:1: ") != std::string::npos);
  std::string blocks = "a = ";
  for (int i = 0; i < 100000; ++i) blocks += "{a=";
  CHECK(message_of(blocks).find("d.toml:1: ") != std::string::npos);
  CHECK(message_of("a" + std::string(600, '.') + "\n").find("d.toml:1: ") != std::string::npos);
  std::string nested = "a";
  for (int i = 0; i < 900; ++i) nested += ".a";
  CHECK(message_of(nested + " = 1\n").find("nested more than") != std::string::npos);
}

TEST_CASE("read_deck: throws on files that cannot be a deck") {
  const auto folder = std::filesystem::temp_directory_path() / ("tesserec_deck_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const auto message = [](const std::string& path) { return error_of([&] { deck::read_deck(path); }); };
  CHECK(message((folder / "none.toml").string()).find("none.toml: cannot read the deck: No such file") !=
        std::string::npos);
  CHECK(message(folder.string()).find("is a directory") != std::string::npos);
  CHECK(message("").find("cannot read the deck") != std::string::npos);
  std::ofstream(folder / "empty.toml").close();
  CHECK(message((folder / "empty.toml").string()).find("empty.toml: the deck is empty") != std::string::npos);
  std::ofstream(folder / "bad.toml") << "[run]\nnam = 1\n";
  CHECK(message((folder / "bad.toml").string()).find("bad.toml:2: run.nam is unknown") != std::string::npos);
  std::filesystem::remove_all(folder);
}
