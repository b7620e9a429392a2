#include "tools/gnn-sample/data/feature_view.h"

#include <algorithm>
#include <cassert>

#include "libcore/kernels/kernels.h"

namespace frugal::gnn {

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

}  // namespace frugal::gnn
