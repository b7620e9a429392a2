#pragma once
#include <cstdint>

namespace frugal {
namespace {

/// Random numbers of kernels: number i for a key is mix32(key + i * kMixStep).
inline constexpr std::uint32_t kMixStep = 0x9e3779b9U;

/// A bijection of 32-bit words, or of each lane of a vector of them, whose output bits each depend
/// on all input bits (two rounds of shift and multiply, constants of Wellons, 2018).
template <class Word>
inline Word mix32(Word x) {
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  return x ^ (x >> 16);
}

}  // namespace
}  // namespace frugal
