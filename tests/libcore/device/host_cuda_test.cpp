// Does the execution of CUDA kernels on the host find what a GPU may survive by luck? Each mistake
// is planted.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <set>
#include <string>
#include <vector>

#include "libcore/device/cuda/kernels/mma_tile.h"
#include "libcore/device/cuda/resources.h"

using namespace frugal::cuda;

namespace {

constexpr std::uint32_t kBlock = 256, kWarps = kBlock / 32;
constexpr float kSum = 255 * 128;  // of 0 to 255

/// The sum of a block's numbers, by shuffles and, over warps, shared memory.
template <bool kBarrier>
FRUGAL_KERNEL sum_block(const float* x, float* sum) {
  FRUGAL_SHARED(float, parts, kWarps);
  float mine = x[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) mine += __shfl_xor_sync(0xffffffffU, mine, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = mine;
  if (kBarrier) __syncthreads();
  if (threadIdx.x != 0) return;
  *sum = 0;
  for (std::uint32_t warp = 0; warp < kWarps; ++warp) *sum += parts[warp];
}

FRUGAL_KERNEL divergent_barrier(float* x) {
  if (threadIdx.x < 32) __syncthreads();
  x[threadIdx.x] = 1;
}

FRUGAL_KERNEL shuffle_without_all(float* x) {
  float value = 1;
  if (threadIdx.x % 2 == 0) value = __shfl_sync(0xffffffffU, value, 0);
  x[threadIdx.x] = value;
}

FRUGAL_KERNEL shuffle_outside_mask(float* x) {
  float value = 1;
  if (threadIdx.x < 16) value = __shfl_sync(0xffffU, value, 20);
  x[threadIdx.x] = value;
}

FRUGAL_KERNEL write_behind_end(float* x, std::uint32_t n) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) x[i] = 1;
}

template <std::uint32_t kBytes>
FRUGAL_KERNEL share(float* x) {
  FRUGAL_SHARED(std::uint8_t, room, kBytes);
  room[threadIdx.x] = 1;
  x[threadIdx.x] = room[threadIdx.x];
}

FRUGAL_KERNEL multiply_tile(float* sums, std::uint32_t shift) {
  FRUGAL_SHARED(std::uint16_t, tile, kMma * kMma + 16);
  for (std::uint32_t i = threadIdx.x; i < kMma * kMma + 16; i += 32) tile[i] = 0;
  __syncwarp();
  MmaLeft left;
  MmaRight right;
  left.load<false>(tile + shift, kMma);
  right.load<false>(tile, kMma);
  MmaTile product;
  product.clear();
  product.add(left, right);
  if (threadIdx.x == 0) *sums = 0;
}

FRUGAL_KERNEL votes_of_warps(std::uint32_t* votes) {
  const std::uint32_t vote = __ballot_sync(0xffffffffU, threadIdx.x % 3 == 0 ? 1 : 0);
  if (threadIdx.x % 32 == 0) votes[threadIdx.x / 32] = vote;
}

void set_order(int order) { setenv("FRUGAL_HOST_CUDA_ORDER", std::to_string(order).c_str(), 1); }

template <bool kBarrier>
float sum_in_order(int order) {
  set_order(order);
  const Stream stream;
  const DeviceArray<float> x(kBlock), sum(1);
  std::vector<float> values(kBlock);
  for (std::uint32_t i = 0; i < kBlock; ++i) values[i] = static_cast<float>(i);
  stream.copy(x.data(), values.data(), kBlock);
  launch(sum_block<kBarrier>, dim3(1), dim3(kBlock), stream, static_cast<const float*>(x.data()),
         sum.data());
  float result = 0;
  stream.copy(&result, sum.data(), 1);
  unsetenv("FRUGAL_HOST_CUDA_ORDER");
  return result;
}

