#include "tools/gnn-sample/batches/packed_batches.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/system/clock.h"
#include "libcore/system/limits.h"
#include "libcore/threading/parallel.h"

namespace frugal::gnn {
namespace {

/// Mini-batches that are drawn at a time.
constexpr std::size_t kDrawn = 32;
constexpr std::uint64_t kLeastPiece = std::uint64_t{1} << 20, kMostPiece = std::uint64_t{1} << 25;
/// Bytes of a pack that are read at a time.
constexpr std::size_t kReadBytes = std::size_t{1} << 22;
/// Part of free memory, 1 / kNumbersShare of it, for numbers of nodes of a window.
constexpr std::uint64_t kNumbersShare = 16;
constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint16_t kMostCount = std::numeric_limits<std::uint16_t>::max();

std::uint64_t available_memory() {
  const std::uint64_t bytes = memory_available();
  return bytes == 0 ? kUnlimited : bytes;  // 0: unknown
}

/// The nodes with the highest counts above 0, at most `most`, ascending.
std::vector<NodeId> most_frequent(const std::vector<std::uint16_t>& counts, std::uint64_t most) {
  std::vector<std::uint64_t> nodes_of(kMostCount + std::size_t{1});
  for (const std::uint16_t count : counts) ++nodes_of[count];
  std::size_t least = nodes_of.size();  // of nodes that all are taken
  std::uint64_t left = most;
  while (least > 1 && nodes_of[least - 1] <= left) left -= nodes_of[--least];
  std::vector<NodeId> nodes;
  for (std::size_t v = 0; v < counts.size(); ++v) {
    const bool ties = least > 1 && counts[v] + std::size_t{1} == least && left > 0;
    if (ties) --left;
    if (ties || counts[v] >= least) nodes.push_back(static_cast<NodeId>(v));
  }
  return nodes;
}

}  // namespace

PackedBatches::PackedBatches(const StoredGraph& graph, BatchMaker& maker, Source source,
                             FrequentRows& frequent)
    : graph_(graph),
      maker_(maker),
      source_(std::move(source)),
      frequent_(frequent),
      row_bytes_(graph.required_features().row_bytes()),
      samples_([] { return std::make_unique<TrainBatch>(); }),
      rooms_([] { return std::make_unique<Room>(); }) {
  if (frequent_.rows) maker_.gather_from(*frequent_.rows, 2);
}

bool PackedBatches::next(TrainBatch& batch) {
  if (used_ == window_) begin_window();
  if (drawn_.empty()) return false;
  Drawn& drawn = drawn_.front();
  batch.links = std::move(drawn.links);
  batch.packs = packs_;
  batch.pack = used_++;
  figures_.misses += packs_->num_rows(batch.pack);
  figures_.hits += drawn.num_nodes - packs_->num_rows(batch.pack);
  drawn_.pop_front();
  return true;
}

void PackedBatches::begin_window() {
  const double began = wall_seconds();
  packs_.reset();
  const std::uint64_t most = most_rows();
  draw_until(most);
  if (!frequent_.rows && !drawn_.empty()) {
    keep_frequent();
    draw_until(most);
  }
  std::vector<std::vector<NodeId>> nodes;
  std::uint64_t rows = 0;
  for (Drawn& drawn : drawn_) {
    rows += drawn.packed.size();
    if (rows > most && !nodes.empty()) break;
    drawn_rows_ -= drawn.packed.size();
    nodes.push_back(std::move(drawn.packed));
  }
  window_ = nodes.size();
  used_ = 0;
  if (window_ == 0) return;
  const auto threads = static_cast<std::uint64_t>(num_threads());
  const std::uint64_t piece =
      std::clamp(available_memory() / (16 * threads), kLeastPiece, kMostPiece);
  packs_ = std::make_shared<const RowPacks>(graph_, nodes, static_cast<std::size_t>(piece));
  ++figures_.windows;
  figures_.bytes_read += packs_->bytes_read();
  figures_.bytes_written += packs_->bytes_written();
  figures_.seconds += wall_seconds() - began;
}

/// Packs are at most as large as all features, and leave as much of the disk free as they take: the
/// packs of the window before go only when its last mini-batch was trained on. The numbers of their
/// nodes take a small part of memory.
std::uint64_t PackedBatches::most_rows() const {
  std::uint64_t bytes = graph_.features()->data_bytes();
  std::error_code error;
  const std::filesystem::space_info disk = std::filesystem::space(temporary_folder(), error);
  if (!error) bytes = std::min<std::uint64_t>(bytes, disk.available / 2);
  if (frequent_.limits.disk != 0) bytes = frequent_.limits.disk;
  return std::min(bytes / row_bytes_, available_memory() / kNumbersShare / sizeof(NodeId));
}

/// Draws mini-batches until they pack more than `rows` rows, or all are drawn.
void PackedBatches::draw_until(std::uint64_t rows) {
  std::size_t before = 0;
  while (drawn_rows_ <= rows && num_produced_ < source_.batches) {
    before = drawn_.size();
    draw_some();
    if (drawn_.size() == before) return;
  }
}

void PackedBatches::draw_some() {
  const std::size_t before = drawn_.size();
  TrainBatch batch;
  while (drawn_.size() < before + kDrawn && num_produced_ < source_.batches &&
         source_.produce(batch)) {
    drawn_.push_back({batch.links, 0, {}});
    ++num_produced_;
  }
  parallel_for(drawn_.size() - before, 1, [&](std::size_t i) { draw(drawn_[before + i]); });
  for (std::size_t i = before; i < drawn_.size(); ++i) drawn_rows_ += drawn_[i].packed.size();
}

void PackedBatches::draw(Drawn& drawn) {
  samples_.with([&](TrainBatch& batch) {
    batch.links = drawn.links;
    source_.complete(batch);
    maker_.draw(batch);
    const std::span<const NodeId> nodes = batch.sample.nodes();
    drawn.num_nodes = nodes.size();
    drawn.packed.reserve(nodes.size());
    for (const NodeId v : nodes) {
      if (!frequent_.rows || !frequent_.rows->has(v)) drawn.packed.push_back(v);
    }
    drawn.packed.shrink_to_fit();
    std::ranges::sort(drawn.packed);
  });
}

/// Keeps the rows in memory that the mini-batches drawn so far have most often.
void PackedBatches::keep_frequent() {
  std::vector<std::uint16_t> counts(graph_.num_nodes());
  for (const Drawn& drawn : drawn_) {
    for (const NodeId v : drawn.packed) {
      if (counts[v] < kMostCount) ++counts[v];
    }
  }
  const std::vector<NodeId> frequent = most_frequent(counts, memory_for_rows() / row_bytes_);
  counts = {};
  const std::vector<std::uint32_t> elsewhere(graph_.num_nodes(), 1);
  frequent_.rows.emplace(graph_, elsewhere, 0, frequent);
  maker_.gather_from(*frequent_.rows, 2);
  drawn_rows_ = 0;
  for (Drawn& drawn : drawn_) {
    std::erase_if(drawn.packed, [&](NodeId v) { return frequent_.rows->has(v); });
    drawn.packed.shrink_to_fit();
    drawn_rows_ += drawn.packed.size();
  }
}

/// Half of what mini-batches in preparation, and what else is needed, leave.
std::uint64_t PackedBatches::memory_for_rows() const {
  if (frequent_.limits.memory != 0) return frequent_.limits.memory;
  std::size_t most_nodes = 0;
  for (const Drawn& drawn : drawn_) most_nodes = std::max(most_nodes, drawn.num_nodes);
  const std::uint64_t batches = static_cast<std::uint64_t>(num_threads()) + 2;
  const std::uint64_t taken = 2 * batches * most_nodes * row_bytes_ + frequent_.reserved +
                              graph_.num_nodes() * 2 * sizeof(std::uint32_t);
  const std::uint64_t available = available_memory();
  return available <= taken ? 0 : (available - taken) / 2;
}

void PackedBatches::make(TrainBatch& batch) {
  source_.complete(batch);
  maker_.make(batch);
  const GatheredRows::Missing& missing = batch.gathered.missing[1];
  rooms_.with([&](Room& room) {
    room.order.clear();
    for (std::size_t i = 0; i < missing.nodes.size(); ++i) {
      room.order.push_back(std::uint64_t{missing.nodes[i]} << 32U | missing.places[i]);
    }
    std::ranges::sort(room.order);
    const std::size_t piece = std::max<std::size_t>(1, kReadBytes / row_bytes_);
    room.rows.resize(piece * row_bytes_);
    for (std::size_t i = 0; i < room.order.size(); ++i) {
      if (i % piece == 0) {
        batch.packs->read(batch.pack, i, std::min(piece, room.order.size() - i), room.rows.data());
      }
      const auto place = static_cast<std::uint32_t>(room.order[i]);
      std::memcpy(batch.gathered.rows.data() + place * row_bytes_,
                  room.rows.data() + i % piece * row_bytes_, row_bytes_);
    }
  });
}

}  // namespace frugal::gnn
