// SPDX-License-Identifier: Apache-2.0
// FolderDraft, and rename_new_durably(), also where the file system does not know the flag of renameat2() that it uses.
#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "catch.hpp"
#include "errors.hpp"
#include "scratch.hpp"
#include <tesserec/core/file.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/folder_draft.hpp>

namespace {

bool knows_flag = true;

}  // namespace

/// Stands for the function of the C library in this program.
extern "C" int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  if (knows_flag) return int(::syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
  errno = EINVAL;
  return -1;
}

using namespace tesserec;

TEST_CASE("rename_new_durably: replaces neither a file nor a folder") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch scratch(world);
  const std::string from = scratch / "from", to = scratch / "to";
  for (const bool knows : {true, false}) {
    INFO(knows);
    knows_flag = knows;
    const auto renames = [&] { return store::rename_new_durably(from, to); };
    CHECK(mentions(error_of(renames), from + ": cannot rename it to " + to));
    CHECK(!std::filesystem::exists(to));
    put_bytes(from, "new");
    put_bytes(to, "old");
    CHECK(!renames());
    CHECK(bytes_of(from) == "new");
    CHECK(bytes_of(to) == "old");
    std::filesystem::remove(to);
    CHECK(renames());
    CHECK(bytes_of(to) == "new");
    CHECK(!std::filesystem::exists(from));
    std::filesystem::remove(to);

    std::filesystem::create_directories(from + "/inside");
    std::filesystem::create_directory(to);
    CHECK(!renames());
    CHECK(std::filesystem::is_empty(to));
    std::filesystem::remove(to);
    CHECK(renames());
    CHECK(std::filesystem::is_directory(to + "/inside"));
    CHECK(!std::filesystem::exists(from));
    std::filesystem::remove_all(to);
  }
  knows_flag = true;
}

TEST_CASE("FolderDraft: a name that was taken meanwhile is refused, and what has it stays") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch scratch(world);
  const std::string path = scratch / "new", refusal = path + " exists; name another one with --to, or remove it";
  {
    store::FolderDraft draft(path, "--to");
    store::write_verified(draft.draft() + "/one", "ours");
    store::write_verified(path, "theirs");
    CHECK(error_of([&] { draft.publish_file("one"); }) == refusal);
    CHECK(error_of([&] { draft.publish(); }) == refusal);
    CHECK(read_file(path) == "theirs");
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    CHECK(error_of([&] { draft.publish_file("one"); }) == refusal);
    CHECK(error_of([&] { draft.publish(); }) == refusal);
    CHECK(std::filesystem::is_empty(path));
  }
  CHECK(!std::filesystem::exists(path + ".tmp"));
  std::filesystem::remove(path);
  std::filesystem::create_directory(path + ".tmp");
  CHECK(error_of([&] { store::FolderDraft(path, "--to"); }) ==
        path + ".tmp exists: another process is writing it, or was killed; wait, or remove it");
  store::remove_open_drafts();
  REQUIRE(std::filesystem::remove(path + ".tmp"));
  store::FolderDraft draft(path + "/", "--to");
  draft.publish();
  store::remove_open_drafts();
  CHECK(std::filesystem::is_directory(path));
}
