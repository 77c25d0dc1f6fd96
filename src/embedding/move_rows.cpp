// SPDX-License-Identifier: Apache-2.0
// Updates of rows by gradients in memory.
#include "row_moves.hpp"
#include "row_updates.hpp"

namespace tesserec::embedding {
namespace {

template <bool whole>
struct GradientOf {
  const float* vector;
  Quads<whole> quads;
  TESSEREC_FUNCTION Quad operator()(Index q) const { return quads.load(vector, q); }
};

/// Operands that the kernels below share. They map an item to its shard, step, row and gradient.
template <class Rule, bool whole, class Format>
struct ListedRows {
  UpdatedShards updated;
  RowList rows;
  const float* gradients;
  Quads<whole> quads;
  Format format;

  TESSEREC_FUNCTION bool ends(Index item) const { return rows.count != nullptr && item >= *rows.count; }
  TESSEREC_FUNCTION std::uint64_t key(Index item) const {
    return rows.keys == nullptr ? std::uint64_t(item) : rows.keys[item];
  }
  TESSEREC_FUNCTION DeviceRow<Format> row(Index item) const {
    const std::uint64_t at = key(item), shard = at >> rows.row_bits;
    return row_at<Rule, Format>(updated.shards[shard], updated.steps[shard],
                                Index(at & ((std::uint64_t{1} << rows.row_bits) - 1)), updated.dim,
                                updated.first_column, updated.whole_dim);
  }
  TESSEREC_FUNCTION const optim::StepScalars& step(Index item) const {
    return updated.steps[key(item) >> rows.row_bits].scalars;
  }
  TESSEREC_FUNCTION GradientOf<whole> gradient(Index item) const { return {gradients + item * updated.dim, quads}; }
  TESSEREC_FUNCTION RowMove<Rule, whole, Format> update(const LaneGroup& lanes, Index item,
                                                        const DeviceRow<Format>& row) const {
    return {lanes, step(item), row, quads, {quads, format}};
  }
};

template <class Rule, bool whole, class Format>
struct MoveRows {
  ListedRows<Rule, whole, Format> listed;
  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index item) const {
    if (listed.ends(item)) return;
    const DeviceRow<Format> row = listed.row(item);
    listed.update(lanes, item, row)(listed.gradient(item));
  }
};

template <class Rule, bool whole, class Format>
struct SumColumns {
  ListedRows<Rule, whole, Format> listed;
  ColumnRound now;
  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index item) const {
    const DeviceRow<Format> row = listed.row(item);
    RowMove<Rule, whole, Format> move = listed.update(lanes, item, row);
    float numbers[2] = {};
    move.load_numbers(numbers);
    move.find_scalars(now.round, now.totals + item * now.before, numbers);
    if (Rule::touches(now.round)) move.touch(now.round, listed.gradient(item));
    float* out = now.sums + item * now.size;
    for (int k = 0; k < Rule::sums(now.round); ++k) out += move.sum_subtrees(now.round, k, listed.gradient(item), out);
    move.store_numbers(numbers);
  }
};

template <class Rule, bool whole, class Format>
struct MoveColumns {
  ListedRows<Rule, whole, Format> listed;
  const float* totals;
  Index before;
  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index item) const {
    const DeviceRow<Format> row = listed.row(item);
    RowMove<Rule, whole, Format> move = listed.update(lanes, item, row);
    float numbers[2] = {};
    move.load_numbers(numbers);
    move.find_scalars(Rule::rounds, totals + item * before, numbers);
    move.move(listed.gradient(item));
    move.store_numbers(numbers);
  }
};

/// Calls call(std::bool_constant whole). `whole`: contiguous vectors of `dim` floats consist of whole quads.
template <class Call>
void with_quads(Index dim, const Call& call) {
  if (dim % 4 == 0)
    call(std::true_type());
  else
    call(std::false_type());
}

/// Calls call(ListedRows) with the row rule of a type that is not elementwise.
template <class Call>
void with_row_rule(const UpdatedShards& updated, const RowList& rows, const float* gradients, const Call& call) {
  with_quads(updated.dim, [&](auto whole) {
    with_updated_format(updated.format, [&](auto format) {
      optim::with_row_rule(updated.type, [&](auto rule) {
        call(ListedRows<decltype(rule), whole.value, decltype(format)>{updated, rows, gradients,
                                                                       Quads<whole.value>{updated.dim}, format});
      });
    });
  });
}

}  // namespace

void move_rows(const Device& exec, const UpdatedShards& updated, const RowList& rows, const float* gradients) {
  with_quads(updated.dim, [&](auto whole) {
    const Quads<whole.value> quads{updated.dim};
    with_rule_and_format(updated, [&](auto rule, auto format) {
      launch(exec, "tesserec::embedding::move_rows", rows.max_rows, quads.count(),
             MoveRows<decltype(rule), whole.value, decltype(format)>{{updated, rows, gradients, quads, format}});
    });
  });
}

void sum_columns(const Device& exec, const UpdatedShards& updated, const RowList& rows, const float* gradients,
                 const ColumnRound& round) {
  with_row_rule(updated, rows, gradients, [&](const auto& listed) {
    launch(exec, "tesserec::embedding::sum_columns", rows.max_rows, 1, SumColumns{listed, round});
  });
}

void move_columns(const Device& exec, const UpdatedShards& updated, const RowList& rows, const float* gradients,
                  const float* totals, Index before) {
  with_row_rule(updated, rows, gradients, [&](const auto& listed) {
    launch(exec, "tesserec::embedding::move_columns", rows.max_rows, listed.quads.count(),
           MoveColumns{listed, totals, before});
  });
}

}  // namespace tesserec::embedding
