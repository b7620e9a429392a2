#include "libcore/options/option_value.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "libcore/base/text.h"

namespace frugal {

std::string display_name(const OptionInfo& info) {
  if (!info.long_names.empty()) return "--" + info.long_names.front();
  if (!info.short_names.empty()) return "-" + info.short_names.front();
  std::string name = info.key;
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

bool looks_like(ValueKind kind, const std::string& text) {
  const auto all_digits = [](std::string_view digits) {
    return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos &&
           (digits.size() == 1 || digits.front() != '0');
  };
  const std::string_view view = text;
  switch (kind) {
    case ValueKind::integer:
      return all_digits(view.substr(view.starts_with('-') ? 1 : 0)) &&
             parse_number<std::int64_t>(view);
    case ValueKind::unsigned_integer: return all_digits(view) && parse_number<std::uint64_t>(view);
    case ValueKind::real: {
      const auto value = parse_number<double>(text);
      return value && !std::isnan(*value);
    }
    case ValueKind::boolean:
    case ValueKind::text: break;
  }
  return true;
}

namespace {

bool read(const std::string& text, std::string& value) {
  value = text;
  return true;
}

bool read(const std::string& text, bool& value) {
  static constexpr std::array<std::string_view, 4> kOn = {"true", "yes", "on", "1"},
                                                   kOff = {"false", "no", "off", "0"};
  // YAML also has True and TRUE.
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto is_one_of = [&](const auto& words) {
    return std::find(words.begin(), words.end(), lower) != words.end();
  };
  value = is_one_of(kOn);
  return value || is_one_of(kOff);
}

template <class Number>
bool read(const std::string& text, Number& value) {
  const std::optional<Number> number = parse_number<Number>(text);
  if (number) value = *number;
  return number.has_value();
}

std::string write(const std::string& value) { return value; }
std::string write(bool value) { return value ? "true" : "false"; }

/// As few digits as read back as the same value, and 0.0001 rather than 1e-04.
template <class Real>
std::string write_real(Real value) {
  std::array<char, 48> text{};
  constexpr int kUsual = 6, kMost = 17;
  for (int digits = kUsual; digits <= kMost; ++digits) {
    std::snprintf(text.data(), text.size(), "%.*g", digits, static_cast<double>(value));
    if (parse_number<Real>(text.data()) == value) break;
  }
  return text.data();
}
std::string write(double value) { return write_real(value); }
std::string write(float value) { return write_real(value); }
std::string write(int value) { return std::to_string(value); }
std::string write(std::int64_t value) { return std::to_string(value); }
std::string write(std::uint32_t value) { return std::to_string(value); }
std::string write(std::uint64_t value) { return std::to_string(value); }

/// A variable that holds one value.
template <class T>
class Single : public OptionValue {
 public:
  explicit Single(T& variable) : variable_(variable) {}
  bool store(const std::vector<std::string>& texts) override {
    T value{};
    if (texts.size() != 1 || !read(texts.front(), value)) return false;
    variable_ = std::move(value);
    return true;
  }
  std::vector<std::string> texts() const override {
    const std::string text = write(variable_);
    return text.empty() ? std::vector<std::string>() : std::vector<std::string>{text};
  }

 private:
  T& variable_;
};

template <class T>
class List : public OptionValue {
 public:
  explicit List(std::vector<T>& variable) : variable_(variable) {}
  bool store(const std::vector<std::string>& texts) override {
    std::vector<T> values(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (!read(texts[i], values[i])) return false;
    }
    variable_ = std::move(values);
    return true;
  }
  std::vector<std::string> texts() const override {
    std::vector<std::string> texts;
    for (const T& value : variable_) texts.push_back(write(value));
    return texts;
  }

 private:
  std::vector<T>& variable_;
};

/// A variable that may hold nothing, for which a word stands.
template <class T>
class Maybe : public OptionValue {
 public:
  Maybe(std::optional<T>& variable, std::string word)
      : variable_(variable), word_(std::move(word)) {}
  bool store(const std::vector<std::string>& texts) override {
    T value{};
    if (texts.size() != 1) return false;
    const bool is_word = texts.front() == word_;
    if (!is_word && !read(texts.front(), value)) return false;
    variable_ = is_word ? std::nullopt : std::optional<T>(value);
    return true;
  }
  std::vector<std::string> texts() const override {
    return {variable_ ? write(*variable_) : word_};
  }

 private:
  std::optional<T>& variable_;
  std::string word_;
};

class Typed : public OptionValue {
 public:
  Typed(OptionValuePtr plain, std::vector<std::string>& typed)
      : plain_(std::move(plain)), typed_(typed) {}
  bool store(const std::vector<std::string>& texts) override {
    std::vector<std::string> plain = texts;
    const auto end = std::stable_partition(plain.begin(), plain.end(), std::not_fn(is_typed));
    std::vector<std::string> typed(end, plain.end());
    plain.erase(end, plain.end());
    // As of every option that takes one value, the last one given holds.
    if (!plain.empty() && !plain_->store({plain.back()})) return false;
    typed_ = std::move(typed);
    return true;
  }
  std::vector<std::string> texts() const override {
    std::vector<std::string> texts = plain_->texts();
    texts.insert(texts.end(), typed_.begin(), typed_.end());
    return texts;
  }

 private:
  OptionValuePtr plain_;
  std::vector<std::string>& typed_;
};

class Count : public OptionValue {
 public:
  explicit Count(int& variable) : variable_(variable) {}
  bool store(const std::vector<std::string>& texts) override {
    int sum = 0;
    for (const std::string& text : texts) {
      int number = 0;
      bool flag = false;
      if (!read(text, number)) {
        if (!read(text, flag)) return false;
        number = flag ? 1 : 0;
      }
      if (__builtin_add_overflow(sum, number, &sum)) return false;
    }
    variable_ = sum;
    return true;
  }
  std::vector<std::string> texts() const override {
    return variable_ == 0 ? std::vector<std::string>() : std::vector{write(variable_)};
  }

 private:
  int& variable_;
};

struct Unit {
  double size;
  const char* name;
};

/// In the largest unit that leaves a whole number, else in the smallest.
std::vector<std::string> write_in(double value, std::span<const Unit> largest_first) {
  for (const Unit& unit : largest_first) {
    const double number = value / unit.size;
    if (number == static_cast<double>(static_cast<std::uint64_t>(number))) {
      return {std::to_string(static_cast<std::uint64_t>(number)) + unit.name};
    }
  }
  return {write(value / largest_first.back().size) + largest_first.back().name};
}

/// A size in bytes. An unset variable is written as nothing: 0, or an empty optional.
template <class Variable>
class Bytes : public OptionValue {
 public:
  explicit Bytes(Variable& variable) : variable_(variable) {}
  bool store(const std::vector<std::string>& texts) override {
    if (texts.size() != 1) return false;
    const auto bytes = parse_bytes(texts.front());
    if (!bytes && !texts.front().empty()) return false;
    variable_ = bytes ? Variable(*bytes) : Variable();
    return true;
  }
  std::vector<std::string> texts() const override {
    static constexpr std::array<Unit, 5> kUnits = {
        {{0x1p40, "T"}, {0x1p30, "G"}, {0x1p20, "M"}, {0x1p10, "K"}, {1, ""}}};
    if (variable_ == Variable()) return {};
    if (variable_ == Variable(0)) return {"0"};
    return write_in(static_cast<double>(std::optional<std::uint64_t>(variable_).value()), kUnits);
  }

 private:
  Variable& variable_;
};

class Duration : public OptionValue {
 public:
  explicit Duration(double& variable) : variable_(variable) {}
  bool store(const std::vector<std::string>& texts) override {
    if (texts.size() != 1) return false;
    const auto seconds =
        texts.front().empty() ? std::optional<double>(0) : parse_seconds(texts.front());
    if (seconds) variable_ = *seconds;
    return seconds.has_value();
  }
  std::vector<std::string> texts() const override {
    static constexpr std::array<Unit, 4> kUnits = {
        {{86400, "d"}, {3600, "h"}, {60, "m"}, {1, "s"}}};
    if (variable_ == 0) return {};
    return write_in(variable_, kUnits);
  }

 private:
  double& variable_;
};

class Choice : public OptionValue {
 public:
  Choice(std::function<std::size_t()> get, std::function<void(std::size_t)> set,
         std::vector<std::string> names)
      : get_(std::move(get)), set_(std::move(set)), names_(std::move(names)) {}
  bool store(const std::vector<std::string>& texts) override {
    if (texts.size() != 1) return false;
    const auto found = std::find(names_.begin(), names_.end(), texts.front());
    if (found == names_.end()) return false;
    set_(static_cast<std::size_t>(found - names_.begin()));
    return true;
  }
  std::vector<std::string> texts() const override { return {names_.at(get_())}; }

 private:
  std::function<std::size_t()> get_;
  std::function<void(std::size_t)> set_;
  std::vector<std::string> names_;
};

}  // namespace

bool is_typed(const std::string& text) {
  const std::size_t end = text.find_first_of("/,=");
  return end != std::string::npos && end != 0 && text[end] == '=';
}

OptionValuePtr bind_value(bool& v) { return std::make_unique<Single<bool>>(v); }
OptionValuePtr bind_value(int& v) { return std::make_unique<Single<int>>(v); }
OptionValuePtr bind_value(std::int64_t& v) { return std::make_unique<Single<std::int64_t>>(v); }
OptionValuePtr bind_value(std::uint32_t& v) { return std::make_unique<Single<std::uint32_t>>(v); }
OptionValuePtr bind_value(std::uint64_t& v) { return std::make_unique<Single<std::uint64_t>>(v); }
OptionValuePtr bind_value(float& v) { return std::make_unique<Single<float>>(v); }
OptionValuePtr bind_value(double& v) { return std::make_unique<Single<double>>(v); }
OptionValuePtr bind_value(std::string& v) { return std::make_unique<Single<std::string>>(v); }
OptionValuePtr bind_value(std::vector<int>& v) { return std::make_unique<List<int>>(v); }
OptionValuePtr bind_value(std::vector<std::uint32_t>& v) {
  return std::make_unique<List<std::uint32_t>>(v);
}
OptionValuePtr bind_value(std::vector<std::uint64_t>& v) {
  return std::make_unique<List<std::uint64_t>>(v);
}
OptionValuePtr bind_value(std::vector<double>& v) { return std::make_unique<List<double>>(v); }
OptionValuePtr bind_value(std::vector<std::string>& v) {
  return std::make_unique<List<std::string>>(v);
}
OptionValuePtr bind_value(std::optional<int>& v, const std::string& word) {
  return std::make_unique<Maybe<int>>(v, word);
}
OptionValuePtr bind_value(std::optional<std::uint64_t>& v, const std::string& word) {
  return std::make_unique<Maybe<std::uint64_t>>(v, word);
}
OptionValuePtr bind_value(std::optional<double>& v, const std::string& word) {
  return std::make_unique<Maybe<double>>(v, word);
}
OptionValuePtr bind_typed(OptionValuePtr plain, std::vector<std::string>& typed) {
  return std::make_unique<Typed>(std::move(plain), typed);
}
OptionValuePtr bind_count(int& v) { return std::make_unique<Count>(v); }
OptionValuePtr bind_bytes(std::uint64_t& v) { return std::make_unique<Bytes<std::uint64_t>>(v); }
OptionValuePtr bind_bytes(std::optional<std::uint64_t>& v) {
  return std::make_unique<Bytes<std::optional<std::uint64_t>>>(v);
}
OptionValuePtr bind_duration(double& v) { return std::make_unique<Duration>(v); }
OptionValuePtr bind_choice(std::function<std::size_t()> get, std::function<void(std::size_t)> set,
                           std::vector<std::string> names) {
  return std::make_unique<Choice>(std::move(get), std::move(set), std::move(names));
}

}  // namespace frugal
