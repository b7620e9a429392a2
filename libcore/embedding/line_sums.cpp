#include "libcore/embedding/line_sums.h"

#include <algorithm>

#include "libcore/base/hash.h"

namespace frugal {

LineSums::LineSums() : table_(2 * kFirstLines) {}

void LineSums::add(const float* x, SlotRange range) {
  for (std::size_t i = 0; i < range.length;) {
    const std::uint64_t slot = range.slot + i;
    const std::size_t n = std::min(range.length - i, kLine - slot % kLine);
    const std::size_t place = find(slot / kLine);  // may move the sums
    float* sums = sums_.data() + place * kLine + slot % kLine;
    for (std::size_t k = 0; x != nullptr && k < n; ++k) sums[k] += x[i + k];
    i += n;
  }
}

void LineSums::clear() {
  lines_.clear();
  sums_.clear();
  std::fill(table_.begin(), table_.end(), 0);
}

/// The place of a line's sums, made where there is none.
std::size_t LineSums::find(std::uint64_t line) {
  const std::size_t mask = table_.size() - 1;
  std::size_t i = mix64(line) & mask;
  for (; table_[i] != 0; i = (i + 1) & mask) {
    if (lines_[table_[i] - 1] == line) return table_[i] - 1;
  }
  lines_.push_back(line);
  sums_.resize(lines_.size() * kLine);
  table_[i] = static_cast<std::uint32_t>(lines_.size());
  if (2 * lines_.size() > table_.size()) grow();
  return lines_.size() - 1;
}

void LineSums::grow() {
  table_.assign(2 * table_.size(), 0);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t l = 0; l < lines_.size(); ++l) {
    std::size_t i = mix64(lines_[l]) & mask;
    while (table_[i] != 0) i = (i + 1) & mask;
    table_[i] = static_cast<std::uint32_t>(l + 1);
  }
}

}  // namespace frugal