/// What body() says before it ends a process of its own; "" where it returns.
template <class Body>
std::string last_words(const Body& body) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    signal(SIGABRT, SIG_DFL);  // doctest's report is not wanted
    body();
    _exit(0);
  }
  close(ends[1]);
  std::string words;
  std::array<char, 512> room{};
  for (ssize_t n; (n = read(ends[0], room.data(), room.size())) > 0;) {
    words.append(room.data(), static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "" : words;
}

template <class... Parameters, class... Arguments>
std::string last_words_of(void (*kernel)(Parameters...), Arguments... arguments) {
  return last_words([&] {
    const Stream stream;
    const DeviceArray<float> x(kBlock);
    launch(kernel, dim3(1), dim3(kBlock), stream, x.data(), arguments...);
    stream.wait();
  });
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a right kernel is right in every order of its threads") {
  for (int order = 0; order < 4; ++order) CHECK(sum_in_order<true>(order) == kSum);
}

TEST_CASE("a missing barrier shows") {
  int wrong = 0;
  for (int order = 0; order < 4; ++order) wrong += sum_in_order<false>(order) == kSum ? 0 : 1;
  CHECK(wrong >= 2);
}

TEST_CASE("a barrier or a warp operation that not all reach ends the process with its place") {
  const std::string barrier = last_words_of(divergent_barrier);
  CHECK(contains(barrier, "__syncthreads() that not all threads of the block reach"));
  CHECK(contains(barrier, "thread ("));
  CHECK(contains(last_words_of(shuffle_without_all), "waits for a lane that has returned"));
  CHECK(contains(last_words_of(shuffle_outside_mask), "reads a lane outside of its mask"));
}

TEST_CASE("launches that a GPU refuses are refused, and not taken for lost devices") {
  const Stream stream;
  const DeviceArray<float> x(kBlock);
  const auto refusal = [&](dim3 grid, dim3 block) {
    try {
      launch(share<64>, grid, block, stream, x.data());
    } catch (const Failure& failure) {
      CHECK(failure.status() == FRUGAL_FAILED);
      return std::string(failure.what());
    }
    return std::string();
  };
  const std::string invalid = "launch: invalid configuration argument";
  CHECK(refusal(dim3(1, 65535, 1), dim3(1)).empty());
  CHECK(refusal(dim3(1, 70000, 1), dim3(1)) == invalid);
  CHECK(refusal(dim3(1, 1, 70000), dim3(1)) == invalid);
  CHECK(refusal(dim3(1), dim3(1025)) == invalid);
  CHECK(refusal(dim3(1), dim3(1, 1, 65)) == invalid);
  CHECK(refusal(dim3(1), dim3(0)) == invalid);
  CHECK(refusal(dim3(0, 3), dim3(1)).empty());  // no work
  frugal::host_cuda::launch_kernel(share<64>, dim3(11, 0), dim3(1),
                                   static_cast<cudaStream_t>(stream), x.data());
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  CHECK(cudaGetLastError() == cudaSuccess);  // told once
  stream.wait();
}

TEST_CASE("only errors of the machine are lost devices") {
  const auto status = [](int error) { return status_of(static_cast<cudaError_t>(error)); };
  for (const int bug : {1, 9, 98, 209, 700, 716, 801, 900}) CHECK(status(bug) == FRUGAL_FAILED);
  for (const int lost : {46, 214, 719, 999}) CHECK(status(lost) == FRUGAL_LOST);
  CHECK(status(2) == FRUGAL_NO_MEMORY);
}

TEST_CASE(
    "too much shared memory, and a tile that is not aligned, end the process with their place") {
  CHECK(last_words_of(share<48 * 1024>).empty());
  CHECK(contains(last_words_of(share<60 * 1000>), "a block with too much shared memory: block ("));
  CHECK(last_words_of(multiply_tile, 16U).empty());
  CHECK(contains(last_words_of(multiply_tile, 1U), "a tile that is not aligned: block ("));
}

TEST_CASE("votes are those of the warp") {
  const Stream stream;
  const DeviceArray<std::uint32_t> votes(2);  // of two warps
  launch(votes_of_warps, dim3(1), dim3(64), stream, votes.data());
  std::array<std::uint32_t, 2> got{};
  stream.copy(got.data(), votes.data(), 2);
  CHECK(got == std::array<std::uint32_t, 2>{0x49249249U, 0x92492492U});
}

TEST_CASE("memory is not initialised, and its end is watched by the address sanitizer") {
  const Stream stream;
  const DeviceArray<float> x(kBlock);
  float first = 0;
  stream.copy(&first, x.data(), 1);
  CHECK(std::isnan(first));
#ifdef FRUGAL_FIBRE_ASAN
  CHECK(contains(last_words([] {
                   const Stream s;
                   const DeviceArray<float> y(kBlock);
                   launch(write_behind_end, dim3(2), dim3(kBlock), s, y.data(), kBlock);
                   s.wait();
                 }),
                 "heap-buffer-overflow"));
#else
  static_cast<void>(write_behind_end);
#endif
}

TEST_CASE("a batch that is overwritten before it was copied shows") {
  const Stream stream;
  const PinnedArray<float> pinned(1);
  const DeviceArray<float> x(1);
  *pinned.data() = 1;
  stream.copy(x.data(), pinned.data(), 1);
  *pinned.data() = 2;  // too early
  float got = 0;
  stream.copy(&got, x.data(), 1);
  CHECK(got == 2);
}

TEST_CASE("a stream waits for what an event of another one stands for") {
  const Stream one, other;
  Event event;
  const PinnedArray<float> pinned(1);
  const DeviceArray<float> x(1), y(1);
  *pinned.data() = 3;
  one.copy(x.data(), pinned.data(), 1);
  event.record(one);
  CHECK_FALSE(event.is_done());
  event.hold(other);
  other.copy(y.data(), x.data(), 1);
  float got = 0;
  other.copy(&got, y.data(), 1);
  CHECK(got == 3);
  CHECK(event.is_done());
}

TEST_CASE("an error that was told is not that of the next launch") {
  const Stream stream;
  const DeviceArray<float> x(kBlock);
  const auto launches = [&] {
    launch(share<64>, dim3(1), dim3(1), stream, x.data());
    stream.wait();
  };
  Event event;
  stream.zero(x.data(), sizeof(float));
  event.record(stream);
  CHECK_FALSE(event.is_done());  // CUDA says so by an error
  CHECK_NOTHROW(launches());
  CHECK_THROWS_AS(DeviceArray<char>(std::size_t{1} << 50), Failure);
  CHECK_NOTHROW(launches());
  CHECK_THROWS_AS(launch(share<64>, dim3(1), dim3(1025), stream, x.data()), Failure);
  CHECK_NOTHROW(launches());
}

TEST_CASE("a graph whose steps fail while they are captured leaves the stream as it was") {
  const Stream stream;
  StepGraph graph;
  const DeviceArray<std::uint32_t> votes(1);
  bool fails = false;
  const auto steps = [&] {
    launch(votes_of_warps, dim3(1), dim3(32), stream, votes.data());
    if (fails) throw Failure(FRUGAL_UNSUPPORTED, "no way");
  };
  graph.launch(stream, steps);
  fails = true;
  CHECK_THROWS_WITH(graph.launch(stream, steps), "no way");
  CHECK_NOTHROW(stream.wait());
  fails = false;
  stream.zero(votes.data(), sizeof(std::uint32_t));
  graph.launch(stream, steps);
  std::uint32_t got = 0;
  stream.copy(&got, votes.data(), 1);
  CHECK(got == 0x49249249U);
}

TEST_CASE("a graph is captured once and runs again on what is there then") {
  const Stream stream;
  StepGraph graph;
  const DeviceArray<float> x(kBlock), sum(1);
  std::vector<float> values(kBlock, 1);
  int captured = 0;
  for (const float value : {1.0F, 2.0F, 3.0F}) {
    values.assign(kBlock, value);
    stream.copy(x.data(), values.data(), kBlock);
    graph.launch(stream, [&] {
      ++captured;
      launch(sum_block<true>, dim3(1), dim3(kBlock), stream, static_cast<const float*>(x.data()),
             sum.data());
    });
    float got = 0;
    stream.copy(&got, sum.data(), 1);
    CHECK(got == value * kBlock);
  }
  CHECK(captured == 2);  // as it is, then as a graph
}
