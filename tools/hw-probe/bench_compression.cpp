#include <bit>
#include <span>

#include "libcore/base/rng.h"
#include "libcore/io/zstd_frames.h"
#include "tools/hw-probe/bench_compute.h"

namespace frugal::probe {
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
