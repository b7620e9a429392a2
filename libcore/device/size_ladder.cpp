#include "libcore/device/size_ladder.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <map>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/device/size_class.h"

namespace frugal {

SizeLadder::SizeLadder(std::string what, std::span<const std::uint64_t> observed,
                       std::size_t most_classes)
    : what_(std::move(what)) {
  assert(!observed.empty() && most_classes != 0);
  std::map<std::uint64_t, std::uint64_t> batches;  // of each class
  for (const std::uint64_t n : observed) ++batches[size_class(n, kSteps)];
  while (batches.size() > most_classes) {
    // Padding that is added if the batches of a class move to the next larger one.
    const auto cost = [](auto at) { return at->second * (std::next(at)->first - at->first); };
    auto least = batches.begin();
    for (auto at = batches.begin(); std::next(at) != batches.end(); ++at) {
      if (cost(at) < cost(least)) least = at;
    }
    std::next(least)->second += least->second;
    batches.erase(least);
  }
  for (const auto& [size, count] : batches) sizes_.push_back(size);
}

std::size_t SizeLadder::class_of(std::uint64_t n) const {
  const auto at = std::lower_bound(sizes_.begin(), sizes_.end(), n);
  if (at == sizes_.end()) {
    fail(ExitStatus::unavailable, "a batch of ", n, " ", what_, ", expected at most ",
         sizes_.back(), ", the largest of its fixed shapes; take smaller batches");
  }
  return static_cast<std::size_t>(at - sizes_.begin());
}

}  // namespace frugal
