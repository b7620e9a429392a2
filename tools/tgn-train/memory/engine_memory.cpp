#include "tools/tgn-train/memory/engine_memory.h"

#include <cstring>
#include <string>

#include "libcore/threading/parallel.h"

namespace frugal::tgn {
namespace {

/// Records that one thread copies at a time.
constexpr std::size_t kAtATime = 1024;

}  // namespace

std::vector<EngineMemory::Part> EngineMemory::parts() const {
  const NodeMemoryShape& shape = memory_.shape();
  const frugal_type type = shape.dtype == Dtype::bf16 ? FRUGAL_BF16 : FRUGAL_F32;
  std::vector<Part> parts;
  const auto add = [&](const char* name, std::size_t dim, std::size_t begin) {
    if (dim == 0) return;
    parts.push_back({{name, type, {shape.nodes, dim}, nullptr}, begin, dim * type_bytes(type)});
  };
  add("memory.state", shape.state_dim, 0);
  add("memory.message", shape.message_dim, memory_.state_bytes());
  return parts;
}

/// Calls copy(part of the record, row of rows_) for every node.
template <class Copy>
void EngineMemory::for_each_row(const Part& part, const Copy& copy) {
  std::byte* const records = memory_.bytes().data() + part.begin;
  parallel_blocks(memory_.shape().nodes, kAtATime, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      copy(records + v * memory_.record_bytes(), rows_.data() + v * part.bytes);
    }
  });
}

void EngineMemory::bring(DeviceEngine& engine) {
  if (is_there_) return;
  for (Part& part : parts()) {
    rows_ = Array<std::byte>(part.array.num_bytes(), uninitialized);
    for_each_row(part, [&](const std::byte* record, std::byte* row) {
      std::memcpy(row, record, part.bytes);
    });
    part.array.data = rows_.data();
    engine.set({&part.array, 1});
  }
  rows_ = {};
  is_there_ = true;
}

void EngineMemory::bring_back(DeviceEngine& engine) {
  if (!is_ahead_) return;
  for (Part& part : parts()) {
    rows_ = Array<std::byte>(part.array.num_bytes(), uninitialized);
    part.array.data = rows_.data();
    engine.get({&part.array, 1});
    for_each_row(part, [&](std::byte* record, const std::byte* row) {
      std::memcpy(record, row, part.bytes);
    });
  }
  rows_ = {};
  is_ahead_ = false;
}

}  // namespace frugal::tgn
