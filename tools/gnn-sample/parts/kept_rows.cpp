#include "tools/gnn-sample/parts/kept_rows.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "libcore/base/text.h"
#include "libcore/system/limits.h"

namespace frugal::gnn {
namespace {

/// Bytes of the file that are read at once.
constexpr std::size_t kReadBytes = std::size_t{1} << 22;

std::vector<std::vector<std::byte>> letters(const Communicator& ranks) {
  return std::vector<std::vector<std::byte>>(static_cast<std::size_t>(ranks.size()));
}

}  // namespace

RowCounts& RowCounts::operator+=(const RowCounts& other) {
  own += other.own;
  cached += other.cached;
  fetched += other.fetched;
  sent += other.sent;
  return *this;
}

KeptRows::KeptRows(const StoredGraph& graph, std::span<const std::uint32_t> owners,
                   std::uint32_t me, std::span<const NodeId> cached,
                   const std::function<void()>& before_piece)
    : features_(*graph.features()), places_(owners.size()) {
  assert(!features_.sparse() && features_.array == nullptr);
  for (std::size_t v = 0; v < owners.size(); ++v) {
    places_[v] = owners[v] == me ? static_cast<std::uint32_t>(num_own_++) : ~owners[v];
  }
  num_kept_ = num_own_;
  for (const NodeId v : cached) places_[v] = static_cast<std::uint32_t>(num_kept_++);
  const std::size_t bytes = num_kept_ * row_bytes();
  check_memory(graph.path() + ": features of " + format_count(num_kept_, "node"), bytes);
  rows_ = Array<std::byte>(bytes, uninitialized);
  read(graph, before_piece);
}

void KeptRows::read(const StoredGraph& graph, const std::function<void()>& before_piece) {
  const std::size_t most = std::max<std::size_t>(1, kReadBytes / row_bytes());
  std::vector<std::byte> room(most * row_bytes());
  const auto is_kept = [&](std::size_t v) { return places_[v] < num_kept_; };
  read_wanted(0, places_.size(), most, is_kept, [&](std::size_t first, std::size_t rows) {
    if (before_piece) before_piece();
    graph.read_features(first, rows, room.data());
    bytes_read_ += rows * row_bytes();
    for (std::size_t u = first; u < first + rows; ++u) {
      if (!is_kept(u)) continue;
      std::memcpy(rows_.data() + places_[u] * row_bytes(), room.data() + (u - first) * row_bytes(),
                  row_bytes());
    }
  });
}

FeatureView KeptRows::gather(std::span<const NodeId> nodes, std::uint32_t ranks,
                             GatheredRows& rows) const {
  const std::size_t bytes = nodes.size() * row_bytes();
  if (rows.rows.size() < bytes) {
    const std::size_t twice = 2 * rows.rows.size();
    rows.rows = {};  // not beside the larger one
    rows.rows = Array<std::byte>(std::max(bytes, twice), uninitialized);
  }
  rows.missing.resize(ranks);
  for (GatheredRows::Missing& missing : rows.missing) {
    missing.nodes.clear();
    missing.places.clear();
  }
  rows.counts = {};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::uint32_t place = places_[nodes[i]];
    if (place < num_kept_) {
      std::memcpy(rows.rows.data() + i * row_bytes(), kept(nodes[i]), row_bytes());
      ++(place < num_own_ ? rows.counts.own : rows.counts.cached);
      continue;
    }
    GatheredRows::Missing& missing = rows.missing[~place];
    missing.nodes.push_back(nodes[i]);
    missing.places.push_back(static_cast<std::uint32_t>(i));
    ++rows.counts.fetched;
  }
  rows.scales.clear();
  for (std::size_t i = 0; !features_.scales.empty() && i < nodes.size(); ++i) {
    rows.scales.push_back(features_.scales[nodes[i]]);
  }
  return {features_.dtype, rows.rows.data(), nodes.size(), features_.dim, rows.scales};
}

RowCounts KeptRows::fetch(Communicator& ranks, GatheredRows* rows) const {
  std::vector<std::vector<std::byte>> wanted = letters(ranks), answers = letters(ranks);
  for (std::size_t r = 0; rows != nullptr && r < wanted.size(); ++r) {
    const auto bytes = std::as_bytes(std::span(rows->missing[r].nodes));
    wanted[r].assign(bytes.begin(), bytes.end());
  }
  RowCounts counts = rows == nullptr ? RowCounts{} : rows->counts;
  const std::vector<std::vector<std::byte>> asked = ranks.all_to_all(std::move(wanted));
  for (std::size_t r = 0; r < asked.size(); ++r) {
    const std::size_t n = asked[r].size() / sizeof(NodeId);
    answers[r].resize(n * row_bytes());
    for (std::size_t i = 0; i < n; ++i) {
      NodeId node = 0;
      std::memcpy(&node, asked[r].data() + i * sizeof(NodeId), sizeof(NodeId));
      std::memcpy(answers[r].data() + i * row_bytes(), kept(node), row_bytes());
    }
    counts.sent += n;
  }
  const std::vector<std::vector<std::byte>> brought = ranks.all_to_all(std::move(answers));
  for (std::size_t r = 0; rows != nullptr && r < brought.size(); ++r) {
    const std::vector<std::uint32_t>& places = rows->missing[r].places;
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::memcpy(rows->rows.data() + places[i] * row_bytes(), brought[r].data() + i * row_bytes(),
                  row_bytes());
    }
  }
  return counts;
}

}  // namespace frugal::gnn
