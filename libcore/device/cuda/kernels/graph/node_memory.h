#pragma once
/// Node memory and the messages that update it (tgn-train's node_memory.h).
#include <cstdint>

#include "libcore/device/cuda/kernels/graph/time_encoding.h"
#include "libcore/device/cuda/kernels/interactions.h"
#include "libcore/device/cuda/kernels/mma_tile.h"
#include "libcore/device/cuda/kernels/row_places.h"

namespace frugal::cuda {

/// Memory of all nodes: states, and messages not yet applied.
struct MemoryRows {
  void *state, *message;  ///< [nodes, dim], [nodes, kept_dim]
  std::uint32_t dim, kept_dim;
  bool half;  ///< bf16, else f32
  bool made;  ///< messages are stored with the values they had when sent

  FRUGAL_DEVICE StoredRows states() const { return {state, dim, half}; }
  FRUGAL_DEVICE StoredRows messages() const { return {message, kept_dim, half}; }
  FRUGAL_DEVICE void put(void* rows, std::uint64_t at, float x) const {
    if (half) {
      static_cast<std::uint16_t*>(rows)[at] = rounded_to_bf16(x);
    } else {
      static_cast<float*>(rows)[at] = x;
    }
  }
};

/// Time encodings, out [rows, time.dim] of dt [rows]; if rows is null, one row for the time 0.
/// weights: null, or [time.dim, columns]: then out [columns] = that row times weights.
struct TimeRows {
  TimeWeights time;
  const std::uint32_t* rows;
  const double* dt;
  const float* weights;
  std::uint32_t columns;
  float* out;
};

/// First kernel of a step: loads the memory that the step reads, and encodes times that do not
/// depend on memory updates. One warp per row.
struct StepBeginning {
  MemoryRows memory;
  const std::uint32_t* num_loads;
  /// [loads, 3]: slot or, for a stored message, update; node, or kNoRow for a slot of zeros; 1:
  /// load the node's message, 0: its state.
  const std::uint32_t* loads;
  float *slots, *kept;  ///< [.., dim], [updates, kept_dim]

  static constexpr std::uint32_t kMostTimes = 24;
  std::uint32_t num_times;
  TimeRows times[kMostTimes];
  /// End of the warps of the loads, then of each entry of times.
  std::uint32_t ends[kMostTimes + 1];

