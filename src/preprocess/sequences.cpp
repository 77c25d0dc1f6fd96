// SPDX-License-Identifier: Apache-2.0
#include "sequences.hpp"

#define XXH_INLINE_ALL
#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>

#include <xxhash.h>

#include "exchange.hpp"
#include "range_reports.hpp"
#include "row_stream.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/times.hpp>
#include <tesserec/store/file_list.hpp>

namespace tesserec::preprocess {
namespace {

/// Bytes that a rank sends in one round.
constexpr Index round_bytes = Index{16} << 20;

/// Appends a number in big-endian order, so that texts compare as numbers do.
void put_number(std::uint64_t number, std::string& out) {
  for (int shift = 56; shift >= 0; shift -= 8) out += char(number >> shift & 0xFF);
}

std::uint64_t take_number(std::string_view& text) {
  std::uint64_t number = 0;
  for (int i = 0; i < 8; ++i) number = number << 8 | static_cast<unsigned char>(text[std::size_t(i)]);
  text.remove_prefix(8);
  return number;
}

/// Appends a text behind its size.
template <class Bytes>
void put_text(std::string_view text, Bytes& out) {
  const auto size = std::uint32_t(text.size());
  const char* const bytes = reinterpret_cast<const char*>(&size);
  out.insert(out.end(), bytes, bytes + sizeof size);
  out.insert(out.end(), text.begin(), text.end());
}

std::string_view take_text(std::string_view& bytes) {
  std::uint32_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  const std::string_view text = bytes.substr(sizeof size, size);
  bytes.remove_prefix(sizeof size + size);
  return text;
}

/// One sequence of the deck, with its columns in the layout.
struct SequencePlan {
  std::size_t user, time, item;  ///< columns, and the feature of the item
  std::string form;              ///< of the times
  std::size_t length;
};

SequencePlan plan_of(const UserSequence& sequence, const RowLayout& layout) {
  const std::string key = "preprocess.sequence." + sequence.name + ".";
  SequencePlan plan{layout.column(sequence.user, key + "user"), layout.column(sequence.time, key + "time"), 0, "",
                    std::size_t(sequence.length)};
  if (layout.columns[plan.time].kind != ColumnKind::time)
    fail(key, "time: column \"", sequence.time, "\" is not of kind = \"time\"; give it this kind");
  plan.form = layout.columns[plan.time].time;
  plan.item = layout.single_feature(sequence.item, key + "item");
  return plan;
}

Index memory_of(const std::vector<UserSequence>& sequences) {
  Index memory = sequences.front().memory;
  for (const UserSequence& sequence : sequences) memory = std::min(memory, sequence.memory);
  return memory;
}

/// Finder of the sequences of all files.
class Finder {
 public:
  Finder(const comm::Communicator& comm, const RowFormat& format, const Settings& settings, const std::string& folder,
         std::size_t sets)
      : comm_(comm),
        format_(format),
        missing_(settings.missing),
        bad_rows_(settings.bad_rows),
        scratch_(concat(folder, "/sequence-", comm.rank(), "-")),
        memory_(memory_of(settings.sequences) / Index(sets)),
        events_(scratch_ + "events-", memory_),
        sets_(sets),
        sent_(std::size_t(comm.size())),
        untimed_(settings.sequences.size()) {
    for (const UserSequence& sequence : settings.sequences) plans_.push_back(plan_of(sequence, format.layout()));
  }

  void read(std::size_t set, const SequenceFiles& files) {
    const auto ranges = deal_ranges(*files.files, comm_.rank(), comm_.size(), format_.layout().text.quoted_newlines);
    const bool is_history = set == 0;  // The surveys name the faults of the other sets.
    RowStream rows(*files.files, ranges, format_, is_history ? bad_rows_ : BadRows::skip, files.targets);
    Row row;
    for (bool more = true; comm_.max(more) != 0;) {
      comm::agree(comm_, [&] {
        for (Index bytes = 0; more && bytes < round_bytes;) {
          more = rows.next(row);
          if (more) bytes += send_events(set, rows, row);
        }
      });
      const std::vector<char> received = exchanged(comm_, sent_);
      comm::agree(comm_, [&] {
        for (std::string_view rest(received.data(), received.size()); !rest.empty();) {
          const std::string_view key = take_text(rest);
          events_.add(key, take_text(rest));
        }
      });
    }
    if (is_history && !files.files->empty()) judge_history(rows, *files.files, ranges);
  }

