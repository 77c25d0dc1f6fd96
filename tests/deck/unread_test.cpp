// SPDX-License-Identifier: Apache-2.0
// Keys that nothing reads under the values of other keys, and names in checkpoint.accept.
#include <filesystem>

#include "catch.hpp"
#include "decks.hpp"
#include "errors.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/deck.hpp>

using namespace tesserec;

namespace {

using Texts = std::vector<std::string>;

Texts unread(const std::string& text) { return deck::unread_keys(deck::parse_deck(text, "d.toml")); }

struct Unread {
  const char* text;
  const char* message;  ///< beginning of the only message
  const char* remedy;   ///< override with which there is none
};

const std::string generated = "[data.synthetic]\nkind = \"planted\"\nsamples = 9\nrows = [9, 9]\n";

const std::vector<Unread> decks = {
    {"[optimizer.sparse]\ntype = \"sgd\"\nbeta1 = 0.5\n",
     "d.toml:3: optimizer.sparse.beta1 does nothing, because optimizer.sparse.type is \"sgd\", which does not read it; "
     "remove it, or set optimizer.sparse.type to one of adam, adam_rowwise_bias, partial_rowwise_adam, lion, lamb,",
     "optimizer.sparse.type=lion"},
    {"[optimizer.sparse]\nbeta2 = 0.5\n", "d.toml:2: optimizer.sparse.beta2 does nothing",
     "optimizer.sparse.type=adam"},
    {"[optimizer.dense]\ntype = \"adagrad\"\nbeta2 = 0.5\n",
     "d.toml:3: optimizer.dense.beta2 does nothing, because optimizer.dense.type is \"adagrad\", which does not read "
     "it; "
     "remove it, or set optimizer.dense.type to one of adam, lion, lamb",
     "optimizer.dense.type=adam"},
    {"[optimizer.dense]\neps = 0.5\n", "d.toml:2: optimizer.dense.eps does nothing", "optimizer.dense.type=adagrad"},
    {"[optimizer.dense]\ntype = \"adam\"\ninitial_accumulator = 0.5\n",
     "d.toml:3: optimizer.dense.initial_accumulator does nothing", "optimizer.dense.type=adagrad"},
    {"[optimizer.dense]\ndecay = \"decoupled\"\n",
     "d.toml:2: optimizer.dense.decay does nothing, because optimizer.dense.weight_decay is 0; remove it, or set "
     "optimizer.dense.weight_decay",
     "optimizer.dense.weight_decay=0.1"},
    {"[[table]]\nname = \"a\"\noptimizer = {type = \"sgd\", beta1 = 0.5}\n",
     "d.toml:3: table.a.optimizer.beta1 does nothing, because table.a.optimizer.type is \"sgd\"",
     "table.a.optimizer.type=adam"},
    {"[plan]\nkernel = \"dense\"\n[optimizer.sparse]\nlr = 0.5\n",
     "d.toml:4: optimizer.sparse.lr does nothing, because all tables have kernel \"dense\"", "plan.kernel=fused"},
    {"[model]\nmd_round_dims = true\n", "d.toml:2: model.md_round_dims does nothing, because model.md_temperature is 0",
     "model.md_temperature=0.5"},
    {"[model]\nmd_threshold = 7\n", "d.toml:2: model.md_threshold does nothing", "model.md_temperature=0.5"},
    {"[model]\nqr_threshold = 7\n",
     "d.toml:2: model.qr_threshold does nothing, because model.qr_collisions is 0, so no table is cut in two; remove "
     "it, or set model.qr_collisions",
     "model.qr_collisions=4"},
    {"[[table]]\nname = \"a\"\nrows = 90\nqr_collisions = 4\n[model]\nqr_operation = \"add\"\nqr_threshold = 7\n",
     "d.toml:7: model.qr_threshold does nothing, because model.qr_collisions is 0, and table.NAME.qr_collisions",
     "model.qr_collisions=4"},
    {"[model]\nqr_operation = \"add\"\n", "d.toml:2: model.qr_operation does nothing", "model.qr_collisions=4"},
    {"[model]\ninteraction = \"cat\"\nitself = true\n", "d.toml:3: model.itself does nothing", "model.interaction=dot"},
    {"[model]\ntype = \"dlrm_dcn\"\ncross = \"full\"\ncross_rank = 7\n", "d.toml:4: model.cross_rank does nothing",
     "model.cross=mixture"},
    {"[model]\ntype = \"dlrm_dcn\"\ncross_experts = 7\n", "d.toml:3: model.cross_experts does nothing",
     "model.cross=mixture"},
    {"[[table]]\nname = \"a\"\nunpooled = [\"a\"]\npooling = \"mean\"\n",
     "d.toml:4: table.a.pooling does nothing, because table.a.unpooled has all features", "table.a.unpooled=[]"},
    {"[data]\nmulti_hot_seed = 7\n",
     "d.toml:2: data.multi_hot_seed does nothing, because data.multi_hot_sizes is empty", "data.multi_hot_sizes=[2]"},
    {"[run]\nmlperf_org = \"us\"\n",
     "d.toml:2: run.mlperf_org does nothing, because run.mlperf_log is empty, so no MLPerf log is written; remove it, "
     "or set run.mlperf_log",
     "run.mlperf_log=log"},
    {"[run]\nmlperf_division = \"closed\"\n", "d.toml:2: run.mlperf_division does nothing", "run.mlperf_log=log"},
    {"[run]\nkernels = \"simd\"\ngraphs = false\n", "d.toml:3: run.graphs does nothing", "run.kernels=auto"},
    {"[train]\nwindow = 7\n", "d.toml:2: train.window does nothing, because train.metrics is empty",
     "train.metrics=[\"ne\"]"},
    {"[checkpoint]\nkeep = 0\nevery_steps = 7\n", "d.toml:3: checkpoint.every_steps does nothing", "checkpoint.keep=1"},
    {"[checkpoint]\nresume = \"never\"\nrelane = true\n", "d.toml:3: checkpoint.relane does nothing",
     "checkpoint.resume=auto"},
    {"[evaluate]\nmetrics = [\"auc\"]\nthreshold = 0.25\n",
     "d.toml:3: evaluate.threshold does nothing, because evaluate.metrics has none of accuracy, precision, recall, f1; "
     "remove it, or add one to evaluate.metrics",
     "train.metrics=[\"f1\"]"},
    {"[evaluate]\ngroup = \"user\"\n", "d.toml:2: evaluate.group does nothing", "evaluate.metrics=[\"ndcg\"]"},
    {"[evaluate]\nk = 7\n", "d.toml:2: evaluate.k does nothing", "evaluate.metrics=[\"candidate_recall\"]"},
    {"[evaluate]\ngroup = \"user\"\nmetrics = [\"ndcg\"]\ngroup_weight = \"equal\"\n",
     "d.toml:4: evaluate.group_weight does nothing", "evaluate.metrics=[\"gauc\"]"},
    {"[evaluate]\nmonitor = \"ne\"\n", "d.toml:2: evaluate.monitor does nothing", "checkpoint.keep_best=true"},
    {"[evaluate]\nevery_steps = 7\n",
     "d.toml:2: evaluate.every_steps does nothing, because there are no evaluation data", "data.evaluate=[\"a.h5\"]"},
    {"[plan.tables.a]\nsharding = \"row_wise\"\nmin_partition = 8\n",
     "d.toml:3: plan.tables.a.min_partition does nothing", "plan.tables.a.sharding=grid"},
};

}  // namespace

