#include "libcore/graph/id_permutation.h"

#include <algorithm>
#include <bit>

#include "libcore/base/rng.h"

namespace frugal {

IdPermutation::IdPermutation(std::uint64_t size, std::uint64_t seed) : size_(size) {
  const int bits = size < 2 ? 0 : static_cast<int>(std::bit_width(size - 1));
  mask_ = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  half_ = std::max(1, (bits + 1) / 2);
  Rng rng(seed, size);
  for (Round& r : rounds_) {
    r.factor = rng.next() | 1;
    r.shift = rng.next();
    // Newton's iteration doubles the number of right bits, of which an odd number has three.
    r.inverse = r.factor;
    for (int i = 0; i < 5; ++i) r.inverse *= 2 - r.factor * r.inverse;
  }
}

}  // namespace frugal
