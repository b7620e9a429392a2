#pragma once
#include <cstring>

#include "tools/sparse-train/network/network.h"

inline bool same_bits(const frugal::RowTable& a, const frugal::RowTable& b) {
  return a.rows() == b.rows() && a.stride() == b.stride() &&
         std::memcmp(a.data(), b.data(), a.rows() * a.stride() * sizeof(float)) == 0;
}
inline bool same_bits(const frugal::sparse::Network& a, const frugal::sparse::Network& b) {
  bool same = same_bits(a.features, b.features) && same_bits(a.labels, b.labels);
  for (std::size_t i = 0; i < a.layers.size(); ++i)
    same = same && same_bits(a.layers[i], b.layers[i]);
  return same;
}