TEST_CASE("unread_keys: names key, line, reason and remedy of a key that nothing reads") {
  for (const Unread& one : decks) {
    CAPTURE(one.text);
    const Texts messages = unread(one.text);
    REQUIRE(messages.size() == 1);
    CAPTURE(messages.front());
    CHECK(messages.front().starts_with(one.message));
    CHECK(deck::unread_keys(deck::parse_deck(one.text, "d.toml", {one.remedy})).empty());
  }
}

TEST_CASE("unread_keys: keys of [data.synthetic] that its generator does not read") {
  for (const auto& [line, key] :
       {std::pair("ids_per_bag = 3\nbag_lengths = [1, 2]", "ids_per_bag"),
        std::pair("ids = \"uniform\"\nzipf = 0.5", "zipf"),
        std::pair("labels = [\"a\", \"b\"]\nlabel_rates = [0.5, 0.5]\nclick_rate = 0.5", "click_rate"),
        std::pair("label_correlation = 0.25", "label_correlation"), std::pair("pair_rank = 7", "pair_rank"),
        std::pair("round_targets = true", "round_targets")}) {
    CAPTURE(line);
    const Texts messages = unread(generated + line + "\n");
    REQUIRE(messages.size() == 1);
    CHECK(messages.front().find(concat("data.synthetic.", key, " does nothing, because ")) != std::string::npos);
    CHECK(deck::unread_keys(deck::parse_deck(generated + line + "\n", "d.toml", {"data.synthetic.kind=none"})).empty());
  }
  CHECK(unread(generated + "zipf = 0.5\nclick_rate = 0.5\nstrength = 2.0\n").empty());
  const std::string reference = "[data.synthetic]\nkind = \"reference\"\nsamples = 9\nrows = [9]\n";
  CHECK(unread(reference + "click_rate = 0.5\nstrength = 2.0\n").size() == 2);
}

