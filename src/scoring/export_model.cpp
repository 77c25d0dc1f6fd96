// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>

#include <fcntl.h>
#include <sys/stat.h>

#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/embedding/embedding_bag_collection.hpp>
#include <tesserec/network/network.hpp>
#include <tesserec/network/smaller_tables.hpp>
#include <tesserec/schema/model_deck.hpp>
#include <tesserec/scoring/export_model.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/disk.hpp>

namespace tesserec::scoring {
namespace {

constexpr Index piece_bytes = Index{16} << 20;  // of fp32 rows that are read and written at once
constexpr Index block_bytes = Index{64} << 10;  // of store::bytes_checksum, whose pieces begin at multiples of it

/// A file that is written piece by piece, with its checksum.
class ExportedFile {
 public:
  ExportedFile(std::string folder, std::string name)
      : path_(folder + "/" + name), name_(std::move(name)), file_(path_, O_WRONLY | O_CREAT | O_EXCL, "create it") {}

  void write(std::span<const std::byte> bytes) {
    pending_.insert(pending_.end(), bytes.begin(), bytes.end());
    flush(std::ssize(pending_) / block_bytes * block_bytes);
  }
  /// Writes the rest, waits for the disk and compares the file with what was written.
  FolderFile finish() {
    flush(std::ssize(pending_));
    store::sync_path(path_);
    ::posix_fadvise(file_, 0, 0, POSIX_FADV_DONTNEED);  // The bytes below are then read from the disk.
    file_.close();
    if (store::file_checksum(path_).checksum != sum_)
      fail(path_, ": the bytes on the disk differ from those written; the disk is failing");
    return {name_, bytes_, sum_};
  }

 private:
  void flush(Index size) {
    if (size == 0) return;
    store::write_all(file_, path_, std::span(pending_).first(std::size_t(size)));
    sum_ += store::bytes_checksum("file", pending_.data(), size, bytes_);
    bytes_ += size;
    pending_.erase(pending_.begin(), pending_.begin() + size);
  }

  std::string path_, name_;
  store::Descriptor file_;
  std::vector<std::byte> pending_;
  Index bytes_ = 0;
  std::uint64_t sum_ = 0;
};

/// A new folder NAME.tmp, which publish() renames to NAME. Removed with its content if that does not happen.
class FolderDraft {
 public:
  explicit FolderDraft(std::string path)
      : path_(without_slash(std::move(path))), draft_(path_ + ".tmp"), open_(draft_) {
    std::error_code unreadable;
    if (std::filesystem::exists(path_, unreadable))
      fail(path_, " exists; name another folder with --to, or remove this one");
    store::make_folder_durably(std::filesystem::path(path_).parent_path().string());
    if (::mkdir(draft_.c_str(), 0777) != 0 && errno == EEXIST)
      fail(draft_, " exists: another export is writing it, or was killed; wait, or remove it");
    else if (!std::filesystem::is_directory(draft_, unreadable))
      store::fail_errno(draft_, "create this folder");
    is_ours_ = true;
  }
  ~FolderDraft() {
    std::error_code ignored;  // The next export into this folder names what stayed.
    if (is_ours_) std::filesystem::remove_all(draft_, ignored);
  }
  FolderDraft(const FolderDraft&) = delete;
  FolderDraft& operator=(const FolderDraft&) = delete;

  const std::string& draft() const { return draft_; }
  void publish() {
    store::sync_path(draft_);
    store::rename_durably(draft_, path_);
    is_ours_ = false;
  }

 private:
  static std::string without_slash(std::string path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
  }

  std::string path_, draft_;
  store::OpenDraft open_;
  bool is_ours_ = false;
};

/// A checkpoint's matrices, read piece by piece, each compared with its checksum.
class ExportSource {
 public:
  ExportSource(const Exec& exec, const store::PartedFile& state) : exec_(exec), state_(state) {}

