#include "libcore/parallel/sharded_lines.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "libcore/base/float16.h"

namespace frugal {
namespace {

/// Pages of each rank that are gathered at a time.
constexpr std::size_t kMostPages = 256;

template <class T>
void append(std::vector<std::byte>& letter, const T* from, std::size_t n) {
  const auto* bytes = reinterpret_cast<const std::byte*>(from);
  letter.insert(letter.end(), bytes, bytes + n * sizeof(T));
}

/// Takes values from the front of a letter.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> letter) : left_(letter) {}
  bool at_end() const { return left_.empty(); }
  template <class T>
  void take(T* to, std::size_t n) {
    assert(left_.size() >= n * sizeof(T));
    std::memcpy(to, left_.data(), n * sizeof(T));
    left_ = left_.subspan(n * sizeof(T));
  }

 private:
  std::span<const std::byte> left_;
};

/// The part of a line that the array has.
template <class T>
std::span<T> numbers_of(std::span<T> values, std::uint64_t line, std::size_t size) {
  const std::size_t begin = line * size;
  return values.subspan(begin, std::min(size, values.size() - begin));
}

}  // namespace

ShardedLines::ShardedLines(Communicator& ranks, Layout layout, WireType gradients)
    : ranks_(ranks), layout_(layout), type_(gradients) {
  assert(layout.page % layout.line == 0);
}

std::vector<std::vector<std::byte>> ShardedLines::letters() const {
  return std::vector<std::vector<std::byte>>(static_cast<std::size_t>(ranks_.size()));
}

void ShardedLines::pull(std::span<const std::uint64_t> lines, std::span<float> values) {
  if (ranks_.size() == 1) return;
  const auto me = static_cast<std::size_t>(ranks_.rank());
  std::vector<std::vector<std::byte>> wanted = letters();
  for (const std::uint64_t line : lines) {
    const auto number = static_cast<std::uint32_t>(line);
    if (owner(line) != me) append(wanted[owner(line)], &number, 1);
  }
  std::vector<std::vector<std::byte>> answers = letters();
  const std::vector<std::vector<std::byte>> asked = ranks_.all_to_all(std::move(wanted));
  for (std::size_t r = 0; r < asked.size(); ++r) {
    answers[r].reserve(asked[r].size() * layout_.line);
    for (Reader reader(asked[r]); !reader.at_end();) {
      std::uint32_t line = 0;
      reader.take(&line, 1);
      const std::span<float> numbers = numbers_of(values, line, layout_.line);
      append(answers[r], numbers.data(), numbers.size());
    }
  }
  const std::vector<std::vector<std::byte>> brought = ranks_.all_to_all(std::move(answers));
  std::vector<Reader> readers(brought.begin(), brought.end());
  for (const std::uint64_t line : lines) {
    if (owner(line) == me) continue;
    const std::span<float> numbers = numbers_of(values, line, layout_.line);
    readers[owner(line)].take(numbers.data(), numbers.size());
  }
}

const ShardedLines::Gradients& ShardedLines::push(std::span<const std::uint64_t> lines,
                                                  std::span<const float> sums) {
  const std::size_t size = layout_.line;
  std::vector<std::vector<std::byte>> letters = this->letters();
  std::vector<BFloat16> halves(size);
  for (std::size_t l = 0; l < lines.size(); ++l) {
    std::vector<std::byte>& letter = letters[owner(lines[l])];
    const auto number = static_cast<std::uint32_t>(lines[l]);
    append(letter, &number, 1);
    const float* from = sums.data() + l * size;
    if (type_ == WireType::f32) {
      append(letter, from, size);
    } else {
      std::transform(from, from + size, halves.begin(), [](float x) { return to_bfloat16(x); });
      append(letter, halves.data(), size);
    }
  }
  received_.lines.clear();
  received_.sums.clear();
  for (const std::vector<std::byte>& letter : ranks_.all_to_all(std::move(letters))) {
    for (Reader reader(letter); !reader.at_end();) {
      std::uint32_t line = 0;
      reader.take(&line, 1);
      received_.lines.push_back(line);
      const std::size_t begin = received_.sums.size();
      received_.sums.resize(begin + size);
      float* to = received_.sums.data() + begin;
      if (type_ == WireType::f32) {
        reader.take(to, size);
      } else {
        reader.take(halves.data(), size);
        std::transform(halves.begin(), halves.end(), to, [](BFloat16 x) { return to_float(x); });
      }
    }
  }
  return received_;
}

void ShardedLines::gather(std::span<float> values) {
  const auto n = static_cast<std::size_t>(ranks_.size());
  if (n == 1) return;
  const std::size_t page = layout_.page;
  const std::size_t pages = std::min(kMostPages, (values.size() + n * page - 1) / (n * page));
  const std::size_t together = pages * page;
  std::vector<float> mine(together), all(n * together);
  for (std::size_t begin = 0; begin < values.size(); begin += n * together) {
    // Calls use(numbers of the array, where a rank has them among its pages).
    const auto each_page = [&](std::size_t rank, const auto& use) {
      for (std::size_t p = 0; p < pages; ++p) {
        const std::size_t slot = begin + (p * n + rank) * page;
        if (slot >= values.size()) break;
        use(values.subspan(slot, std::min(page, values.size() - slot)), p * page);
      }
    };
    each_page(static_cast<std::size_t>(ranks_.rank()),
              [&](std::span<float> numbers, std::size_t at) {
                std::ranges::copy(numbers, mine.begin() + static_cast<std::ptrdiff_t>(at));
              });
    ranks_.all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
    for (std::size_t r = 0; r < n; ++r) {
      each_page(r, [&](std::span<float> numbers, std::size_t at) {
        std::copy_n(all.data() + r * together + at, numbers.size(), numbers.begin());
      });
    }
  }
}

}  // namespace frugal
