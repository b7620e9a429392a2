#include "libcore/tensors/same_content.h"

#include <algorithm>
#include <filesystem>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/tensors/document_keys.h"

namespace frugal {
namespace {

constexpr std::string_view kTime = "\"time\":";
constexpr std::uint64_t kBytesAtOnce = std::uint64_t{16} << 20;

/// Metadata to compare: without the keys that a writer adds (version, sequence number), with the
/// default kind, and without times in the history.
Metadata compared(Metadata metadata) {
  for (const char* key : {kVersionKey, kSequenceKey}) metadata.erase(key);
  metadata.try_emplace(kKindKey, "tensors");
  const auto history = metadata.find(kHistoryKey);
  if (history != metadata.end()) history->second = history_without_times(history->second);
  return metadata;
}

bool have_same_rows(TensorReader& a, TensorReader& b, const TensorInfo& tensor) {
  const std::uint64_t rows = num_rows(tensor.shape);
  const std::uint64_t numbers = num_elements(tensor.shape);
  if (numbers == 0) return true;
  const std::uint64_t row_bytes =
      std::max<std::uint64_t>(1, numbers / rows * item_size(tensor.dtype));
  const std::uint64_t step = std::max<std::uint64_t>(1, kBytesAtOnce / row_bytes);
  for (std::uint64_t row = 0; row < rows; row += step) {
    const std::uint64_t end = std::min(row + step, rows);
    const Tensor left = a.read_rows(tensor.name, row, end);
    const Tensor right = b.read_rows(tensor.name, row, end);
    if (!std::ranges::equal(left.content(), right.content())) return false;
  }
  return true;
}

bool are_alike(const TensorInfo& a, const TensorInfo& b) {
  return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape && a.packing == b.packing;
}

/// Compares the next document of both readers.
bool have_same_document(TensorReader& a, const DocumentInfo& info, TensorReader& b,
                        const DocumentInfo& other) {
  if (compared(info.metadata) != compared(other.metadata) ||
      !std::ranges::equal(info.tensors, other.tensors, are_alike)) {
    return false;
  }
  return std::ranges::all_of(
      info.tensors, [&](const TensorInfo& tensor) { return have_same_rows(a, b, tensor); });
}

}  // namespace

std::string history_without_times(const std::string& history) {
  std::string text;
  // Inside a string of JSON the quotes have backslashes: this is always a key.
  for (std::size_t at = 0;;) {
    const std::size_t key = history.find(kTime, at);
    if (key == std::string::npos) return text + history.substr(at);
    text += history.substr(at, key - at);
    at = key + kTime.size();
    while (at < history.size() && (is_digit(history[at]) || history[at] == ' ')) ++at;
  }
}

bool have_same_content(const std::string& path, const std::string& other) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  try {
    TensorReader a(path), b(other);
    while (true) {
      const auto left = a.next_info(), right = b.next_info();
      if (!left || !right) return !left && !right && !a.lacks_seek_table();
      if (!have_same_document(a, *left, b, *right)) return false;
    }
  } catch (const Error&) {
    return false;
  }
}

}  // namespace frugal
