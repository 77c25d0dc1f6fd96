// SPDX-License-Identifier: Apache-2.0
// Vocabularies in mapped files.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "train/small_job.hpp"
#include <tesserec/scoring/vocabulary_file.hpp>

using namespace tesserec;

TEST_CASE("vocabulary_table: every token has its id") {
  std::string tokens;
  std::vector<Index> offsets = {0, 0};
  for (Index id = 1; id <= 3000; ++id) {
    tokens += "token" + std::to_string(id * id);
    offsets.push_back(std::ssize(tokens));
  }
  const std::vector<std::uint64_t> table = scoring::vocabulary_table(offsets, tokens.data());
  CHECK(table.size() == 8192);
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "vocabulary_table");
  std::filesystem::create_directories(folder.path());
  const std::string path = folder.path() + "/tokens";
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(table.data()), std::ssize(table) * 8);
  file.write(reinterpret_cast<const char*>(offsets.data()), std::ssize(offsets) * 8);
  file << tokens;
  file.close();
  const scoring::VocabularyFile vocabulary(path, 3001, Index(std::filesystem::file_size(path)));
  Index wrong = 0;
  for (Index id = 1; id <= 3000; ++id) wrong += vocabulary.id("token" + std::to_string(id * id)) != id;
  CHECK(wrong == 0);
  CHECK(vocabulary.id("token2") == 0);
  CHECK(vocabulary.id("") == 0);
}
