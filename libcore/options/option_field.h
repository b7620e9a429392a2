#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "libcore/options/option_value.h"

namespace frugal {

/// Values that an option accepts.
using Names = std::vector<std::string>;
/// "auto", which leaves the choice to the command, and `names`.
Names auto_or(Names names);

/// One option: its row in the option table, the variable that it sets, and the conditions under
/// which it has an effect. The functions that describe it return the field, so that they can be
/// chained.
class OptionField {
 public:
  /// names: "-o,--output", "--eval,!--no-eval" (the second switches off) or "file", an argument.
  OptionField(const std::string& names, ValueKind kind, OptionValuePtr value,
              const std::string& help, const std::string& group);

  // Accepted values.
  template <class T>
  OptionField& range(T least, T most) {
    if constexpr (std::is_floating_point_v<T>) return real_range(least, most);
    if constexpr (std::is_integral_v<T>) {
      return whole_range(static_cast<std::int64_t>(least), static_cast<std::int64_t>(most));
    }
  }
  OptionField& positive();      ///< above 0
  OptionField& not_negative();  ///< 0 or more
  OptionField& finite();
  OptionField& choices(const Names& names);
  OptionField& checked(const std::string& what, std::function<bool(const std::string&)> accepts);
  /// Requires a list of exactly `count` values.
  OptionField& expected(std::size_t count);
  OptionField& delimiter(char separator);
  /// Repeating the option on the command line adds to the list.
  OptionField& accumulates();
  OptionField& required();
  /// Adds the value "auto", which leaves the choice to the command. `left` is true while the option
  /// is "auto"; a command that chooses a value sets it to false.
  OptionField& automatic(bool& left);
  /// Adds the value "auto" to a number. The variable is `unset` while the command is to choose.
  template <class T>
  OptionField& automatic(T& variable, std::type_identity_t<T> unset) {
    return automatic_by([&variable, unset] { return variable == unset; },
                        [&variable, unset](bool left) { variable = left ? unset : variable; });
  }

  // Presentation.
  OptionField& metavar(const std::string& name);
  /// Values that a shell's completion offers beside names of files; others are accepted, too.
  OptionField& suggests(const Names& names);
  OptionField& shown_default(const std::string& text);
  OptionField& environment(const std::string& variable);
  OptionField& not_configurable();

  // Effect.
  /// Declares that the option never changes a result, so that a checkpoint need not agree with it.
  OptionField& keeps_result(bool keeps = true);
  /// The option has an effect only if `applies` returns true once all options have their values.
  /// Otherwise it is an error to give it: "--heads goes with WHAT". A configuration may still
  /// contain its default, as --print-config writes it. An option may have several conditions.
  OptionField& goes_with(const std::string& what, std::function<bool()> applies);
  /// As goes_with(), but `missing` returns what the option lacks; "" = nothing.
  OptionField& goes_with_missing(std::function<std::string()> missing);
  /// Long names of options that must be given together with this one, or must not.
  OptionField& needs(const std::string& key);
  OptionField& excludes(const std::string& key);

  const OptionInfo& info() const { return info_; }
  OptionInfo& info() { return info_; }
  bool changes_result() const { return !keeps_result_; }
  const std::vector<std::string>& needed() const { return needed_; }
  const std::vector<std::string>& excluded() const { return excluded_; }
  std::size_t fixed_count() const { return count_; }  ///< 0: any number
  /// The unmet condition of goes_with(), or "".
  std::string missing_condition() const;
  /// Sets the variable; false if it does not accept the values.
  bool store(const std::vector<std::string>& values) const;
  /// Current value of the variable, as text.
  std::vector<std::string> texts() const { return value_->texts(); }

 private:
  friend class OptionFields;
  OptionField& automatic_by(std::function<bool()> left, std::function<void(bool)> leave);
  OptionField& whole_range(std::int64_t least, std::int64_t most);
  OptionField& real_range(double least, double most);
  /// Accepts numbers, or this word.
  OptionField& or_word(const std::string& word, ValueKind numbers);
  void capture_default();
  void describe();

  OptionInfo info_;
  OptionValuePtr value_;
  std::string type_;  ///< metavar set by metavar(); "" = derived
  std::string constraint_;
  std::vector<std::function<bool(const std::string&)>> checks_;
  std::vector<std::function<std::string()>> conditions_;  ///< unmet conditions, or ""
  std::vector<std::string> needed_, excluded_;
  std::size_t count_ = 0;
  bool keeps_result_ = false;
};

}  // namespace frugal
