#pragma once
#include <string>
#include <vector>

#include "tools/hw-probe/bench/measure.h"

namespace frugal::probe {

/// Peaks of the arithmetic units, with one thread and with `threads`.
std::vector<Work> peak_works(int threads);

/// A dense product [m, k] x [k, n] that a tool spends its time in.
struct ProductShape {
  const char* name;
  std::size_t m, k, n;
};
extern const ProductShape kProductShapes[3];

/// Products with packed weights through gemm_packed(), each thread its own left-hand side.
std::vector<Work> product_works(int threads);

/// Compression and decompression of frames of weights as tensor files hold them, in plain bytes.
std::vector<Work> compression_works(int threads);

}  // namespace frugal::probe
