#include "libcore/io/same_content.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/io/document_keys.h"

namespace frugal {
namespace {

constexpr std::string_view kTime = "\"time\":";
constexpr std::uint64_t kBytesAtOnce = std::uint64_t{16} << 20;

/// What a writer adds, or leaves out in files of one document, is not compared.
Metadata compared(Metadata metadata) {
  for (const char* key : {kVersionKey, kSequenceKey}) metadata.erase(key);
  metadata.try_emplace(kKindKey, "tensors");
  const auto history = metadata.find(kHistoryKey);
  if (history != metadata.end()) history->second = history_without_times(history->second);
  return metadata;
}

bool has_same_shape(const TensorInfo& info, const Tensor& tensor, bool pack) {
  return info.dtype == tensor.dtype && info.shape == tensor.shape &&
         (pack || info.packing == Packing::none);
}

bool has_same_bytes(TensorReader& reader, const Tensor& tensor) {
  const std::uint64_t rows = tensor.shape.empty() ? 1 : tensor.shape[0];
  const std::span<const std::byte> content = tensor.content();
  if (content.empty()) return true;
  const std::uint64_t row_bytes = content.size() / rows;
  const std::uint64_t step = std::max<std::uint64_t>(1, kBytesAtOnce / row_bytes);
  for (std::uint64_t row = 0; row < rows; row += step) {
    const Tensor part = reader.read_rows(tensor.name, row, std::min(row + step, rows));
    const std::span<const std::byte> found = part.content();
    if (std::memcmp(found.data(), content.data() + row * row_bytes, found.size()) != 0) {
      return false;
    }
  }
  return true;
}

bool holds_same(TensorReader& reader, const Document& document, bool pack) {
  const auto info = reader.next_info();
  if (!info || info->tensors.size() != document.tensors.size() ||
      compared(info->metadata) != compared(document.metadata)) {
    return false;
  }
  for (const Tensor& tensor : document.tensors) {
    const TensorInfo* found = info->find(tensor.name);
    if (found == nullptr || !has_same_shape(*found, tensor, pack)) return false;
  }
  for (const Tensor& tensor : document.tensors) {
    if (!has_same_bytes(reader, tensor)) return false;
  }
  return !reader.next_info() && !reader.lacks_seek_table();
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

bool has_same_content(const std::string& path, const Document& document,
                      const TensorWriteOptions& options) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  try {
    TensorReader reader(path);
    return holds_same(reader, document, options.pack);
  } catch (const Error&) {
    return false;
  }
}

}  // namespace frugal
