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
template <class Rule, bool whole>
struct ListedRows {
  UpdatedShards updated;
  RowList rows;
  const float* gradients;
  Quads<whole> quads;

  TESSEREC_FUNCTION bool ends(Index item) const { return rows.count != nullptr && item >= *rows.count; }
  TESSEREC_FUNCTION std::uint64_t key(Index item) const {
    return rows.keys == nullptr ? std::uint64_t(item) : rows.keys[item];
  }
  TESSEREC_FUNCTION DeviceRow row(Index item) const {
    const std::uint64_t at = key(item);
    return row_at<Rule>(updated.shards[at >> rows.row_bits], Index(at & ((std::uint64_t{1} << rows.row_bits) - 1)),
                        updated.dim, updated.first_column, updated.whole_dim);
  }
  TESSEREC_FUNCTION const optim::StepScalars& step(Index item) const {
    return updated.steps[key(item) >> rows.row_bits].scalars;
  }
  TESSEREC_FUNCTION GradientOf<whole> gradient(Index item) const { return {gradients + item * updated.dim, quads}; }
};

template <class Rule, bool whole>
struct MoveRows {
  ListedRows<Rule, whole> listed;
  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index item) const {
    if (listed.ends(item)) return;
    const DeviceRow row = listed.row(item);
    RowMove<Rule, whole>{lanes, listed.step(item), row, listed.quads}(listed.gradient(item));
  }
};

template <class Rule, bool whole>
struct SumColumns {
  ListedRows<Rule, whole> listed;
  ColumnRound now;
  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index item) const {
    const DeviceRow row = listed.row(item);
    RowMove<Rule, whole> move{lanes, listed.step(item), row, listed.quads};
    float numbers[2] = {};
    move.load_numbers(numbers);
    move.find_scalars(now.round, now.totals + item * now.before, numbers);
    if (Rule::touches(now.round)) move.touch(now.round, listed.gradient(item));
    float* out = now.sums + item * now.size;
    for (int k = 0; k < Rule::sums(now.round); ++k) out += move.sum_subtrees(now.round, k, listed.gradient(item), out);
    move.store_numbers(numbers);
  }
};

template <class Rule, bool whole>
struct MoveColumns {
  ListedRows<Rule, whole> listed;
  const float* totals;
  Index before;
  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index item) const {
    const DeviceRow row = listed.row(item);
    RowMove<Rule, whole> move{lanes, listed.step(item), row, listed.quads};
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

}  // namespace

void move_rows(const Device& exec, const UpdatedShards& updated, const RowList& rows, const float* gradients) {
  with_quads(updated.dim, [&](auto whole) {
    const Quads<whole.value> quads{updated.dim};
    with_rule(updated.type, [&](auto rule) {
      launch(exec, "tesserec::embedding::move_rows", rows.max_rows, quads.count(),
             MoveRows<decltype(rule), whole.value>{{updated, rows, gradients, quads}});
    });
  });
}

void sum_columns(const Device& exec, const UpdatedShards& updated, const RowList& rows, const float* gradients,
                 const ColumnRound& round) {
  with_quads(updated.dim, [&](auto whole) {
    const Quads<whole.value> quads{updated.dim};
    optim::with_row_rule(updated.type, [&](auto rule) {
      launch(exec, "tesserec::embedding::sum_columns", rows.max_rows, 1,
             SumColumns<decltype(rule), whole.value>{{updated, rows, gradients, quads}, round});
    });
  });
}

void move_columns(const Device& exec, const UpdatedShards& updated, const RowList& rows, const float* gradients,
                  const float* totals, Index before) {
  with_quads(updated.dim, [&](auto whole) {
    const Quads<whole.value> quads{updated.dim};
    optim::with_row_rule(updated.type, [&](auto rule) {
      launch(exec, "tesserec::embedding::move_columns", rows.max_rows, quads.count(),
             MoveColumns<decltype(rule), whole.value>{{updated, rows, gradients, quads}, totals, before});
    });
  });
}

}  // namespace tesserec::embedding
