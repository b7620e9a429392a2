#include "libcore/arrays/pickled_arrays.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/streams/input_stream.h"

namespace frugal {
namespace {

/// Most values on the stack; Python adds at most 1,000 entries to a dict at once.
constexpr std::size_t kMostStacked = 65536;
/// Least bytes of a file for each value that is kept; entries of NumPy's numbers take about 5.
constexpr std::size_t kBytesAValue = 2;

enum PickleFunction : std::size_t { kScalar, kReconstruct, kFromBuffer, kDtype, kNdarray };

/// The machine that pickles are programs of, with the operations that such a dict needs.
class PickleReader {
 public:
  using Kind = PickleValue::Kind;
  PickleReader(const std::string& path, std::string_view text, const PickledEntry& entry)
      : path_(path), text_(text), entry_(entry) {}
  void run() {
    if (text_.size() < 2 || text_[0] != '\x80') refuse("no pickle of protocol 3 to 5");
    while (step()) {
    }
    if (stack_.size() != 1 || stack_[0].kind != Kind::dict) refuse("no dict at the end");
  }

 private:
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    fail(ExitStatus::bad_input, path_, ": byte ", begin_, ": ", parts...,
         ", expected a pickled dict of tuples of numbers and NumPy arrays of whole numbers");
  }

  std::string_view take(std::uint64_t size) {
    if (size > text_.size() - at_) refuse("the file ends within ", size, " bytes");
    const std::string_view taken = text_.substr(at_, size);
    at_ += size;
    return taken;
  }
  /// A little-endian number of up to 8 bytes.
  std::uint64_t take_size(std::size_t bytes) { return little(take(bytes)); }
  static std::uint64_t little(std::string_view bytes) {
    std::uint64_t number = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
      number = number << 8 | static_cast<std::uint8_t>(bytes[i]);
    }
    return number;
  }
  /// Interprets a number of so many bytes as signed.
  static std::int64_t with_sign(std::uint64_t number, std::size_t bytes) {
    if (bytes == 0) return 0;
    const auto shift = static_cast<int>(64 - 8 * bytes);
    return static_cast<std::int64_t>(number << shift) >> shift;
  }

