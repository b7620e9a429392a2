#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace frugal {

/// The order of `size` examples in the epoch that `stream` stands for: a random permutation. With
/// 0 < block < size for examples that lie in a file larger than memory: runs of 64 neighbours are
/// dealt out at random to blocks of about `block` examples, and each block is mixed, so that an
/// epoch goes through the blocks one after another, every run is read once, and yet each block is a
/// sample of the whole.
std::vector<std::uint32_t> epoch_order(std::size_t size, std::size_t block, std::uint64_t seed,
                                       std::uint64_t stream);

}  // namespace frugal