TEST_CASE("unread_keys: a key of [optimizer.sparse] is read by a table's own optimizer that lacks it") {
  const std::string sparse = "[optimizer.sparse]\nbeta1 = 0.5\n[[table]]\nname = \"a\"\noptimizer = {type = \"adam\"";
  CHECK(unread(sparse + "}\n").empty());
  CHECK(unread(sparse + ", beta1 = 0.25}\n").size() == 1);
}

TEST_CASE("unread_keys: defaults and effective decks have none, and blocks choose") {
  CHECK(unread("[optimizer.sparse]\nbeta1 = 0.90\ninitial_accumulator = 0\n[train]\nwindow = 10\n").empty());
  const std::string text =
      "[optimizer]\ndense = {type = \"adam\", lr = 1e-3, beta1 = 0.5}\n"
      "sparse = {type = \"adam\", eps = 0.5, beta1 = 0.5, weight_decay = 0.1, decay = \"decoupled\"}\n"
      "[[table]]\nname = \"a\"\noptimizer = {type = \"sgd\"}\n";
  for (const std::string& one : {std::string("[run]\nname = \"a\"\n"), text}) {
    const deck::Deck deck = deck::parse_deck(one, "d.toml");
    CHECK(deck::unread_keys(deck).empty());
    CHECK(unread(deck::effective_deck(deck)).empty());
  }
  const deck::Deck two = deck::parse_deck("[train]\nwindow = 7\n[evaluate]\nk = 7\n", "d.toml", {"evaluate.k=8"});
  CHECK(deck::unread_keys(two).size() == 2);
  const Texts of_evaluate = deck::unread_keys(two, {"evaluate"});
  REQUIRE(of_evaluate.size() == 1);
  CHECK(of_evaluate.front().starts_with("--set 1: evaluate.k does nothing"));
}

TEST_CASE("unread_keys: the program's own decks have none") {
  for (const char* folder : {"/inputs", "/examples"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(TESSEREC_SOURCE_DIR) + folder)) {
      if (entry.path().extension() != ".toml") continue;
      CAPTURE(entry.path().string());
      std::optional<deck::Deck> deck;
      try {
        deck = deck::read_deck(entry.path().string());
      } catch (const Error&) {
        continue;  // A deck for a program with types of its own.
      }
      CHECK(join(deck::unread_keys(*deck)) == "");
    }
}

