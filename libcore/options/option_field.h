#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "libcore/options/option_value.h"

namespace frugal {

/// What an option may be told.
using Names = std::vector<std::string>;
/// "auto", where the command chooses, and the others.
Names auto_or(Names names);

/// One option: its row in the table, the variable that it is bound to, and what it needs to do
/// something. The functions that describe it return it, to be chained.
class OptionField {
 public:
  /// names: "-o,--output", "--eval,!--no-eval" (the second switches off) or "file", an argument.
  OptionField(const std::string& names, ValueKind kind, OptionValuePtr value,
              const std::string& help, const std::string& group);

  // What values there are.
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
  /// A list of exactly so many values.
  OptionField& expected(std::size_t count);
  OptionField& delimiter(char separator);
  /// Repeating it on the command line adds to the list.
  OptionField& accumulates();
  OptionField& required();
  /// Adds the value "auto", which leaves the choice to the command. `left` is true while the option
  /// is "auto"; a command that chooses a value sets it to false.
  OptionField& automatic(bool& left);
  /// The same of a number, where `unset` in the variable leaves the value to the command.
  template <class T>
  OptionField& automatic(T& variable, std::type_identity_t<T> unset) {
    return automatic_by([&variable, unset] { return variable == unset; },
                        [&variable, unset](bool left) { variable = left ? unset : variable; });
  }

  // How it is shown.
  OptionField& metavar(const std::string& name);
  OptionField& shown_default(const std::string& text);
  OptionField& environment(const std::string& variable);
  OptionField& not_configurable();

  // What it does.
  /// Results are the same whatever it says: it is no part of what a checkpoint must agree with.
  OptionField& keeps_result(bool keeps = true);
  /// It does something only where `applies` holds when all options have their values. Given
  /// elsewhere it is an error: "--heads goes with WHAT". A configuration may have its default, as
  /// --print-config writes it. There may be several such conditions.
  OptionField& goes_with(const std::string& what, std::function<bool()> applies);
  /// The same, `missing` says what is not there, or "".
  OptionField& goes_with_missing(std::function<std::string()> missing);
  /// Long names of options without which, or beside which, it is an error.
  OptionField& needs(const std::string& key);
  OptionField& excludes(const std::string& key);

  const OptionInfo& info() const { return info_; }
  OptionInfo& info() { return info_; }
  bool changes_result() const { return !keeps_result_; }
  const std::vector<std::string>& needed() const { return needed_; }
  const std::vector<std::string>& excluded() const { return excluded_; }
  std::size_t fixed_count() const { return count_; }  ///< 0: any
  /// What it goes with and is not there, or "".
  std::string missing_condition() const;
  /// Sets the variable; false where a value is none that it may have.
  bool store(const std::vector<std::string>& values) const;
  /// The variable as it is now.
  std::vector<std::string> texts() const { return value_->texts(); }

 private:
  friend class OptionFields;
  OptionField& automatic_by(std::function<bool()> left, std::function<void(bool)> leave);
  OptionField& whole_range(std::int64_t least, std::int64_t most);
  OptionField& real_range(double least, double most);
  /// It holds numbers, or this word.
  OptionField& or_word(const std::string& word, ValueKind numbers);
  void capture_default();
  void describe();

  OptionInfo info_;
  OptionValuePtr value_;
  std::string type_;  ///< metavar that was asked for
  std::string constraint_;
  std::vector<std::function<bool(const std::string&)>> checks_;
  std::vector<std::function<std::string()>> conditions_;  ///< what is not there
  std::vector<std::string> needed_, excluded_;
  std::size_t count_ = 0;
  bool keeps_result_ = false;
};

}  // namespace frugal
