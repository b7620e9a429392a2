#include "libcore/tensors/safetensors_header.h"

#include <algorithm>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/streams/json_scanner.h"

namespace frugal {
namespace {

constexpr std::uint64_t kMaxData = std::uint64_t{1} << 47;
constexpr std::size_t kHeaderAlignment = 64;
constexpr std::string_view kMetadataName = "__metadata__";

/// True for a name without control characters (C0, DEL, C1); the text is UTF-8.
bool is_printable_name(std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (c < 0x20 || c == 0x7f) return false;
    if (c == 0xc2 && static_cast<unsigned char>(name[i + 1]) < 0xa0) return false;
  }
  return !name.empty();
}

/// Bits of such a tensor, or nothing above 2^47 bytes. Axes of size 0 do not hide an overflow of
/// the others.
std::optional<std::uint64_t> tensor_bits(Dtype dtype, const Shape& shape) {
  std::uint64_t bits = item_bits(dtype);
  bool empty = false;
  for (const std::uint64_t n : shape) {
    empty = empty || n == 0;
    if (n != 0 && bits > kMaxData * 8 / n) return std::nullopt;
    bits *= std::max<std::uint64_t>(n, 1);
  }
  return empty ? 0 : bits;
}

template <class Items>
void check_names_differ(const Items& items, const std::string& place) {
  std::vector<std::string_view> names;
  names.reserve(items.size());
  for (const auto& item : items) names.push_back(item.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return;
  fail(ExitStatus::bad_input, place, ": tensor '", printable(*twice), "' appears twice");
}

class HeaderParser {
 public:
  HeaderParser(std::string_view json, const TensorLimits& limits, const std::string& place)
      : scan_(json, place), limits_(limits), place_(place) {}

  DocumentInfo parse() {
    if (scan_.next_character() != '{') scan_.bad("a header begins with '{'");
    scan_.expect('{');
    if (!scan_.take('}')) {
      do {
        member();
      } while (scan_.take(','));
      scan_.expect('}');
    }
    scan_.expect_padding();
    check_layout();
    return std::move(info_);
  }

 private:
  void member() {
    std::string name = scan_.string("a tensor name", limits_.max_name);
    scan_.expect(':');
    if (name == kMetadataName) return metadata();
    if (!is_printable_name(name)) scan_.bad("a tensor name is empty or has control characters");
    if (info_.tensors.size() == limits_.max_tensors) {
      scan_.bad("more than " + std::to_string(limits_.max_tensors) + " tensors");
    }
    info_.tensors.emplace_back().name = std::move(name);
    tensor(info_.tensors.back());
  }

  void metadata() {
    if (std::exchange(has_metadata_, true)) scan_.bad("a second __metadata__");
    if (scan_.take_null()) return;  // as optional metadata are written by other programs
    scan_.expect('{');
    if (scan_.take('}')) return;
    std::uint64_t total = 0;
    do {
      std::string key = scan_.string("a metadata key", limits_.max_name);
      if (!is_printable_name(key)) scan_.bad("a metadata key is empty or has control characters");
      scan_.expect(':');
      std::string value = scan_.string("a metadata value", limits_.max_metadata);
      total += key.size() + value.size();
      if (total > limits_.max_metadata) {
        scan_.bad("metadata of more than " + std::to_string(limits_.max_metadata) + " bytes");
      }
      if (!info_.metadata.emplace(std::move(key), std::move(value)).second) {
        scan_.bad("a metadata key appears twice");
      }
    } while (scan_.take(','));
    scan_.expect('}');
  }

  void tensor(TensorInfo& info) {
    bool has_dtype = false, has_shape = false, has_offsets = false;
    scan_.expect('{');
    do {
      const std::string field = scan_.string("a field name", 16);
      scan_.expect(':');
      bool* const seen = field == "dtype"          ? &has_dtype
                         : field == "shape"        ? &has_shape
                         : field == "data_offsets" ? &has_offsets
                                                   : nullptr;
      if (seen == nullptr) scan_.bad("unknown field '" + printable(field) + "'");
      if (std::exchange(*seen, true)) scan_.bad("field '" + field + "' appears twice");
      if (seen == &has_dtype) info.dtype = dtype();
      if (seen == &has_shape) info.shape = shape();
      if (seen == &has_offsets) offsets(info);
    } while (scan_.take(','));
    scan_.expect('}');
    if (!has_dtype || !has_shape || !has_offsets) {
      bad_tensor(info, "needs dtype, shape and data_offsets");
    }
    check_size(info);
  }

  Dtype dtype() {
    const std::string name = scan_.string("a dtype", 32);
    const auto dtype = dtype_from_name(name);
    if (!dtype) scan_.bad("unknown or unsupported dtype '" + printable(name) + "'");
    return *dtype;
  }

  Shape shape() {
    Shape shape;
    scan_.expect('[');
    if (scan_.take(']')) return shape;
    do {
      if (shape.size() == limits_.max_rank) {
        scan_.bad("more than " + std::to_string(limits_.max_rank) + " axes");
      }
      shape.push_back(scan_.number());
    } while (scan_.take(','));
    scan_.expect(']');
    return shape;
  }

  void offsets(TensorInfo& info) {
    scan_.expect('[');
    info.begin = scan_.number();
    scan_.expect(',');
    info.end = scan_.number();
    scan_.expect(']');
  }

  void check_size(const TensorInfo& info) {
    const auto bits = tensor_bits(info.dtype, info.shape);
    if (!bits) bad_tensor(info, "has more than 2^47 bytes");
    if (*bits % 8 != 0) bad_tensor(info, "ends within a byte");
    if (info.end < info.begin || info.end - info.begin != *bits / 8) {
      bad_tensor(info, "has data_offsets that do not fit dtype and shape");
    }
  }

  /// Puts the tensors in the order of their data.
  void check_layout() {
    auto& tensors = info_.tensors;
    std::sort(tensors.begin(), tensors.end(), [](const TensorInfo& a, const TensorInfo& b) {
      return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
    });
    std::uint64_t at = 0;
    for (const TensorInfo& info : tensors) {
      if (info.begin != at) bad_tensor(info, "leaves a hole in the data or overlaps another");
      at = info.end;
    }
    if (at > kMaxData) fail(ExitStatus::bad_input, place_, ": more than 2^47 bytes of data");
    check_names_differ(tensors, place_);
  }

  [[noreturn]] void bad_tensor(const TensorInfo& info, std::string_view finding) const {
    fail(ExitStatus::bad_input, place_, ": tensor '", printable(info.name), "' ", finding);
  }

  JsonScanner scan_;
  const TensorLimits& limits_;
  const std::string& place_;
  DocumentInfo info_;
  bool has_metadata_ = false;
};

void append_metadata(std::string& out, const Metadata& metadata) {
  if (metadata.empty()) return;
  out += json_string(kMetadataName) + ":{";
  bool first = true;
  for (const auto& [key, value] : metadata) {
    if (!std::exchange(first, false)) out += ',';
    out += json_string(key) + ":" + json_string(value);
  }
  out += '}';
}

void append_tensor(std::string& out, const TensorInfo& info) {
  out += json_string(info.name) + ":{\"dtype\":\"";
  out += dtype_name(info.dtype);
  out += "\",\"shape\":[";
  for (std::size_t i = 0; i < info.shape.size(); ++i) {
    if (i != 0) out += ',';
    out += std::to_string(info.shape[i]);
  }
  out +=
      "],\"data_offsets\":[" + std::to_string(info.begin) + ',' + std::to_string(info.end) + "]}";
}

void check_metadata_writable(const Metadata& metadata, const TensorLimits& limits,
                             const std::string& place) {
  std::uint64_t total = 0;
  for (const auto& [key, value] : metadata) {
    if (!is_utf8(key) || !is_utf8(value) || !is_printable_name(key) ||
        key.size() > limits.max_name) {
      fail(ExitStatus::bad_input, place, ": metadata '", printable(key),
           "' is not UTF-8 text under a name of 1 to ", limits.max_name, " bytes");
    }
    total += key.size() + value.size();
  }
  if (total > limits.max_metadata) {
    fail(ExitStatus::bad_input, place, ": ", total, " bytes of metadata, at most ",
         limits.max_metadata, " are allowed");
  }
}

/// tensor: a Tensor or a TensorInfo.
template <class AnyTensor>
void check_tensor_writable(const AnyTensor& tensor, const TensorLimits& limits,
                           const std::string& place) {
  const auto refuse = [&](std::string_view finding) {
    fail(ExitStatus::bad_input, place, ": tensor '", printable(tensor.name), "' ", finding);
  };
  if (!is_utf8(tensor.name) || !is_printable_name(tensor.name) ||
      tensor.name.size() > limits.max_name || tensor.name == kMetadataName) {
    refuse("needs a name of 1 to " + std::to_string(limits.max_name) +
           " bytes of UTF-8 without control characters");
  }
  if (tensor.shape.size() > limits.max_rank) {
    refuse("has more than " + std::to_string(limits.max_rank) + " axes");
  }
  const auto bits = tensor_bits(tensor.dtype, tensor.shape);
  if (!bits) refuse("has more than 2^47 bytes");
  if (*bits % 8 != 0) refuse("ends within a byte");
}

template <class Items>
void check_all_writable(const Metadata& metadata, const Items& tensors, const TensorLimits& limits,
                        const std::string& place) {
  check_metadata_writable(metadata, limits, place);
  if (tensors.size() > limits.max_tensors) {
    fail(ExitStatus::bad_input, place, ": ", tensors.size(), " tensors, at most ",
         limits.max_tensors, " are allowed");
  }
  for (const auto& tensor : tensors) check_tensor_writable(tensor, limits, place);
  check_names_differ(tensors, place);
}

}  // namespace

DocumentInfo parse_header(std::string_view json, const TensorLimits& limits,
                          const std::string& place) {
  return HeaderParser(json, limits, place).parse();
}

std::string format_header(const DocumentInfo& info) {
  std::string out(8, '\0');
  out += '{';
  append_metadata(out, info.metadata);
  for (const TensorInfo& tensor : info.tensors) {
    if (out.back() != '{') out += ',';
    append_tensor(out, tensor);
  }
  out += '}';
  out.resize((out.size() + kHeaderAlignment - 1) / kHeaderAlignment * kHeaderAlignment, ' ');
  std::uint64_t length = out.size() - 8;
  for (std::size_t i = 0; i < 8; ++i, length >>= 8) out[i] = static_cast<char>(length & 0xff);
  return out;
}

std::uint64_t data_size(const DocumentInfo& info) {
  return info.tensors.empty() ? 0 : info.tensors.back().end;
}

void check_writable(const Document& document, const TensorLimits& limits,
                    const std::string& place) {
  check_all_writable(document.metadata, document.tensors, limits, place);
  for (const Tensor& tensor : document.tensors) {
    if (size_in_bytes(tensor.dtype, tensor.shape) == tensor.content().size()) continue;
    fail(ExitStatus::bad_input, place, ": tensor '", printable(tensor.name), "' has shape ",
         shape_text(tensor.shape), " but ", tensor.content().size(), " bytes");
  }
}

void check_writable(const DocumentInfo& info, const TensorLimits& limits,
                    const std::string& place) {
  check_all_writable(info.metadata, info.tensors, limits, place);
}

}  // namespace frugal
