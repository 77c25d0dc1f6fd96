// SPDX-License-Identifier: Apache-2.0
#include "row_split.hpp"

#define XXH_INLINE_ALL
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <xxhash.h>

#include "exchange.hpp"
#include "range_reports.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utc.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/times.hpp>

namespace tesserec::preprocess {
namespace {

/// Value of a record that is no good row.
constexpr Index no_row = std::numeric_limits<Index>::min();
/// Value of a row without a time, before all times.
constexpr Index no_time = no_row + 1;
/// Bound of all times, microseconds from 1970.
constexpr Index time_bound = Index{1} << 60;

/// Last row of a user, in the order of time and then of the files.
struct LastRow {
  std::uint64_t high = 0, low = 0;  ///< hash of the user
  Index time = no_row;              ///< no_row if all rows of the user lack their time
  Index rank = 0, record = 0;
  Index rows = 0;  ///< rows of the user

  auto user() const { return std::tie(high, low); }
  auto key() const { return std::tie(high, low, time, rank, record); }
};

struct UserHash {
  std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& user) const { return user.second; }
};

/// Returns whether the hash lies in the share `fraction` of all hashes.
bool in_share(std::uint64_t hash, double fraction) { return double(hash >> 11) * 0x1p-53 < fraction; }

/// Maker of a RowSplit.
class Splitter {
 public:
  Splitter(const comm::Communicator& comm, const RowFormat& format, const Settings& settings)
      : comm_(comm), format_(format), settings_(settings.split), missing_(settings.missing) {
    const RowLayout& layout = format.layout();
    if (!settings_.column.empty()) column_ = layout.column(settings_.column, "preprocess.split.column");
    if (settings_.time.empty()) return;
    time_ = layout.column(settings_.time, "preprocess.split.time");
    if (layout.columns[*time_].kind != ColumnKind::time)
      fail("preprocess.split.time: column \"", settings_.time, "\" is not of kind = \"time\"; give it this kind");
  }

  RowSplit split(const std::vector<RawFile>& files) {
    const auto ranges = deal_ranges(files, comm_.rank(), comm_.size(), format_.layout().text.quoted_newlines);
    bool stopped = false;
    std::vector<Index> rows(files.size(), 0);
    comm::agree(comm_, [&] { stopped = read(files, ranges, rows); });
    if (comm_.max(stopped) != 0) return {};  // The survey names the fault.
    comm_.sum(std::span<Index>(rows));
    for (std::size_t f = 0; f < files.size(); ++f)
      if (rows[f] == 0) fail_without_rows(files[f].path);
    if (settings_.by == SplitBy::time) mark_from(border_of_share());
    if (settings_.by == SplitBy::day)
      if (const Index last = last_value(); last > no_time) mark_from(last - settings_.days + 1);
    if (settings_.by == SplitBy::last) mark_last();
    SplitReport found = report();
    require_both(found);
    records_.gather(comm_);
    return {std::move(records_), std::move(found)};
  }

 private:
  /// Throws Error if one side of the split has no rows.
  void require_both(const SplitReport& found) const {
    const Index rows = found.train + found.evaluate;
    if (rows == 0 || (found.train > 0 && found.evaluate > 0)) return;
    const char* const became = found.train == 0 ? " become evaluation rows" : " stay training rows";
    std::string reason;
    if (found.untimed == rows) reason = ", because none has a " + settings_.time;
    if (found.unnamed == rows) reason = ", because none has a " + settings_.column;
    fail("preprocess.split.by: all ", counted(rows, "row"), became, reason,
         "; choose another rule, or name evaluation files in preprocess.evaluate");
  }

  /// Reads this rank's rows, and adds the rows of each file, good or bad, to `of_files`. Returns whether a header does
  /// not fit.
  bool read(const std::vector<RawFile>& files, const std::vector<FileRange>& ranges, std::vector<Index>& of_files) {
    RowStream rows(files, ranges, format_, BadRows::skip);
    for (Row row; rows.next(row);) {
      records_.add(rows.file(), rows.block(), rows.records().in_block(), rows.records().number());
      ++rows_;
      const bool named = !column_ || !is_missing(rows.field(row, *column_));
      unnamed_ += !named;
      if (settings_.by == SplitBy::hash) {
        if (named && in_share(hash(rows, row), settings_.fraction)) records_.mark(rows.records().number());
        continue;
      }
      const Index value = time_of(rows, row);
      untimed_ += value == no_time;
      if (settings_.by == SplitBy::last) {
        if (named) add_user(rows.field(row, *column_), value, rows.records().number());
      } else {
        values_.resize(rows.records().number(), no_row);
        values_.push_back(value);
      }
    }
    for (const RangeCount& count : rows.counts()) of_files[std::size_t(count.file)] += count.rows + count.bad_rows;
    return rows.stopped();
  }

  bool is_missing(std::string_view text) const {
    return std::find(missing_.begin(), missing_.end(), text) != missing_.end();
  }

  /// Returns the hash of the row's column or, without one, of all fields that are read.
  std::uint64_t hash(const RowStream& rows, const Row& row) const {
    const auto of = [](std::string_view text, std::uint64_t seed) {
      return XXH3_64bits_withSeed(text.data(), text.size(), seed);
    };
    if (column_) return of(rows.field(row, *column_), 0);
    const std::vector<Column>& columns = format_.layout().columns;
    std::uint64_t hash = 0;
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (columns[c].kind != ColumnKind::skip) hash = of(rows.field(row, c), hash);
    return hash;
  }

