#include "tools/gnn-sample/parts/row_packs.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "libcore/threading/object_pool.h"
#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/parts/kept_rows.h"

namespace frugal::gnn {
namespace {

std::uint64_t sum_of(std::span<const NodeId> nodes) {
  return std::accumulate(nodes.begin(), nodes.end(), std::uint64_t{0});
}

}  // namespace

/// Working memory of a thread.
struct RowPacks::Room {
  std::vector<std::byte> piece, rows;
  std::vector<std::uint8_t> wanted;            ///< 1 for rows of the piece that a pack has
  std::vector<std::span<const NodeId>> nodes;  ///< in the piece, for each mini-batch
};

RowPacks::RowPacks(const StoredGraph& graph, std::span<const std::vector<NodeId>> nodes,
                   std::size_t piece_bytes, const std::function<void()>& before_piece)
    : row_bytes_(graph.features()->row_bytes()), first_rows_(1) {
  for (const std::vector<NodeId>& of_batch : nodes) {
    first_rows_.push_back(first_rows_.back() + of_batch.size());
    sums_.push_back(sum_of(of_batch));
  }
  if (bytes_written() == 0) return;
  file_ = std::make_unique<TemporaryFile>(temporary_folder());
  file_->reserve(bytes_written());
  const std::size_t all = graph.num_nodes();
  const std::size_t rows = std::max<std::size_t>(1, piece_bytes / row_bytes_);
  ObjectPool<Room> rooms([] { return std::make_unique<Room>(); });
  parallel_for((all + rows - 1) / rows, 1, [&](std::size_t i) {
    if (before_piece) before_piece();
    rooms.with([&](Room& room) {
      write_piece(graph, nodes, i * rows, std::min(all, (i + 1) * rows), room);
    });
  });
}

/// Reads rows [begin, end) of the features as far as they are wanted, and writes them to the packs.
void RowPacks::write_piece(const StoredGraph& graph, std::span<const std::vector<NodeId>> nodes,
                           std::size_t begin, std::size_t end, Room& room) {
  room.nodes.clear();
  room.wanted.assign(end - begin, 0);
  for (const std::vector<NodeId>& of_batch : nodes) {
    const auto first = std::ranges::lower_bound(of_batch, begin);
    const auto last = std::lower_bound(first, of_batch.end(), end);
    room.nodes.emplace_back(first, last);
    for (const NodeId v : room.nodes.back()) room.wanted[v - begin] = 1;
  }
  room.piece.resize((end - begin) * row_bytes_);
  read_wanted(
      begin, end, end - begin, [&](std::size_t v) { return room.wanted[v - begin] != 0; },
      [&](std::size_t first, std::size_t rows) {
        graph.read_features(first, rows, room.piece.data() + (first - begin) * row_bytes_);
        bytes_read_ += rows * row_bytes_;
      });
  for (std::size_t b = 0; b < nodes.size(); ++b) {
    const std::span<const NodeId> wanted = room.nodes[b];
    if (wanted.empty()) continue;
    room.rows.resize(std::max(room.rows.size(), wanted.size() * row_bytes_));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      std::memcpy(room.rows.data() + i * row_bytes_,
                  room.piece.data() + (wanted[i] - begin) * row_bytes_, row_bytes_);
    }
    const auto before = static_cast<std::uint64_t>(wanted.data() - nodes[b].data());
    file_->write_at((first_rows_[b] + before) * row_bytes_, room.rows.data(),
                    wanted.size() * row_bytes_);
  }
}

bool RowPacks::is_of(std::size_t pack, std::span<const NodeId> nodes) const {
  return nodes.size() == num_rows(pack) && sum_of(nodes) == sums_[pack];
}

void RowPacks::read(std::size_t pack, std::size_t first, std::size_t rows, std::byte* to) const {
  file_->read((first_rows_[pack] + first) * row_bytes_, to, rows * row_bytes_);
}

}  // namespace frugal::gnn
