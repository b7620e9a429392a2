#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "libcore/system/temporary_file.h"
#include "tools/gnn-sample/data/stored_graph.h"

namespace frugal::gnn {

/// Feature rows of mini-batches, together for each of them in a file without a name (DiskGNN: Liu
/// et al., "DiskGNN: Bridging I/O Efficiency and Model Accuracy for Out-of-Core GNN Training",
/// SIGMOD 2025, section 4). A mini-batch is then read in one piece, in place of a page for each of
/// its rows. Packs are filled in one pass over the graph's file.
class RowPacks {
 public:
  /// nodes: of each mini-batch, ascending; repetitions are packed, too. Each thread reads
  /// piece_bytes of the graph's features at a time (at least a row), and writes the rows among them
  /// to all packs. before_piece() is called before, on any thread, and may throw. The features are
  /// dense and in the file (StoredGraph::read_features()). Fails if there is no room in
  /// temporary_folder() (cannot_create, io_error) or none can be reserved there (unavailable).
  RowPacks(const StoredGraph& graph, std::span<const std::vector<NodeId>> nodes,
           std::size_t piece_bytes, const std::function<void()>& before_piece = {});

  /// Number of rows of a pack.
  std::size_t num_rows(std::size_t pack) const {
    return static_cast<std::size_t>(first_rows_[pack + 1] - first_rows_[pack]);
  }
  /// True if a pack has the rows of these nodes, which are in any order. Compares their number and
  /// their sum.
  bool is_of(std::size_t pack, std::span<const NodeId> nodes) const;
  /// Reads rows [first, first + rows) of a pack, in the order of its nodes. May be called by
  /// several threads.
  void read(std::size_t pack, std::size_t first, std::size_t rows, std::byte* to) const;

  std::uint64_t bytes_read() const { return bytes_read_; }  ///< of the graph's features
  std::uint64_t bytes_written() const { return first_rows_.back() * row_bytes_; }

 private:
  struct Room;
  void write_piece(const StoredGraph& graph, std::span<const std::vector<NodeId>> nodes,
                   std::size_t begin, std::size_t end, Room& room);

  std::size_t row_bytes_;
  std::vector<std::uint64_t> first_rows_;  ///< [packs + 1] where packs begin, in rows
  std::vector<std::uint64_t> sums_;        ///< of the packs' nodes
  std::unique_ptr<TemporaryFile> file_;    ///< null if there are no rows
  std::atomic<std::uint64_t> bytes_read_{0};
};

}  // namespace frugal::gnn
