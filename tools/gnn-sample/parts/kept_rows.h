#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/parallel/communicator.h"
#include "tools/gnn-sample/data/stored_graph.h"

namespace frugal::gnn {

/// Where a rank found the feature rows of its mini-batches, and rows that it sent to other ranks.
struct RowCounts {
  std::uint64_t own = 0, cached = 0, fetched = 0, sent = 0;

  RowCounts& operator+=(const RowCounts& other);
};

/// The feature rows of a mini-batch, as the graph stores them, while they come together. Kept and
/// filled again.
struct GatheredRows {
  Array<std::byte> rows;
  std::vector<float> scales;  ///< of features of I8
  struct Missing {
    std::vector<NodeId> nodes;
    std::vector<std::uint32_t> places;  ///< of the nodes in the mini-batch
  };
  std::vector<Missing> missing;  ///< of each rank's
  RowCounts counts;
};

/// Calls read(first, rows) for pieces of rows [begin, end) of a file that have all rows for which
/// is_wanted(row) is true. Rows between that are not wanted are left out unless they are few. A
/// piece has at most `most` rows.
template <class IsWanted, class Read>
void read_wanted(std::size_t begin, std::size_t end, std::size_t most, const IsWanted& is_wanted,
                 const Read& read) {
  constexpr std::size_t kGapRows = 16;  // take less time than a second call
  for (std::size_t v = begin; v < end; ++v) {
    if (!is_wanted(v)) continue;
    std::size_t next = v + 1;  // behind the last that is wanted
    for (std::size_t u = next; u < std::min(end, v + most) && u - next <= kGapRows; ++u) {
      if (is_wanted(u)) next = u + 1;
    }
    read(v, next - v);
    v = next - 1;
  }
}

/// The feature rows that a rank keeps in memory: those of its own nodes and a cache of others.
class KeptRows {
 public:
  /// owners: the rank of each node; cached: nodes of others. Reads these rows alone from the graph,
  /// whose features are dense and in the file (FeaturePlace), piece by piece; before_piece() may
  /// throw. Fails (unavailable) where memory is short. Borrows the graph.
  KeptRows(const StoredGraph& graph, std::span<const std::uint32_t> owners, std::uint32_t me,
           std::span<const NodeId> cached, const std::function<void()>& before_piece = {});

  std::size_t num_own() const { return num_own_; }
  std::size_t num_cached() const { return num_kept_ - num_own_; }
  std::size_t row_bytes() const { return features_.row_bytes(); }
  /// Bytes of features that were read, with rows between those that are kept.
  std::uint64_t bytes_read() const { return bytes_read_; }
  /// True if the node's row is here.
  bool has(NodeId node) const { return places_[node] < num_kept_; }

  /// Begins to fill `rows` for these nodes with what is here. The view is good until the next
  /// filling, its missing rows once they were fetched. Any threads.
  FeatureView gather(std::span<const NodeId> nodes, std::uint32_t ranks, GatheredRows& rows) const;
  /// With all ranks: brings the missing rows from their owners. A rank sends 4 bytes for each row
  /// that it misses, and row_bytes() for each that others ask of it. null: it has no mini-batch.
  RowCounts fetch(Communicator& ranks, GatheredRows* rows) const;

 private:
  void read(const StoredGraph& graph, const std::function<void()>& before_piece);
  const std::byte* kept(NodeId node) const { return rows_.data() + places_[node] * row_bytes(); }

  FeatureView features_;               ///< of all nodes, in the file
  std::vector<std::uint32_t> places_;  ///< of each node: its row, or ~ its owner
  std::size_t num_own_ = 0, num_kept_ = 0;
  std::uint64_t bytes_read_ = 0;
  Array<std::byte> rows_;  ///< the own ones, then the cache, each ascending by node
};

}  // namespace frugal::gnn
