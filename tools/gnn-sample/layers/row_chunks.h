#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/nn/row_store.h"
#include "libcore/nn/weights.h"
#include "tools/gnn-sample/sampler/mini_batch.h"

// Operations of layers on the rows of a chunk, on the calling thread.

namespace frugal::gnn {

/// The edges of a block by source: those of source s are [offsets[s], offsets[s + 1]), with
/// ascending targets.
struct TransposedBlock {
  std::vector<std::uint32_t> offsets;  ///< [sources + 1]
  std::vector<std::uint32_t> targets;
  std::vector<std::uint32_t> edges;  ///< edge's number in the block, from 0

  /// Sets the edges. Reuses its memory.
  void assign(const Block& block);
};

/// Working memory of the thread for rows of a chunk; padding after the columns is finite. Calls
/// with the same `slot` return the same memory.
MatrixView<float> working_rows(std::size_t rows, std::size_t cols, std::size_t slot = 0);
/// Slot reserved for activations.
inline constexpr std::size_t kActivationSlot = 3;

/// Adds the bias, a row or empty, to each row.
void add_bias(const Weights& bias, MatrixView<float> rows);
void add_bias_gradient(Weights& bias, std::size_t group, MatrixView<const float> gradient);

void set_zero(MatrixView<float> rows);

/// Copies rows [begin, end) of `from` to out, with zeros after its last row.
void copy_rows_or_zero(MatrixView<const float> from, std::size_t begin, std::size_t end,
                       MatrixView<float> out);

/// For each source s in [begin, end), adds to row s - begin of out the rows of `from` of the
/// targets that s has edges to, in the order of the transposed block. weights: a factor for each
/// edge of the block, by its number; null: all are 1.
void add_transposed(const TransposedBlock& edges, std::size_t begin, std::size_t end,
                    MatrixView<const float> from, MatrixView<float> out,
                    const float* weights = nullptr);

/// Rows of a chunk. Inputs, outputs and weights of 256 rows fit a second-level cache of 2 MB.
inline constexpr std::size_t kChunkRows = 256;

/// Calls body(begin, end) for each chunk of rows [0, n), on all threads, in any order.
void for_each_chunk(std::size_t n, const std::function<void(std::size_t, std::size_t)>& body);

/// Calls body(group, begin, end) for each chunk of rows [0, n). Chunks are divided into at most
/// Weights::kGroups groups, which depend on n only. One thread computes all chunks of a group, in
/// order.
void for_each_grouped_chunk(std::size_t n,
                            const std::function<void(std::size_t, std::size_t, std::size_t)>& body);

}  // namespace frugal::gnn
