// SPDX-License-Identifier: Apache-2.0
// Refusal of a raw file that changes between its two readings. The error names the file for any change in it, and
// nothing is written.
#include "jobs.hpp"

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

Settings table() {
  Settings settings;
  settings.format = RawFormat::table;
  Column label, category;
  label.name = "label", label.kind = ColumnKind::label, label.positive = {"y"}, label.negative = {"n"};
  category.name = "c", category.kind = ColumnKind::category;
  settings.columns = {label, category};
  settings.delimiter = ",";
  return settings;
}

/// Returns the error of the second reading if `change` runs between the two. " [stale]" follows where no later start
/// may use the first reading.
template <class Change>
std::string refusal(const comm::Communicator& comm, const test::Folder& folder, const std::vector<std::string>& paths,
                    const Change& change) {
  const Settings settings = table();
  const auto format = make_row_format(settings);
  const ScratchFolder scratch(comm, folder / ".", "job", 0);
  constexpr Index memory = 1 << 20;
  Survey first = survey(comm, find_raw_files(comm, paths, "preprocess.train"), *format, scratch,
                        {"train", "train-", BadRows::stop, true, Targets::required, memory});
  const Encoding encoding = learn_encoding(comm, first, format->layout(), {scratch, 1, memory});
  comm.barrier();
  if (comm.rank() == 0) change();
  comm.barrier();
  const std::string error = error_of([&] {
    write_dataset(comm, folder / "out.h5", first, *format, encoding, {scratch, "train", true, 0, 0, memory});
  });
  comm.barrier();
  const bool is_stale = std::filesystem::exists(scratch.folder() + "/stale");
  comm.barrier();  // rank 0 removes the folder
  return error + (is_stale ? " [stale]" : "");
}

}  // namespace

TEST_CASE("write_dataset: throws with the file name if a raw file changes between its two readings") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  std::string text;
  for (int i = 0; i < 30000; ++i) text += i % 3 == 0 ? "y,a\n" : "n,b\n";  // two blocks of text
  const std::string one = folder.write("one.csv", "y,a\nn,b\n"), two = folder.write("two.csv", text);
  const auto refused = [&](const auto& change) { return refusal(world, folder, {one, two}, change); };
  const auto again = [&] { folder.write("two.csv", text); };
  CHECK(refused([] {}) == "");
  CHECK(mentions(refused([&] { std::ofstream(two, std::ios::app) << "y,a\n"; }), two + " was changed while"));
  again();
  CHECK(mentions(refused([&] { std::filesystem::resize_file(two, 4000); }), two + " was changed while"));
  again();
  CHECK(mentions(refused([&] {
                   std::ofstream(two + ".new") << text;
                   std::filesystem::rename(two + ".new", two);
                 }),
                 two + " was replaced by another file while"));
  const std::string removed = refused([&] { std::filesystem::remove(two); });
  CHECK(mentions(removed, two));
  CHECK(!mentions(removed, "[stale]"));
  // Only bytes change, not size and time: an id, a label, a bad row, a row that becomes two.
  for (const char* other : {"y,b\nn,b\n", "n,a\nn,b\n", "y;a\nn,b\n", "y,a\nn\nb\n"}) {
    again();
    folder.write("one.csv", "y,a\nn,b\n");
    INFO(other);
    const std::string error = refused([&] { put_with_time(one, 0, other); });
    CHECK(mentions(error, one + " was changed while"));
    CHECK(mentions(error, "[stale]"));
  }
  folder.write("one.csv", "y,a\nn,b\n");
  CHECK(mentions(refused([&] {
                   text[text.size() - 2] = 'a';
                   put_with_time(two, 0, text);
                 }),
                 two + " was changed while"));
  CHECK(!std::filesystem::exists(folder / "out.h5"));
}

TEST_CASE("write_dataset: a key that grew between the two readings is a change and fits nowhere") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  Settings settings = table();
  settings.columns.push_back({"k", ColumnKind::key});
  const auto format = make_row_format(settings);
  const ScratchFolder scratch(world, folder / ".", "job", 0);
  constexpr Index memory = 1 << 20;
  std::string text;
  for (int i = 0; i < 200; ++i) text += i % 3 == 0 ? "y,a,k\n" : "n,b,k\n";
  const std::string path = folder.write("rows.csv", text);
  const auto surveyed = [&](const char* name, bool learns) {
    return survey(world, find_raw_files(world, {path}, "preprocess.train"), *format, scratch,
                  {name, std::string(name) + "-", BadRows::stop, learns, Targets::required, memory});
  };
  const Survey train = surveyed("train", true);
  Survey evaluate = surveyed("evaluate", false);
  const Encoding encoding = learn_encoding(world, train, format->layout(), {scratch, 1, memory});
  world.barrier();
  if (world.rank() == 0) put_with_time(path, 0, "y,a," + std::string(895, 'k') + "\n" + text.substr(900));
  world.barrier();
  const std::string error = error_of([&] {
    write_dataset(world, folder / "out.h5", evaluate, *format, encoding, {scratch, "evaluate", false, 0, 0, memory});
  });
  CHECK(mentions(error, path + " was changed while"));
}
