#include "tools/tgn-train/memory/node_memory.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "libcore/base/text.h"
#include "libcore/kernels/kernels.h"
#include "libcore/system/limits.h"
#include "libcore/system/temporary_file.h"

namespace frugal::tgn {

RecordJournal::RecordJournal(std::size_t nodes, std::size_t record_bytes, const std::string& folder)
    : record_bytes_(record_bytes), has_(nodes) {
  if (!folder.empty()) file_ = std::make_unique<TemporaryFile>(folder);
}

void RecordJournal::keep(NodeId node, const std::byte* record) {
  if (has_[node]) return;
  has_[node] = true;
  const std::size_t i = nodes_.size() % chunk_records();
  nodes_.push_back(node);
  if (file_) return file_->write(record, record_bytes_);
  if (i == 0) chunks_.emplace_back(chunk_records() * record_bytes_, uninitialized);
  std::memcpy(chunks_.back().data() + i * record_bytes_, record, record_bytes_);
}

void RecordJournal::write_back(std::byte* records) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    std::byte* const to = records + nodes_[i] * record_bytes_;
    if (file_) {
      file_->read(i * record_bytes_, to, record_bytes_);
    } else {
      const Array<std::byte>& chunk = chunks_[i / chunk_records()];
      std::memcpy(to, chunk.data() + i % chunk_records() * record_bytes_, record_bytes_);
    }
  }
}

namespace {

constexpr std::size_t kLine = 64;

std::size_t whole_lines(std::size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

std::shared_ptr<MappedMemory> map_file(const MemoryPlace& place, std::size_t size) {
  const auto file = place.file.empty() ? std::make_unique<TemporaryFile>(place.folder)
                                       : TemporaryFile::at(place.file);
  file->reserve(size);
  auto mapped = file->map();
  // Nodes are read in no order, so reading ahead of a record would not help.
  mapped->expect_random_reads(0, size);
  return mapped;
}

}  // namespace

NodeMemory::NodeMemory(const NodeMemoryShape& shape, MemoryPlace place)
    : shape_(shape),
      message_dim_(shape.message_dim),
      place_(std::move(place)),
      message_begin_(whole_lines(shape.state_dim * item_size(shape.dtype))) {
  assert(shape.dtype == Dtype::f32 || shape.dtype == Dtype::bf16);
  set_message_dim(shape.message_dim);
  if (place_.tier == MemoryTier::disk) {
    on_disk_ = map_file(place_, num_bytes());
    data_ = on_disk_->data();
  } else {
    check_memory("the memory of " + format_count(shape.nodes, "node"), num_bytes());
    in_memory_ = Array<std::byte>(num_bytes());
    data_ = in_memory_.data();
  }
}

void NodeMemory::reset() { std::fill_n(data_, num_bytes(), std::byte{0}); }

void NodeMemory::set_message_dim(std::size_t dim) {
  shape_.message_dim = dim;
  stride_ = message_begin_ + whole_lines(dim * item_size(shape_.dtype));
}

void NodeMemory::drop_messages() {
  assert(!journal_);
  const std::size_t before = stride_, state_bytes = shape_.state_dim * item_size(shape_.dtype);
  set_message_dim(0);
  if (stride_ == before) return;
  for (std::size_t v = 0; v < shape_.nodes; ++v) {
    std::byte* const record = data_ + v * stride_;
    std::memmove(record, data_ + v * before, state_bytes);
    std::memset(record + state_bytes, 0, stride_ - state_bytes);
  }
}

void NodeMemory::lay_out(bool with_messages) {
  assert(!journal_);
  const std::size_t before = stride_;
  set_message_dim(with_messages ? message_dim_ : 0);
  if (stride_ != before) reset();
}

bool NodeMemory::is_finite(std::size_t nodes) const {
  std::vector<float> numbers(std::max(shape_.state_dim, shape_.message_dim));
  const auto part_is_finite = [&](NodeId node, MemoryPart part, std::size_t n) {
    read(node, part, numbers.data());
    return std::all_of(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(n),
                       [](float x) { return std::isfinite(x); });
  };
  for (NodeId v = 0; v < nodes; ++v) {
    if (!part_is_finite(v, MemoryPart::state, shape_.state_dim)) return false;
    if (!part_is_finite(v, MemoryPart::message, shape_.message_dim)) return false;
  }
  return true;
}

void NodeMemory::read(NodeId node, MemoryPart part, float* out) const {
  read_of(record(node), part, out);
}

void NodeMemory::read_of(const std::byte* record, MemoryPart part, float* out) const {
  const std::size_t n = part == MemoryPart::state ? shape_.state_dim : shape_.message_dim;
  if (n == 0) return;  // out may be null
  const std::byte* from = record + (part == MemoryPart::state ? 0 : message_begin_);
  if (shape_.dtype == Dtype::f32) {
    std::memcpy(out, from, n * sizeof(float));
  } else {
    kernels().from_bf16(reinterpret_cast<const BFloat16*>(from), out, n);
  }
}

void NodeMemory::write(NodeId node, const float* state, const float* message) {
  std::byte* const record = data_ + node * stride_;
  if (journal_) journal_->keep(node, record);
  write_to(record, state, message);
}

void NodeMemory::write_record(NodeId node, const std::byte* record) {
  std::byte* const to = data_ + node * stride_;
  if (journal_) journal_->keep(node, to);
  std::memcpy(to, record, stride_);
}

void NodeMemory::write_to(std::byte* record, const float* state, const float* message) const {
  put(state, shape_.state_dim, record);
  if (message != nullptr) put(message, shape_.message_dim, record + message_begin_);
}

void NodeMemory::grow(std::size_t nodes) {
  assert(nodes >= shape_.nodes && !on_disk_ && !journal_ && shape_.message_dim == message_dim_);
  if (nodes == shape_.nodes) return;
  shape_.nodes = nodes;
  Array<std::byte> grown(nodes * stride_);
  std::copy(in_memory_.begin(), in_memory_.end(), grown.begin());
  in_memory_ = std::move(grown);
  data_ = in_memory_.data();
}

void NodeMemory::put(const float* from, std::size_t n, std::byte* to) const {
  if (shape_.dtype == Dtype::f32) {
    std::memcpy(to, from, n * sizeof(float));
  } else {
    kernels().to_bf16(from, reinterpret_cast<BFloat16*>(to), n);
  }
}

void NodeMemory::prefetch(NodeId node) const {
  const std::byte* record = data_ + node * stride_;
  for (std::size_t i = 0; i < stride_; i += kLine) __builtin_prefetch(record + i);
}

void NodeMemory::prefetch_loads(std::span<const MemoryLoad> loads) const {
  if (!on_disk_) return;
  for (const MemoryLoad& load : loads) {
    // The message follows the state, so one prefetch covers both.
    if (load.part == MemoryPart::state) on_disk_->prefetch(load.node * stride_, stride_);
  }
}

void NodeMemory::begin_undo() {
  const bool on_disk = place_.tier == MemoryTier::disk;
  journal_ = std::make_unique<RecordJournal>(shape_.nodes, stride_, on_disk ? place_.folder : "");
}

void NodeMemory::undo() {
  assert(journal_);
  journal_->write_back(data_);
  journal_.reset();
}

}  // namespace frugal::tgn