  std::vector<std::unique_ptr<RecordSequences>> find() {
    comm::agree(comm_, [&] { events_.sort(); });
    std::vector<std::unique_ptr<RecordSequences>> found;
    for (std::size_t set = 0; set < sets_; ++set)
      found.push_back(std::make_unique<RecordSequences>(plans_.size(), concat(scratch_, set, "-"), memory_));
    for (bool more = true; comm_.max(more) != 0;) {
      comm::agree(comm_, [&] { more = send_sequences(); });
      const std::vector<char> received = exchanged(comm_, sent_);
      comm::agree(comm_, [&] {
        for (std::string_view rest(received.data(), received.size()); !rest.empty();) {
          std::string_view place = take_text(rest);
          const std::uint64_t sequence = take_number(place), set = take_number(place), record = take_number(place);
          found[set]->add(Index(record), sequence, take_text(rest));
        }
      });
    }
    comm::agree(comm_, [&] {
      for (const auto& of_set : found) of_set->sort();
    });
    return found;
  }

  SequenceCounts counts() {
    comm_.sum(std::span<Index>(untimed_));
    return {untimed_, history_};
  }

 private:
  /// Counts the rows of files that were read for sequences alone, and throws as survey() does. Collective.
  void judge_history(const RowStream& rows, const std::vector<RawFile>& files, std::span<const FileRange> ranges) {
    comm::agree_on(comm_, stop_reason(comm_, rows, files, ranges));
    history_ =
        file_reports(files, gathered_ranges(comm_, ranges, rows.counts()), RowStream::bad_rows_kept(Targets::required));
    for (const FileReport& file : history_)
      if (file.rows + file.bad_rows == 0) fail_without_rows(file.path);
    require_good_rows(history_);
  }

  bool is_missing(std::string_view text) const {
    return std::find(missing_.begin(), missing_.end(), text) != missing_.end();
  }

  /// Sends what a row adds to each sequence, to the rank of its user. Returns the bytes.
  Index send_events(std::size_t set, const RowStream& rows, const Row& row) {
    Index bytes = 0;
    for (std::size_t s = 0; s < plans_.size(); ++s) {
      const SequencePlan& plan = plans_[s];
      const std::string_view user = rows.field(row, plan.user);
      const std::string_view when = rows.field(row, plan.time);
      ParsedTime time;
      if (is_missing(user) || is_missing(when) || !parse_time(when, plan.form, time)) {
        ++untimed_[s];
        continue;
      }
      const XXH128_hash_t hash = XXH3_128bits(user.data(), user.size());
      constexpr std::uint64_t sign = std::uint64_t{1} << 63;  // orders negative numbers before the others
      key_.clear();
      for (const std::uint64_t number :
           {std::uint64_t(s), std::uint64_t(hash.high64), std::uint64_t(hash.low64), std::uint64_t(time.instant) ^ sign,
            std::uint64_t(set), std::uint64_t(comm_.rank()), std::uint64_t(rows.records().number())})
        put_number(number, key_);
      const std::size_t begin = plan.item == 0 ? 0 : row.ends[plan.item - 1];
      value_.clear();
      if (begin < row.ends[plan.item] && row.tokens[begin]) put_text(*row.tokens[begin], value_);
      std::vector<char>& to = sent_[hash.low64 % sent_.size()];
      put_text(key_, to);
      put_text(value_, to);
      bytes += std::ssize(key_) + std::ssize(value_);
    }
    return bytes;
  }

