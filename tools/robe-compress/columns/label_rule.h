#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace frugal::robe {

/// Which values of the label column are clicks.
class LabelRule {
 public:
  /// 1 is a click; 0 and -1 are none.
  LabelRule() = default;
  /// "[COLUMN]OP NUMBER" with >=, <=, >, <, "[COLUMN]=TEXT" (or ==), or a text alone, which means
  /// all ways to write it where it is a number. Fails (usage).
  explicit LabelRule(std::string_view text);

  /// Fails (usage) for "rating>=x" and "rating=>4", whose numbers are missing or misplaced. Models
  /// may have such rules, which mean texts.
  void check_comparison() const;

  /// "" where the rule names none.
  const std::string& column() const { return column_; }
  const std::string& text() const { return text_; }
  /// 1 for clicks, else 0; nothing where the value cannot be a label.
  std::optional<float> label(std::string_view value) const;
  /// "expected ..." for error lines.
  std::string expectation() const;

 private:
  enum class Test { one, equal, at_least, at_most, above, below };
  std::optional<float> judge(std::string_view value) const;
  std::optional<float> compare(double number) const;

  std::string text_;
  std::string column_;
  Test test_ = Test::one;
  std::string value_;
  std::optional<double> number_;
};

}  // namespace frugal::robe
