#include "tools/gnn-sample/data/feature_view.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/embedding/embedding.h"
#include "libcore/kernels/kernels.h"
#include "libcore/system/mapped_memory.h"
#include "libcore/threading/parallel.h"

namespace frugal::gnn {
namespace {

/// Rows that are at most so many bytes apart are read together.
constexpr std::size_t kJoinedGap = 4096;
constexpr std::size_t kTriedRows = 64;

}  // namespace

const float* FeatureView::row_values(std::size_t r, std::vector<float>& room) const {
  if (data == nullptr) return nullptr;
  const std::byte* const from = data + offsets[r] * item_size(dtype);
  if (dtype == Dtype::f32) return reinterpret_cast<const float*>(from);
  const std::size_t n = row_size(r);
  if (room.size() < n) room.resize(n);
  if (dtype == Dtype::bf16) {
    kernels().from_bf16(reinterpret_cast<const BFloat16*>(from), room.data(), n);
  } else {
    assert(dtype == Dtype::f16);
    std::transform(reinterpret_cast<const Float16*>(from),
                   reinterpret_cast<const Float16*>(from) + n, room.data(),
                   [](Float16 x) { return to_float(x); });
  }
  return room.data();
}

void FeatureView::read_ahead(std::span<const std::uint32_t> nodes) const {
  if (!in_file || nodes.empty()) return;
  // Asking for a row that is in memory takes longer than copying it, so some are tried first.
  const std::size_t tried = std::min(kTriedRows, nodes.size());
  bool is_missing = false;
  for (std::size_t i = 0; i < tried && !is_missing; ++i) {
    is_missing = !is_resident(row(nodes[i * nodes.size() / tried]));
  }
  if (!is_missing) return;
  std::size_t begin = nodes.front() * row_bytes(), end = begin;
  for (const std::uint32_t v : nodes) {
    const std::size_t at = v * row_bytes();
    if (at < begin || at > end + kJoinedGap) {
      start_reading(data + begin, data + end);
      begin = end = at;
    }
    end = std::max(end, at + row_bytes());
  }
  start_reading(data + begin, data + end);
}

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// Whether none of the numbers has all bits of the exponent set; a loop that compilers vectorise.
template <class Bits>
bool all_finite(const std::byte* data, std::size_t n, Bits exponent) {
  const Bits* const numbers = reinterpret_cast<const Bits*>(data);
  bool finite = true;
  for (std::size_t i = 0; i < n; ++i) finite &= (numbers[i] & exponent) != exponent;
  return finite;
}

bool row_is_finite(const FeatureView& f, std::size_t r) {
  if (f.array != nullptr) {
    thread_local std::vector<float> room;
    room.resize(f.dim);
    const auto number = static_cast<std::uint32_t>(r);
    f.array->lookup_table(0, &number, 1, {room.data(), 1, f.dim});
    return all_finite<std::uint32_t>(reinterpret_cast<const std::byte*>(room.data()), f.dim,
                                     0x7f800000U);
  }
  const std::byte* const row = f.sparse() ? f.data + f.offsets[r] * item_size(f.dtype) : f.row(r);
  const std::size_t n = f.sparse() ? f.row_size(r) : f.dim;
  switch (f.dtype) {
    case Dtype::f32: return all_finite<std::uint32_t>(row, n, 0x7f800000U);
    case Dtype::f16: return all_finite<std::uint16_t>(row, n, 0x7c00U);
    case Dtype::bf16: return all_finite<std::uint16_t>(row, n, 0x7f80U);
    default:  // i8, whose scales are numbers
      return all_finite<std::uint32_t>(reinterpret_cast<const std::byte*>(&f.scales[r]), 1,
                                       0x7f800000U);
  }
}

}  // namespace

void check_finite(const FeatureView& features, const std::string& path) {
  if (features.data == nullptr && features.array == nullptr) return;  // all are 1
  std::vector<std::size_t> bad(static_cast<std::size_t>(num_threads()), kNone);
  parallel_ranges(features.rows, [&](std::size_t begin, std::size_t end, int thread) {
    std::size_t r = begin;
    while (r < end && row_is_finite(features, r)) ++r;
    if (r < end) bad[static_cast<std::size_t>(thread)] = r;
  });
  const std::size_t first = *std::min_element(bad.begin(), bad.end());
  if (first == kNone) return;
  fail(ExitStatus::bad_input, path, ": node ", first,
       " has a feature that is not finite, expected numbers");
}

}  // namespace frugal::gnn
