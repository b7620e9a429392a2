#include "libcore/parallel/sharded_lines.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "libcore/base/float16.h"

namespace frugal {
namespace {

/// Pages of each rank that gather() exchanges at a time.
constexpr std::size_t kMostPages = 256;

template <class T>
void append(std::vector<std::byte>& letter, const T* from, std::size_t n) {
  const auto* bytes = reinterpret_cast<const std::byte*>(from);
  letter.insert(letter.end(), bytes, bytes + n * sizeof(T));
}

/// Reads values from the beginning of a letter.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> letter) : left_(letter) {}
  bool at_end() const { return left_.empty(); }
  template <class T>
  void take(T* to, std::size_t n) {
    assert(left_.size() >= n * sizeof(T));
    if (n == 0) return;  // of no place
    std::memcpy(to, left_.data(), n * sizeof(T));
    left_ = left_.subspan(n * sizeof(T));
  }

 private:
  std::span<const std::byte> left_;
};

}  // namespace

ShardedLines::ShardedLines(Communicator& ranks, Layout layout, WireType gradients,
                           std::span<float> values)
    : ranks_(ranks),
      layout_(layout),
      type_(gradients),
      values_(values),
      used_((values.size() + layout.line - 1) / layout.line),
      asked_(static_cast<std::size_t>(ranks.size())),
      missing_(asked_.size()) {
  assert(layout.page % layout.line == 0);
}

/// Numbers of a line; the last line may be incomplete.
std::span<float> ShardedLines::numbers_of(std::uint64_t line) const {
  const std::size_t begin = line * layout_.line;
  return values_.subspan(begin, std::min(layout_.line, values_.size() - begin));
}

void ShardedLines::pull(std::span<const std::uint64_t> lines) {
  if (ranks_.size() == 1) return;
  coming_.wait();
  used_.assign(used_.size(), false);
  ask(lines);
  bring();
  wait();
}

void ShardedLines::ask(std::span<const std::uint64_t> lines) {
  if (ranks_.size() == 1) return;
  const auto me = static_cast<std::size_t>(ranks_.rank());
  Letters wanted = letters();
  own_used_.clear();
  for (std::vector<std::uint64_t>& of_rank : missing_) of_rank.clear();
  for (const std::uint64_t line : lines) {
    const std::size_t rank = owner(line);
    const auto number = static_cast<std::uint32_t>(line);
    if (rank == me) {
      own_used_.push_back(line);
    } else {
      append(wanted[rank], &number, 1);
      missing_[rank].push_back(line);
    }
  }
  coming_ = ranks_.begin(
      [this, wanted = std::move(wanted)]() mutable { bring_unused(std::move(wanted)); });
}

/// Answers requests with the lines that are unused in this step. Each answer begins with one bit
/// per line: 1 means that the line comes later.
void ShardedLines::bring_unused(Letters wanted) {
  const Letters asked = ranks_.all_to_all(std::move(wanted));
  Letters answers = letters();
  for (std::size_t r = 0; r < asked.size(); ++r) {
    std::vector<std::uint32_t>& lines = asked_[r];
    lines.resize(asked[r].size() / sizeof(std::uint32_t));
    Reader(asked[r]).take(lines.data(), lines.size());
    std::vector<std::byte>& answer = answers[r];
    answer.reserve((lines.size() + 7) / 8 + lines.size() * layout_.line * sizeof(float));
    answer.resize((lines.size() + 7) / 8);
    for (std::size_t l = 0; l < lines.size(); ++l) {
      if (used_[lines[l]]) {
        answer[l / 8] |= std::byte{1} << l % 8;
      } else {
        const std::span<const float> numbers = numbers_of(lines[l]);
        append(answer, numbers.data(), numbers.size());
      }
    }
  }
  const Letters brought = ranks_.all_to_all(std::move(answers));
  for (std::size_t r = 0; r < brought.size(); ++r) {
    std::vector<std::uint64_t>& lines = missing_[r];
    const std::span<const std::byte> later = std::span(brought[r]).first((lines.size() + 7) / 8);
    Reader reader(std::span(brought[r]).subspan(later.size()));
    std::size_t left = 0;
    for (std::size_t l = 0; l < lines.size(); ++l) {
      if ((later[l / 8] >> l % 8 & std::byte{1}) != std::byte{0}) {
        lines[left++] = lines[l];
      } else {
        const std::span<float> numbers = numbers_of(lines[l]);
        reader.take(numbers.data(), numbers.size());
      }
    }
    lines.resize(left);
  }
}

void ShardedLines::bring() {
  if (ranks_.size() == 1) return;
  coming_ = ranks_.begin([this] { bring_used(); });
}

void ShardedLines::bring_used() {
  Letters answers = letters();
  for (std::size_t r = 0; r < asked_.size(); ++r) {
    for (const std::uint32_t line : asked_[r]) {
      if (!used_[line]) continue;
      const std::span<const float> numbers = numbers_of(line);
      append(answers[r], numbers.data(), numbers.size());
    }
  }
  const Letters brought = ranks_.all_to_all(std::move(answers));
  for (std::size_t r = 0; r < brought.size(); ++r) {
    Reader reader(brought[r]);
    for (const std::uint64_t line : missing_[r]) {
      const std::span<float> numbers = numbers_of(line);
      reader.take(numbers.data(), numbers.size());
    }
  }
}

void ShardedLines::wait() {
  if (ranks_.size() == 1) return;
  coming_.wait();
  used_.assign(used_.size(), false);
  for (const std::uint64_t line : own_used_) used_[line] = true;
  for (const std::vector<std::uint32_t>& lines : asked_) {
    for (const std::uint32_t line : lines) used_[line] = true;
  }
}

void ShardedLines::push(std::span<const std::uint64_t> lines, std::span<const float> sums) {
  const std::size_t size = layout_.line;
  Letters letters = this->letters();
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
  pushes_.push_back(ranks_.begin([this, letters = std::move(letters)]() mutable {
    pushed_.push_back(ranks_.all_to_all(std::move(letters)));
  }));
}

const ShardedLines::Gradients& ShardedLines::received() {
  for (Communicator::Pending& push : pushes_) push.wait();
  received_.lines.clear();
  received_.sums.clear();
  for (std::size_t r = 0; r < asked_.size(); ++r) {
    for (const Letters& letters : pushed_) parse(letters[r]);
  }
  pushes_.clear();
  pushed_.clear();
  return received_;
}

/// Appends the gradients of a letter to received_.
void ShardedLines::parse(std::span<const std::byte> letter) {
  const std::size_t size = layout_.line;
  std::vector<BFloat16> halves(size);
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

void ShardedLines::gather(std::span<float> values) {
  const auto n = static_cast<std::size_t>(ranks_.size());
  if (n == 1) return;
  const std::size_t page = layout_.page;
  const std::size_t pages = std::min(kMostPages, (values.size() + n * page - 1) / (n * page));
  const std::size_t together = pages * page;
  std::vector<float> mine(together), all(n * together);
  for (std::size_t begin = 0; begin < values.size(); begin += n * together) {
    // Calls use(numbers of the array, their position among the rank's pages) for each page.
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
