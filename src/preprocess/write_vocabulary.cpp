// SPDX-License-Identifier: Apache-2.0
// Vocabularies of a dataset, which each rank writes in part.
#include <algorithm>
#include <deque>

#include "encoding.hpp"
#include <tesserec/comm/agree.hpp>

namespace tesserec::preprocess {
namespace {

/// Piece of a vocabulary that a rank writes.
struct VocabularySlab {
  std::size_t dataset = 0, feature = 0;
  Range range;
  bool tokens = false;  ///< true for bytes of tokens, false for offsets
};

/// Returns the slabs of the parts that this rank writes. `first`: number of the first HDF5 dataset of the vocabularies.
std::vector<VocabularySlab> vocabulary_slabs(const parallel_io::PartedWriter& writer, int rank,
                                             const Encoding& encoding, std::size_t first) {
  constexpr Index slab_rows = Index{1} << 20;
  std::vector<std::size_t> features;
  for (std::size_t f = 0; f < encoding.vocabularies.size(); ++f)
    if (!encoding.layout.forms[f].hashed()) features.push_back(f);
  std::vector<VocabularySlab> slabs;
  for (int part = 0; part < writer.layout().parts(); ++part)
    for (const store::PartsLayout::Run& run : writer.layout().of_part(part)) {
      if (run.dataset < first || writer.owner(part) != rank) continue;
      const std::size_t number = run.dataset - first;
      for (Index at = run.first_row; at < run.end(); at += slab_rows)
        slabs.push_back(
            {run.dataset, features[number / 2], {at, std::min(at + slab_rows, run.end())}, number % 2 == 0});
    }
  return slabs;
}

}  // namespace

void write_vocabulary(parallel_io::PartedWriter& writer, const comm::Communicator& comm, const Encoding& encoding,
                      std::size_t first) {
  constexpr Index bytes_at_once = Index{16} << 20;
  const std::vector<VocabularySlab> slabs = vocabulary_slabs(writer, comm.rank(), encoding, first);
  std::vector<VocabularyReader> readers(encoding.vocabularies.begin(), encoding.vocabularies.end());
  for (std::size_t next = 0; comm.max(Index(slabs.size() - next)) > 0;) {
    std::deque<std::vector<char>> bytes;
    std::deque<std::vector<Index>> offsets;
    std::vector<parallel_io::PartedWriter::SlabData> pieces;
    comm::agree(comm, [&] {
      for (Index sum = 0; next < slabs.size() && sum < bytes_at_once; ++next) {
        const VocabularySlab& slab = slabs[next];
        const void* data = nullptr;
        if (slab.tokens) {
          readers[slab.feature].tokens(slab.range, bytes.emplace_back(std::size_t(slab.range.size())).data());
          data = bytes.back().data();
        } else {
          readers[slab.feature].offsets(slab.range, offsets.emplace_back(std::size_t(slab.range.size())).data());
          data = offsets.back().data();
        }
        pieces.push_back({slab.dataset, {slab.range.begin, slab.range.size()}, data});
        sum += slab.range.size() * (slab.tokens ? 1 : Index{sizeof(Index)});
      }
    });
    writer.write(pieces);
  }
}

}  // namespace tesserec::preprocess
