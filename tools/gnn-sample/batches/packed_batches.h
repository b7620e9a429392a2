#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "libcore/threading/object_pool.h"
#include "tools/gnn-sample/batches/train_batch.h"
#include "tools/gnn-sample/parts/kept_rows.h"
#include "tools/gnn-sample/parts/row_packs.h"
#include "tools/gnn-sample/settings/train_options.h"

namespace frugal::gnn {

/// Costs and use of packs.
struct PackFigures {
  std::uint64_t windows = 0;
  std::uint64_t hits = 0, misses = 0;  ///< rows of mini-batches: in memory, and in packs
  std::uint64_t bytes_read = 0, bytes_written = 0;  ///< bytes of the graph, and of packs
  double seconds = 0;                               ///< time of drawing ahead and packing

  double hit_share() const {
    return hits + misses == 0 ? 1 : static_cast<double>(hits) / static_cast<double>(hits + misses);
  }
};

/// The feature rows that stay in memory, chosen by the first window of mini-batches.
struct FrequentRows {
  PackLimits limits;
  std::uint64_t reserved = 0;      ///< bytes of memory to leave free, beside those of mini-batches
  std::uint64_t layer_bytes = 0;   ///< bytes that layers take for each node of a mini-batch
  bool inference_samples = false;  ///< inference prepares mini-batches, too, beside the training's
  std::optional<KeptRows> rows;
};

/// Thrown by PackedBatches::next() where Source::stops says so. The run must end then: mini-batches
/// that were being prepared are lost.
struct PackingStopped {};

/// Mini-batches of features that exceed memory. A window of them is drawn before it is trained on:
///
///   draw the window -> count rows -> keep the most frequent in memory (first window only)
///                                 -> pack the others, in one more pass over the graph's file
///   train: draw again (cheaper than storing samples), rows from memory and from the pack
///
/// A window ends where its packs would be larger than allowed, and after an epoch's mini-batches.
/// Where all rows fit into memory, mini-batches are drawn once. They are the ones that BatchMaker
/// makes, to the bit. Features are dense and in the file.
class PackedBatches {
 public:
  struct Source {
    std::function<bool(TrainBatch&)> produce;   ///< begins the next mini-batch; false: none left
    std::function<void(TrainBatch&)> complete;  ///< completes its seeds, on any thread
    std::uint64_t batches = 0;                  ///< number of mini-batches that will be trained on
    std::uint64_t per_epoch = 0;                ///< mini-batches of an epoch
    std::function<bool()> stops;  ///< ends drawing and packing, on any thread; empty: never
  };
  /// Borrows all but the source; the maker gathers from `frequent` from the first window on. The
  /// features are dense and in the file.
  PackedBatches(const StoredGraph& graph, BatchMaker& maker, Source source, FrequentRows& frequent);

  /// Begins the next mini-batch; false at the end. Draws and packs the next window if needed. Fails
  /// (unavailable) if memory is too short for mini-batches in preparation; throws PackingStopped.
  bool next(TrainBatch& batch);
  /// Completes it, on any thread. Fails (internal) if it is not the one that was packed.
  void make(TrainBatch& batch);
  const PackFigures& figures() const { return figures_; }

 private:
  struct Drawn {
    LinkBatch links;  ///< before its completion
    std::uint64_t num_nodes = 0, num_edges = 0;
    std::vector<NodeId> packed;  ///< nodes whose rows are not in memory, ascending, until packed
  };
  struct Wanted {
    NodeId node;
    std::uint32_t place;  ///< of its row in the mini-batch
  };
  struct Room {
    std::vector<Wanted> order;
    std::vector<std::byte> rows;
  };
  bool has_all() const;
  bool produce(TrainBatch& batch);
  void expect_time() const;
  void begin_window();
  std::vector<std::vector<NodeId>> take_window(std::uint64_t rows);
  void pack(const std::vector<std::vector<NodeId>>& nodes);
  void say_window() const;
  std::uint64_t most_batches() const;
  void draw_until(std::uint64_t rows);
  void draw_some();
  void draw(Drawn& drawn);
  std::uint64_t most_rows() const;
  void choose_frequent(std::uint64_t most);
  void keep_frequent(std::uint64_t most);
  std::uint64_t rows_for_memory() const;
  void read_packed(TrainBatch& batch);

  const StoredGraph& graph_;
  BatchMaker& maker_;
  Source source_;
  FrequentRows& frequent_;
  std::size_t row_bytes_;
  ObjectPool<TrainBatch> samples_;
  ObjectPool<Room> rooms_;
  std::deque<Drawn> drawn_;       ///< mini-batches that next() has not returned
  std::uint64_t drawn_rows_ = 0;  ///< rows that they will pack
  std::uint64_t num_produced_ = 0;
  std::shared_ptr<const RowPacks> packs_;     ///< until next() has returned the window's last
  std::weak_ptr<const RowPacks> last_packs_;  ///< which mini-batches in preparation may have
  std::size_t window_ = 0, used_ = 0;         ///< mini-batches of the window, and returned of them
  PackFigures figures_;
};

}  // namespace frugal::gnn
