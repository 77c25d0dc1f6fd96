// SPDX-License-Identifier: Apache-2.0
// Whole runs of preprocessing, on 1, 2 and 3 ranks of the world.
#include <cmath>
#include <map>
#include <optional>

#include "catch.hpp"
#include "errors.hpp"
#include "packed_text.hpp"
#include "raw_text.hpp"
#include "runs.hpp"
#include "src/preprocess/byte_reader.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/store/hdf5.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

/// A dataset read back: the values that each row's fields became.
struct Dataset {
  explicit Dataset(const std::string& path) : file(store::File::open(path)) {
    labels = file.read_all<std::uint8_t>("/labels");
    dense = file.read_all<float>("/dense");
    ids = file.read_all<std::int32_t>("/sparse/ids");
  }
  std::string token(const std::string& feature, Index id) const {
    const auto bytes = file.read_all<std::uint8_t>("/vocabulary/" + feature + "/tokens");
    const auto offsets = file.read_all<std::int64_t>("/vocabulary/" + feature + "/offsets");
    return {bytes.begin() + offsets[id], bytes.begin() + offsets[id + 1]};
  }
  store::File file;
  std::vector<std::uint8_t> labels;
  std::vector<float> dense;
  std::vector<std::int32_t> ids;
};

std::vector<std::string> split_tabs(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == '\t')
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

/// Checks the dataset that a Criteo text must become, by the rules alone.
void check_criteo(const std::string& path, const std::string& text, Index minimum_count) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) rows.push_back(split_tabs(line));
  const Dataset got(path);
  const auto n = rows.size();
  REQUIRE(got.labels.size() == n);
  REQUIRE(got.dense.size() == n * 13);
  REQUIRE(got.ids.size() == n * 26);
  for (std::size_t i = 0; i < n; ++i) {
    REQUIRE(got.labels[i] == std::stoi(rows[i][0]));
    for (std::size_t k = 0; k < 13; ++k) {
      const double x = rows[i][1 + k].empty() ? 0.0 : std::stod(rows[i][1 + k]);
      REQUIRE(got.dense[i * 13 + k] == static_cast<float>(std::log1p(std::max(x, 0.0))));
    }
  }
  const auto sizes = got.file.attribute<std::vector<std::int64_t>>("/", "rows");
  for (std::size_t f = 0; f < 26; ++f) {
    std::map<std::string, Index> counts;
    for (const auto& row : rows)
      if (!row[14 + f].empty()) ++counts[row[14 + f]];
    std::vector<std::pair<Index, std::string>> order;
    for (const auto& [token, count] : counts)
      if (count >= minimum_count) order.emplace_back(-count, token);
    std::sort(order.begin(), order.end());
    std::map<std::string, std::int32_t> id;
    for (const auto& [count, token] : order) id.emplace(token, static_cast<std::int32_t>(id.size()) + 1);
    REQUIRE(sizes[f] == static_cast<std::int64_t>(id.size()) + 1);
    for (std::size_t i = 0; i < n; ++i) {
      const auto found = id.find(rows[i][14 + f]);
      REQUIRE(got.ids[i * 26 + f] == (found == id.end() ? 0 : found->second));
    }
    if (!order.empty()) REQUIRE(got.token("C" + std::to_string(f + 1), 1) == order[0].second);
  }
}

}  // namespace

