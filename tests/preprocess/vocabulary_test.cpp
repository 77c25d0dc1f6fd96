// SPDX-License-Identifier: Apache-2.0
// Sort of counted tokens on scratch files, and the vocabulary made of it, beside maps and sorts of the standard
// library.
#include "src/preprocess/vocabulary.hpp"

#include <algorithm>
#include <fstream>
#include <map>

#include "catch.hpp"
#include "errors.hpp"
#include "raw_text.hpp"
#include "src/preprocess/counted_hashes.hpp"
#include "src/preprocess/pending_tokens.hpp"
#include "src/preprocess/scratch_folder.hpp"
#include <tesserec/core/random.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

/// Counts of tokens by name.
using Counts = std::map<std::string, Index>;

/// Writes this rank's counts of the features as `pieces` runs each, and returns the runs of all ranks.
std::vector<TokenRun> runs_of(const comm::Communicator& comm, const ScratchFolder& scratch,
                              const std::vector<TokenCounts>& counts, const std::vector<FeatureForm>& forms) {
  for (int half = 0; half < 2; ++half) {
    ScratchWriter file(scratch.path("run-" + std::to_string(comm.rank()) + "-" + std::to_string(half)));
    std::vector<TokenCounts> mine(forms.size());
    for (std::size_t f = 0; f < forms.size(); ++f) {
      const std::vector<Index> numbers = counts[f].counts();
      for (Index i = half; i < counts[f].tokens.size(); i += 2) mine[f].add(counts[f].tokens.token(i), numbers[i]);
    }
    const TokenRun run = write_run(file, mine, forms);
    file.seal({reinterpret_cast<const char*>(run.pieces.data()), run.pieces.size() * sizeof(ScratchPiece)});
  }
  comm.barrier();
  std::vector<TokenRun> runs;
  for (const ScratchFolder::Sealed& file : scratch.sealed("run-")) {
    TokenRun& run = runs.emplace_back(TokenRun{file.path, std::vector<ScratchPiece>(token_partitions)});
    std::memcpy(run.pieces.data(), file.footer.data(), file.footer.size());
  }
  return runs;
}

/// Returns the tokens of a vocabulary in the order of their ids, as a dataset stores them.
std::vector<std::string> stored(const Vocabulary& vocabulary) {
  VocabularyReader reader(vocabulary);
  std::string bytes(std::size_t(vocabulary.bytes()), ' ');
  std::vector<Index> offsets(std::size_t(vocabulary.rows()) + 1);
  // Any ranges give the same.
  for (Index at = 0; at < std::ssize(bytes); at += 1001)
    reader.tokens({at, std::min(at + 1001, std::ssize(bytes))}, bytes.data() + at);
  for (Index at = 0; at < std::ssize(offsets); at += 777)
    reader.offsets({at, std::min(at + 777, std::ssize(offsets))}, offsets.data() + at);
  std::vector<std::string> tokens;
  REQUIRE(offsets[0] == 0);
  for (Index id = 0; id < vocabulary.rows(); ++id)
    tokens.push_back(bytes.substr(std::size_t(offsets[id]), std::size_t(offsets[id + 1] - offsets[id])));
  return tokens;
}

/// Returns id 0 and the tokens with at least `minimum` counts, by count and then by bytes.
std::vector<std::string> expected(const Counts& counts, Index minimum) {
  std::vector<std::pair<Index, std::string>> order;
  for (const auto& [token, count] : counts)
    if (count >= minimum) order.emplace_back(-count, token);
  std::sort(order.begin(), order.end());
  std::vector<std::string> tokens = {""};
  for (const auto& [count, token] : order) tokens.push_back(token);
  return tokens;
}

}  // namespace

TEST_CASE("sort_tokens: sorts ids by count and then by token and leaves out rare tokens") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const test::Folder folder(comm);
  const ScratchFolder scratch(comm, folder / ".", "sort", 0);
  const std::vector<FeatureForm> forms(1);
  std::vector<TokenCounts> counts(1);
  if (comm.rank() == comm.size() - 1) {
    for (const char* token : {"b", "a", "\xC3\xA9", "b", "zz", "", "z", "\xC3\xA9", "once"}) counts[0].add(token);
    counts[0].add("zz", 4);
    counts[0].add("", 1);
    counts[0].add("z", 1);
    counts[0].add("a", 1);
  }
  TokenSort sort{forms, 2, 1 << 20, {}};
  const auto tokens = sort_tokens(comm, runs_of(comm, scratch, counts, forms), scratch, sort);
  CHECK(tokens[0].values == 7);
  Vocabulary vocabulary;
  CHECK(vocabulary.rows() == 1);
  CHECK(vocabulary.id(std::string_view("x")) == 0);
  vocabulary.append(tokens[0], tokens[0].pieces.size());
  const std::vector<std::string> order = {"", "zz", "", "a", "b", "z", "\xC3\xA9"};
  CHECK(stored(vocabulary) == order);
  for (Index id = 1; id < vocabulary.rows(); ++id) CHECK(vocabulary.id(std::string_view(order[id])) == id);
  CHECK(vocabulary.id(std::string_view("once")) == 0);
  comm.barrier();  // The scratch files go with rank 0's object.
}

