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
#include <tesserec/store/text_draft.hpp>

namespace tesserec::preprocess {
namespace {

constexpr double most_count = 2147483647;  // of 31 bits, as Criteo's counts
constexpr Index criteo_numbers = 13, criteo_categories = 26;

void append_hex(std::uint64_t id, std::string& line) {
  constexpr char digits[] = "0123456789abcdef";
  for (int shift = 28; shift >= 0; shift -= 4) line.push_back(digits[id >> shift & 15]);
}

void append_number(Index number, std::string& line) {
  char text[24];
  line.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

/// Throws Error if samples of the source are no lines of Criteo's form.
void require_criteo(const data::SourceInfo& info) {
  const auto refuse = [&](const std::string& what) {
    fail(info.description, " has ", what, ", and a line of Criteo's form has a label, ", criteo_numbers,
         " numbers and ", criteo_categories, " ids; write it with --format hdf5");
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

}  // namespace

std::string criteo_lines(const data::Batch& batch, Index first, const data::SourceInfo& info) {
  std::string lines;
  const Index columns = batch.dense.extent(1), features = batch.sparse.features();
  for (Index b = 0; b < batch.size; ++b) {
    const float label = batch.labels(b);
    if (label != 0.0f && label != 1.0f)
      fail(info.description, " has the label ", shortest(label), " in sample ", first + b,
           ", not 0 or 1; set data.synthetic.round_targets = true, or write it with --format hdf5");
    lines.push_back(label == 1.0f ? '1' : '0');
    for (Index k = 0; k < columns; ++k) {
      lines.push_back('\t');
      const double count = std::nearbyint(100 * elementary::exp(double(batch.dense(b, k))));
      if (!(count <= most_count))
        fail(info.description, " has the number ", shortest(batch.dense(b, k)), " in sample ", first + b,
             ", too large for a line of Criteo's form; write it with --format hdf5");
      append_number(Index(count), lines);
    }
    for (Index f = 0; f < features; ++f) {
      if (const Index length = batch.sparse.length(f, b); length != 1)
        fail(info.description, " has ", counted(length, "id"), " in sample ", first + b, " of feature ",
             info.features[std::size_t(f)], ", and a line of Criteo's form has one; write it with --format hdf5");
      lines.push_back('\t');
      append_hex(std::uint64_t(batch.sparse.values(batch.sparse.begin(f, b))), lines);
    }
    lines.push_back('\n');
  }
  return lines;
}

std::vector<std::string> write_text(const comm::Communicator& comm, const std::string& folder, const std::string& name,
                                    bool packed, SampleBlocks& blocks) {
  constexpr Index blocks_of_file = samples_of_file / SampleBlocks::block_samples;
  const Index files = (blocks.blocks() + blocks_of_file - 1) / blocks_of_file;
  std::vector<std::string> names;
  for (Index file = 0; file < files; ++file) {
    const std::string number = std::to_string(file);
    names.push_back(name + "-" + std::string(5 - std::min<std::size_t>(5, number.size()), '0') + number + ".tsv" +
                    (packed ? ".gz" : ""));
  }
  comm::agree(comm, [&] {
    require_criteo(blocks.info());
    for (Index file = comm.rank(); file < files; file += comm.size()) {
      store::TextDraft draft(folder + "/" + names[std::size_t(file)], 0);
      std::unique_ptr<Packer> packer;
      if (packed) packer = gzip_packer();
      const Index end = std::min((file + 1) * blocks_of_file, blocks.blocks());
      for (Index block = file * blocks_of_file; block < end; ++block) {
        const std::string lines = criteo_lines(blocks.read(block), block * SampleBlocks::block_samples, blocks.info());
        draft.write(packer ? packer->pack(lines, block + 1 == end) : lines);
      }
      draft.publish();
    }
  });
  return names;
}

}  // namespace tesserec::preprocess
