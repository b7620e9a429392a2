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

// What layers do with the rows of a chunk, on the calling thread.

namespace frugal::gnn {

/// The edges of a block by their sources: those of source s are [offsets[s], offsets[s + 1]),
/// targets ascending.
struct TransposedBlock {
  std::vector<std::uint32_t> offsets;  ///< [sources + 1]
  std::vector<std::uint32_t> targets;
  std::vector<std::uint32_t> edges;  ///< number in the block, from 0

  /// Keeps its memory from block to block.
  void assign(const Block& block);
};

/// Working memory of the thread for rows of a chunk, finite numbers behind the columns. The same
/// memory for the same `slot`, until it is asked for again.
MatrixView<float> working_rows(std::size_t rows, std::size_t cols, std::size_t slot = 0);
/// The slot of activations, which layers leave alone.
inline constexpr std::size_t kActivationSlot = 3;

/// Adds the bias, a row of weights or nothing, to each row.
void add_bias(const Weights& bias, MatrixView<float> rows);
void add_bias_gradient(Weights& bias, std::size_t group, MatrixView<const float> gradient);

void set_zero(MatrixView<float> rows);

/// out = rows [begin, end) of `from`, zeros behind its last one.
void copy_rows_or_zero(MatrixView<const float> from, std::size_t begin, std::size_t end,
                       MatrixView<float> out);

/// out row s - begin += the sum of `from`'s rows of the targets that source s in [begin, end) has
/// edges to, in the order of the transposed block.
void add_transposed(const TransposedBlock& edges, std::size_t begin, std::size_t end,
                    MatrixView<const float> from, MatrixView<float> out);

/// Rows that are worked on at a time: inputs, outputs and weights of 256 of them stay in a
/// second-level cache of 2 MB.
inline constexpr std::size_t kChunkRows = 256;

/// Calls body(begin, end) for the chunks of rows [0, n), on all threads in any order.
void for_each_chunk(std::size_t n, const std::function<void(std::size_t, std::size_t)>& body);

/// Calls body(group, begin, end) for the chunks of rows [0, n), which are split into at most
/// Weights::kGroups groups: one thread takes the chunks of a group, in order. Groups depend on n
/// alone.
void for_each_grouped_chunk(std::size_t n,
                            const std::function<void(std::size_t, std::size_t, std::size_t)>& body);

}  // namespace frugal::gnn
