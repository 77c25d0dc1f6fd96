// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>

#include "sample_blocks.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/elementary.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parquet/writer.hpp>
#include <tesserec/store/text_draft.hpp>

namespace tesserec::preprocess {
namespace {

constexpr double most_count = 2147483647;  // of 31 bits, as Criteo's counts
constexpr Index criteo_numbers = 13, criteo_categories = 26;
constexpr std::size_t token_digits = 8;

void append_hex(std::uint64_t id, std::string& line) {
  constexpr char digits[] = "0123456789abcdef";
  for (int shift = 28; shift >= 0; shift -= 4) line.push_back(digits[id >> shift & 15]);
}

void append_number(Index number, std::string& line) {
  char text[24];
  line.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

/// Throws Error if samples of the source do not have Criteo's form.
void require_criteo(const data::SourceInfo& info) {
  const auto refuse = [&](const std::string& what) {
    fail(info.description, " has ", what, ", and Criteo's form has a label, ", criteo_numbers, " numbers and ",
         criteo_categories, " ids; write it with --format hdf5");
  };
  if (info.dense_features != criteo_numbers) refuse(counted(info.dense_features, "dense feature"));
  if (std::ssize(info.features) != criteo_categories) refuse(counted(std::ssize(info.features), "feature"));
  if (info.sample_weights) refuse("sample weights");
  if (info.label_count() > 1) refuse(counted(info.label_count(), "label"));
  for (std::size_t f = 0; f < info.features.size(); ++f) {
    if (info.rows[f] > Index{1} << 32) refuse("ids of more than 32 bits in feature " + info.features[f]);
    if (!info.weighted.empty() && info.weighted[f]) refuse("weights of ids in feature " + info.features[f]);
  }
}

/// Values of a batch in Criteo's form.
class CriteoValues {
 public:
  /// `first`: number of the batch's first sample.
  CriteoValues(const data::Batch& batch, Index first, const data::SourceInfo& info)
      : batch_(batch), first_(first), info_(info) {}

  /// Returns the label. Throws Error if it is not 0 or 1.
  std::int32_t label(Index b) const {
    const float label = batch_.labels(b);
    if (label != 0.0f && label != 1.0f)
      fail(info_.description, " has the label ", shortest(label), " in sample ", first_ + b,
           ", not 0 or 1; set data.synthetic.round_targets = true, or write it with --format hdf5");
    return label == 1.0f ? 1 : 0;
  }
  /// Returns the count that stands for a dense feature x: round(100 e^x), whose log1p is about x + 4.6. Throws Error if
  /// it is too large.
  std::int32_t number(Index b, Index k) const {
    const double count = std::nearbyint(100 * elementary::exp(double(batch_.dense(b, k))));
    if (!(count <= most_count))
      fail(info_.description, " has the number ", shortest(batch_.dense(b, k)), " in sample ", first_ + b,
           ", too large for Criteo's form; write it with --format hdf5");
    return std::int32_t(count);
  }
  /// Appends the id as 8 hexadecimal digits. Throws Error if there is not exactly one.
  void append_token(Index b, Index f, std::string& text) const {
    if (const Index length = batch_.sparse.length(f, b); length != 1)
      fail(info_.description, " has ", counted(length, "id"), " in sample ", first_ + b, " of feature ",
           info_.features[std::size_t(f)], ", and Criteo's form has one; write it with --format hdf5");
    append_hex(std::uint64_t(batch_.sparse.values(batch_.sparse.begin(f, b))), text);
  }

 private:
  const data::Batch& batch_;
  Index first_;
  const data::SourceInfo& info_;
};

/// Returns a line for each sample of the batch: label, counts and hexadecimal ids, with tabs between.
std::string criteo_lines(const CriteoValues& values, Index samples) {
  std::string lines;
  for (Index b = 0; b < samples; ++b) {
    lines.push_back(values.label(b) == 1 ? '1' : '0');
    for (Index k = 0; k < criteo_numbers; ++k) {
      lines.push_back('\t');
      append_number(values.number(b, k), lines);
    }
    for (Index f = 0; f < criteo_categories; ++f) {
      lines.push_back('\t');
      values.append_token(b, f, lines);
    }
    lines.push_back('\n');
  }
  return lines;
}

/// Writes samples as a row group of the columns label, I1 to I13 and C1 to C26.
void write_group(const CriteoValues& values, Index samples, parquet::GroupWriter& writer) {
  std::vector<std::int32_t> numbers(std::size_t(samples), 0);
  for (Index b = 0; b < samples; ++b) numbers[std::size_t(b)] = values.label(b);
  writer.write(numbers);
  for (Index k = 0; k < criteo_numbers; ++k) {
    for (Index b = 0; b < samples; ++b) numbers[std::size_t(b)] = values.number(b, k);
    writer.write(numbers);
  }
  for (Index f = 0; f < criteo_categories; ++f) {
    std::string tokens;
    for (Index b = 0; b < samples; ++b) values.append_token(b, f, tokens);
    std::vector<std::string_view> texts;
    for (Index b = 0; b < samples; ++b)
      texts.push_back(std::string_view(tokens).substr(token_digits * std::size_t(b), token_digits));
    writer.write(texts);
  }
}

parquet::WrittenColumns criteo_names() {
  parquet::WrittenColumns names{{"label"}, {}};
  for (Index k = 1; k <= criteo_numbers; ++k) names.numbers.push_back(concat("I", k));
  for (Index f = 1; f <= criteo_categories; ++f) names.texts.push_back(concat("C", f));
  return names;
}

/// Writes the samples of some blocks to a file.
void write_file(const std::string& path, LogForm form, Range own, SampleBlocks& blocks) {
  store::TextDraft draft(path, 0);
  const auto packer = form == LogForm::gz ? gzip_packer() : nullptr;
  std::unique_ptr<parquet::GroupWriter> groups;
  if (form == LogForm::parquet)
    groups = parquet::open_writer(path, criteo_names(), [&](std::string_view bytes) { draft.write(bytes); });
  for (Index block = own.begin; block < own.end; ++block) {
    const data::Batch& batch = blocks.read(block);
    const CriteoValues values(batch, block * SampleBlocks::block_samples, blocks.info());
    if (groups) {
      write_group(values, batch.size, *groups);
      continue;
    }
    const std::string lines = criteo_lines(values, batch.size);
    draft.write(packer ? packer->pack(lines, block + 1 == own.end) : lines);
  }
  if (groups) groups->end();
  draft.publish();
}

/// Returns the ending of the names of files.
const char* ending_of(LogForm form) {
  if (form == LogForm::parquet) return ".parquet";
  return form == LogForm::gz ? ".tsv.gz" : ".tsv";
}

}  // namespace

std::vector<std::string> write_raw(const comm::Communicator& comm, const std::string& folder, const std::string& name,
                                   const LogWriting& writing, SampleBlocks& blocks) {
  const auto pieces = [](Index all, Index piece) { return (all + piece - 1) / piece; };
  const Index blocks_of_file = pieces(writing.file_samples, SampleBlocks::block_samples);
  const Index files = pieces(blocks.blocks(), blocks_of_file);
  std::vector<std::string> names;
  for (Index file = 0; file < files; ++file)
    names.push_back(concat(name, "-", right(std::to_string(file), 5, '0'), ending_of(writing.form)));
  comm::agree(comm, [&] {
    require_criteo(blocks.info());
    for (Index file = comm.rank(); file < files; file += comm.size())
      write_file(folder + "/" + names[std::size_t(file)], writing.form,
                 {file * blocks_of_file, std::min((file + 1) * blocks_of_file, blocks.blocks())}, blocks);
  });
  return names;
}

}  // namespace tesserec::preprocess
