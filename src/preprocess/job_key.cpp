// SPDX-License-Identifier: Apache-2.0
#include "job_key.hpp"

#include <algorithm>
#include <cstdint>

#include "packing.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/file_list.hpp>

namespace tesserec::preprocess {
namespace {

constexpr std::uint64_t scratch_version =
    9;  // raise it whenever scratch files of older programs of this version are of no use

void pack(const std::string& text, std::string& key) { pack_text(text, key); }
void pack(double number, std::string& key) { pack_list(std::span<const double>(&number, 1), key); }
void pack(Index number, std::string& key) { pack_number(std::uint64_t(number), key); }
void pack(bool choice, std::string& key) { pack_number(choice ? 1 : 0, key); }
template <class Choice>
requires std::is_enum_v<Choice>
void pack(Choice choice, std::string& key) { pack_number(std::uint64_t(choice), key); }
void pack(const Column& column, std::string& key);
void pack(const Join& join, std::string& key);
void pack(const SplitSettings& split, std::string& key);
void pack(const UserSequence& sequence, std::string& key);
template <class T>
void pack(const std::optional<T>& value, std::string& key) {
  pack(value.has_value(), key);
  if (value) pack(*value, key);
}
template <class T>
void pack(const std::vector<T>& values, std::string& key) {
  pack_number(values.size(), key);
  for (const T& value : values) pack(value, key);
}

template <class... Values>
void pack_all(std::string& key, const Values&... values) {
  (pack(values, key), ...);
}

/// Packs all members of a column; a member that is added does not compile until it is named here.
void pack(const Column& column, std::string& key) {
  const auto& [name, kind, transform, positive, negative, threshold, optional, fill_value, missing_indicator, separator,
               weighted, max_values, ids, max_rows, buckets, quantiles, cross, time, stored, parts] = column;
  pack_all(key, name, kind, transform, positive, negative, threshold, optional, fill_value, missing_indicator,
           separator, weighted, max_values, ids, max_rows, buckets, quantiles, cross, time, stored, parts);
}

void pack_stamp(const std::string& path, const store::Stamp& stamp, std::string& key) {
  pack_text(path, key);
  // The device's number may differ between nodes that mount the same folder.
  for (const std::uint64_t number :
       {stamp.file, stamp.bytes, std::uint64_t(stamp.seconds), std::uint64_t(stamp.nanoseconds)})
    pack_number(number, key);
}

void pack(const Join& join, std::string& key) {
  const auto& [file, on, file_on, columns, names, delimiter, memory] = join;
  pack_all(key, file, on, file_on, columns, names, delimiter);
}

void pack(const UserSequence& sequence, std::string& key) {
  const auto& [name, user, item, time, length, memory] = sequence;
  pack_all(key, name, user, item, time, length);
}

void pack(const SplitSettings& split, std::string& key) {
  const auto& [by, column, time, fraction, days] = split;
  pack_all(key, by, column, time, fraction, days);
}

}  // namespace

std::string files_key(std::span<const RawFile> files) {
  std::string key;
  for (const RawFile& file : files) {
    pack_stamp(file.path, file.stamp, key);
    pack_text(file.sampled, key);
  }
  return store::checksum_text(store::bytes_checksum("raw files", key.data(), std::ssize(key)));
}

std::string job_key(const Settings& settings, std::span<const RawFile> files, std::span<const RawFile> others) {
  std::string key;
  pack_number(scratch_version, key);
  pack_text(TESSEREC_VERSION, key);
  // The other members decide nothing of what the first reading finds. Ranges with bad rows say so, and the sorted
  // tokens say their minimum_count. A member that is added to RowSettings does not compile until it is named here.
  const raw::RowSettings& rows = settings;
  const auto& [format, short_rows, sequences, columns, delimiter, header, skip_other_columns, trim, quotes,
               quoted_newlines, comment, missing, fill_value, missing_indicator] = rows;
  pack_all(key, settings.vocabulary, settings.extend, format, short_rows, settings.split, settings.joins, sequences,
           settings.history, columns, delimiter, header, skip_other_columns, trim, quotes, quoted_newlines, comment,
           missing, fill_value, missing_indicator);
  pack_text(files_key(files), key);
  pack_text(files_key(others), key);
  if (!settings.vocabulary.empty()) pack_stamp(settings.vocabulary, store::stamp_of(settings.vocabulary), key);
  return store::checksum_text(store::bytes_checksum("preprocess", key.data(), std::ssize(key)));
}

}  // namespace tesserec::preprocess
