#include "libcore/arrays/npy_header.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::uint64_t kMaxDimension = std::uint64_t{1} << 48;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 47;

struct TypeName {
  Dtype dtype;
  std::string_view name;
};
constexpr std::array<TypeName, 13> kTypes{{{Dtype::boolean, "|b1"},
                                           {Dtype::u8, "|u1"},
                                           {Dtype::i8, "|i1"},
                                           {Dtype::i16, "<i2"},
                                           {Dtype::u16, "<u2"},
                                           {Dtype::f16, "<f2"},
                                           {Dtype::i32, "<i4"},
                                           {Dtype::u32, "<u4"},
                                           {Dtype::f32, "<f4"},
                                           {Dtype::f64, "<f8"},
                                           {Dtype::i64, "<i8"},
                                           {Dtype::u64, "<u8"},
                                           {Dtype::c64, "<c8"}}};

Dtype type_from_npy(std::string_view name, const std::string& place) {
  for (const TypeName& type : kTypes) {
    const bool order_matters = item_size(type.dtype) > 1;
    if (name == type.name ||
        (!order_matters && name.size() == 3 && name.substr(1) == type.name.substr(1))) {
      return type.dtype;
    }
    if (order_matters && name.size() == 3 && name[0] == '>' &&
        name.substr(1) == type.name.substr(1)) {
      fail(ExitStatus::bad_input, place, ": elements are big endian ('", name,
           "'), expected little endian; in numpy: a.astype('", type.name, "')");
    }
  }
  if (name == "|O" || name == "O") {
    fail(ExitStatus::bad_input, place,
         ": elements are objects of Python (a pickle), which only it reads; expected numbers");
  }
  fail(ExitStatus::bad_input, place, ": elements are '", printable(name),
       "', expected numbers or booleans of 1 to 8 bytes ('<f4', '<i8', '|u1' ...)");
}

/// One pass over the dictionary literal: three known keys in any order, no nesting but the shape.
class DictionaryParser {
 public:
  DictionaryParser(std::string_view text, const std::string& place, const TensorLimits& limits)
      : text_(text), place_(place), limits_(limits) {}

  NpyHeader parse() {
    expect('{');
    while (!take('}')) {
      parse_entry();
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) bad("something behind the dictionary");
    if (!type_ || !fortran_order_ || !shape_)
      bad("expected the keys descr, fortran_order and shape");
    if (text_width_ != 0) {
      if (*fortran_order_) bad("text in Fortran order is not read");
      shape_->push_back(text_width_);
    }
    return {*type_, *fortran_order_, std::move(*shape_), text_width_};
  }

 private:
  [[noreturn]] void bad(std::string_view finding) const {
    fail(ExitStatus::bad_input, place_, ": damaged .npy header at its byte ", at_, ": ", finding);
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!take(c)) bad(std::string("expected '") + c + "'");
  }

  bool take_word(std::string_view word) {
    skip_space();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  std::string_view string() {
    const char quote = take('"') ? '"' : '\'';
    if (quote == '\'' && !take('\'')) bad("expected a string; arrays of records are not read");
    const std::size_t begin = at_;
    const std::size_t end = text_.find(quote, begin);
    if (end == std::string_view::npos) bad("a string without end");
    at_ = end + 1;
    return text_.substr(begin, end - begin);
  }

  std::uint64_t number() {
    skip_space();
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    const auto value = parse_number<std::uint64_t>(text_.substr(begin, at_ - begin));
    if (!value || *value > kMaxDimension) bad("expected a dimension, 0 to 2^48");
    take('L');  // as Python 2 wrote long numbers
    return *value;
  }

  void parse_entry() {
    const std::string_view key = string();
    expect(':');
    if (key == "descr" && !type_) {
      const std::string_view type = string();
      text_width_ = text_width(type);
      type_ = text_width_ != 0 ? Dtype::u8 : type_from_npy(type, place_);
    } else if (key == "fortran_order" && !fortran_order_) {
      fortran_order_ = take_word("True");
      if (!*fortran_order_ && !take_word("False")) bad("expected True or False");
    } else if (key == "shape" && !shape_) {
      shape_ = parse_shape();
    } else {
      bad("an unknown or second key '" + printable(key) + "'");
    }
  }

  /// Bytes of each text of type "|S3", else 0.
  static std::uint64_t text_width(std::string_view type) {
    if (!type.starts_with("|S")) return 0;
    const auto width = parse_number<std::uint64_t>(type.substr(2));
    return width && *width <= kMaxDimension ? *width : 0;
  }

  Shape parse_shape() {
    Shape shape;
    expect('(');
    while (!take(')')) {
      shape.push_back(number());
      if (shape.size() > limits_.max_rank) {
        fail(ExitStatus::bad_input, place_, ": more than ", limits_.max_rank,
             " dimensions (--limit rank)");
      }
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  std::string_view text_;
  const std::string& place_;
  const TensorLimits& limits_;
  std::size_t at_ = 0;
  std::uint64_t text_width_ = 0;
  std::optional<Dtype> type_;
  std::optional<bool> fortran_order_;
  std::optional<Shape> shape_;
};

void check_size(const NpyHeader& header, const std::string& place) {
  std::uint64_t bytes = item_size(header.dtype);
  for (const std::uint64_t dimension : header.shape) {
    if (dimension != 0 && bytes > kMaxBytes / dimension) {
      fail(ExitStatus::bad_input, place, ": shape ", shape_text(header.shape),
           " needs more than 2^47 bytes");
    }
    bytes *= std::max<std::uint64_t>(dimension, 1);
  }
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

NpyPrefix parse_npy_prefix(std::string_view bytes, const std::string& place) {
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    fail(ExitStatus::bad_input, place, ": no .npy file: expected it to begin with \\x93NUMPY");
  }
  if (bytes.size() < kNpyPrefixBytes)
    fail(ExitStatus::bad_input, place, ": truncated in the .npy header");
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3) {
    fail(ExitStatus::bad_input, place, ": .npy version ", version, ", expected 1, 2 or 3");
  }
  const std::size_t width = version == 1 ? 2 : 4;
  return {8 + width, little_endian(bytes.substr(8, width))};
}

NpyHeader parse_npy_header(std::string_view text, const std::string& place,
                           const TensorLimits& limits) {
  NpyHeader header = DictionaryParser(text, place, limits).parse();
  check_size(header, place);
  return header;
}

std::string_view npy_type(Dtype dtype) {
  for (const TypeName& type : kTypes) {
    if (type.dtype == dtype) return type.name;
  }
  return {};
}

std::string npy_header(Dtype dtype, const Shape& shape) {
  assert(!npy_type(dtype).empty());
  std::string text =
      "{'descr': '" + std::string(npy_type(dtype)) + "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : " ") + std::to_string(shape[i]) +
            (i + 1 < shape.size() || i == 0 ? "," : "");
  }
  text += "), }";
  constexpr std::size_t kPrefix = 10;
  text.resize((kPrefix + text.size() + 1 + 63) / 64 * 64 - kPrefix - 1, ' ');
  text += '\n';
  std::string bytes(kMagic);
  bytes += {'\1', '\0', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return bytes + text;
}

}  // namespace frugal
