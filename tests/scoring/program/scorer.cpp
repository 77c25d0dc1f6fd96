// SPDX-License-Identifier: Apache-2.0
// scorer CHECKPOINT DATASET [BATCH]: prints one score a line for the samples of a preprocessed dataset, BATCH at a
// time. On stderr it prints the seconds and resident bytes that loading the model took.
#include <algorithm>
#include <iostream>

#include <tesserec/core/error.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/scoring/scorer.hpp>
#include <tesserec/store/parted_file.hpp>

using namespace tesserec;

namespace {

/// The samples of a dataset in one of its two forms (docs/formats.md).
class Samples {
 public:
  explicit Samples(const std::string& path)
      : file_(store::PartedFile::open(path)),
        features_(file_.index().attribute<std::vector<std::string>>("/", "features")) {
    size_ = file_.index().attribute<std::int64_t>("/", "samples");
  }

  Index size() const { return size_; }
  Matrix<float> dense(const Exec& exec, Range rows, Index columns) const {
    Matrix<float> numbers = make_matrix<float>(exec, "scorer::dense", rows.size(), columns);
    if (columns > 0) file_.read("dense", {rows.begin, rows.size()}, numbers.data());
    return numbers;
  }
  jagged::KeyedJaggedTensor sparse(const Exec& exec, Range rows, const std::vector<std::string>& wanted) const {
    std::vector<jagged::JaggedTensor> bags;
    for (const std::string& name : wanted) bags.push_back(bags_of(exec, rows, name));
    jagged::KeyedJaggedTensor all = jagged::KeyedJaggedTensor::from_jagged(exec, wanted, bags);
    all.stride = rows.size();
    return all;
  }

 private:
  jagged::JaggedTensor bags_of(const Exec& exec, Range rows, const std::string& name) const {
    std::vector<std::int64_t> ids, offsets(rows.size() + 1);
    std::vector<float> weights;
    if (file_.index().exists("sparse/ids")) {
      ids.resize(rows.size());
      const Index column = std::ranges::find(features_, name) - features_.begin();
      file_.read("sparse/ids", {rows.begin, rows.size(), column, 1}, ids.data());
      for (Index i = 0; i <= rows.size(); ++i) offsets[i] = i;
    } else {
      const std::string at = "sparse/" + name + "/";
      file_.read(at + "offsets", {rows.begin, rows.size() + 1}, offsets.data());
      const Index first = offsets.front(), count = offsets.back() - first;
      ids.resize(count);
      file_.read(at + "values", {first, count}, ids.data());
      if (file_.index().exists(at + "weights")) {
        weights.resize(count);
        file_.read(at + "weights", {first, count}, weights.data());
      }
      for (std::int64_t& offset : offsets) offset -= first;
    }
    return jagged::JaggedTensor::from_offsets(
        jagged::to_vector(exec, std::vector<Index>(ids.begin(), ids.end())),
        jagged::to_vector(exec, std::vector<Index>(offsets.begin(), offsets.end())), jagged::to_vector(exec, weights));
  }

  store::PartedFile file_;
  std::vector<std::string> features_;
  Index size_;
};

void score(const std::string& checkpoint, const std::string& dataset, Index batch) {
  const Exec exec;
  const Timer timer;
  const scoring::Scorer scorer(exec, checkpoint);
  std::cerr << "loaded step " << scorer.step() << " in " << significant(timer.seconds(), 3) << " s, "
            << peak_resident_bytes() << " bytes resident at most\n";
  const Samples samples(dataset);
  for (Index first = 0; first < samples.size(); first += batch) {
    const Range rows{first, std::min(samples.size(), first + batch)};
    for (const float p : scorer.predict(exec, samples.dense(exec, rows, scorer.dense_features()),
                                        samples.sparse(exec, rows, scorer.features())))
      std::cout << shortest(p) << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    if (argc < 3) fail("usage: scorer CHECKPOINT DATASET [BATCH]");
    score(argv[1], argv[2], argc > 3 ? std::stol(argv[3]) : 1000);
    return 0;
  } catch (const Error& error) {
    std::cerr << "scorer: " << error.what() << '\n';
    return 2;
  }
}
