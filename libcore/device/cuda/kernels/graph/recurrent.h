#pragma once
/// Recurrent cells that compute a node's new memory from its message: GRU and RNN as in PyTorch.
#include <cstdint>

#include "libcore/device/cuda/kernels/mma_tile.h"
#include "libcore/device/cuda/launcher.h"

namespace frugal::cuda {

/// Cells of updates [first, end). The last number of `updates` [.., 4] is the slot to write.
struct CellRows {
  const std::uint32_t *first, *end;
  const std::uint32_t* updates;
  std::uint32_t dim;
  float* rz;  ///< [updates, 2 dim], gru: sums, then gates; rnn [updates, dim]: sums
  /// [updates, dim], gru: both parts of the candidate; nx then holds the candidate.
  float *nx, *nh;
  std::uint32_t parts;  ///< number of parts of the sums
  std::uint64_t rows;   ///< updates from one part to the next
  const float* own;     ///< rows own_stride apart
  std::uint32_t own_stride;
  float* made;   ///< [updates, dim]
  float* slots;  ///< [slots, dim]
  bool to_bf16;  ///< round slots to bf16, as the memory stores them
};

struct CellPlace {
  std::uint32_t row, column;
};
FRUGAL_DEVICE CellPlace cell_place(const CellRows& c) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::uint32_t first = c.first == nullptr ? 0 : *c.first;
  return {first + static_cast<std::uint32_t>(at / c.dim), static_cast<std::uint32_t>(at % c.dim)};
}
FRUGAL_DEVICE void keep_made(const CellRows& c, const CellPlace& p, float x) {
  c.made[std::uint64_t{p.row} * c.dim + p.column] = x;
  c.slots[std::uint64_t{c.updates[4 * p.row + 3]} * c.dim + p.column] =
      c.to_bf16 ? bf16_number(rounded_to_bf16(x)) : x;
}
/// Adds the parts of a sum; dim: numbers of its row.
FRUGAL_DEVICE float summed(const CellRows& c, const float* sum, std::uint32_t dim) {
  float x = *sum;
  for (std::uint32_t p = 1; p < c.parts; ++p) x += sum[p * c.rows * dim];
  return x;
}
FRUGAL_DEVICE float sigmoid(float x) { return 1 / (1 + expf(-x)); }

/// GRU forward pass; one thread per number of a row.
FRUGAL_KERNEL gru_forward(CellRows c) {
  const CellPlace p = cell_place(c);
  if (p.row >= *c.end) return;
  const std::uint64_t at = std::uint64_t{p.row} * c.dim + p.column;
  float *r = c.rz + 2 * std::uint64_t{p.row} * c.dim + p.column, *z = r + c.dim;
  const float reset = sigmoid(summed(c, r, 2 * c.dim)), update = sigmoid(summed(c, z, 2 * c.dim));
  const float by_own = summed(c, c.nh + at, c.dim);
  const float fresh = tanhf(summed(c, c.nx + at, c.dim) + reset * by_own);
  *r = reset;
  *z = update;
  c.nx[at] = fresh;
  c.nh[at] = by_own;
  const float own = c.own[std::uint64_t{p.row} * c.own_stride + p.column];
  keep_made(c, p, fresh + update * (own - fresh));
}

/// GRU backward pass: from dout [updates, dim], the gradients of the values that rz, nx and nh held
/// before gru_forward(). zero: number of rows up to which they are zero after the last one.
FRUGAL_KERNEL gru_backward(CellRows c, const float* dout, std::uint32_t zero) {
  const CellPlace p = cell_place(c);
  const std::uint64_t at = std::uint64_t{p.row} * c.dim + p.column;
  float *r = c.rz + 2 * std::uint64_t{p.row} * c.dim + p.column, *z = r + c.dim;
  if (p.row >= *c.end) {
    if (p.row < zero) *r = *z = c.nx[at] = c.nh[at] = 0;
    return;
  }
  const float reset = *r, update = *z, fresh = c.nx[at], d = dout[at];
  const float own = c.own[std::uint64_t{p.row} * c.own_stride + p.column];
  const float by_nx = d * (1 - update) * (1 - fresh * fresh);
  *z = d * (own - fresh) * update * (1 - update);
  *r = by_nx * c.nh[at] * reset * (1 - reset);
  c.nx[at] = by_nx;
  c.nh[at] = by_nx * reset;
}

FRUGAL_KERNEL rnn_forward(CellRows c) {
  const CellPlace p = cell_place(c);
  if (p.row >= *c.end) return;
  keep_made(c, p, tanhf(summed(c, c.rz + std::uint64_t{p.row} * c.dim + p.column, c.dim)));
}

FRUGAL_KERNEL rnn_backward(CellRows c, const float* dout, std::uint32_t zero) {
  const CellPlace p = cell_place(c);
  const std::uint64_t at = std::uint64_t{p.row} * c.dim + p.column;
  if (p.row < *c.end) {
    c.rz[at] = dout[at] * (1 - c.made[at] * c.made[at]);
  } else if (p.row < zero) {
    c.rz[at] = 0;
  }
}

}  // namespace frugal::cuda
