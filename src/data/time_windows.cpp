// SPDX-License-Identifier: Apache-2.0
#include "time_windows.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include <tesserec/core/error.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utc.hpp>
#include <tesserec/data/window_width.hpp>

namespace tesserec::data {
namespace {

constexpr Index second_us = 1'000'000, day_us = 86400 * second_us;
constexpr Index latest_us = 253402300800 * second_us;  // the year 10000; times lie within it on both sides of 1970
constexpr Index no_time_us = std::numeric_limits<Index>::min();  // NumPy's NaT

/// Returns the largest multiple of `width`, in widths, that is not above `time`.
Index span_of(Index time, Index width) { return time >= 0 ? time / width : -((-time + width - 1) / width); }

/// Throws Error unless the file stores a time for each sample.
void require_times(const DatasetPart& part) {
  const store::File& file = part.file.index();
  const char* const remedy =
      "; give a column of times stored = true and run `tesserec preprocess` again, or set data.window = \"file\"";
  if (!file.exists("/time")) fail("data.window: ", file.path(), " has no times of its samples (/time)", remedy);
  if (file.shape("/time") != std::vector<Index>{part.samples} || file.type("/time") != store::ElementType::i64)
    fail("data.window: ", file.path(), ": /time is not one 64-bit integer per sample, microseconds since 1970", remedy);
  part.file.require_stored("/time");
}

/// Calls take(sample of the dataset, time) for all samples of a file. Throws Error for times that are none.
template <class Take>
void for_each_time(const DatasetPart& part, const Take& take) {
  constexpr Index block = Index{1} << 20;
  std::vector<Index> times;
  Index missing = 0, first_missing = 0;
  for (Index begin = 0; begin < part.samples; begin += block) {
    times.resize(std::min(block, part.samples - begin));
    part.file.read("/time", {begin, std::ssize(times)}, times.data());
    for (Index i = 0; i < std::ssize(times); ++i) {
      const Index time = times[i];
      if (time == no_time_us && missing++ == 0) first_missing = begin + i;
      if (time == no_time_us) continue;
      if (time <= -latest_us || time >= latest_us)
        fail("time ", time, " in sample ", begin + i, " of ", part.file.path(),
             " is not within 8029 years of 1970; store times in microseconds");
      take(part.first + begin + i, time);
    }
  }
  if (missing > 0)
    fail(part.file.path(), ": ", counted(missing, "sample"), " of ", part.samples, " without a time, first sample ",
         first_missing, "; leave them out, or give them a time");
}

}  // namespace

std::optional<Index> window_width(const std::string& window) {
  if (window == "file") return 0;
  const std::size_t space = window.find(' ');
  if (space == std::string::npos) return std::nullopt;
  const auto number = parse_number<Index>(std::string_view(window).substr(0, space));
  std::string unit = window.substr(space + 1);
  if (unit.ends_with('s')) unit.pop_back();
  const std::pair<const char*, Index> units[] = {
      {"second", second_us}, {"minute", 60 * second_us}, {"hour", 3600 * second_us}, {"day", day_us}};
  for (const auto& [name, width] : units)
    if (unit == name && number && *number >= 1 && *number <= latest_us / width) return *number * width;
  return std::nullopt;
}

TimeWindows::TimeWindows(const Dataset& dataset, const std::string& window) : width_(window) {
  const std::optional<Index> width = window_width(window);
  if (!width) fail("data.window is \"", window, "\"; give ", window_forms);
  if (*width == 0)
    add_files(dataset);
  else
    add_spans(dataset, *width);
}

void TimeWindows::add_files(const Dataset& dataset) {
  for (const DatasetPart& part : dataset.parts()) {
    left_out_ += part.samples == 0;
    if (part.samples == 0) continue;
    windows_.push_back({part.file.path(), part.samples});
    runs_.push_back({{0, {part.first, part.first + part.samples}}});
  }
}

void TimeWindows::add_spans(const Dataset& dataset, Index width) {
  for (const DatasetPart& part : dataset.parts()) require_times(part);
  std::map<Index, std::vector<WindowRun>> spans;
  std::vector<WindowRun>* runs = nullptr;  // of the sample before
  Index span = 0;
  with_memory([&] { return concat("the windows of ", dataset.info().description, ", 24 bytes per run of samples"); },
              24.0 * double(dataset.info().samples),
              [&] {
                for (const DatasetPart& part : dataset.parts())
                  for_each_time(part, [&](Index sample, Index time) {
                    const Index own = span_of(time, width);
                    if (runs != nullptr && own == span) {
                      ++runs->back().samples.end;
                      return;
                    }
                    span = own;
                    runs = &spans[own];
                    const Index at = runs->empty() ? 0 : runs->back().at + runs->back().samples.size();
                    runs->push_back({at, {sample, sample + 1}});
                  });
              });
  for (auto& [number, found] : spans) {
    const Index begin = number * width;
    const WindowRun& last = found.back();
    windows_.push_back({width % day_us == 0 ? date_text(begin / day_us) : instant_text(begin),
                        last.at + last.samples.size(), begin, begin + width});
    runs_.push_back(std::move(found));
  }
  if (!spans.empty()) left_out_ = spans.rbegin()->first - spans.begin()->first + 1 - std::ssize(windows_);
}

std::vector<Range> TimeWindows::runs(Index window, const std::vector<Range>& positions) const {
  const std::vector<WindowRun>& own = runs_[window];
  std::vector<Range> found;
  for (const Range& range : positions) {
    auto run =
        std::upper_bound(own.begin(), own.end(), range.begin, [](Index at, const WindowRun& r) { return at < r.at; });
    --run;  // the run that holds range.begin, since the first is at position 0
    for (Index at = range.begin; at < range.end; ++run) {
      assert(run != own.end());
      const Index end = std::min(range.end, run->at + run->samples.size());
      found.push_back({run->samples.begin + at - run->at, run->samples.begin + end - run->at});
      at = end;
    }
  }
  return found;
}

std::string TimeWindows::description(Index batch_size) const {
  if (windows_.empty()) return "";
  const bool files = windows_.front().begin == windows_.front().end;
  Index small = 0, runs = 0;
  for (const TimeWindow& window : windows_) small += window.samples < batch_size;
  for (const std::vector<WindowRun>& own : runs_) runs += std::ssize(own);
  std::string text = concat("training in the order of time: ", counted(std::ssize(windows_), "window"), " of ",
                            files ? std::string("a file each") : width_ + " (UTC)", ", ", windows_.front().name);
  if (windows_.size() > 1) text += " to " + windows_.back().name;
  if (left_out_ > 0) text += concat("; ", counted(left_out_, files ? "file" : "span"), " without samples skipped");
  if (small > 0) text += concat("; ", small, " with less than a batch");
  if (runs > std::ssize(windows_))
    text += concat("; the files are not in this order, so their samples are read in ", runs, " runs");
  return text;
}

}  // namespace tesserec::data
