#include "libcore/device/cuda/engines/product_group.h"

#include <algorithm>

namespace frugal::cuda {

void ProductGroup::run() {
  while (!entries_.empty()) {
    const Entry first = entries_.front();
    const auto others =
        std::stable_partition(entries_.begin(), entries_.end(),
                              [&](const Entry& entry) { return entry.is_alike(first); });
    const auto n =
        static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(kMost, others - entries_.begin()));
    if (n == 1) {
      launch_list<1>(entries_.data(), n);
    } else {
      launch_list<kMost>(entries_.data(), n);
    }
    entries_.erase(entries_.begin(), entries_.begin() + n);
  }
}

template <std::uint32_t kCount>
void ProductGroup::launch_list(const Entry* entries, std::uint32_t n) const {
  ProductList<kCount> list{};
  std::uint32_t blocks = 0;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    if (i < n) {
      const Product& p = list.products[i] = entries[i].product;
      blocks += p.row_tiles() * p.column_tiles() * entries[i].parts;
    }
    list.ends[i] = blocks;
  }
  const auto with = [&](auto in_bf16, auto in_f32) {
    if (entries->of == Products::bf16) {
      return launch(in_bf16, dim3(blocks), dim3(kMmaThreads), stream_, list);
    }
    launch(in_f32, dim3(blocks), dim3(kTileThreads), stream_, list);
  };
  if (entries->trans_a) {
    with(multiply_tiles<true, false, true, kCount>, multiply_tiles<true, false, false, kCount>);
  } else if (entries->trans_b) {
    with(multiply_tiles<false, true, true, kCount>, multiply_tiles<false, true, false, kCount>);
  } else {
    with(multiply_tiles<false, false, true, kCount>, multiply_tiles<false, false, false, kCount>);
  }
}

}  // namespace frugal::cuda
