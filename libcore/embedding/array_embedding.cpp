#include "libcore/embedding/array_embedding.h"

#include <algorithm>
#include <cassert>

#include "libcore/embedding/block_stepper.h"

namespace frugal {
void ArrayEmbedding::step_lines(std::span<const std::uint64_t> lines, std::span<const float> sums,
                                float rate, ParameterPart part) {
  constexpr std::size_t kLine = LineSums::kLine;
  assert(sums.size() == lines.size() * kLine);
  BlockStepper stepper(array_, {kLine, kLine}, rate, part);
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const std::uint64_t slot = lines[l] * kLine;
    stepper.add(sums.data(), l * kLine, {slot, std::min<std::size_t>(kLine, array_.size() - slot)});
  }
  stepper.finish();
}

}  // namespace frugal