TEST_CASE("sort_tokens: gives the same order from any ranks and memory, and ids outside of the memory are found") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  std::vector<FeatureForm> forms(3);
  forms[2].ids = IdForm::hashed;
  forms[2].max_rows = 1000;
  // Long tokens make several buckets and pieces of few of them.
  const Random random(7, Purpose::test);
  std::vector<Counts> all(3);
  const std::string common(60, 'x');
  std::vector<TokenCounts> mine(3);
  for (Index i = 0; i < 120000; ++i) {
    const std::size_t f = i % 3 == 0 ? 1 : 0;
    const std::string token = common + std::to_string(f == 1 ? random.below(500, i, 0) : random.below(60000, i, 0));
    ++all[f][token];
    if (i % world.size() == world.rank()) mine[f].add(token);
  }
  std::map<Index, Counts> of_id;
  for (Index i = 0; i < 400; ++i) {
    TokenCounts hashes;
    add_hash(std::to_string(i), hashes);
    of_id[hashed_id(std::to_string(i), 1000)][std::to_string(i)] = 1;
    if (i % world.size() == world.rank()) add_hash(std::to_string(i), mine[2]);
  }
  const ScratchFolder scratch(world, folder / ".", "sort", 0);
  const std::vector<TokenRun> runs = runs_of(world, scratch, mine, forms);
  for (const Index memory : {Index{1}, Index{1} << 30}) {
    INFO("memory " << memory);
    const auto tokens = sort_tokens(world, runs, scratch, {forms, 2, memory, {}});
    CHECK(tokens[2].values == 400);
    Index shared = 0;
    for (const auto& [id, values] : of_id) shared += values.size() > 1 ? std::ssize(values) : 0;
    CHECK(tokens[2].collisions == shared);
    CHECK(tokens[2].pieces.empty());
    const std::vector<std::size_t> resident = resident_pieces(tokens, memory);
    for (std::size_t f = 0; f < 2; ++f) {
      CHECK(tokens[f].values == std::ssize(all[f]));
      const std::vector<std::string> order = expected(all[f], 2);
      Vocabulary vocabulary;
      vocabulary.append(tokens[f], resident[f]);
      REQUIRE(vocabulary.rows() == std::ssize(order));
      CHECK(vocabulary.resident() == (memory > 1 || f == 1));
      CHECK(stored(vocabulary) == order);
      PendingTokens pending;
      Index wrong = 0, unknown = pending.add("unknown");
      for (Index id = 1; id < vocabulary.rows(); ++id) {
        const Index found = vocabulary.id(std::string_view(order[id]));
        wrong += found != (id < vocabulary.resident_rows() ? id : 0);
        if (found == 0) pending.add(order[id]);
      }
      pending.resolve(vocabulary);
      for (Index id = vocabulary.resident_rows(); id < vocabulary.rows(); ++id)
        wrong += pending.id(pending.add(order[id])) != id;
      CHECK(wrong == 0);
      CHECK(pending.id(unknown) == 0);
      CHECK(pending.token(unknown) == "unknown");
    }
    world.barrier();
  }
}

TEST_CASE("resident_pieces: holds the most frequent tokens of all features, and the first piece of each") {
  std::vector<FeatureTokens> tokens(2);
  tokens[0].pieces = {{"", {}, 10, 100, 9, 0, 0}, {"", {}, 10, 100, 3, 10, 100}};
  tokens[1].pieces = {{"", {}, 10, 100, 8, 0, 0}, {"", {}, 10, 100, 7, 10, 100}, {"", {}, 10, 100, 2, 20, 200}};
  CHECK(resident_pieces(tokens, 0) == std::vector<std::size_t>{1, 1});
  CHECK(resident_pieces(tokens, 3 * 820) == std::vector<std::size_t>{1, 2});
  CHECK(resident_pieces(tokens, 1 << 20) == std::vector<std::size_t>{2, 3});
}

TEST_CASE("read_scratch: refuses a damaged piece, and scratch_footer a damaged or cut file") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const test::Folder folder(comm);
  const std::string path = folder / ("file" + std::to_string(comm.rank()));
  std::vector<ScratchPiece> pieces;
  {
    ScratchWriter file(path);
    pieces.push_back(file.append("first"));
    pieces.push_back(file.append("second"));
    CHECK_FALSE(std::filesystem::exists(path));
    file.seal("footer");
  }
  CHECK(scratch_footer(path) == "footer");
  CHECK(read_scratch(path, pieces) == "firstsecond");
  CHECK(read_scratch(path, {&pieces[1], 1}) == "second");
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(6) << "E";
  CHECK(mentions(error_of([&] { read_scratch(path, pieces); }), path + ": this scratch file is damaged"));
  CHECK(scratch_footer(path) == "footer");
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(12) << "F";
  CHECK(scratch_footer(path) == std::nullopt);
  std::filesystem::resize_file(path, 20);
  CHECK(scratch_footer(path) == std::nullopt);
  CHECK(scratch_footer(path + "x") == std::nullopt);
}
