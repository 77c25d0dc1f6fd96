// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <sstream>

#include "command.hpp"
#include <tesserec/comm/rank_watch.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/memory_fault.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/serve/program.hpp>

namespace tesserec::app {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"preprocess",
       "convert raw click logs to HDF5 data sets",
       preprocess,
       "DECK",
       true,
       false,
       {{"--propose", "",
         "print a deck for raw files, --propose FILE..., with the reason of each guess as a comment"}}},
      {"inspect",
       "show what data sets hold, and what is odd about them",
       inspect,
       "FILE...",
       true,
       false,
       {{"--evaluate", "FILE", "data set for evaluation, which is compared with the others", {}, true},
        {"--strict", "", "end with an error if the verdict has a warning or an error"}}},
      {"generate",
       "show batches of the training data, from files or a generator, or write the samples to files",
       generate,
       "DECK",
       true,
       true,
       {{"--print", "N", "print the first N batches of the first epoch, as training would see them"},
        {"--write", "FOLDER",
         "write the samples to train and evaluate on into a folder, which must not exist; any number of ranks"},
        {"--format",
         "FORMAT",
         "format of --write: hdf5 data sets; samples of Criteo's form as tsv, gz or parquet; default: hdf5",
         {"hdf5", "tsv", "gz", "parquet"}},
        {"--profile",
         "FILE",
         "print the reuse profile of an HDF5 data set, for data.synthetic.profile; the deck may be omitted",
         {},
         true}}},
      {"train", "train from the newest checkpoint or from the start", train, "DECK", true, true, {}},
      {"evaluate",
       "compute metrics of a checkpoint on the evaluation data",
       evaluate,
       "DECK",
       true,
       true,
       {{"--importance", "",
         "print the change of the metrics if one feature's values are permuted among the samples; also writes "
         "importance.json in the run's folder, for report"}}},
      {"predict",
       "compute scores of a checkpoint for data.predict, or the evaluation data",
       predict,
       "DECK",
       true,
       true,
       {{"--scores", "FILE", "file to write; default: scores.h5 or scores.csv in the run's folder"},
        {"--format", "FORMAT", "h5 or csv; default: by the file's ending, else h5", {"h5", "csv"}}}},
      {"export",
       "write the model of a checkpoint as a folder that is served: mappable rows, the network, a manifest",
       export_model,
       "CHECKPOINT",
       false,
       false,
       {{"--to", "PATH", "folder, or file of safetensors, to write, which must not exist"},
        {"--format",
         "FORMAT",
         "model: a folder that is served; safetensors or npy: the weights for other programs; default: by the ending "
         ".safetensors of --to, else model",
         {"model", "safetensors", "npy"}},
        {"--rows",
         "FORMAT",
         "format of the tables' rows: fp32, fp16, bf16, int8, int4 or int2; default: fp32",
         {"fp32", "fp16", "bf16", "int8", "int4", "int2"}},
        {"--mlp",
         "PRECISION",
         "precision of matrix products in scores: fp32, bf16 or int8; default: as in training",
         {"fp32", "bf16", "int8"}},
        {"--vocabulary", "FILE",
         "data set of the training, whose vocabulary the folder gets, so that requests may give raw values; "
         "default: the one among data.train of the deck, if it is there"},
        {"--data", "FILE", "labelled data set on which the folder's scores are compared with the checkpoint's"}}},
      {"import",
       "write the first checkpoint of a run, with weights of another program",
       import_model,
       "DECK",
       true,
       true,
       {{"--from", "PATH", "safetensors file, or folder of .npy files, to read"},
        {"--map",
         "NAMES",
         "names of the tensors in it: tesserec, as export writes them; reference, of facebookresearch/dlrm; torchrec, "
         "of "
         "TorchRec's DLRM and DLRM_DCN; default: tesserec. The deck's [[import]] names others",
         {"tesserec", "reference", "torchrec"}},
        {"--only", "PATTERNS",
         "tensors of the model to read, as in --only 'tables.user*,dense.*'; the others keep the values that the run "
         "begins with"},
        {"--fewer-rows", "", "take tables that have fewer rows in the file; further rows keep their values"}}},
      {"plan",
       "print the sharding plan: tables of each rank, memory and predicted step time",
       plan,
       "DECK",
       false,
       false,
       {{"--device", "NAME", "plan for ranks on cpu or cuda; default: plan.device", {"cpu", "cuda"}},
        {"--ranks", "N[,N...]",
         "plan for N ranks instead of this job's; several numbers give a line each, and the best"},
        {"--ranks-per-node", "L", "plan for nodes of L ranks; default: plan.ranks_per_node"},
        {"--tables",
         "FILE.csv",
         "plan these tables (name,rows,dim,ids_per_bag[,zipf]) without data; the deck may be omitted",
         {},
         true},
        {"--evaluate", "PLAN.json", "print the cost of this plan instead of planning", {}, true}}},
      {"bench",
       "measure this machine's limits, how close the program comes to them, and the planner's constants",
       bench,
       "DECK",
       true,
       true,
       {{"--only",
         "GROUPS",
         "some of limits,costs,parts,step,kernels; default: all but kernels, without a deck limits and costs",
         {},
         false,
         {"limits", "costs", "parts", "step", "kernels"}},
        {"--save", "FILE.toml", "write the planner's constants, for plan.machine"}}},
      {"report",
       "write one HTML page about runs or a sweep: curves, phases, memory, plan, calibration, deck, machine",
       report,
       "RUN...",
       false,
       false,
       {{"--output", "FILE.html", "page to write; default: report.html in the first run's folder"}}},
      {"serve",
       "answer requests for scores of a model folder, or of a run that trains, by HTTP, in the Open Inference Protocol",
       serve_model, "FOLDER", false, false, serve::options()},
      {"replay",
       "score the requests of a server's log again with the states of a run, or train a run to a step again, and "
       "compare "
       "bit for bit; exit code 1 if any differs",
       replay,
       "FOLDER",
       true,
       true,
       {{"--log", "FILE", "log that serve has written", {}, true},
        {"--step", "N",
         "train the run to step N again, from its last checkpoint before, and on to its next one, which is compared"},
        {"--to", "FOLDER",
         "folder for the checkpoint of step N, which must not exist; the run's own is not written to"}}},
      {"sweep list", "list the points of a sweep: index, values, folder", sweep_list, "DECK", false, false, {}},
      {"sweep run",
       "train all points of a sweep, or only the one whose index follows the deck; resumes unfinished points",
       sweep_point,
       "DECK",
       true,
       true,
       {},
       true,
       sweep_run},
      {"sweep collect",
       "print the results of all points, the best first; also writes sweep.csv and sweep.json in the sweep's folder",
       sweep_collect,
       "DECK",
       false,
       false,
       {}},
      {"verify",
       "check a checkpoint, a model folder, a data set, scores, or all files of a run, against their checksums",
       verify,
       "PATH",
       true,
       false,
       {}},
      {"diff",
       "name the first numbers in which two checkpoints or runs differ; exit code 1 if any do",
       diff,
       "PATH...",
       false,
       false,
       {}},
      {"check",
       "validate a deck and show the model it describes",
       check,
       "DECK",
       false,
       false,
       {{"--network", "", "print the deck with its model layer by layer, which trains to the same bits"},
        {"--dot", "", "print a picture of the model's layers in the Graphviz language"}}},
      {"describe",
       "print every key of a deck with type, default, range and unit",
       describe,
       "",
       false,
       false,
       {{"--markdown", "", "print Markdown, as in docs/deck.md"},
        {"--man", "FOLDER", "write manual pages of the program, its commands and the deck into FOLDER/man1 and man5"},
        {"--completion",
         "SHELL",
         "print a script that completes commands, options and keys in bash or zsh",
         {"bash", "zsh"}}}},
  };
  return table;
}

