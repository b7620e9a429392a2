// Times every kernel on every level of this machine; one JSON object a line.
//   bench_kernels [--quick] [--case TEXT] [--simd LEVEL] [--l2 KIB]
// --l2 divides f32 products as for a second-level cache of that size.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "libcore/kernels/gemm.h"
#include "libcore/kernels/kernels.h"
#include "tests/bench/kernels/cases.h"
#include "tests/bench/kernels/measure.h"
#include "tests/bench/kernels/peaks.h"

namespace frugal::bench {

void print_line(const Work& w, double best, double median) {
  std::printf(R"({"case":"%s","isa":"%s","size":"%s","ns_per_item":%.4g,"median_ns":%.4g)",
              w.name.c_str(), w.isa.c_str(), w.size.c_str(), best / w.items * 1e9,
              median / w.items * 1e9);
  if (w.flop > 0) std::printf(R"(,"gflops":%.4g)", w.flop / best / 1e9);
  if (w.bytes > 0) std::printf(R"(,"gbytes_per_s":%.4g)", w.bytes / best / 1e9);
  if (w.flop > 0 && w.peak_gflops > 0) {
    std::printf(R"(,"share_of_peak":%.3f)", w.flop / best / 1e9 / w.peak_gflops);
  }
  std::puts("}");
  std::fflush(stdout);
}

namespace {

void run_level(SimdLevel level) {
  const Kernels& k = *kernels_for(level);
  set_simd(k.name);
  std::printf(R"({"case":"peak","isa":"%s","f32_gflops":%.4g,"bf16_gflops":%.4g})"
              "\n",
              k.name, peak_f32(level), peak_bf16(level));
  product_cases(k);
  vector_cases(k);
  row_cases(k);
  dual_cases(k);
  pair_cases(k);
  temporal_cases(k);
}

int run(int argc, char** argv) {
  const char* only = nullptr;
  for (int i = 1; i < argc; ++i) {
    const bool has_value = i + 1 < argc;
    if (std::strcmp(argv[i], "--quick") == 0) {
      quick = true;
    } else if (std::strcmp(argv[i], "--case") == 0 && has_value) {
      wanted = argv[++i];
    } else if (std::strcmp(argv[i], "--simd") == 0 && has_value) {
      only = argv[++i];
    } else if (std::strcmp(argv[i], "--l2") == 0 && has_value) {
      set_product_cache_bytes(std::strtoull(argv[++i], nullptr, 10) << 10);
    } else {
      std::fputs("usage: bench_kernels [--quick] [--case TEXT] [--simd LEVEL] [--l2 KIB]\n",
                 stderr);
      return 2;
    }
  }
  if (only != nullptr) {
    set_simd(only);
    run_level(kernels().level);
    return 0;
  }
  for (const SimdLevel level : available_simd_levels()) run_level(level);
  return 0;
}

}  // namespace
}  // namespace frugal::bench

int main(int argc, char** argv) {
  try {
    return frugal::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_kernels: %s\n", error.what());
    return 1;
  }
}
