#include "tools/tgn-train/history/walk_projections.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

#include "libcore/base/hash.h"
#include "libcore/kernels/kernels.h"

namespace frugal::tgn {
namespace {

float compressed(float product) { return log_compressed(product > 0 ? product : 0); }

}  // namespace

WalkProjections::WalkProjections(const WalkProjectionOptions& options, const EventTimes& times,
                                 std::size_t num_nodes, const NodeKeys& keys)
    : options_(options),
      times_(times),
      keys_(keys),
      rows_(num_nodes * options.hops * options.dim),
      updated_(num_nodes, kNoEvent) {
  assert(options.hops > 0 && options.dim > 0 && options.dim <= kMaxDim);
  assert(options.half_life > 0);
}

void WalkProjections::use(const EventTimes& times, std::size_t num_nodes, const NodeKeys& keys) {
  times_ = times;
  keys_ = keys;
  if (num_nodes == updated_.size()) return;
  Array<float> grown(num_nodes * options_.hops * options_.dim);
  std::copy(rows_.begin(), rows_.end(), grown.begin());
  rows_ = std::move(grown);
  updated_.resize(num_nodes, kNoEvent);
}

void WalkProjections::reset() {
  std::fill(rows_.begin(), rows_.end(), 0.0F);
  std::fill(updated_.begin(), updated_.end(), kNoEvent);
}

void WalkProjections::fill_base(NodeId node, float* out) const {
  const float size = 1 / std::sqrt(static_cast<float>(options_.dim));
  const auto plus = std::bit_cast<std::uint32_t>(size);
  const std::uint64_t key = hash_combine(options_.seed, keys_.of(node));
  for (std::size_t begin = 0; begin < options_.dim; begin += 32) {
    const std::uint64_t bits = mix64(key + begin);
    const std::size_t end = std::min(begin + 32, options_.dim);
    for (std::size_t i = begin; i < end; ++i) {
      out[i] =
          std::bit_cast<float>(plus ^ static_cast<std::uint32_t>(bits >> (i - begin) & 1) << 31);
    }
  }
}

float WalkProjections::decay(NodeId node, EventId event) const {
  if (updated_[node] == kNoEvent) return 1;
  return static_cast<float>(std::exp2(-times_.between(updated_[node], event) / options_.half_life));
}

void WalkProjections::bring_up_to(NodeId node, EventId event) {
  const float step = decay(node, event);
  updated_[node] = event;
  if (step == 1) return;
  float walk = 1;
  for (std::size_t hop = 1; hop <= options_.hops; ++hop) {
    walk *= step;
    kernels().scale(walk, row(node, hop), options_.dim);
  }
}

void WalkProjections::add(NodeId source, NodeId destination, EventId event) {
  bring_up_to(source, event);
  bring_up_to(destination, event);
  const std::size_t dim = options_.dim;
  const Kernels& k = kernels();
  // From the longest walks down: shorter ones are still as they were before the event.
  for (std::size_t hop = options_.hops; hop >= 2; --hop) {
    k.axpy(1, row(destination, hop - 1), row(source, hop), dim);
    k.axpy(1, row(source, hop - 1), row(destination, hop), dim);
  }
  float base[kMaxDim];
  fill_base(destination, base);
  k.axpy(1, base, row(source, 1), dim);
  fill_base(source, base);
  k.axpy(1, base, row(destination, 1), dim);
}

std::vector<float> WalkProjections::at(NodeId node, EventId event) const {
  std::vector<float> rows((options_.hops + 1) * options_.dim);
  at(node, event, rows.data());
  return rows;
}

void WalkProjections::at(NodeId node, EventId event, float* rows) const {
  const std::size_t dim = options_.dim;
  fill_base(node, rows);
  const float step = decay(node, event);
  float walk = 1;
  for (std::size_t hop = 1; hop <= options_.hops; ++hop) {
    walk *= step;
    std::copy_n(row(node, hop), dim, rows + hop * dim);
    if (walk != 1) kernels().scale(walk, rows + hop * dim, dim);
  }
}

WalkProjections::Source WalkProjections::source(NodeId node, EventId event) const {
  Source source{at(node, event), {}};
  for (std::size_t i = 1; i <= options_.hops; ++i) {
    source.norms.push_back(
        compressed(kernels().squared_norm(source.rows.data() + i * options_.dim, options_.dim)));
  }
  return source;
}

void WalkProjections::features(const Source& source, NodeId candidate, EventId event,
                               float* out) const {
  const Kernels& k = kernels();
  const std::size_t dim = options_.dim;
  float base[kMaxDim];
  fill_base(candidate, base);
  const float step = decay(candidate, event);
  float* norms = std::copy(source.norms.begin(), source.norms.end(), out + options_.num_products());
  float walk = 1;
  for (std::size_t j = 0; j <= options_.hops; ++j, walk *= step) {
    const float* values = j == 0 ? base : row(candidate, j);
    for (std::size_t i = j == 0 ? 1 : 0; i <= options_.hops; ++i) {
      *out++ = compressed(walk * k.dot(source.rows.data() + i * dim, values, dim));
    }
    if (j > 0) norms[j - 1] = compressed(walk * walk * k.squared_norm(values, dim));
  }
}

std::vector<std::string> WalkProjections::names() const {
  std::vector<std::string> names;
  for (std::size_t j = 0; j <= options_.hops; ++j) {
    for (std::size_t i = j == 0 ? 1 : 0; i <= options_.hops; ++i) {
      names.push_back("walks_" + std::to_string(i) + "_" + std::to_string(j));
    }
  }
  for (const std::string end : {"source", "candidate"}) {
    for (std::size_t i = 1; i <= options_.hops; ++i) {
      names.push_back(end + "_walks_" + std::to_string(i));
    }
  }
  return names;
}

void WalkProjections::prefetch(NodeId node) const {
  const float* values = row(node, 1);
  constexpr std::size_t kLine = 64 / sizeof(float);
  for (std::size_t i = 0; i < options_.hops * options_.dim; i += kLine) {
    __builtin_prefetch(values + i);
  }
  __builtin_prefetch(updated_.data() + node);
}

}  // namespace frugal::tgn