deck::Deck Invocation::read_deck() const {
  const auto read = [this] {
    if (deck.empty()) return deck::parse_deck("[plan]\n", "(no deck)", overrides);
    return deck_text ? deck::parse_deck(*deck_text, deck, overrides, origins)
                     : deck::read_deck(deck, overrides, origins);
  };
  deck::Deck found = read();
  comm::set_patience(double(found.run.patience));
  return found;
}

int with_key_lines(const Invocation& invocation, const std::function<int()>& body) {
  try {
    return body();
  } catch (const Stopped&) {
    throw;
  } catch (const Diverged&) {
    throw;
  } catch (const MemoryFault&) {
    throw;
  } catch (const Error& error) {
    if (invocation.deck.empty() || command_named(invocation.command).argument != "DECK") throw;
    throw Error(invocation.read_deck().located(error.what()));
  }
}

std::vector<int> counts_of(const Invocation& invocation, const std::string& option) {
  const auto found = invocation.options.find(option);
  if (found == invocation.options.end()) return {};
  std::vector<int> counts;
  std::istringstream words(found->second + ",");
  for (std::string word; std::getline(words, word, ',');) {
    const std::optional<int> value = parse_number<int>(word);
    if (!value || *value < 1 || *value > 1 << 20)
      fail(option, " must be an integer, 1 to ", 1 << 20, ", but is \"", word, "\"",
           word == found->second ? "" : " in \"" + found->second + "\"");
    if (std::find(counts.begin(), counts.end(), *value) != counts.end())
      fail(option, " has ", *value, " twice in \"", found->second, "\"; give each number once");
    counts.push_back(*value);
  }
  return counts;
}

int count_of(const Invocation& invocation, const std::string& option) {
  const std::vector<int> counts = counts_of(invocation, option);
  if (counts.size() > 1) fail(option, " must be one integer, but is \"", invocation.options.at(option), "\"");
  return counts.empty() ? 0 : counts.front();
}

void require_one_rank(const Invocation& invocation, const comm::Communicator& comm) {
  if (comm.size() > 1)
    fail("tesserec ", invocation.command, " is one process, but was started on ", comm.size(),
         " ranks; start it without a launcher");
}

void print(const comm::Communicator& comm, const std::string& text) {
  if (comm.rank() != 0) return;
  const std::string shown = printable(text);
  std::fwrite(shown.data(), 1, shown.size(), stdout);
}

void print(const comm::Communicator& comm, const Json& object) { print(comm, object.text() + "\n"); }

}  // namespace tesserec::app