  /// Sends the sequences of a round to the ranks of their records. Returns false at the end.
  bool send_sequences() {
    SortedRecord event;
    for (Index bytes = 0; bytes < round_bytes;) {
      if (!events_.next(event)) return false;
      std::string_view key = event.key;
      const std::string_view user = key.substr(0, 24);
      if (user != user_) items_.clear();
      user_ = user;
      const std::uint64_t sequence = take_number(key);
      key.remove_prefix(24);
      const std::uint64_t set = take_number(key), rank = take_number(key), record = take_number(key);
      value_.clear();
      for (const std::string& item : items_) value_ += item;
      if (!value_.empty() && set > 0) {
        key_.clear();
        for (const std::uint64_t number : {sequence, set, record}) put_number(number, key_);
        put_text(key_, sent_[rank]);
        put_text(value_, sent_[rank]);
      }
      bytes += 1 + std::ssize(value_);
      if (event.value.empty()) continue;
      items_.emplace_back(event.value);
      if (items_.size() > plans_[sequence].length) items_.pop_front();
    }
    return true;
  }

  const comm::Communicator& comm_;
  const RowFormat& format_;
  const std::vector<std::string>& missing_;
  BadRows bad_rows_;  ///< treatment of the first set's bad rows
  std::string scratch_;
  Index memory_;         ///< of each sorter, bytes
  RecordSorter events_;  ///< what rows add, by sequence, user, time, set, rank and record
  std::size_t sets_;
  std::vector<std::vector<char>> sent_;
  std::vector<SequencePlan> plans_;
  std::vector<Index> untimed_;       ///< rows without a user or a time, of each sequence
  std::vector<FileReport> history_;  ///< files of the first set
  std::deque<std::string> items_;    ///< packed last items of the user
  std::string user_, key_, value_;   ///< sequence and hash of the user; scratch
};

}  // namespace

RecordSequences::RecordSequences(std::size_t sequences, std::string scratch, Index memory)
    : sequences_(sequences), sorter_(std::move(scratch), memory), items_(sequences) {}

void RecordSequences::add(Index record, std::size_t sequence, std::string_view items) {
  std::string key;
  put_number(std::uint64_t(record), key);
  put_number(sequence, key);
  sorter_.add(key, items);
}

void RecordSequences::rewind() {
  sorter_.rewind();
  has_next_ = sorter_.next(next_);
}

void RecordSequences::append(Index record, Row& row) {
  for (std::size_t s = 0; s < sequences_; ++s) {
    items_[s].clear();
    while (has_next_) {
      std::string_view key = next_.key;
      const auto of_record = Index(take_number(key));
      const std::pair of(of_record, std::size_t(take_number(key)));
      if (of > std::pair(record, s)) break;
      if (of == std::pair(record, s)) items_[s] = next_.value;
      has_next_ = sorter_.next(next_);
    }
    for (std::string_view rest = items_[s]; !rest.empty();) row.tokens.emplace_back(take_text(rest));
    row.ends.push_back(row.tokens.size());
    row.cut.push_back(0);
  }
}

std::vector<std::unique_ptr<RecordSequences>> find_sequences(const comm::Communicator& comm,
                                                             const std::vector<SequenceFiles>& sets,
                                                             const RowFormat& format, const Settings& settings,
                                                             const std::string& folder, SequenceCounts& counts) {
  Finder finder(comm, format, settings, folder, sets.size());
  for (std::size_t set = 0; set < sets.size(); ++set) finder.read(set, sets[set]);
  auto found = finder.find();
  counts = finder.counts();
  return found;
}

void require_apart(const Settings& settings) {
  if (settings.sequences.empty()) return;
  const std::pair<const char*, const std::vector<std::string>*> lists[] = {{"history", &settings.history},
                                                                           {"train", &settings.train},
                                                                           {"evaluate", &settings.evaluate},
                                                                           {"predict", &settings.predict}};
  for (std::size_t later = 1; later < std::size(lists); ++later)
    for (std::size_t earlier = 0; earlier < later; ++earlier)
      if (const auto shared = store::files_of_both(*lists[later].second, *lists[earlier].second); !shared.empty())
        fail("preprocess.", lists[earlier].first, " and preprocess.", lists[later].first, " both name ", join(shared),
             ", so each of its rows would find its own item in its [[preprocess.sequence]]; remove it from one of the "
             "two");
}

}  // namespace tesserec::preprocess
