#include "tools/hw-probe/bench/bench_compute.h"

#include <bit>
#include <memory>
#include <span>

#include "libcore/base/array.h"
#include "libcore/base/rng.h"
#include "libcore/kernels/gemm.h"
#include "libcore/kernels/kernels.h"
#include "libcore/streams/zstd_frames.h"
#include "tools/hw-probe/bench/measure.h"
#include "tools/hw-probe/bench/peak.h"

namespace frugal::probe {
namespace {

class PeakBody : public WorkBody {
 public:
  static constexpr std::size_t kIterations = 20000;
  explicit PeakBody(const PeakLoop& loop) : loop_(loop) {}
  void call(int, int) override {
    volatile float keep = loop_.run(kIterations);
    static_cast<void>(keep);
  }

 private:
  PeakLoop loop_;
};

Work peak_work(const PeakLoop& loop, int threads) {
  const std::string name = std::string("peak/") + loop.name + thread_suffix(threads);
  const double gflop = loop.flop_per_iteration * PeakBody::kIterations * 1e-9;
  return {name, "GFLOP/s", gflop, threads, std::make_unique<PeakBody>(loop)};
}

void fill(Array<float>* values) {
  Rng rng(1);
  for (float& x : *values) x = static_cast<float>(rng.uniform(-1, 1));
}

/// One product again and again; the weights are packed once, each thread has its own left-hand
/// side.
class ProductBody : public WorkBody {
 public:
  ProductBody(const ProductShape& shape, Precision precision, int threads)
      : shape_(shape), precision_(precision), threads_(threads) {}

  void prepare() override {
    Array<float> right(shape_.k * shape_.n, uninitialized);
    fill(&right);
    right_.pack({right.data(), shape_.k, shape_.n}, Transpose::no, precision_);
    for (int thread = 0; thread < threads_; ++thread) {
      left_.emplace_back(shape_.m * shape_.k, uninitialized);
      fill(&left_.back());
      result_.emplace_back(shape_.m * shape_.n);
    }
  }
  void call(int thread, int) override {
    const auto t = static_cast<std::size_t>(thread);
    gemm_packed({left_[t].data(), shape_.m, shape_.k}, right_,
                {result_[t].data(), shape_.m, shape_.n});
  }

 private:
  ProductShape shape_;
  Precision precision_;
  int threads_;
  PackedMatrix right_;
  std::vector<Array<float>> left_;
  std::vector<Array<float>> result_;
};

Work product_work(const ProductShape& shape, Precision precision, int threads) {
  const char* kind = precision == Precision::bf16 ? "gemm/bf16/" : "gemm/f32/";
  const double gflop = 2e-9 * static_cast<double>(shape.m * shape.k * shape.n);
  return {std::string(kind) + shape.name + thread_suffix(threads), "GFLOP/s", gflop, threads,
          std::make_unique<ProductBody>(shape, precision, threads)};
}

}  // namespace

// A temporal graph network's layer, an output layer over labels, a dense hidden layer.
const ProductShape kProductShapes[3] = {{"30x372x200", 30, 372, 200},
                                        {"256x128x8192", 256, 128, 8192},
                                        {"1024x256x256", 1024, 256, 256}};

std::vector<Work> peak_works(int threads) {
  const SimdLevel highest = kernels().level;
  std::vector<Work> works;
  const PeakLoop f32 = f32_peak(highest);
  const auto bf16 = bf16_peak(highest);
  for (const int n : {1, threads}) {
    works.push_back(peak_work(f32, n));
    if (bf16) works.push_back(peak_work(*bf16, n));
    if (threads == 1) break;
  }
  return works;
}

std::vector<Work> product_works(int threads) {
  std::vector<Work> works;
  for (const ProductShape& shape : kProductShapes) {
    for (const Precision precision : {Precision::f32, Precision::bf16}) {
      if (precision == Precision::bf16 && !has_bf16_instructions()) continue;
      works.push_back(product_work(shape, precision, 1));
      if (threads > 1) works.push_back(product_work(shape, precision, threads));
    }
  }
  return works;
}

namespace {

constexpr std::size_t kFrameBytes = 1 << 20;
constexpr int kLevel = 1;

/// The byte planes of normally distributed f32 weights: high bytes that resemble each other, low
/// bytes that do not.
std::vector<std::byte> weight_planes() {
  constexpr std::size_t kElements = kFrameBytes / sizeof(float);
  std::vector<std::byte> planes(kFrameBytes);
  Rng rng(1);
  for (std::size_t i = 0; i < kElements; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(0.02 * rng.normal()));
    for (std::size_t j = 0; j < sizeof bits; ++j) {
      planes[j * kElements + i] = static_cast<std::byte>(bits >> (8 * j) & 0xff);
    }
  }
  return planes;
}

/// One frame of 1 MiB as tensor files hold it, each thread with its own state.
class FrameBody : public WorkBody {
 public:
  FrameBody(bool compress, int threads) : compress_(compress), threads_(threads) {}

  void prepare() override {
    plain_ = weight_planes();
    for (int thread = 0; thread < threads_; ++thread) {
      State& state = states_.emplace_back();
      state.plain.resize(plain_.size());
      state.compressor.compress(plain_, state.frame);
    }
  }
  void call(int thread, int) override {
    State& state = states_[static_cast<std::size_t>(thread)];
    if (compress_) {
      state.frame.clear();
      state.compressor.compress(plain_, state.frame);
    } else {
      state.decompressor.decompress(state.frame.bytes(), state.plain);
    }
  }

 private:
  struct State {
    FrameCompressor compressor{kLevel};
    FrameDecompressor decompressor;
    ByteBuffer frame;
    std::vector<std::byte> plain;
  };
  bool compress_;
  int threads_;
  std::vector<std::byte> plain_;
  std::vector<State> states_;
};

}  // namespace

std::vector<Work> compression_works(int threads) {
  std::vector<Work> works;
  for (const bool compress : {true, false}) {
    for (const int n : {1, threads}) {
      works.push_back(
          {std::string(compress ? "zstd/compress" : "zstd/decompress") + (n == 1 ? "/1" : "/all"),
           "GB/s", kFrameBytes * 1e-9, n, std::make_unique<FrameBody>(compress, n)});
      if (threads == 1) break;
    }
  }
  return works;
}

}  // namespace frugal::probe
