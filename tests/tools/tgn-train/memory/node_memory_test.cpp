#include "tools/tgn-train/memory/node_memory.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "libcore/base/float16.h"
#include "libcore/base/rng.h"
#include "libcore/system/temporary_file.h"
#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

constexpr std::size_t kNodes = 23;

/// What is written to a node, drawn from its number; some of it lies between two bf16.
std::vector<float> drawn(std::size_t n, NodeId node, std::uint64_t stream) {
  Rng rng(node, stream);
  std::vector<float> x(n);
  for (float& v : x) v = static_cast<float>(rng.normal());
  if (n > 3) {
    x[0] = 1.00390625F;  // a tie, to even: 1
    x[1] = 1.01171875F;  // a tie, to even: 1.015625
    x[2] = -0.0F;
    x[3] = 3e-39F;  // subnormal
  }
  return x;
}

std::vector<float> read(const NodeMemory& memory, NodeId node, MemoryPart part) {
  const NodeMemoryShape& shape = memory.shape();
  std::vector<float> out(part == MemoryPart::state ? shape.state_dim : shape.message_dim, -7.0F);
  if (!out.empty()) memory.read(node, part, out.data());
  return out;
}

std::vector<float> rounded(std::vector<float> x, Dtype dtype) {
  for (float& v : x) v = dtype == Dtype::bf16 ? to_float(to_bfloat16(v)) : v;
  return x;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

TEST_CASE("messages can be dropped, and come back empty") {
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16}) {
    NodeMemory memory({kNodes, 33, 100, dtype});
    const auto fill = [&] {
      for (NodeId n = 0; n < kNodes; n += 2) {
        memory.write(n, drawn(33, n, 1).data(), drawn(100, n, 2).data());
      }
    };
    fill();
    const std::size_t before = memory.bytes().size();
    memory.drop_messages();
    CHECK(memory.shape().message_dim == 0);
    CHECK(memory.bytes().size() == kNodes * memory.state_bytes());
    for (NodeId n = 0; n < kNodes; ++n) {
      CHECK(same_bits(read(memory, n, MemoryPart::state),
                      n % 2 == 0 ? rounded(drawn(33, n, 1), dtype) : std::vector<float>(33)));
    }
    // What lies between records is zero: files are the same from run to run.
    const std::size_t used = 33 * item_size(dtype);
    for (std::size_t n = 0; n < kNodes; ++n) {
      const auto record = memory.bytes().subspan(n * memory.record_bytes(), memory.record_bytes());
      CHECK(std::all_of(record.begin() + static_cast<std::ptrdiff_t>(used), record.end(),
                        [](std::byte b) { return b == std::byte{0}; }));
    }
    memory.lay_out(true);
    CHECK(memory.bytes().size() == before);
    CHECK(std::all_of(memory.bytes().begin(), memory.bytes().end(),
                      [](std::byte b) { return b == std::byte{0}; }));
    fill();
    CHECK(memory.is_finite(kNodes));
    std::vector<float> message = drawn(100, 4, 2);
    message[99] = std::numeric_limits<float>::infinity();
    memory.write(4, drawn(33, 4, 1).data(), message.data());
    CHECK(!memory.is_finite(kNodes));
    CHECK(memory.is_finite(4));
  }
}

TEST_CASE("every node has what was written last, rounded to the type that is kept") {
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16}) {
    for (const std::size_t state_dim : {1U, 16U, 33U, 172U}) {
      for (const std::size_t message_dim : {0U, 1U, 100U}) {
        // Now in memory, now on disk.
        MemoryPlace place;
        if (state_dim % 2 == 0) place = {MemoryTier::disk, "", temporary_folder()};
        NodeMemory memory({kNodes, state_dim, message_dim, dtype}, place);
        CHECK(same_bits(read(memory, 3, MemoryPart::state), std::vector<float>(state_dim)));
        for (const std::uint64_t round : {1U, 2U}) {
          for (NodeId n = 0; n < kNodes; n += static_cast<NodeId>(round)) {
            memory.write(n, drawn(state_dim, n, round).data(),
                         drawn(message_dim, n, 10 + round).data());
          }
        }
        for (NodeId n = 0; n < kNodes; ++n) {
          memory.prefetch(n);
          const std::uint64_t round = n % 2 == 0 ? 2 : 1;
          CHECK(same_bits(read(memory, n, MemoryPart::state),
                          rounded(drawn(state_dim, n, round), dtype)));
          CHECK(same_bits(read(memory, n, MemoryPart::message),
                          rounded(drawn(message_dim, n, 10 + round), dtype)));
        }
      }
    }
  }
}