TEST_CASE("preprocess: Criteo files give the same bytes from any ranks and compression and line ends") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  const std::string a = test::criteo_text(1500, 1), b = test::criteo_text(20, 2), c = test::criteo_text(900, 3);
  const std::string crlf = test::criteo_text(900, 3, "\r\n");
  const std::string e = test::criteo_text(300, 4);
  folder.write("p1", a);
  folder.write("p2", b.substr(0, b.size() - 1));  // no newline at the end of the file
  folder.write("p3", crlf + "\r\n\n");            // empty lines at the end
  folder.write("q1.gz", test::gzipped(a.substr(0, 50000)) + test::gzipped(a.substr(50000)));
  folder.write("q2.gz", test::gzipped(b));
  folder.write("q3.gz", test::gzipped(c));
  folder.write("z1.zst", test::zstd_stored(a.substr(0, 50000)) + test::zstd_stored(a.substr(50000)));
  folder.write("z2.zst", test::zstd_stored(b));
  folder.write("z3.zst", test::zstd_stored(c));
  folder.write("one", a + b + c);
  folder.write("evaluate", e);

  std::vector<std::string> kinds = {"p?", "q?.gz", "one"};
  if (zstd_decompressor() != nullptr) kinds.push_back("z?.zst");
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
    for (const std::string& kind : kinds) {
      auto settings = criteo({folder / kind}, folder / (name + kind[0]));
      settings.evaluate = {folder / "evaluate"};
      settings.minimum_count = 2;
      const auto report = preprocess::run(comm, settings);
      REQUIRE(report.train.rows == 2420);
      REQUIRE(report.train.labels[0] + report.train.labels[1] == 2420);
      REQUIRE(report.train.bad_rows() == 0);
      REQUIRE(report.train.labels_unread == 0);
      REQUIRE(report.evaluate.rows == 300);
      REQUIRE(report.ids.size() == 26);
      REQUIRE(report.train.files.size() == (kind == "one" ? 1 : 3));
      REQUIRE(report.train.facts.files[0].gzip_members == (kind[0] == 'q' ? 2 : 0));
      REQUIRE(summary(report).size() == 3 + 40 + (kind == "one" ? 0 : 4));  // with a line of each file
    }
  });
  if (world.rank() == 0) {
    check_criteo(folder / "1p/train.h5", a + b + c, 2);
    for (int ranks = 2; ranks <= world.size(); ++ranks)
      for (const std::string& kind : kinds)
        for (const std::string file : {"/train.h5", "/evaluate.h5"})
          REQUIRE(test::read_bytes(folder / (std::to_string(ranks) + kind[0] + file)) ==
                  test::read_bytes(folder / ("1" + (kind[0] + file))));
    const Dataset p(folder / "1p/train.h5");
    for (const std::string& kind : kinds) {
      const Dataset other(folder / (std::string("1") + kind[0] + "/train.h5"));
      REQUIRE(p.labels == other.labels);
      REQUIRE(p.dense == other.dense);
      REQUIRE(p.ids == other.ids);
    }

    // The evaluation file uses the training vocabulary.
    const Dataset evaluate(folder / "1p/evaluate.h5");
    const auto rows = split_tabs(e.substr(0, e.find('\n')));
    for (std::size_t f = 0; f < 26; ++f)
      if (evaluate.ids[f] != 0) REQUIRE(p.token("C" + std::to_string(f + 1), evaluate.ids[f]) == rows[14 + f]);
    REQUIRE(evaluate.file.attribute<std::vector<std::int64_t>>("/", "rows") ==
            p.file.attribute<std::vector<std::int64_t>>("/", "rows"));
    REQUIRE(evaluate.file.attribute<std::string>("/", "vocabulary_digest") ==
            p.file.attribute<std::string>("/", "vocabulary_digest"));
    REQUIRE_FALSE(evaluate.file.exists("/vocabulary"));
    REQUIRE(p.file.attribute<std::string>("/", "format") == "tesserec-dataset");
    REQUIRE(p.file.attribute<std::int64_t>("/", "version") == 1);
    REQUIRE(p.file.attribute<std::int64_t>("/", "samples") == 2420);
    REQUIRE(p.file.attribute<std::vector<std::string>>("/", "features")[25] == "C26");
    REQUIRE(p.file.attribute<std::vector<std::string>>("/", "dense_features")[12] == "I13");
    REQUIRE(p.file.attribute<std::vector<std::string>>("/", "transforms")[0] == "log1p");
    const auto sources = p.file.attribute<std::vector<std::string>>("/", "sources");
    REQUIRE(sources.size() == 3);
    REQUIRE(mentions(sources[0], "p1, " + std::to_string(a.size()) + " bytes, xxh3 "));
  }
}

