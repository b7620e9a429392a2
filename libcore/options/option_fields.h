#pragma once
#include <array>
#include <deque>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/options/option_field.h"

namespace frugal {

/// The one description of a struct of options: command line, configuration, --print-config, JSON
/// schema, manual page, what a checkpoint must agree with and metadata of models come from it. A
/// handle: copies describe the same options. Variables and what conditions look at must outlive it.
class OptionFields {
 public:
  static constexpr const char* kNoHeading = "Options";

  OptionFields();

  /// A handle whose options are shown under this heading.
  OptionFields group(const std::string& heading) const;

  /// names as OptionField has them. Of a bool it is a flag.
  template <class T>
  OptionField& add(const char* names, T& variable, const std::string& help = {}) const {
    return add_bound(names, kind_of(variable), bind_value(variable), help);
  }
  /// A number, or the word for none.
  template <class T>
  OptionField& add(const char* names, std::optional<T>& variable, const char* word,
                   const std::string& help) const {
    return add_bound(names, ValueKind::text, bind_value(variable, word), help)
        .or_word(word, kind_of(T{}));
  }
  template <class T>
  OptionField& add(const char* names, std::vector<T>& variable,
                   const std::string& help = {}) const {
    OptionField& field = add_bound(names, kind_of(T{}), bind_value(variable), help);
    field.info().list = true;
    return field;
  }
  /// An enumeration by the names of its values.
  template <class E>
  OptionField& add(const char* names, E& variable, std::span<const std::string_view> values,
                   const std::string& help = {}) const {
    return add(names, variable, Names(values.begin(), values.end()), help);
  }
  template <class E>
  OptionField& add(const char* names, E& variable, const Names& choices,
                   const std::string& help) const {
    return add_bound(
               names, ValueKind::text,
               bind_choice([&variable] { return static_cast<std::size_t>(variable); },
                           [&variable](std::size_t i) { variable = static_cast<E>(i); }, choices),
               help)
        .choices(choices);
  }
  /// One of two values by a word for each.
  template <class T>
  OptionField& add_either(const char* names, T& variable, std::array<T, 2> values,
                          const Names& words, const std::string& help = {}) const {
    return add_bound(names, ValueKind::text,
                     bind_choice([=, &variable] { return variable == values[0] ? 0 : 1; },
                                 [=, &variable](std::size_t i) { variable = values.at(i); }, words),
                     help)
        .choices(words);
  }
  /// One of the names in a table. The help ends with a sentence "NAME: DESCRIPTION" for each row.
  template <class Rows>
  OptionField& add_row_name(const char* names, std::string& variable, const Rows& rows,
                            std::string help) const {
    Names choices;
    for (const auto& row : rows) {
      help.append(". ").append(row.name).append(": ");
      help.append(row.description);
      choices.emplace_back(row.name);
    }
    return add(names, variable, help).choices(choices);
  }
  /// A value, or TYPE=VALUE for each of several types (bind_typed()).
  OptionField& add_typed(const char* names, OptionValuePtr plain, std::vector<std::string>& typed,
                         const std::string& help) const;
  /// A size with or without a unit; 0 or nothing = not said.
  OptionField& add_bytes(const char* names, std::uint64_t& variable, const std::string& help) const;
  OptionField& add_bytes(const char* names, std::optional<std::uint64_t>& variable,
                         const std::string& help) const;
  /// Seconds with or without a unit; 0 = not said.
  OptionField& add_duration(const char* names, double& variable, const std::string& help) const;
  /// A flag that counts: -vv.
  OptionField& add_count(const char* names, int& variable, const std::string& help) const;

  /// Of any kind of variable.
  OptionField& add_bound(const char* names, ValueKind kind, OptionValuePtr value,
                         const std::string& help) const;

  /// The option that is written so: "--output", or an argument's name.
  OptionField& field(const std::string& name) const;
  /// OptionField::goes_with of several.
  void go_with(std::initializer_list<const char*> names, const std::string& what,
               const std::function<bool()>& applies) const;
  /// Once all options have their values, adds the names of those that are given to `given`: where
  /// only the data can say whether they do something.
  void note_given(std::initializer_list<const char*> names, std::vector<std::string>& given) const;

  std::deque<OptionField>& all() const { return *fields_; }

 private:
  OptionField& add_size(const char* names, OptionValuePtr value, const std::string& help) const;

  static ValueKind kind_of(bool) { return ValueKind::boolean; }
  static ValueKind kind_of(int) { return ValueKind::integer; }
  static ValueKind kind_of(std::int64_t) { return ValueKind::integer; }
  static ValueKind kind_of(std::uint32_t) { return ValueKind::unsigned_integer; }
  static ValueKind kind_of(std::uint64_t) { return ValueKind::unsigned_integer; }
  static ValueKind kind_of(float) { return ValueKind::real; }
  static ValueKind kind_of(double) { return ValueKind::real; }
  static ValueKind kind_of(const std::string&) { return ValueKind::text; }

  std::shared_ptr<std::deque<OptionField>> fields_;
  std::string group_ = kNoHeading;
};

/// An option and its value as a user writes them.
struct OptionText {
  std::string name;  ///< "--batch-size"
  std::string value;
  bool flag = false;
  std::string off = {};  ///< of a flag: "--no-eval", "" where there is none
  bool operator==(const OptionText&) const = default;
};
using OptionTexts = std::vector<OptionText>;

/// As it is given: "--batch-size 200", "--no-eval", "no --fast".
std::string written(const OptionText& option);

/// The options that change results, in the order of their description.
OptionTexts result_options(const OptionFields& fields);

/// "batch-size=200 epochs=50 ..." on one line: equal lines mean equal results.
std::string option_line(const OptionTexts& options);

/// Adds the values to the metadata of a file: --head-layers as "gnn.head_layers" with prefix
/// "gnn.", a list as "512-256".
void write_metadata(const OptionFields& fields, const std::string& prefix,
                    std::map<std::string, std::string>& metadata);
/// Sets the variables to what write_metadata() wrote. Fails (bad_input) with the key, what was
/// found and what was expected, after `path` unless that is "".
void read_metadata(const OptionFields& fields, const std::string& prefix,
                   const std::map<std::string, std::string>& metadata, const std::string& path);

/// Fails (usage) where an option has another value than in `plain`, the same description of
/// defaults, and would do nothing: for options that no command line gave.
void refuse_without_effect(const OptionFields& fields, const OptionFields& plain);

}  // namespace frugal
