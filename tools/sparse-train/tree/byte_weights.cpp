#include "tools/sparse-train/tree/byte_weights.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"

namespace frugal::sparse {
namespace {

constexpr float kLargest = 127;

}  // namespace

ByteWeights to_bytes(const LabelTree& tree) {
  ByteWeights bytes;
  bytes.scales.assign(tree.shape.num_slots(), 0.0F);
  bytes.values.resize(tree.weights.size());
  for (std::uint32_t n = 0; n < tree.shape.num_nodes(); ++n) {
    float* const scales = bytes.scales.data() + tree.shape.slot_begin[n];
    const std::uint64_t begin = tree.weight_begin[n];
    const std::uint64_t end = tree.weight_begin[n + 1];
    for (std::uint64_t w = begin; w < end; ++w) {
      float& scale = scales[tree.weights[w].child];
      scale = std::max(scale, std::abs(tree.weights[w].value()) / kLargest);
    }
    for (std::uint64_t w = begin; w < end; ++w) {
      const float scale = scales[tree.weights[w].child];
      const float steps = scale > 0 ? tree.weights[w].value() / scale : 0;
      bytes.values[w] =
          static_cast<std::int8_t>(std::lround(std::clamp(steps, -kLargest, kLargest)));
    }
  }
  return bytes;
}

std::vector<ChildWeight> from_bytes(const ByteWeights& bytes,
                                    const std::vector<std::uint16_t>& children,
                                    const LabelTree& tree, const std::string& where) {
  const std::size_t slots = tree.shape.num_slots();
  if (bytes.scales.size() != slots || tree.weight_begin.size() != tree.shape.num_nodes() + 1 ||
      tree.weight_begin.back() != children.size() || bytes.values.size() != children.size()) {
    fail(ExitStatus::bad_input, where, ": has ", bytes.scales.size(), " scales and ",
         children.size(), " weights in bytes, expected ", slots, " and ", tree.weight_begin.back());
  }
  std::vector<ChildWeight> weights(children.size());
  for (std::uint32_t n = 0; n < tree.shape.num_nodes(); ++n) {
    const std::uint32_t first = tree.shape.slot_begin[n];
    for (std::uint64_t w = tree.weight_begin[n]; w < tree.weight_begin[n + 1]; ++w) {
      if (children[w] >= tree.shape.num_children(n)) {
        fail(ExitStatus::bad_input, where, ": node ", n, ": weight of child ", children[w],
             ", expected one of ", tree.shape.num_children(n), " children");
      }
      weights[w] = {children[w], to_bfloat16(bytes.scales[first + children[w]] *
                                             static_cast<float>(bytes.values[w]))};
    }
  }
  return weights;
}

}  // namespace frugal::sparse