  /// Calls take(rows) for pieces [rows, columns] of a matrix, in order.
  template <class Take>
  void each_piece(const std::string& name, Index rows, Index columns, const Take& take) {
    const auto stored = store::stored_checksums(state_, {{name, {rows, columns, 0}}}, store::Extent::part);
    const Index step = std::max<Index>(1, piece_bytes / (columns * Index{sizeof(float)}));
    std::uint64_t sum = 0;
    for (Index first = 0; first < rows; first += step) {
      const Index count = std::min(step, rows - first);
      numbers_.resize(std::size_t(count * columns));
      state_.read(name, {first, count, 0, columns}, numbers_.data());
      sum += store::table_checksum(exec_, name, {numbers_.data(), first, count, 0, columns, columns});
      take(Range{first, first + count}, numbers_.data());
    }
    store::require_checksums(state_, stored, {{name, sum}});
    checksums_[name] = sum;
  }
  /// Returns the digest of all matrices read so far.
  std::string digest() const { return store::combined_digest(checksums_); }

 private:
  const Exec& exec_;
  const store::PartedFile& state_;
  std::vector<float> numbers_;
  std::map<std::string, std::uint64_t> checksums_;
};

FolderTable export_table(ExportSource& source, const embedding::EmbeddingBagConfig& config, ServedFormat wanted,
                         const std::string& folder, const std::string& file_name) {
  const ServedFormat format = takes_rows(wanted, config.embedding_dim) ? wanted : ServedFormat::int8;
  FolderTable table{.name = config.name,
                    .rows = config.num_embeddings,
                    .dim = config.embedding_dim,
                    .format = format,
                    .features = config.feature_names,
                    .pooling = config.pooling == embedding::PoolingType::mean ? "mean" : "sum",
                    .weighted = config.weighted};
  ExportedFile file(folder, file_name);
  std::vector<std::byte> bytes;
  std::vector<float> stored;
  source.each_piece("tables/" + table.name + "/weight", table.rows, table.dim, [&](Range rows, const float* exact) {
    bytes.resize(std::size_t(rows.size() * row_bytes(format, table.dim)));
    stored.resize(std::size_t(rows.size() * table.dim));
    write_rows(format, rows.size(), table.dim, exact, bytes.data());
    read_rows(format, rows.size(), table.dim, bytes.data(), stored.data());
    if (const Index bad = raise_errors(rows.size(), table.dim, exact, stored.data(), table.errors); bad >= 0)
      fail("table ", table.name, ", row ", rows.begin + bad, ": it has a number that ", name(format),
           " cannot hold; export with --rows fp32");
    file.write(bytes);
  });
  table.file = file.finish();
  return table;
}

}  // namespace

ModelManifest export_model(const Exec& exec, const std::string& checkpoint, const std::string& to,
                           ServedFormat format) {
  FolderDraft folder(to);
  const store::OpenCheckpoint open = store::open_checkpoint(checkpoint);
  ModelManifest manifest{.facts = facts_of(open),
                         .checkpoint = open.manifest.state,
                         .weights_digest = {},
                         .tables = {},
                         .network = {},
                         .tensors = {}};
  const TrainedFacts& facts = manifest.facts;
  const schema::ModelDeck deck = schema::read_model(facts.deck, facts.file + ": deck");
  const std::vector<embedding::EmbeddingBagConfig> tables =
      network::smaller_tables(embedding::complete_tables(deck.tables, facts.features, facts.file), deck.model);
  for (const embedding::EmbeddingBagConfig& table : tables)
    if (table.grows())
      fail(facts.file, ": table ", table.name,
           " grows, and a model folder holds tables of consecutive rows alone; score with `tesserec predict`");
  ExportSource source(exec, open.state);
  for (const embedding::EmbeddingBagConfig& table : tables)
    manifest.tables.push_back(export_table(source, table, format, folder.draft(),
                                           "table_" + right(std::to_string(manifest.tables.size()), 4, '0') + ".rows"));
  network::Settings settings = deck.model;
  settings.kernels = Kernels::simd;
  const network::Network network(settings, facts.dense_features, network::embedded_features(tables));
  ExportedFile file(folder.draft(), "network.f32");
  for (const network::Parameter& p : network.layout()) {
    manifest.tensors.push_back({p.name, p.rows, p.columns});
    source.each_piece("dense/" + p.name + "/value", p.rows, p.columns, [&](Range rows, const float* numbers) {
      file.write(std::as_bytes(std::span(numbers, std::size_t(rows.size() * p.columns))));
    });
  }
  manifest.network = file.finish();
  manifest.weights_digest = source.digest();
  store::write_verified(folder.draft() + "/manifest.json", model_manifest_text(manifest));
  folder.publish();
  return manifest;
}

}  // namespace tesserec::scoring
