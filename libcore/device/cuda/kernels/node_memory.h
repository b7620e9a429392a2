#pragma once
/// The memory of nodes and the messages that update it (tools/tgn-train/memory/node_memory.h).
#include <cstdint>

#include "libcore/device/cuda/kernels/mma_tile.h"
#include "libcore/device/cuda/kernels/row_places.h"
#include "libcore/device/cuda/kernels/time_encoding.h"

namespace frugal::cuda {

/// What is kept of all nodes.
struct MemoryRows {
  void *state, *message;  ///< [nodes, dim], [nodes, kept_dim]
  std::uint32_t dim, kept_dim;
  bool half;  ///< bf16, else f32
  bool made;  ///< messages are kept as they were made

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

/// loads [n, 3]: slot or, of a message as made, update; node; 1: its message. slots [.., dim],
/// kept [updates, kept_dim].
FRUGAL_KERNEL load_memory(MemoryRows m, const std::uint32_t* n, const std::uint32_t* loads,
                          float* slots, float* kept) {
  const std::uint32_t row = own_row();
  if (row >= *n) return;
  const std::uint32_t to = loads[3 * row], node = loads[3 * row + 1];
  const bool message = loads[3 * row + 2] != 0;
  const StoredRows from = message ? m.messages() : m.states();
  float* out =
      message && m.made ? kept + std::uint64_t{to} * m.kept_dim : slots + std::uint64_t{to} * m.dim;
  for (std::uint32_t c = own_lane(); c < from.dim; c += kLanes) out[c] = from.at(node, c);
}

/// slots plus the features of their nodes.
FRUGAL_KERNEL add_node_features(const std::uint32_t* n, const std::uint32_t* nodes,
                                StoredRows features, const float* slots, float* out) {
  const std::uint32_t row = own_row();
  if (row >= *n) return;
  const std::uint64_t begin = std::uint64_t{row} * features.dim;
  for (std::uint32_t c = own_lane(); c < features.dim; c += kLanes) {
    out[begin + c] = features.at(nodes[row], c) + slots[begin + c];
  }
}

/// Where the inputs of cells lie: [own | 1 | x | 1 after an MLP | own | 1], the last two of a GRU.
struct MessageRows {
  const std::uint32_t *first, *end;  ///< updates
  const std::uint32_t* updates;      ///< [.., 4] own slot, other's, event, slot that is made
  const double* dt;
  const float* slots;
  const float* kept;  ///< [updates, kept_dim] messages as made, or null
  StoredRows edges;
  TimeWeights time;
  std::uint32_t dim, x_dim;
  float* inputs;  ///< rows `columns` apart
  std::uint32_t columns;
  float* raw;  ///< [updates, 2 dim + edges + time] with a message function, else null
  bool gru;
};

/// [other | edge features | time encoding] of an update's message.
FRUGAL_DEVICE void fill_message(const MessageRows& m, std::uint32_t row, float* out) {
  const std::uint32_t* update = m.updates + 4 * row;
  const std::uint32_t width = m.dim + m.edges.dim + m.time.dim;
  for (std::uint32_t c = own_lane(); c < width; c += kLanes) {
    if (m.kept != nullptr) {
      out[c] = m.kept[std::uint64_t{row} * width + c];
    } else if (c < m.dim) {
      out[c] = m.slots[std::uint64_t{update[1]} * m.dim + c];
    } else if (c < m.dim + m.edges.dim) {
      out[c] = m.edges.at(update[2], c - m.dim);
    } else {
      out[c] = encoded_time(m.time, c - m.dim - m.edges.dim, m.dt[row]);
    }
  }
}

/// The inputs of updates [first, end): a warp each. The own memory and the one before x count twice
/// where they stand for two inputs (MemoryUpdater).
FRUGAL_KERNEL fill_updates(MessageRows m) {
  const std::uint32_t row = (m.first == nullptr ? 0 : *m.first) + own_row();
  if (row >= *m.end) return;
  const float* own = m.slots + std::uint64_t{m.updates[4 * row]} * m.dim;
  float* inputs = m.inputs + std::uint64_t{row} * m.columns;
  const std::uint32_t raw_dim = 2 * m.dim + m.edges.dim + m.time.dim;
  float* raw = m.raw == nullptr ? nullptr : m.raw + std::uint64_t{row} * raw_dim;
  const std::uint32_t own_begin = m.columns - m.dim - 1;
  const float factor = raw == nullptr ? 2 : 1;
  for (std::uint32_t c = own_lane(); c < m.dim; c += kLanes) {
    inputs[c] = factor * own[c];
    if (m.gru) inputs[own_begin + c] = own[c];
    if (raw != nullptr) raw[c] = own[c];
  }
  if (own_lane() == 0) {
    inputs[m.dim] = 2;
    if (m.gru) inputs[m.columns - 1] = 1;
    if (m.gru && raw != nullptr) inputs[own_begin - 1] = 1;
  }
  fill_message(m, row, raw == nullptr ? inputs + m.dim + 1 : raw + m.dim);
}

/// The messages of a step's events.
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

/// stores [n, 4]: node, slot, first message, end of messages. Of messages as made their mean is
/// kept, else the other's state.
FRUGAL_KERNEL store_memory(MemoryRows m, const std::uint32_t* n, const std::uint32_t* stores,
                           SentMessages messages) {
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