TEST_CASE("preprocess: a table with header and missing values gives the same bytes from any ranks") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  std::string text = "n,skipped,w,city,y,m\r\n";
  std::vector<std::optional<double>> m;
  for (Index i = 0; i < 9000; ++i) {
    const bool missing = i % 11 == 3;
    m.push_back(missing ? std::nullopt : std::optional(static_cast<double>((i * 7919) % 1001) / 8 - 17));
    std::ostringstream line;
    line << i % 5 - 2 << " , text, " << i % 4 << ".5, city" << i % (i % 3 == 0 ? 7 : 400) << ","
         << (i % 4 == 0 ? "yes" : "no") << ",";
    if (missing)
      line << "?";
    else
      line << *m.back();
    text += line.str() + "\r\n";
  }
  folder.write("t.csv", text);
  Settings settings;
  settings.format = RawFormat::table;
  settings.header = true;
  settings.train = {folder / "t.csv"};
  settings.columns = {{"n", ColumnKind::number, Transform::log1p, {}, {}},
                      {"", ColumnKind::skip, Transform::none, {}, {}},
                      {"w", ColumnKind::weight, Transform::none, {}, {}},
                      {"city", ColumnKind::category, Transform::none, {}, {}},
                      {"y", ColumnKind::label, Transform::none, {"yes"}, {"no"}},
                      {"m", ColumnKind::number, Transform::standardise, {}, {}}};
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
    auto changed = settings;
    changed.output = folder / name;
    const auto report = preprocess::run(comm, changed);
    REQUIRE(report.train.rows == 9000);
    REQUIRE(report.train.labels[1] == 2250);
  });
  if (world.rank() == 0) {
    for (int ranks = 2; ranks <= world.size(); ++ranks)
      REQUIRE(test::read_bytes(folder / (std::to_string(ranks) + "/train.h5")) ==
              test::read_bytes(folder / "1/train.h5"));
    const Dataset got(folder / "1/train.h5");
    long double sum = 0, squares = 0, count = 0;
    for (const auto& x : m)
      if (x) sum += *x, count += 1;
    for (const auto& x : m)
      if (x) squares += (*x - sum / count) * (*x - sum / count);
    const auto mean = static_cast<double>(sum / count), sd = static_cast<double>(std::sqrt(squares / count));
    const auto weights = got.file.read_all<float>("/weights");
    for (std::size_t i = 0; i < m.size(); ++i) {
      REQUIRE(weights[i] == float(i % 4) + 0.5f);
      REQUIRE(got.dense[2 * i] == static_cast<float>(std::log1p(std::max<double>(static_cast<double>(i % 5) - 2, 0))));
      REQUIRE(got.dense[2 * i + 1] == (m[i] ? Approx((*m[i] - mean) / sd).margin(1e-6) : Approx(0.0)));
      REQUIRE(got.token("city", 1) == "city0");
      if (i > 20) break;
    }
    const auto transforms = got.file.attribute<std::vector<std::string>>("/", "transforms");
    REQUIRE(transforms[0] == "log1p");
    double written_mean = 0, written_sd = 0;
    REQUIRE(std::sscanf(transforms[1].c_str(), "standardise mean=%lf sd=%lf", &written_mean, &written_sd) == 2);
    REQUIRE(written_mean == Approx(mean).epsilon(1e-12));
    REQUIRE(written_sd == Approx(sd).epsilon(1e-12));
  }
}

TEST_CASE("preprocess: standardises small files with the same bytes from any ranks") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  const Random random(6, Purpose::test);
  Settings settings;
  for (Index f = 0; f < 4; ++f) {
    std::string text;
    for (Index i = 0; i < 40; ++i) text += "0," + std::to_string(1e3 * random.normal(i, 2 * f)) + "\n";
    settings.train.push_back(folder / ("part" + std::to_string(f)));
    folder.write("part" + std::to_string(f), text);
  }
  settings.format = RawFormat::table;
  settings.columns = {{"y", ColumnKind::label, Transform::none, {"1"}, {"0"}},
                      {"x", ColumnKind::number, Transform::standardise, {}, {}}};
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
    auto changed = settings;
    changed.output = folder / name;
    preprocess::run(comm, changed);
  });
  if (world.rank() == 0)
    for (int ranks = 2; ranks <= world.size(); ++ranks)
      REQUIRE(test::read_bytes(folder / (std::to_string(ranks) + "/train.h5")) ==
              test::read_bytes(folder / "1/train.h5"));
}

TEST_CASE("preprocess: takes a table of numbers alone and one of categories alone") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  folder.write("t", "1;a\n0;b\n0;a\n");
  Settings settings = criteo({folder / "t"}, folder / "categories");
  settings.format = RawFormat::table;
  settings.delimiter = ";";
  settings.columns = {{"y", ColumnKind::label, Transform::none, {"1"}, {"0"}},
                      {"c", ColumnKind::category, Transform::none, {}, {}}};
  preprocess::run(world, settings);
  const Dataset categories(folder / "categories/train.h5");
  REQUIRE(categories.file.shape("/dense") == std::vector<Index>{3, 0});
  REQUIRE(categories.ids == std::vector<std::int32_t>{1, 2, 1});

  folder.write("t", "1;5\n0;7\n");
  settings.output = folder / "numbers";
  settings.columns[1] = {"x", ColumnKind::number, Transform::none, {}, {}};
  preprocess::run(world, settings);
  const Dataset numbers(folder / "numbers/train.h5");
  REQUIRE(numbers.file.shape("/sparse/ids") == std::vector<Index>{2, 0});
  REQUIRE(numbers.dense == std::vector<float>{5, 7});
}
