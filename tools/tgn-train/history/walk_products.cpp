#include "tools/tgn-train/history/walk_products.h"

#include <algorithm>

#include "libcore/base/hash.h"
#include "libcore/kernels/kernels.h"
#include "libcore/threading/parallel.h"

namespace frugal::tgn {
namespace {

/// Candidates from which on threads pay.
constexpr std::size_t kManyCandidates = 32;

float walk_logarithm(float product) { return log_compressed(product > 0 ? product : 0); }

/// Adds room for `count` numbers and returns its beginning.
float* grow(std::vector<float>& list, std::size_t count) {
  list.resize(list.size() + count);
  return list.data() + list.size() - count;
}

}  // namespace

void WalkProducts::begin(const WalkProjections& walks, EventId event) {
  walks_ = &walks;
  event_ = event;
  size_ = (walks.options().hops + 1) * walks.options().dim;
  count_ = 0;
  nodes_.clear();
  queries_.clear();
  neighbors_.clear();
  std::fill(table_.begin(), table_.end(), 0);
}

/// Row of the node, which is read once however often it occurs.
std::size_t WalkProducts::add(NodeId node) {
  if (2 * (count_ + 1) > table_.size()) {
    table_.assign(std::max<std::size_t>(256, 4 * (count_ + 1)), 0);
    for (std::size_t row = 0; row < count_; ++row) {
      std::size_t at = mix64(nodes_[row]) % table_.size();
      while (table_[at] != 0) at = (at + 1) % table_.size();
      table_[at] = row + 1;
    }
  }
  std::size_t at = mix64(node) % table_.size();
  for (; table_[at] != 0; at = (at + 1) % table_.size()) {
    if (nodes_[table_[at] - 1] == node) return table_[at] - 1;
  }
  nodes_.push_back(node);
  table_[at] = nodes_.size();
  if (rows_.size() < nodes_.size() * size_) rows_.resize(2 * nodes_.size() * size_);
  walks_->at(node, event_, rows_.data() + count_ * size_);
  return count_++;
}

/// Writes the products of a node's rows with each other. Returns the end.
float* WalkProducts::own(std::size_t row, float* to) const {
  const std::size_t dim = walks_->options().dim, hops = walks_->options().hops;
  for (std::size_t i = 0; i <= hops; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      *to++ = walk_logarithm(kernels().dot(rows(row) + i * dim, rows(row) + j * dim, dim));
    }
  }
  return to;
}

float* WalkProducts::cross(std::size_t a, std::size_t b, float* to) const {
  const std::size_t dim = walks_->options().dim, hops = walks_->options().hops;
  for (std::size_t i = 0; i <= hops; ++i) {
    for (std::size_t j = 0; j <= hops; ++j) {
      *to++ = walk_logarithm(kernels().dot(rows(a) + i * dim, rows(b) + j * dim, dim));
    }
  }
  return to;
}

void WalkProducts::append(const Lists& to) {
  const std::size_t hops = walks_->options().hops;
  const std::size_t of_one = (hops + 1) * (hops + 2) / 2, of_two = (hops + 1) * (hops + 1);
  const Query& source = queries_.front();
  const std::size_t candidates = queries_.size() - 1, lasts = source.end - source.begin;
  float* const nodes = grow(to.nodes, queries_.size() * of_one);
  float* const neighbors = grow(to.neighbors, neighbors_.size() * of_one);
  float* const ends = grow(to.ends, neighbors_.size() * of_two);
  float* const others =
      grow(to.others, (candidates * lasts + neighbors_.size() - source.end) * of_two);
  float* const pairs = grow(to.pairs, candidates * of_two);
  const auto fill = [&](std::size_t begin, std::size_t end) {
    for (std::size_t q = begin; q < end; ++q) {
      const Query& query = queries_[q];
      own(query.row, nodes + q * of_one);
      for (std::size_t n = query.begin; n < query.end; ++n) {
        own(neighbors_[n], neighbors + n * of_one);
        cross(neighbors_[n], query.row, ends + n * of_two);
      }
      if (q == 0) continue;
      // The tokens before this pair's: of the candidates before it.
      float* at = others + ((q - 1) * lasts + query.begin - source.end) * of_two;
      for (std::size_t n = source.begin; n < source.end; ++n) {
        at = cross(neighbors_[n], query.row, at);
      }
      for (std::size_t n = query.begin; n < query.end; ++n) {
        at = cross(neighbors_[n], source.row, at);
      }
      cross(source.row, query.row, pairs + (q - 1) * of_two);
    }
  };
  parallel_blocks(queries_.size(), kManyCandidates, fill);
}

}  // namespace frugal::tgn
