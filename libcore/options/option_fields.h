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

/// The one description of a struct of options. Command line, configuration, --print-config, JSON
/// schema, manual page, compatibility of checkpoints and metadata of models are derived from it. It
/// is a handle: copies share the same options. Variables, and everything that conditions read, must
/// outlive it.
class OptionFields {
 public:
  static constexpr const char* kNoHeading = "Options";

  OptionFields();

  /// A handle whose options appear under this heading.
  OptionFields group(const std::string& heading) const;
  /// A handle whose options have this condition, as OptionField::goes_with(), and those of this
  /// one.
  OptionFields going_with(const std::string& what, std::function<bool()> applies) const;

  /// Adds an option; `names` as in OptionField. A bool makes it a flag.
  template <class T>
  OptionField& add(const char* names, T& variable, const std::string& help = {}) const {
    return add_bound(names, kind_of(variable), bind_value(variable), help);
  }
  /// A number, or `word` for an empty optional.
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
  /// An enumeration, given by the names of its values.
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
  /// One of two values, each with a word.
  template <class T>
  OptionField& add_either(const char* names, T& variable, std::array<T, 2> values,
                          const Names& words, const std::string& help = {}) const {
    return add_bound(names, ValueKind::text,
                     bind_choice([=, &variable] { return variable == values[0] ? 0 : 1; },
                                 [=, &variable](std::size_t i) { variable = values.at(i); }, words),
                     help)
        .choices(words);
  }
  /// One of the names in a table. Appends a sentence "NAME: DESCRIPTION" per row to the help.
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
  /// A size in bytes, with or without a unit; 0 or no value = not set.
  OptionField& add_bytes(const char* names, std::uint64_t& variable, const std::string& help) const;
  OptionField& add_bytes(const char* names, std::optional<std::uint64_t>& variable,
                         const std::string& help) const;
  /// A duration in seconds, with or without a unit; 0 = not set.
  OptionField& add_duration(const char* names, double& variable, const std::string& help) const;
  /// A flag that counts its occurrences: -vv.
  OptionField& add_count(const char* names, int& variable, const std::string& help) const;

  /// An option with a variable of any kind, bound by the caller.
  OptionField& add_bound(const char* names, ValueKind kind, OptionValuePtr value,
                         const std::string& help) const;

  /// Finds an option by its name: "--output", or an argument's name.
  OptionField& field(const std::string& name) const;
  /// Calls OptionField::goes_with() for several options.
  void go_with(std::initializer_list<const char*> names, const std::string& what,
               const std::function<bool()>& applies) const;
  /// Appends to `given`, once all options have their values, the names of those that were given:
  /// for options of which only the data show whether they have an effect.
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
  std::vector<std::pair<std::string, std::function<bool()>>> conditions_;
};

/// An option and its value as a user writes them.
struct OptionText {
  std::string name;  ///< "--batch-size"
  std::string value;
  bool flag = false;
  std::string off = {};  ///< name that switches a flag off: "--no-eval"; "" if there is none
  bool operator==(const OptionText&) const = default;
};
using OptionTexts = std::vector<OptionText>;

/// Text as on the command line: "--batch-size 200", "--no-eval", "no --fast".
std::string written(const OptionText& option);

/// The options that change results, in the order in which they were described.
OptionTexts result_options(const OptionFields& fields);

/// The options of result_options() that have an effect and a value other than none and "auto".
OptionTexts decided_options(const OptionFields& fields);

/// Options on one line: "batch-size=200 epochs=50 ...". Equal lines mean equal results.
std::string option_line(const OptionTexts& options);

/// Adds the values to the metadata of a file: --head-layers becomes "gnn.head_layers" with prefix
/// "gnn."; a list becomes "512-256".
void write_metadata(const OptionFields& fields, const std::string& prefix,
                    std::map<std::string, std::string>& metadata);
/// Sets the variables to the values that write_metadata() wrote. Fails (bad_input) with `path`
/// (unless ""), the key, what was found and what was expected.
void read_metadata(const OptionFields& fields, const std::string& prefix,
                   const std::map<std::string, std::string>& metadata, const std::string& path);

/// The first option that differs from its default in `plain` (the same description of default
/// values) but has no effect; null if there is none.
const OptionField* given_without_effect(const OptionFields& fields, const OptionFields& plain);

/// Fails (usage) if an option differs from its default in `plain` but has no effect. For options
/// that do not come from a command line.
void refuse_without_effect(const OptionFields& fields, const OptionFields& plain);

}  // namespace frugal
