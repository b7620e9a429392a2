#pragma once
#include <cstdint>
#include <span>

#include "libcore/nn/optimizer.h"
#include "libcore/nn/row_table.h"

namespace frugal {

/// Sparse input of one example: rows of a table and their weights; no weights at all: every weight
/// is 1.
struct Bag {
  std::span<const std::uint32_t> rows;
  std::span<const float> weights;

  Bag part(std::size_t begin, std::size_t end) const {
    return {rows.subspan(begin, end - begin),
            weights.empty() ? weights : weights.subspan(begin, end - begin)};
  }
};

/// out[dim] += sum_j weights[j] * table[rows[j]].
void embedding_bag_forward(const RowTable& table, const Bag& bag, float* out);

/// Steps each row of the bag with the gradient weights[j] * dout, one after the other: the backward
/// pass and the optimiser in one touch of each row. Only for optimisers that steps_bags().
bool steps_bags(const OptimizerOptions& options);
void embedding_bag_step(RowTable& table, const Bag& bag, const float* dout, float rate,
                        const OptimizerOptions& options);

}  // namespace frugal