  void push(const PickleValue& value) {
    if (stack_.size() == kMostStacked) refuse("more than ", kMostStacked, " values at once");
    stack_.push_back(value);
  }
  void push_whole(std::int64_t number) {
    PickleValue value;
    value.kind = Kind::number;
    value.number.whole = number;
    push(value);
  }
  void push_text(Kind kind, std::string_view text) {
    PickleValue value;
    value.kind = kind;
    value.text = text;
    push(value);
  }
  PickleValue pop() {
    if (stack_.empty()) refuse("an operation without a value");
    const PickleValue value = stack_.back();
    stack_.pop_back();
    return value;
  }
  PickleValue pop(Kind kind, const char* what) {
    const PickleValue value = pop();
    if (value.kind != kind) refuse("no ", what, " where one is needed");
    return value;
  }
  /// Number of values after the last mark.
  std::size_t marked() const {
    for (std::size_t i = stack_.size(); i-- > 0;) {
      if (stack_[i].kind == Kind::mark) return stack_.size() - i - 1;
    }
    refuse("values without their mark");
  }
  /// Bounds what is kept by what a file of this size can need.
  void check_room(std::size_t more) const {
    const std::size_t kept = memo_.size() + items_.size() + arrays_.size();
    if (kept + more > text_.size() / kBytesAValue + kMostStacked) {
      refuse("more values than the file's size allows");
    }
  }
  void make_tuple(std::size_t count) {
    if (count > stack_.size()) refuse("a tuple without its values");
    check_room(count);
    PickleValue tuple;
    tuple.kind = Kind::tuple;
    tuple.index = items_.size();
    tuple.count = static_cast<std::uint32_t>(count);
    items_.insert(items_.end(), stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    push(tuple);
  }
  std::span<const PickleValue> items(const PickleValue& tuple) const {
    return std::span(items_).subspan(tuple.index, tuple.count);
  }
  void remember(std::uint64_t place) {
    if (stack_.empty() || place > memo_.size()) refuse("a value remembered out of order");
    check_room(1);
    if (place == memo_.size()) memo_.emplace_back();
    memo_[place] = stack_.back();
  }
  void recall(std::uint64_t place) {
    if (place >= memo_.size()) refuse("a value that was not remembered");
    push(memo_[place]);
  }

  bool step();
  bool step_data(unsigned char operation);
  void find_function(std::string_view module, std::string_view name);
  void call();
  void build();
  void set_items(std::size_t count);
  PickleValue dtype_of(std::string_view code) const;
  PickledNumber number_at(std::string_view bytes, const PickleValue& dtype) const;
  PickledArray array_of(std::string_view bytes, const PickleValue& dtype,
                        const PickleValue& shape) const;

  const std::string& path_;
  std::string_view text_;
  const PickledEntry& entry_;
  std::size_t at_ = 0, begin_ = 0, used_ = 0;
  std::vector<PickleValue> stack_, memo_, items_;
  std::vector<PickledArray> arrays_;
  std::vector<PickledNumber> key_;
  std::vector<std::int64_t> values_;
};

void PickleReader::find_function(std::string_view module, std::string_view name) {
  // NumPy 1 has numpy.core, NumPy 2 numpy._core.
  std::string full(module);
  if (full.starts_with("numpy._core.")) full.erase(6, 1);
  full.append(".").append(name);
  constexpr std::string_view kFunctions[] = {
      "numpy.core.multiarray.scalar", "numpy.core.multiarray._reconstruct",
      "numpy.core.numeric._frombuffer", "numpy.dtype", "numpy.ndarray"};
  const auto* const found = std::find(std::begin(kFunctions), std::end(kFunctions), full);
  if (found == std::end(kFunctions)) {
    refuse("the function ", printable(full), ", which is not run");
  }
  PickleValue value;
  value.kind = Kind::function;
  value.index = static_cast<std::size_t>(found - std::begin(kFunctions));
  push(value);
}

PickleValue PickleReader::dtype_of(std::string_view code) const {
  PickleValue dtype;
  dtype.kind = Kind::dtype;
  const std::size_t size = code.size() == 2 ? static_cast<std::size_t>(code[1] - '0') : 0;
  const bool whole = code.starts_with('i') || code.starts_with('u');
  if (!((whole && (size == 1 || size == 2)) ||
        ((whole || code.starts_with('f')) && (size == 4 || size == 8)))) {
    refuse("numbers of type ", printable(code));
  }
  dtype.type = code[0];
  dtype.size = static_cast<std::uint8_t>(size);
  return dtype;
}

PickledNumber PickleReader::number_at(std::string_view bytes, const PickleValue& dtype) const {
  if (bytes.size() != dtype.size) refuse(bytes.size(), " bytes of a number");
  const std::uint64_t bits = little(bytes);
  PickledNumber number;
  if (dtype.type == 'f') {
    number.is_whole = false;
    number.real = dtype.size == 8 ? std::bit_cast<double>(bits)
                                  : std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  } else {
    number.whole =
        dtype.type == 'i' ? with_sign(bits, dtype.size) : static_cast<std::int64_t>(bits);
    if (dtype.type == 'u' && number.whole < 0) refuse("a number above 2^63");
  }
  return number;
}

PickledArray PickleReader::array_of(std::string_view bytes, const PickleValue& dtype,
                                    const PickleValue& shape) const {
  if (dtype.kind != Kind::dtype || shape.kind != Kind::tuple || shape.count != 1) {
    refuse("an array of another rank than 1");
  }
  const PickleValue& length = items(shape)[0];
  if (length.kind != Kind::number || !length.number.is_whole || length.number.whole < 0 ||
      static_cast<std::uint64_t>(length.number.whole) != bytes.size() / dtype.size ||
      bytes.size() % dtype.size != 0) {
    refuse("an array whose length is not that of its ", bytes.size(), " bytes");
  }
  return {bytes, dtype};
}

void PickleReader::call() {
  const auto arguments = items(pop(Kind::tuple, "tuple of arguments"));
  const PickleValue function = pop(Kind::function, "function");
  const auto is = [&](std::initializer_list<Kind> kinds) {
    return std::equal(kinds.begin(), kinds.end(), arguments.begin(), arguments.end(),
                      [](Kind kind, const PickleValue& value) { return kind == value.kind; });
  };
  if (function.index == kDtype && is({Kind::text, Kind::boolean, Kind::boolean})) {
    push(dtype_of(arguments[0].text));
  } else if (function.index == kScalar && is({Kind::dtype, Kind::bytes})) {
    PickleValue value;
    value.kind = Kind::number;
    value.number = number_at(arguments[1].text, arguments[0]);
    push(value);
  } else if (function.index == kReconstruct && is({Kind::function, Kind::tuple, Kind::bytes})) {
    PickleValue value;
    value.kind = Kind::array;
    value.index = arrays_.size();
    check_room(1);
    arrays_.emplace_back();
    push(value);
  } else if (function.index == kFromBuffer &&
             is({Kind::bytes, Kind::dtype, Kind::tuple, Kind::text})) {
    PickleValue value;
    value.kind = Kind::array;
    value.index = arrays_.size();
    check_room(1);
    arrays_.push_back(array_of(arguments[0].text, arguments[1], arguments[2]));
    push(value);
  } else {
    refuse("a function with other arguments than NumPy's");
  }
}

/// Completes the dtype or the array on the stack.
void PickleReader::build() {
  const auto state = items(pop(Kind::tuple, "state"));
  const PickleValue object = pop();
  if (object.kind == Kind::dtype && state.size() > 1 && state[1].kind == Kind::text) {
    if (state[1].text == ">") refuse("big-endian numbers");
  } else if (object.kind == Kind::array && state.size() == 5 && state[4].kind == Kind::bytes) {
    arrays_[object.index] = array_of(state[4].text, state[2], state[1]);
  } else {
    refuse("a state of something else than an array");
  }
  push(object);
}

/// Adds `count` values, keys and arrays in turn, to the dict below them.
void PickleReader::set_items(std::size_t count) {
  const auto values = std::span(stack_).last(count);
  if (count % 2 != 0) refuse("a key without its array");
  for (std::size_t i = 0; i < count; i += 2) {
    const PickleValue &key = values[i], &array = values[i + 1];
    if (key.kind != Kind::tuple || array.kind != Kind::array ||
        arrays_[array.index].dtype.size == 0) {
      refuse("a dict of something else");
    }
    key_.clear();
    for (const PickleValue& part : items(key)) {
      if (part.kind != Kind::number) refuse("a key of something else than numbers");
      key_.push_back(part.number);
    }
    const auto& [bytes, dtype] = arrays_[array.index];
    // Otherwise a small file could name one large array many times.
    used_ += bytes.size();
    if (used_ > text_.size()) refuse("arrays that are used several times");
    values_.clear();
    for (std::size_t at = 0; at < bytes.size(); at += dtype.size) {
      const PickledNumber number = number_at(bytes.substr(at, dtype.size), dtype);
      if (!number.is_whole &&
          !(std::abs(number.real) < 0x1p53 && number.real == std::floor(number.real))) {
        refuse("an array with ", number.real);
      }
      values_.push_back(number.is_whole ? number.whole : static_cast<std::int64_t>(number.real));
    }
    entry_(key_, values_);
  }
}

/// Performs an operation that only adds values; false if it is another.
bool PickleReader::step_data(unsigned char operation) {
  switch (operation) {
    case 'N': push({}); return true;
    case 0x88:
    case 0x89: push_text(Kind::boolean, {}); return true;
    case 'K': push_whole(static_cast<std::int64_t>(take_size(1))); return true;
    case 'M': push_whole(static_cast<std::int64_t>(take_size(2))); return true;
    case 'J': push_whole(with_sign(take_size(4), 4)); return true;
    case 0x8a: {
      const std::uint64_t size = take_size(1);
      if (size > 8) refuse("a number of ", size, " bytes");
      push_whole(with_sign(take_size(size), size));
      return true;
    }
    case 'G': {
      std::uint64_t bits = 0;
      for (const char byte : take(8)) bits = bits << 8 | static_cast<std::uint8_t>(byte);
      push_text(Kind::number, {});
      stack_.back().number = {false, 0, std::bit_cast<double>(bits)};
      return true;
    }
    case 0x8c: push_text(Kind::text, take(take_size(1))); return true;
    case 'X': push_text(Kind::text, take(take_size(4))); return true;
    case 0x8d: push_text(Kind::text, take(take_size(8))); return true;
    case 'C': push_text(Kind::bytes, take(take_size(1))); return true;
    case 'B': push_text(Kind::bytes, take(take_size(4))); return true;
    case 0x8e:
    case 0x96: push_text(Kind::bytes, take(take_size(8))); return true;
    case '}': push_text(Kind::dict, {}); return true;
    case '(': push_text(Kind::mark, {}); return true;
    case ')': make_tuple(0); return true;
    case 0x85: make_tuple(1); return true;
    case 0x86: make_tuple(2); return true;
    case 0x87: make_tuple(3); return true;
    default: return false;
  }
}

/// Performs the next operation; false at the end.
bool PickleReader::step() {
  begin_ = at_;
  const auto operation = static_cast<unsigned char>(take(1)[0]);
  if (step_data(operation)) return true;
  switch (operation) {
    case 0x80: {
      const std::uint64_t protocol = take_size(1);
      if (protocol < 3 || protocol > 5) refuse("protocol ", protocol);
      return true;
    }
    case 0x95: take_size(8); return true;
    case 't': {
      make_tuple(marked());
      const PickleValue tuple = pop();
      stack_.back() = tuple;
      return true;
    }
    case 'u': {
      const std::size_t count = marked();
      set_items(count);
      stack_.resize(stack_.size() - count - 1);
      break;
    }
    case 's':
      if (stack_.size() < 3) refuse("an operation without a value");
      set_items(2);
      stack_.resize(stack_.size() - 2);
      break;
    case 0x94: remember(memo_.size()); return true;
    case 'q': remember(take_size(1)); return true;
    case 'r': remember(take_size(4)); return true;
    case 'h': recall(take_size(1)); return true;
    case 'j': recall(take_size(4)); return true;
    case 'c': {
      const std::size_t line = text_.find('\n', at_),
                        next = line == text_.npos ? line : text_.find('\n', line + 1);
      if (next == text_.npos) refuse("the file ends within a name");
      const std::string_view module = text_.substr(at_, line - at_),
                             name = text_.substr(line + 1, next - line - 1);
      at_ = next + 1;
      find_function(module, name);
      return true;
    }
    case 0x93: {
      const std::string_view name = pop(Kind::text, "name").text;
      find_function(pop(Kind::text, "module").text, name);
      return true;
    }
    case 'R': call(); return true;
    case 'b': build(); return true;
    case '.': return false;
    default: refuse("operation ", static_cast<int>(operation));
  }
  // After 'u' and 's'.
  if (stack_.size() != 1 || stack_[0].kind != Kind::dict) refuse("values for no dict");
  return true;
}

}  // namespace

void read_pickled_arrays(const std::string& path, const PickledEntry& entry) {
  const std::string text = read_whole(path);
  PickleReader(path, text, entry).run();
}

}  // namespace frugal
