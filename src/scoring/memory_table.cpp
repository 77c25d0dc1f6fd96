// SPDX-License-Identifier: Apache-2.0
#include "memory_table.hpp"

#include <algorithm>
#include <cstring>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::scoring {
namespace {

/// Writes rows in a table's format. `named`: returns the name of one of the rows for messages. `stored`: a buffer.
/// Throws Error if a number has no form in the format.
template <class Named>
void write_served(const ServedTable& table, Index rows, const float* from, std::byte* to, std::vector<float>& stored,
                  const Named& named) {
  const Index dim = table.config.embedding_dim;
  write_rows(table.format, rows, dim, from, to);
  if (table.format == ServedFormat::fp32) return;
  stored.resize(std::size_t(rows * dim));
  read_rows(table.format, rows, dim, to, stored.data());
  RowErrors errors;
  if (const Index bad = raise_errors(rows, dim, from, stored.data(), errors); bad >= 0)
    fail("table ", table.config.name, ", ", named(bad), ": it has a number that ", name(table.format),
         " cannot hold; serve with --rows fp32");
}

/// Rows of a table in memory, as the target of a read from a file.
class TableRows : public store::SlabSource {
 public:
  TableRows(const ServedTable& table, std::byte* rows)
      : SlabSource(table.config.embedding_dim), table_(table), rows_(rows) {}

  float* in_place(Range rows) const override { return rounds() ? nullptr : reinterpret_cast<float*>(at(rows.begin)); }
  bool rounds() const override { return table_.format != ServedFormat::fp32; }
  void read(const Exec&, Range rows, float* to) const override {
    read_rows(table_.format, rows.size(), ld(), at(rows.begin), to);
  }
  void write(const Exec&, Range rows, const float* from) override {
    std::vector<float> stored;
    const char* const what = table_.config.grows() ? "row at place " : "row ";
    write_served(table_, rows.size(), from, at(rows.begin), stored,
                 [&](Index row) { return concat(what, rows.begin + row); });
  }

 private:
  std::byte* at(Index row) const { return rows_ + row * row_bytes(table_.format, ld()); }

  const ServedTable& table_;
  std::byte* rows_;
};

}  // namespace

MemoryTable::MemoryTable(const Exec& exec, const ServedTable& table)
    : table_(table),
      rows_(make_vector<std::byte>(exec, "tesserec::scoring::rows",
                                   table.config.rows().size() * row_bytes(table.format, table.config.embedding_dim))) {
  if (table.config.grows()) ids_ = std::make_unique<IdRows>(table.config.rows().size());
  table_.rows = rows_.data();
  table_.ids = ids_.get();
}

void MemoryTable::add_items(const store::OpenCheckpoint& checkpoint, std::vector<store::StateItem>& items) {
  const std::string& name = table_.config.name;
  Index rows = table_.config.rows().size();
  if (ids_ != nullptr) {
    const Index capacity = rows;
    rows = held_rows(checkpoint.manifest, table_.config);
    if (rows > capacity)
      fail(checkpoint.state.path(), ": table ", name, " has ", rows, " rows, but its deck gives it ", capacity,
           "; the file is damaged, use another checkpoint");
    words_ = std::make_shared<store::WordRows>(rows, store::row_number_words);
    store::add_words(store::item_name(name, "ids"), {0, rows}, rows, words_, true, items);
  }
  if (rows == 0) return;
  items.push_back({.name = store::item_name(name, "weight"),
                   .rows = rows,
                   .columns = table_.config.embedding_dim,
                   .slab = {0, rows},
                   .source = std::make_shared<TableRows>(table_, rows_.data())});
}

void MemoryTable::end_read(const std::string& file) {
  if (ids_ == nullptr) return;
  const std::vector<Index> ids = whole_numbers(*words_);
  words_.reset();
  ids_->clear(std::ssize(ids));
  for (Index row = 0; row < std::ssize(ids); ++row)
    if (insert(ids[row], file) != row)
      fail(file, ": table ", table_.config.name, " has id ", ids[row], " twice; the file is damaged, use another one");
}

Index MemoryTable::insert(Index id, const std::string& file) {
  try {
    return ids_->insert(id);
  } catch (const Error& error) {
    fail(file, ": table ", table_.config.name, ": ", error.what(), ", the most that a served table of its deck holds");
  }
}

void MemoryTable::apply(const ModelDelta::NewRows& moved, const std::string& file) {
  const Index dim = table_.config.embedding_dim, bytes = row_bytes(table_.format, dim);
  std::vector<float> stored;
  for (const Index id : moved.evicted)
    if (!ids_->erase(id))
      fail(file, ": table ", table_.config.name, ": id ", id,
           " has left, but the served model does not have it, so the "
           "delta is of another model");
  for (Index i = 0; i < std::ssize(moved.rows); ++i) {
    const Index row = ids_ == nullptr ? moved.rows[i] : insert(moved.rows[i], file);
    write_served(table_, 1, moved.weights.data() + i * dim, rows_.data() + row * bytes, stored,
                 [&](Index) { return concat(ids_ == nullptr ? "row " : "id ", moved.rows[i]); });
  }
}

void MemoryTable::copy(const MemoryTable& other) {
  Index rows = table_.config.rows().size();
  if (ids_ != nullptr) {
    ids_->copy(*other.ids_);
    rows = ids_->rows_end();
  }
  std::copy_n(other.rows_.data(), rows * row_bytes(table_.format, table_.config.embedding_dim), rows_.data());
}

std::vector<Index> whole_numbers(const store::WordRows& words) {
  std::vector<Index> numbers(std::size_t(words.rows()));
  for (Index i = 0; i < words.rows(); ++i) numbers[i] = Index(words.get(i, 0, store::row_number_words));
  return numbers;
}

}  // namespace tesserec::scoring