  /// Returns the row's time, or its day, days since 1970 in UTC, if days are split.
  Index time_of(const RowStream& rows, const Row& row) const {
    if (!time_) return no_time;
    const std::string_view text = rows.field(row, *time_);
    ParsedTime time;
    if (is_missing(text) || !parse_time(text, format_.layout().columns[*time_].time, time)) return no_time;
    constexpr Index day = Index{24} * 3600 * 1'000'000;  // microseconds
    if (settings_.by != SplitBy::day) return time.instant;
    return time.instant / day - (time.instant % day < 0 ? 1 : 0);
  }

  void add_user(std::string_view text, Index time, Index record) {
    const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
    LastRow& last = users_[{hash.high64, hash.low64}];
    last.high = hash.high64;
    last.low = hash.low64;
    ++last.rows;
    if (time_ && time == no_time) return;
    if (time < last.time) return;
    last.time = time;
    last.rank = comm_.rank();
    last.record = record;
  }

  Index last_value() const {
    return comm_.max(values_.empty() ? no_row : *std::max_element(values_.begin(), values_.end()));
  }

  /// Returns the latest time from which on at least the share of the rows with a time comes. Collective.
  Index border_of_share() const {
    const Index rows = comm_.sum(rows_ - untimed_);
    const Index wanted = std::max(Index(settings_.fraction * double(rows) + 0.5), Index{1});
    const auto rows_from = [&](Index border) {
      return comm_.sum(std::count_if(values_.begin(), values_.end(), [&](Index value) { return value >= border; }));
    };
    const Index last = std::max(last_value(), -time_bound);
    Index border = -time_bound;
    for (Index step = time_bound; step > 0; step /= 2)
      if (border + step <= last && rows_from(border + step) >= wanted) border += step;
    return border;
  }

  /// Makes the rows from a time or day on evaluation rows.
  void mark_from(Index border) {
    border_ = border;
    for (std::size_t record = 0; record < values_.size(); ++record)
      if (values_[record] >= std::max(border, no_time + 1)) records_.mark(Index(record));
  }

  /// Makes the last row of each user with several rows an evaluation row. Collective.
  void mark_last() {
    std::vector<std::vector<LastRow>> sent(comm_.size());
    for (const auto& [user, last] : users_) sent[last.low % std::uint64_t(comm_.size())].push_back(last);
    users_.clear();
    std::vector<LastRow> all = exchanged(comm_, sent);
    std::sort(all.begin(), all.end(), [](const LastRow& a, const LastRow& b) { return a.key() < b.key(); });
    std::vector<std::vector<Index>> records(comm_.size());
    Index rows = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      rows += all[i].rows;
      if (i + 1 < all.size() && all[i + 1].user() == all[i].user()) continue;
      ++users_seen_;
      single_ += rows == 1;
      if (rows > 1 && all[i].time != no_row) records[all[i].rank].push_back(all[i].record);
      rows = 0;
    }
    for (const Index record : exchanged(comm_, records)) records_.mark(record);
  }

  std::string rule() const {
    if (settings_.by == SplitBy::hash) return column_ ? "hash of " + settings_.column : "hash of the row";
    if (settings_.by == SplitBy::last) return "last row of each " + settings_.column;
    return settings_.by == SplitBy::time ? "time" : "day";
  }

  /// Counts the rows of both parts. Collective.
  SplitReport report() const {
    SplitReport report;
    report.rule = rule();
    report.evaluate = comm_.sum(records_.marked());
    report.train = comm_.sum(rows_) - report.evaluate;
    report.untimed = comm_.sum(time_ ? untimed_ : 0);
    report.unnamed = comm_.sum(unnamed_);
    report.users = comm_.sum(users_seen_);
    report.single = comm_.sum(single_);
    if (settings_.by == SplitBy::time) report.border = instant_text(border_);
    if (settings_.by == SplitBy::day) report.border = date_text(border_);
    return report;
  }

  const comm::Communicator& comm_;
  const RowFormat& format_;
  const SplitSettings& settings_;
  const std::vector<std::string>& missing_;
  std::optional<std::size_t> column_, time_;  ///< columns of the layout
  SplitRecords records_;
  std::vector<Index> values_;  ///< time or date of each record; empty if neither is needed
  std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, LastRow, UserHash> users_;
  Index border_ = 0, rows_ = 0, untimed_ = 0, unnamed_ = 0, users_seen_ = 0, single_ = 0;
};

}  // namespace

RowSplit split_rows(const comm::Communicator& comm, const std::vector<RawFile>& files, const RowFormat& format,
                    const Settings& settings) {
  return Splitter(comm, format, settings).split(files);
}

std::string description(const SplitReport& report) {
  const Index rows = report.train + report.evaluate;
  std::string text = concat("split by ", report.rule, ": ", report.evaluate, " of ", rows, " rows (",
                            significant(100.0 * double(report.evaluate) / double(std::max(rows, Index{1})), 4),
                            " %) are evaluation rows");
  if (!report.border.empty()) text += concat(", those from ", report.border, " on");
  if (report.users > 0)
    text +=
        concat("; ", counted(report.users, "user"), ", ", report.single, " with a single row, which stays to train");
  if (report.untimed > 0) text += concat("; ", counted(report.untimed, "row"), " without a time");
  if (report.unnamed > 0) text += concat("; ", counted(report.unnamed, "row"), " without a user");
  return text;
}

}  // namespace tesserec::preprocess
