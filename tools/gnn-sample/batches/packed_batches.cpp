#include "tools/gnn-sample/batches/packed_batches.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/system/clock.h"
#include "libcore/system/limits.h"
#include "libcore/system/temporary_file.h"
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

/// The nodes with the highest counts, at most `most`, ascending.
std::vector<NodeId> most_frequent(const std::vector<std::uint16_t>& counts, std::uint64_t most) {
  std::vector<std::uint64_t> nodes_of(kMostCount + std::size_t{1});
  for (const std::uint16_t count : counts) ++nodes_of[count];
  std::size_t least = nodes_of.size();  // nodes with such a count or a higher one are all taken
  std::uint64_t left = most;
  while (least > 0 && nodes_of[least - 1] <= left) left -= nodes_of[--least];
  std::vector<NodeId> nodes;
  for (std::size_t v = 0; v < counts.size(); ++v) {
    const bool ties = counts[v] + std::size_t{1} == least && left > 0;
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

bool PackedBatches::has_all() const {
  return frequent_.rows && frequent_.rows->num_cached() == graph_.num_nodes();
}

bool PackedBatches::produce(TrainBatch& batch) {
  if (num_produced_ == source_.batches || !source_.produce(batch)) return false;
  ++num_produced_;
  return true;
}

void PackedBatches::expect_time() const {
  if (source_.stops && source_.stops()) throw PackingStopped();
}

bool PackedBatches::next(TrainBatch& batch) {
  if (drawn_.empty() && has_all()) return produce(batch);
  if (used_ == window_) begin_window();
  if (drawn_.empty()) return false;
  Drawn& drawn = drawn_.front();
  batch.links = std::move(drawn.links);
  batch.packs = packs_;
  batch.pack = used_++;
  figures_.misses += packs_->num_rows(batch.pack);
  figures_.hits += drawn.num_nodes - packs_->num_rows(batch.pack);
  drawn_.pop_front();
  if (used_ == window_) packs_.reset();  // so that the file goes when the last one was made
  return true;
}

void PackedBatches::begin_window() {
  const double began = wall_seconds();
  const std::uint64_t most = most_rows();
  const bool is_first = !frequent_.rows;
  if (is_first) choose_frequent(most);
  if (!has_all()) draw_until(most);
  const std::vector<std::vector<NodeId>> nodes = take_window(most);
  window_ = nodes.size();
  used_ = 0;
  if (window_ == 0) return;
  if (is_first) say_window();
  pack(nodes);
  figures_.seconds += wall_seconds() - began;
}

/// The nodes to pack of each mini-batch of the next window, with at most so many rows.
std::vector<std::vector<NodeId>> PackedBatches::take_window(std::uint64_t rows) {
  std::vector<std::vector<NodeId>> nodes;
  std::uint64_t taken = 0;
  for (Drawn& drawn : drawn_) {
    taken += drawn.packed.size();
    if (taken > rows && !nodes.empty()) break;
    drawn_rows_ -= drawn.packed.size();
    nodes.push_back(std::move(drawn.packed));
  }
  return nodes;
}

void PackedBatches::pack(const std::vector<std::vector<NodeId>>& nodes) {
  const auto threads = static_cast<std::uint64_t>(num_threads());
  const std::uint64_t piece =
      std::clamp(available_memory() / (16 * threads), kLeastPiece, kMostPiece);
  packs_ = std::make_shared<const RowPacks>(graph_, nodes, static_cast<std::size_t>(piece),
                                            [this] { expect_time(); });
  last_packs_ = packs_;
  ++figures_.windows;
  figures_.bytes_read += packs_->bytes_read();
  figures_.bytes_written += packs_->bytes_written();
}

/// Packing a large file takes minutes, in which nothing else is seen.
void PackedBatches::say_window() const {
  if (has_all()) return log_info("all feature rows are in memory, none are packed");
  log_info(frequent_.rows->num_cached(), " of ", format_count(graph_.num_nodes(), "feature row"),
           " are in memory; packing the others in ", temporary_folder(),
           ", mini-batches at a time: ", window_, " (an epoch has ", source_.per_epoch, ")");
}

/// Packs are at most as large as all features, and leave as much of the disk free as they take,
/// because the packs before may still be open. In a folder that is memory, they and rows in memory
/// share it. The numbers of their nodes take a small part of memory.
std::uint64_t PackedBatches::most_rows() const {
  std::uint64_t bytes = graph_.features()->data_bytes();
  std::error_code error;
  const std::filesystem::space_info disk = std::filesystem::space(temporary_folder(), error);
  const std::shared_ptr<const RowPacks> last = last_packs_.lock();
  const std::uint64_t own = last == nullptr ? 0 : last->bytes_written();
  if (!error) bytes = std::min<std::uint64_t>(bytes, (disk.available + own) / 2);
  if (is_in_memory(temporary_folder())) bytes = std::min(bytes, available_memory() / 4);
  if (frequent_.limits.disk != 0) bytes = frequent_.limits.disk;
  return std::min(bytes / row_bytes_, available_memory() / kNumbersShare / sizeof(NodeId));
}

/// Early stopping or the time budget may end a run after any epoch: what was drawn beyond is lost.
std::uint64_t PackedBatches::most_batches() const {
  return std::max<std::uint64_t>(source_.per_epoch, kDrawn);
}

/// Draws mini-batches until they pack more than `rows` rows, or there are enough for a window.
void PackedBatches::draw_until(std::uint64_t rows) {
  while (drawn_rows_ <= rows && drawn_.size() < most_batches()) {
    const std::size_t before = drawn_.size();
    draw_some();
    if (drawn_.size() == before) return;
  }
}

void PackedBatches::draw_some() {
  const std::size_t before = drawn_.size();
  const std::uint64_t most = std::min<std::uint64_t>(before + kDrawn, most_batches());
  TrainBatch batch;
  while (drawn_.size() < most && produce(batch)) drawn_.push_back({batch.links, 0, 0, {}});
  parallel_for(drawn_.size() - before, 1, [&](std::size_t i) { draw(drawn_[before + i]); });
  for (std::size_t i = before; i < drawn_.size(); ++i) drawn_rows_ += drawn_[i].packed.size();
}

void PackedBatches::draw(Drawn& drawn) {
  expect_time();
  samples_.with([&](TrainBatch& batch) {
    batch.links = drawn.links;
    source_.complete(batch);
    maker_.draw(batch);
    const std::span<const NodeId> nodes = batch.sample.nodes();
    drawn.num_nodes = nodes.size();
    drawn.num_edges = batch.sample.num_edges();
    drawn.packed.reserve(nodes.size());
    for (const NodeId v : nodes) {
      if (!frequent_.rows || !frequent_.rows->has(v)) drawn.packed.push_back(v);
    }
    drawn.packed.shrink_to_fit();
    std::ranges::sort(drawn.packed);
  });
}

/// Counts in few mini-batches suffice where all rows fit.
void PackedBatches::choose_frequent(std::uint64_t most) {
  draw_some();
  if (drawn_.empty()) return;
  std::uint64_t rows = rows_for_memory();
  if (rows < graph_.num_nodes()) {
    draw_until(most);
    rows = rows_for_memory();
  }
  keep_frequent(rows);
}

/// Keeps the rows in memory, at most so many, that mini-batches drawn so far have most often.
void PackedBatches::keep_frequent(std::uint64_t most) {
  std::vector<std::uint16_t> counts(graph_.num_nodes());
  for (const Drawn& drawn : drawn_) {
    for (const NodeId v : drawn.packed) {
      if (counts[v] < kMostCount) ++counts[v];
    }
  }
  const std::vector<NodeId> frequent = most_frequent(counts, most);
  counts = {};
  const std::vector<std::uint32_t> elsewhere(graph_.num_nodes(), 1);
  frequent_.rows.emplace(graph_, elsewhere, 0, frequent, [this] { expect_time(); });
  figures_.bytes_read += frequent_.rows->bytes_read();
  maker_.gather_from(*frequent_.rows, 2);
  drawn_rows_ = 0;
  for (Drawn& drawn : drawn_) {
    std::erase_if(drawn.packed, [&](NodeId v) { return frequent_.rows->has(v); });
    drawn.packed.shrink_to_fit();
    drawn_rows_ += drawn.packed.size();
  }
}

/// Number of rows that take half of the memory that is left. Mini-batches in preparation are
/// counted twice because their memory grows by doubling; sampled inference prepares as many while
/// those of the training wait.
std::uint64_t PackedBatches::rows_for_memory() const {
  if (frequent_.limits.memory != 0) return frequent_.limits.memory / row_bytes_;
  const std::uint64_t batches = static_cast<std::uint64_t>(num_threads()) + 2;
  std::uint64_t prepared = 0;
  for (const Drawn& drawn : drawn_) {
    const std::uint64_t edges = drawn.num_edges * 2 * sizeof(std::uint32_t);
    prepared = std::max(prepared, batches * (drawn.num_nodes * row_bytes_ + edges) +
                                      drawn.num_nodes * frequent_.layer_bytes);
  }
  const std::uint64_t available = available_memory();
  if (prepared > available) {
    fail(ExitStatus::unavailable, graph_.path(), ": mini-batches in preparation take ",
         format_bytes(prepared), ", ", format_bytes(available),
         " are left; give a smaller --batch-size or smaller --fanouts");
  }
  const std::uint64_t taken = (frequent_.inference_samples ? 4 : 2) * prepared +
                              frequent_.reserved + graph_.num_nodes() * 2 * sizeof(std::uint32_t);
  return available <= taken ? 0 : (available - taken) / 2 / row_bytes_;
}

void PackedBatches::make(TrainBatch& batch) {
  source_.complete(batch);
  maker_.make(batch);
  if (batch.packs != nullptr) read_packed(batch);
  batch.packs.reset();  // its memory is reused later, and would keep the file open
}

void PackedBatches::read_packed(TrainBatch& batch) {
  const GatheredRows::Missing& missing = batch.gathered.missing[1];
  if (!batch.packs->is_of(batch.pack, missing.nodes)) {
    fail(ExitStatus::internal, "a mini-batch has other nodes than when it was packed");
  }
  rooms_.with([&](Room& room) {
    room.order.clear();
    for (std::size_t i = 0; i < missing.nodes.size(); ++i) {
      room.order.push_back({missing.nodes[i], missing.places[i]});
    }
    std::ranges::sort(room.order, {}, &Wanted::node);
    const std::size_t piece = std::max<std::size_t>(1, kReadBytes / row_bytes_);
    room.rows.resize(piece * row_bytes_);
    for (std::size_t i = 0; i < room.order.size(); ++i) {
      if (i % piece == 0) {
        batch.packs->read(batch.pack, i, std::min(piece, room.order.size() - i), room.rows.data());
      }
      std::memcpy(batch.gathered.rows.data() + room.order[i].place * row_bytes_,
                  room.rows.data() + i % piece * row_bytes_, row_bytes_);
    }
  });
}

}  // namespace frugal::gnn