TEST_CASE("unread_caches: keys that no table's kernel reads") {
  using planning::ComputeKernel, planning::ComputeKernels;
  const deck::Deck deck = deck::parse_deck(
      "[plan]\ncache = 0.5\ndisk_folder = \"/tmp\"\n[plan.tables.a]\ncache = 0.25\n[plan.tables.b]\nsharding = "
      "\"row_wise\"\n",
      "d.toml");
  const ComputeKernels fused = ComputeKernel::fused, disk = ComputeKernel::disk, host = ComputeKernel::host_cached;
  const Texts whole = deck::unread_caches(deck, {{"a", fused}, {"b", fused}});
  REQUIRE(whole.size() == 3);
  CHECK(
      whole[0].starts_with("d.toml:2: plan.cache does nothing, because all tables lie whole in memory; remove it, or "
                           "set plan.kernel = \"disk\""));
  CHECK(whole[1].starts_with("d.toml:3: plan.disk_folder does nothing, because all tables lie whole in memory"));
  CHECK(whole[2].starts_with("d.toml:5: plan.tables.a.cache does nothing, because the table lies whole in memory"));
  CHECK(deck::unread_caches(deck, {{"a", disk}, {"b", disk}}).empty());
  CHECK(deck::unread_caches(deck, {{"a", ComputeKernels{}}, {"b", ComputeKernels{}}}).empty());
  const Texts of_host = deck::unread_caches(deck, {{"a", host}, {"b", host}});
  REQUIRE(of_host.size() == 1);
  CHECK(of_host[0].starts_with("d.toml:3: plan.disk_folder does nothing, because no table has kernel \"disk\""));
  const Texts own = deck::unread_caches(deck, {{"a", disk}, {"b", fused}});
  REQUIRE(own.size() == 1);
  CHECK(own[0].starts_with("d.toml:2: plan.cache does nothing, because each table with a cache has its own"));
  const Texts other = deck::unread_caches(deck, {{"a", fused}, {"b", disk}});
  REQUIRE(other.size() == 1);
  CHECK(other[0].starts_with("d.toml:5: plan.tables.a.cache does nothing"));
}

TEST_CASE("checkpoint.accept: takes only names of keys and blocks in which decks may differ") {
  for (const char* name : {"model",
                           "model.loss",
                           "model.layer",
                           "model.layer.top.widths",
                           "table",
                           "table.C1",
                           "table.C1.rows",
                           "table.C1.optimizer",
                           "table.C1.optimizer.lr",
                           "table.a.b.rows",
                           "optimizer",
                           "optimizer.dense",
                           "optimizer.dense.lr",
                           "schedule",
                           "schedule.stages.0",
                           "schedule.stages.0.value",
                           "data",
                           "data.train",
                           "data.synthetic.rows",
                           "run.seed"}) {
    CAPTURE(name);
    CHECK_NOTHROW(deck::parse_deck(concat("[checkpoint]\naccept = [\"", name, "\"]\n"), "d.toml"));
  }
  for (const auto& [name, near] :
       {std::pair("model.lost", "model.loss"), std::pair("optimiser", "optimizer"), std::pair("run.sead", ""),
        std::pair("train.batch_size", ""), std::pair("plan", ""), std::pair("run", ""), std::pair("table.C1.rowz", ""),
        std::pair("optimizer.dense.lr.x", "optimizer.dense.lr"), std::pair("table.C1.optimizer.width", "")}) {
    CAPTURE(name);
    const std::string message = error_of([&, text = concat("[checkpoint]\naccept = [\"data\", \"", name, "\"]\n")] {
      deck::parse_deck(text, "d.toml");
    });
    CAPTURE(message);
    CHECK(
        message.starts_with(concat("d.toml:2: checkpoint.accept has \"", name, "\", in which decks cannot differ; ")));
    CHECK(message.find("known names are model, table, optimizer, schedule, data,") != std::string::npos);
    if (*near != '\0') CHECK(message.find(concat("did you mean \"", near, "\"?")) != std::string::npos);
  }
}