  /// most: largest number of rows.
  void add(const TimeRows& rows, std::uint32_t most) {
    times[num_times++] = rows;
    const std::uint32_t warps =
        rows.weights == nullptr ? most : (rows.columns + kLanes - 1) / kLanes;
    ends[num_times] = ends[num_times - 1] + warps;
  }
};

FRUGAL_DEVICE void load_row(const StepBeginning& b, std::uint32_t row) {
  const MemoryRows& m = b.memory;
  const std::uint32_t to = b.loads[3 * row], node = b.loads[3 * row + 1];
  const bool message = b.loads[3 * row + 2] != 0;
  const StoredRows from = message ? m.messages() : m.states();
  float* out = message && m.made ? b.kept + std::uint64_t{to} * m.kept_dim
                                 : b.slots + std::uint64_t{to} * m.dim;
  for (std::uint32_t c = own_lane(); c < from.dim; c += kLanes) {
    out[c] = node == kNoRow ? 0 : from.at(node, c);
  }
}

/// Multiplies kLanes columns of the weights with the encoding of 0; each lane encodes a part of the
/// inputs.
FRUGAL_DEVICE void multiply_encoding(const TimeRows& t, std::uint32_t first) {
  const std::uint32_t column = first + own_lane();
  float sum = 0;
  for (std::uint32_t begin = 0; begin < t.time.dim; begin += kLanes) {
    const std::uint32_t own = begin + own_lane();
    const float input = own < t.time.dim ? encoded_time(t.time, own, 0) : 0;
    float w[kLanes];  // on their way together
    FRUGAL_UNROLL
    for (std::uint32_t i = 0; i < kLanes; ++i) {
      const bool there = begin + i < t.time.dim && column < t.columns;
      w[i] = there ? t.weights[std::uint64_t{begin + i} * t.columns + column] : 0;
    }
    FRUGAL_UNROLL
    for (std::uint32_t i = 0; i < kLanes; ++i) {
      sum = fmaf(__shfl_sync(0xffffffffU, input, static_cast<int>(i)), w[i], sum);
    }
  }
  if (column < t.columns) t.out[column] = sum;
}

FRUGAL_KERNEL begin_step(const FRUGAL_CONSTANT StepBeginning b) {
  const std::uint32_t warp = own_row();
  if (warp < b.ends[0]) {
    if (warp < *b.num_loads) load_row(b, warp);
    return;
  }
  for (std::uint32_t i = 0; i < b.num_times; ++i) {
    const TimeRows& t = b.times[i];
    if (warp >= b.ends[i + 1]) continue;
    const std::uint32_t row = warp - b.ends[i];
    if (t.weights != nullptr) return multiply_encoding(t, row * kLanes);
    if (row >= (t.rows == nullptr ? 1 : *t.rows)) return;
    const double dt = t.rows == nullptr ? 0 : t.dt[row];
    for (std::uint32_t c = own_lane(); c < t.time.dim; c += kLanes) {
      t.out[std::uint64_t{row} * t.time.dim + c] = encoded_time(t.time, c, dt);
    }
    return;
  }
}

/// Adds the nodes' features to the slots.
FRUGAL_KERNEL add_node_features(const std::uint32_t* n, const std::uint32_t* nodes,
                                StoredRows features, const float* slots, float* out) {
  const std::uint32_t row = own_row();
  if (row >= *n) return;
  const std::uint64_t begin = std::uint64_t{row} * features.dim;
  for (std::uint32_t c = own_lane(); c < features.dim; c += kLanes) {
    out[begin + c] = features.at(nodes[row], c) + slots[begin + c];
  }
}

/// Layout of the cells' inputs: [own | 1 | x | 1 after an MLP | own | 1], the last two for GRUs.
struct MessageRows {
  const std::uint32_t *first, *end;  ///< range of updates
  const std::uint32_t* updates;      ///< [.., 4] own slot, other's, event, slot to write
  const double* dt;
  const float* slots;
  const float* kept;  ///< [updates, kept_dim] stored messages, or null
  StoredRows edges;
  TimeWeights time;
  std::uint32_t dim, x_dim;
  float* inputs;  ///< rows `columns` apart
  std::uint32_t columns;
  float* raw;  ///< [updates, 2 dim + edges + time] if there is a message function, else null
  bool gru;
};

/// Writes [other | edge features | time encoding] of an update's message.
FRUGAL_DEVICE void fill_message(const MessageRows& m, std::uint32_t row, float* out) {
  const std::uint32_t other = m.updates[4 * row + 1], event = m.updates[4 * row + 2];
  const std::uint32_t width = m.dim + m.edges.dim + m.time.dim;
  for (std::uint32_t c = threadIdx.x; c < width; c += blockDim.x) {
    if (m.kept != nullptr) {
      out[c] = m.kept[std::uint64_t{row} * width + c];
    } else if (c < m.dim) {
      out[c] = m.slots[std::uint64_t{other} * m.dim + c];
    } else if (c < m.dim + m.edges.dim) {
      out[c] = m.edges.at(event, c - m.dim);
    } else {
      out[c] = encoded_time(m.time, c - m.dim - m.edges.dim, m.dt[row]);
    }
  }
}

/// Writes the inputs of updates [first, end); one block per update. The own memory, and the number
/// before x, count twice where they stand for two inputs (MemoryUpdater).
FRUGAL_KERNEL fill_updates(MessageRows m) {
  const std::uint32_t row = *m.first + blockIdx.x;
  if (row >= *m.end) return;
  const float* own = m.slots + std::uint64_t{m.updates[4 * row]} * m.dim;
  float* inputs = m.inputs + std::uint64_t{row} * m.columns;
  const std::uint32_t raw_dim = 2 * m.dim + m.edges.dim + m.time.dim;
  float* raw = m.raw == nullptr ? nullptr : m.raw + std::uint64_t{row} * raw_dim;
  const std::uint32_t own_begin = m.columns - m.dim - 1;
  const float factor = raw == nullptr ? 2 : 1;
  for (std::uint32_t c = threadIdx.x; c < m.dim; c += blockDim.x) {
    const float number = own[c];
    inputs[c] = factor * number;
    if (m.gru) inputs[own_begin + c] = number;
    if (raw != nullptr) raw[c] = number;
  }
  if (threadIdx.x == 0) {
    inputs[m.dim] = 2;
    if (m.gru) inputs[m.columns - 1] = 1;
    if (m.gru && raw != nullptr) inputs[own_begin - 1] = 1;
  }
  fill_message(m, row, raw == nullptr ? inputs + m.dim + 1 : raw + m.dim);
}

/// Messages of a step's events.
struct SentMessages {
  const std::uint32_t* rows;  ///< [.., 2] other's slot, event
  const double* dt;
  const float* slots;
  StoredRows edges;
  TimeWeights time;
  std::uint32_t dim;

  FRUGAL_DEVICE float at(std::uint32_t message, std::uint32_t c) const {
    if (c < dim) return slots[std::uint64_t{rows[2 * message]} * dim + c];
    if (c < dim + edges.dim) return edges.at(rows[2 * message + 1], c - dim);
    return encoded_time(time, c - dim - edges.dim, dt[message]);
  }
};

/// Losses of a step; none if sums is null.
struct StepLosses {
  const StepValues* values;
  const double* losses;  ///< [samples]
  RunSums* sums;
};

/// Stores states and messages. stores: [n, 4]: node, slot, first message, end of messages. If
/// messages are stored with their values, their mean is stored, else the other node's state. An
/// additional block adds the losses to the sums.
FRUGAL_KERNEL store_memory(MemoryRows m, const std::uint32_t* n, const std::uint32_t* stores,
                           SentMessages messages, StepLosses losses) {
  if (blockIdx.x + 1 == gridDim.x) {
    if (losses.sums == nullptr) return;
    const std::uint32_t samples = losses.values->samples;
    return add_to_sums<kLanes * kRowsPerBlock>(samples, samples, losses.losses, losses.sums);
  }
  const std::uint32_t row = own_row();
  if (row >= *n) return;
  const std::uint64_t node = stores[4 * row], slot = stores[4 * row + 1];
  const std::uint32_t begin = stores[4 * row + 2], end = stores[4 * row + 3];
  for (std::uint32_t c = own_lane(); c < m.dim; c += kLanes) {
    m.put(m.state, node * m.dim + c, messages.slots[slot * m.dim + c]);
  }
  if (begin == end) return;
  const float share = 1 / static_cast<float>(end - begin);
  for (std::uint32_t c = own_lane(); c < m.kept_dim; c += kLanes) {
    float sum = 0;
    if (!m.made) sum = messages.at(begin, c);
    for (std::uint32_t i = begin; m.made && i < end; ++i) {
      sum = fmaf(share, messages.at(i, c), sum);
    }
    m.put(m.message, node * m.kept_dim + c, sum);
  }
}

}  // namespace frugal::cuda
