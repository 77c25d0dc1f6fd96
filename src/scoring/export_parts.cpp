// SPDX-License-Identifier: Apache-2.0
#include "export_parts.hpp"

#include <algorithm>
#include <cmath>

#include <fcntl.h>

#include "memory_table.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/network/smaller_tables.hpp>
#include <tesserec/schema/model_deck.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/word_rows.hpp>

namespace tesserec::scoring {
namespace {

constexpr Index piece_bytes = Index{16} << 20;  // of fp32 rows that are read and written at once
constexpr Index block_bytes = Index{64} << 10;  // of store::bytes_checksum, whose pieces begin at multiples of it

}  // namespace

ExportedFile::ExportedFile(const std::string& folder, std::string name)
    : path_(folder + "/" + name), name_(std::move(name)), file_(path_, O_WRONLY | O_CREAT | O_EXCL, "create it") {}

void ExportedFile::write(std::span<const std::byte> bytes) {
  pending_.insert(pending_.end(), bytes.begin(), bytes.end());
  flush(std::ssize(pending_) / block_bytes * block_bytes);
}

void ExportedFile::flush(Index size) {
  if (size == 0) return;
  store::write_all(file_, path_, std::span(pending_).first(std::size_t(size)));
  sum_ += store::bytes_checksum("file", pending_.data(), size, bytes_);
  bytes_ += size;
  pending_.erase(pending_.begin(), pending_.begin() + size);
}

FolderFile ExportedFile::finish() {
  flush(std::ssize(pending_));
  store::sync_path(path_);
  ::posix_fadvise(file_, 0, 0, POSIX_FADV_DONTNEED);  // The bytes below are then read from the disk.
  if (store::file_checksum(path_).checksum != sum_)
    fail(path_, ": the bytes on the disk differ from those written; the disk is failing");
  ::posix_fadvise(file_, 0, 0, POSIX_FADV_DONTNEED);  // A mapping reads them again, into huge pages.
  file_.close();
  return {name_, bytes_, sum_};
}

ExportSource::ExportSource(const Exec& exec, const std::string& checkpoint)
    : exec_(exec), checkpoint_(store::open_checkpoint(checkpoint)), facts_(facts_of(checkpoint_)) {
  schema::ModelDeck deck = schema::read_model(facts_.deck, facts_.file + ": deck");
  tables_ = network::smaller_tables(embedding::complete_tables(deck.tables, facts_.features, facts_.file), deck.model);
  deck.model.kernels = Kernels::simd;
  precision_ = deck.model.precision = served_precision(deck.model.precision);
  tensors_ = network::Network(deck.model, facts_.dense_features, network::embedded_features(tables_)).layout();
}

std::vector<Index> ExportSource::ids(const embedding::EmbeddingBagConfig& table) {
  std::vector<Index> ids;
  each_piece(store::item_name(table.name, "ids"), rows(table), store::row_number_words,
             [&](Range piece, const float* numbers) {
               store::WordRows words(piece.size(), store::row_number_words);
               words.write(exec_, {0, piece.size()}, numbers);
               const std::vector<Index> some = whole_numbers(words);
               ids.insert(ids.end(), some.begin(), some.end());
             });
  return ids;
}

std::string ExportSource::digest() const { return store::combined_digest(checksums_); }

Index ExportSource::begin(const std::string& name, Index rows, Index columns) {
  const auto stored = store::stored_checksums(checkpoint_.state, {{name, {rows, columns, 0}}}, store::Extent::part);
  name_ = name;
  columns_ = columns;
  stored_ = stored.at(name);
  checksums_[name] = 0;
  return std::max<Index>(1, piece_bytes / (columns * Index{sizeof(float)}));
}

const float* ExportSource::read(Range rows) {
  numbers_.resize(std::size_t(rows.size() * columns_));
  checkpoint_.state.read(name_, {rows.begin, rows.size(), 0, columns_}, numbers_.data());
  checksums_[name_] +=
      store::table_checksum(exec_, name_, {numbers_.data(), rows.begin, rows.size(), 0, columns_, columns_});
  return numbers_.data();
}

void ExportSource::end() {
  store::require_checksums(checkpoint_.state, {{name_, stored_}}, {{name_, checksums_[name_]}});
}

void fail_unfit(const std::string& owner, Index row, std::span<const float> exact, ServedFormat format) {
  if (!std::ranges::all_of(exact, [](float v) { return std::isfinite(v); }))
    fail(owner, ", row ", row, ": it has a number that is not finite; export an earlier checkpoint");
  fail(owner, ", row ", row, ": it has a number that ", name(format), " cannot hold; export with --rows fp32");
}

}  // namespace tesserec::scoring
