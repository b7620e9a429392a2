// The dot products of all pairs of few vectors, and their gradient: the interaction of DLRM
// (Naumov et al., arXiv 1906.00091). Vectors are copied side by side, padded with zeros to whole
// blocks of rows, so that neither loop has a tail but the last lanes of a row.
#pragma once
#include "libcore/kernels/bodies/vec.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

/// Rows that are in registers at a time: eight sums hide the latency of the multiply-add. Divides
/// kPairPadding.
inline constexpr std::size_t kPairRows = 8;

inline std::size_t padded_pairs(const PairDots& p) {
  return (p.count + kPairPadding - 1) / kPairPadding * kPairPadding;
}

/// Position of row i of the triangle among the dots.
inline std::size_t triangle_row(const PairDots& p, std::size_t i) {
  return p.diagonal ? i * (i + 1) / 2 : i == 0 ? 0 : i * (i - 1) / 2;
}
inline std::size_t triangle_length(const PairDots& p, std::size_t i) {
  return p.diagonal ? i + 1 : i;
}

inline void copy_floats(const float* from, std::size_t n, float* to) {
  for_each_vec(n, [=](std::size_t i, auto part) { part.store(to + i, part.load(from + i)); });
}
inline void zero_floats(float* to, std::size_t n) {
  for_each_vec(n, [=](std::size_t i, auto part) { part.store(to + i, Vec{}); });
}

/// The vectors as rows [padded, dim].
void collect_rows(const PairDots& p, float* rows) {
  const std::size_t from_first = p.first == nullptr ? 0 : 1;
  if (p.first != nullptr) copy_floats(p.first, p.dim, rows);
  copy_floats(p.rest, (p.count - from_first) * p.dim, rows + from_first * p.dim);
  zero_floats(rows + p.count * p.dim, (padded_pairs(p) - p.count) * p.dim);
}

/// The first n lanes of v.
inline void store_lanes(float* to, Vec v, std::size_t n) {
  if (n >= kLanes) {
    store(to, v);
  } else if (n != 0) {
    First(n).store(to, v);
  }
}

void pair_dots(const PairDots& p, float* dots) {
  if (p.count == 0) return;
  const std::size_t padded = padded_pairs(p);
  float* rows = p.scratch;
  float* columns = rows + padded * p.dim;  // [dim, padded]
  collect_rows(p, rows);
  transpose(rows, p.dim, p.dim, padded, columns, padded);
  for (std::size_t i = 0; i < p.count; i += kPairRows) {
    for (std::size_t j = 0; j < i + kPairRows; j += kLanes) {
      Vec sums[kPairRows] = {};
      for (std::size_t d = 0; d < p.dim; ++d) {
        const Vec column = load(columns + d * padded + j);
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kPairRows; ++r) {
          sums[r] += splat(rows[(i + r) * p.dim + d]) * column;
        }
      }
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kPairRows; ++r) {
        const std::size_t length = i + r < p.count ? triangle_length(p, i + r) : 0;
        if (length > j) store_lanes(dots + triangle_row(p, i + r) + j, sums[r], length - j);
      }
    }
  }
}

/// Row-major, rows `padded` apart: the gradients of the dots below and on the diagonal, zeros in
/// the rest of the blocks on it.
void expand_triangle(const PairDots& p, const float* gradient, float* square, std::size_t padded) {
  for (std::size_t i = 0; i < p.count; ++i) {
    float* row = square + i * padded;
    zero_floats(row + i / kPairRows * kPairRows, kPairRows);
    copy_floats(gradient + triangle_row(p, i), triangle_length(p, i), row);
  }
  zero_floats(square + p.count * padded, (padded - p.count) * padded);
}

/// Row i of the result is the sum over j of (L + L^T)(i, j) row j, L the triangle.
void pair_dots_backward(const PairDots& p, const float* gradient, float* dfirst, float* drest) {
  if (p.count == 0) return;
  const std::size_t padded = padded_pairs(p), from_first = p.first == nullptr ? 0 : 1;
  float* rows = p.scratch;
  float* square = rows + padded * p.dim;
  collect_rows(p, rows);
  expand_triangle(p, gradient, square, padded);
  for (std::size_t i = 0; i < p.count; i += kPairRows) {
    for_each_vec(p.dim, [&](std::size_t d, auto part) {
      Vec sums[kPairRows] = {};
      // The block on the diagonal meets both triangles.
      for (std::size_t j = 0; j < i + kPairRows; ++j) {
        const Vec row = part.load(rows + j * p.dim + d);
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kPairRows; ++r) {
          sums[r] += splat(square[(i + r) * padded + j]) * row;
        }
      }
      for (std::size_t j = i; j < p.count; ++j) {
        const Vec row = part.load(rows + j * p.dim + d);
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kPairRows; ++r) {
          sums[r] += splat(square[j * padded + i + r]) * row;
        }
      }
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kPairRows; ++r) {
        if (i + r >= p.count) continue;
        float* to = i + r < from_first ? dfirst : drest + (i + r - from_first) * p.dim;
        part.store(to + d, sums[r]);
      }
    });
  }
}

}  // namespace
}  // namespace frugal
