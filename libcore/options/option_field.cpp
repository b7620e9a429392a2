#include "libcore/options/option_field.h"

#include <cmath>
#include <cstdio>

#include "libcore/base/text.h"

namespace frugal {
namespace {

const char* kind_in_words(ValueKind kind) {
  switch (kind) {
    case ValueKind::integer: return "a whole number";
    case ValueKind::unsigned_integer: return "a whole number, 0 or more";
    case ValueKind::real: return "a number";
    case ValueKind::boolean: return "true or false";
    case ValueKind::text: break;
  }
  return "";
}

const char* noun(ValueKind kind) { return kind == ValueKind::real ? "a number" : "a whole number"; }

std::string join(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

/// Lists of choices up to this length stand where the value stands: --loss softmax|bce.
constexpr std::size_t kMaxChoices = 32;

void read_names(const std::string& names, OptionInfo& info) {
  for (const std::string_view part : split(names, ',')) {
    const bool switches_off = part.starts_with('!');
    const std::string name(switches_off ? part.substr(1) : part);
    if (name.starts_with("--")) {
      info.long_names.push_back(name.substr(2));
      if (switches_off) info.negations.push_back(name.substr(2));
    } else if (name.starts_with('-')) {
      info.short_names.push_back(name.substr(1));
    } else {
      info.positional = true;
      info.key = name;
    }
  }
  if (!info.long_names.empty()) {
    info.key = info.long_names.front();
  } else if (!info.positional) {
    info.key = info.short_names.front();
  }
}

/// Value of an option that may be "auto".
class Automatic : public OptionValue {
 public:
  Automatic(OptionValuePtr value, std::function<bool()> left, std::function<void(bool)> leave)
      : value_(std::move(value)), left_(std::move(left)), leave_(std::move(leave)) {}
  bool store(const std::vector<std::string>& texts) override {
    const bool leaves = texts.size() == 1 && texts.front() == "auto";
    if (!leaves && !value_->store(texts)) return false;
    leave_(leaves);
    return true;
  }
  std::vector<std::string> texts() const override {
    return left_() ? std::vector<std::string>{"auto"} : value_->texts();
  }

 private:
  OptionValuePtr value_;
  std::function<bool()> left_;
  std::function<void(bool)> leave_;
};

}  // namespace

Names auto_or(Names names) {
  names.insert(names.begin(), "auto");
  return names;
}

OptionField::OptionField(const std::string& names, ValueKind kind, OptionValuePtr value,
                         const std::string& help, const std::string& group)
    : value_(std::move(value)) {
  info_.kind = info_.numbers = kind;
  info_.description = help;
  info_.flag = kind == ValueKind::boolean;
  read_names(names, info_);
  info_.group = info_.positional ? "Arguments" : group;
  capture_default();
  describe();
}

void OptionField::capture_default() {
  info_.defaults = value_->texts();
  if (info_.flag && info_.defaults == std::vector<std::string>{"false"}) info_.defaults.clear();
  info_.has_default = !info_.defaults.empty();
}

/// Derives the shown name of the value, its constraint and the text of what is expected.
void OptionField::describe() {
  const std::string base = constraint_.empty() ? kind_in_words(info_.numbers) : constraint_;
  info_.expected = info_.word.empty() ? base : info_.word + " or " + base;
  info_.constraint = constraint_;
  const std::string choices = info_.positional ? "" : join(info_.choices, "|");
  if (info_.flag) {
    info_.metavar = "";
  } else if (!choices.empty() && choices.size() <= kMaxChoices) {
    info_.metavar = choices;
  } else if (!type_.empty()) {
    info_.metavar = type_;
  } else {
    info_.metavar = !info_.choices.empty()             ? "NAME"
                    : info_.numbers == ValueKind::text ? "TEXT"
                    : info_.numbers == ValueKind::real ? "X"
                                                       : "N";
  }
  const bool shows_word = info_.metavar.find('|') != std::string::npos;
  if (!info_.word.empty() && !shows_word) info_.metavar += "|" + info_.word;
}

OptionField& OptionField::checked(const std::string& what,
                                  std::function<bool(const std::string&)> accepts) {
  constraint_ = what;
  checks_.push_back(std::move(accepts));
  describe();
  return *this;
}

OptionField& OptionField::whole_range(std::int64_t least, std::int64_t most) {
  if (info_.numbers == ValueKind::real) {
    return real_range(static_cast<double>(least), static_cast<double>(most));
  }
  return checked(std::string(noun(info_.numbers)) + " from " + std::to_string(least) + " to " +
                     std::to_string(most),
                 [=](const std::string& text) {
                   const auto value = parse_number<std::int64_t>(text);
                   return value && *value >= least && *value <= most;
                 });
}

OptionField& OptionField::real_range(double least, double most) {
  return checked(std::string(noun(info_.numbers)) + " from " + short_number(least) + " to " +
                     short_number(most),
                 [=](const std::string& text) {
                   const auto value = parse_number<double>(text);
                   return value && *value >= least && *value <= most;
                 });
}

OptionField& OptionField::positive() {
  return checked(std::string(noun(info_.numbers)) + " above 0", [](const std::string& text) {
    const auto value = parse_number<double>(text);
    return value && *value > 0;
  });
}

OptionField& OptionField::not_negative() {
  return checked(std::string(noun(info_.numbers)) + ", 0 or more", [](const std::string& text) {
    const auto value = parse_number<double>(text);
    return value && *value >= 0;
  });
}

OptionField& OptionField::finite() {
  return checked("a finite number", [](const std::string& text) {
    const auto value = parse_number<double>(text);
    return value && std::isfinite(*value);
  });
}

OptionField& OptionField::choices(const Names& names) {
  info_.choices = names;
  return checked("one of " + join(names, ", "), [names](const std::string& text) {
    for (const std::string& name : names) {
      if (name == text) return true;
    }
    return false;
  });
}

OptionField& OptionField::suggests(const Names& names) {
  info_.suggestions = names;
  return *this;
}

OptionField& OptionField::automatic(bool& left) {
  return automatic_by([&left] { return left; }, [&left](bool leaves) { left = leaves; });
}

OptionField& OptionField::automatic_by(std::function<bool()> left,
                                       std::function<void(bool)> leave) {
  value_ = std::make_unique<Automatic>(std::move(value_), std::move(left), std::move(leave));
  if (info_.choices.empty()) {
    or_word("auto", info_.kind);
  } else {
    Names names = info_.choices;
    names.insert(names.begin(), "auto");
    checks_.clear();
    choices(names);
  }
  capture_default();
  return *this;
}

OptionField& OptionField::or_word(const std::string& word, ValueKind numbers) {
  info_.word = word;
  info_.numbers = numbers;
  info_.kind = ValueKind::text;
  describe();
  return *this;
}

OptionField& OptionField::expected(std::size_t count) {
  count_ = count;
  return *this;
}

OptionField& OptionField::delimiter(char separator) {
  info_.delimiter = separator;
  return *this;
}

OptionField& OptionField::accumulates() {
  info_.accumulates = true;
  return *this;
}

OptionField& OptionField::required() {
  info_.required = true;
  return *this;
}

OptionField& OptionField::metavar(const std::string& name) {
  type_ = name;
  describe();
  return *this;
}

OptionField& OptionField::shown_default(const std::string& text) {
  info_.defaults = {text};
  info_.has_default = true;
  return *this;
}

OptionField& OptionField::environment(const std::string& variable) {
  info_.environment = variable;
  return *this;
}

OptionField& OptionField::not_configurable() {
  info_.configurable = false;
  return *this;
}

OptionField& OptionField::keeps_result(bool keeps) {
  keeps_result_ = keeps;
  return *this;
}

OptionField& OptionField::goes_with(const std::string& what, std::function<bool()> applies) {
  return goes_with_missing(
      [what, applies = std::move(applies)] { return applies() ? std::string() : what; });
}

OptionField& OptionField::goes_with_missing(std::function<std::string()> missing) {
  conditions_.push_back(std::move(missing));
  return *this;
}

OptionField& OptionField::needs(const std::string& key) {
  needed_.push_back(key);
  return *this;
}

OptionField& OptionField::excludes(const std::string& key) {
  excluded_.push_back(key);
  return *this;
}

std::string OptionField::missing_condition() const {
  for (const auto& condition : conditions_) {
    std::string missing = condition();
    if (!missing.empty()) return missing;
  }
  return "";
}

bool OptionField::store(const std::vector<std::string>& values) const {
  for (const std::string& value : values) {
    if (!info_.word.empty() && value == info_.word) continue;
    if (!info_.word.empty() && !looks_like(info_.numbers, value)) return false;
    for (const auto& accepts : checks_) {
      if (!accepts(value)) return false;
    }
  }
  return value_->store(values);
}

}  // namespace frugal
