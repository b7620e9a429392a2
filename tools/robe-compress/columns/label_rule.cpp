#include "tools/robe-compress/columns/label_rule.h"

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/tables/field_number.h"

namespace frugal::robe {
namespace {

std::optional<double> label_number(std::string_view text) {
  return parse_number<double>(without_plus(text));
}

/// True for ">4", but not for ">50K".
bool is_comparison(std::string_view text) {
  return (text.starts_with('<') || text.starts_with('>')) && label_number(trim(text.substr(1)));
}

}  // namespace

LabelRule::LabelRule(std::string_view text) : text_(text) {
  const std::size_t at = text.find_first_of("<>=");
  std::string_view rest = text;
  if (at != std::string_view::npos) {
    const bool or_equal = text.substr(at + 1).starts_with('=');
    const char op = text[at];
    rest = text.substr(at + (or_equal ? 2 : 1));
    const auto number = label_number(trim(rest));
    if (op == '=') {
      test_ = Test::equal;
      column_ = trim(text.substr(0, at));
      value_ = trim(rest);
    } else if (number) {
      test_ = op == '>' ? (or_equal ? Test::at_least : Test::above)
                        : (or_equal ? Test::at_most : Test::below);
      column_ = trim(text.substr(0, at));
      number_ = *number;
    }
  }
  if (test_ == Test::one) {  // ">50K" is a text
    test_ = Test::equal;
    value_ = trim(text);
  }
  if (test_ == Test::equal) number_ = label_number(value_);
  if (is_utf8(text) && (test_ != Test::equal || !value_.empty())) return;
  fail(ExitStatus::usage, "--positive is '", printable(text),
       "', expected a condition like rating>=4 or the text of a click like >50K");
}

void LabelRule::check_comparison() const {
  const std::size_t at = text_.find_first_of("<>=");
  if (at == std::string::npos || trim(std::string_view(text_).substr(0, at)).empty()) return;
  const bool is_equal = text_[at] == '=';
  const bool is_double = text_.compare(at, 2, "==") == 0;
  const bool is_wrong = is_equal ? !is_double && is_comparison(value_) : test_ == Test::equal;
  if (!is_wrong) return;
  fail(ExitStatus::usage, "--positive is '", printable(text_),
       "', expected a number behind <, <=, > or >=, as in rating>=4; a text goes behind ==");
}

std::optional<float> LabelRule::label(std::string_view value) const {
  if (value == "0") return test_ == Test::one ? std::optional(0.0F) : judge(value);
  if (value == "1") return test_ == Test::one ? std::optional(1.0F) : judge(value);
  return judge(value);
}

std::optional<float> LabelRule::compare(double number) const {
  switch (test_) {
    case Test::at_least: return number >= number_ ? 1.0F : 0.0F;
    case Test::at_most: return number <= number_ ? 1.0F : 0.0F;
    case Test::above: return number > number_ ? 1.0F : 0.0F;
    case Test::below: return number < number_ ? 1.0F : 0.0F;
    default: break;
  }
  if (number == 1) return 1.0F;
  if (number == 0 || number == -1) return 0.0F;
  return std::nullopt;
}

std::optional<float> LabelRule::judge(std::string_view value) const {
  value = trim(value);
  if (value.empty()) return std::nullopt;
  if (test_ == Test::equal) {
    const auto number = number_ ? label_number(value) : std::nullopt;
    const bool is_same = plain_boolean(value) == plain_boolean(value_);
    return is_same || (number && *number == *number_) ? 1.0F : 0.0F;
  }
  if (test_ == Test::one && plain_boolean(value) == "true") return 1.0F;
  if (test_ == Test::one && plain_boolean(value) == "false") return 0.0F;
  const auto number = label_number(value);
  if (!number || *number != *number) return std::nullopt;
  return compare(*number);
}

std::string LabelRule::expectation() const {
  if (test_ == Test::one) {
    return "expected a label 0 or 1, or -1 or 1 (--positive says what else is a click)";
  }
  return test_ == Test::equal ? "expected a label" : "expected a number as label";
}

}  // namespace frugal::robe