TEST_CASE("what is undone is as it was, and what is written behind it stays") {
  constexpr std::size_t kMany = 9000;  // some chunks of a journal
  for (const MemoryTier tier : {MemoryTier::ram, MemoryTier::disk}) {
    NodeMemory memory({kMany, 100, 30, Dtype::bf16}, {tier, "", temporary_folder()});
    const auto write_all = [&](std::uint64_t stream) {
      for (NodeId n = 0; n < kMany; n += 2) {
        memory.write(n, drawn(100, n, stream).data(), drawn(30, n, stream).data());
      }
    };
    write_all(1);
    const std::vector<std::byte> before(memory.bytes().begin(), memory.bytes().end());
    for (const std::uint64_t round : {2U, 3U}) {
      memory.begin_undo();
      write_all(round);
      write_all(round + 2);
      memory.write(1, drawn(100, 1, round).data(), drawn(30, 1, round).data());
      CHECK(std::memcmp(before.data(), memory.bytes().data(), before.size()) != 0);
      memory.undo();
      CHECK(std::memcmp(before.data(), memory.bytes().data(), before.size()) == 0);
    }
    write_all(7);
    CHECK(same_bits(read(memory, 4, MemoryPart::message), rounded(drawn(30, 4, 7), Dtype::bf16)));
  }
}

TEST_CASE("memory has the bytes of its records reserved on disk, or fails at once") {
  const NodeMemoryShape shape{std::size_t{1} << 40, 172, 0, Dtype::f32};
  const std::string folder = temporary_folder();
  CHECK(error_of([&] {
          NodeMemory(shape, {MemoryTier::disk, "", folder});
        }).starts_with("74 " + folder + ": cannot reserve "));
  CHECK(error_of([&] { NodeMemory(shape, {}); }).starts_with("69 the memory of "));
  CHECK(error_of([&] {
          NodeMemory(shape, {MemoryTier::disk, "/no/such/file", "/no/such"});
        }).starts_with("73 /no/such/file: "));
}

TEST_CASE("a file lies where it is wanted, else beside the output, else in the temporary folder") {
  CHECK(memory_place({MemoryTier::disk, "", ""}, "").folder == temporary_folder());
  CHECK(memory_place({MemoryTier::disk, "", ""}, "-").folder == temporary_folder());
  CHECK(memory_place({MemoryTier::disk, "", ""}, "/dev/null").folder == temporary_folder());
  CHECK(memory_place({MemoryTier::disk, "", ""}, "m.model").folder == ".");
  CHECK(memory_place({MemoryTier::disk, "", ""}, "/a/m.model").folder == "/a");
  CHECK(memory_place({MemoryTier::disk, "/b/memory", ""}, "/a/m.model").folder == "/b");
  CHECK(memory_place({MemoryTier::disk, "/b/memory", ""}, "").file == "/b/memory");
}

TEST_CASE("ties are rounded to even") {
  NodeMemory memory({1, 4, 0, Dtype::bf16});
  memory.write(0, drawn(4, 0, 0).data(), nullptr);
  const std::vector<float> got = read(memory, 0, MemoryPart::state);
  CHECK(got[0] == 1);
  CHECK(got[1] == 1.015625F);
}

TEST_CASE("records begin at cache lines and take whole ones") {
  const NodeMemory memory({kNodes, 172, 516, Dtype::bf16});
  // 344 bytes are six lines, 1032 bytes seventeen.
  CHECK(memory.bytes().size() == kNodes * (6 + 17) * 64);
  CHECK(reinterpret_cast<std::uintptr_t>(memory.bytes().data()) % 64 == 0);
}

TEST_CASE("a copy of the bytes is the same memory") {
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16}) {
    NodeMemory memory({kNodes, 5, 7, dtype}), copy({kNodes, 5, 7, dtype});
    for (NodeId n = 0; n < kNodes; ++n) {
      memory.write(n, drawn(5, n, 1).data(), drawn(7, n, 2).data());
    }
    std::copy(memory.bytes().begin(), memory.bytes().end(), copy.bytes().begin());
    for (NodeId n = 0; n < kNodes; ++n) {
      for (const MemoryPart part : {MemoryPart::state, MemoryPart::message}) {
        CHECK(same_bits(read(memory, n, part), read(copy, n, part)));
      }
    }
  }
}
