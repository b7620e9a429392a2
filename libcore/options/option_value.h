#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace frugal {

enum class ValueKind { text, integer, unsigned_integer, real, boolean };

/// One row of the option table: the properties of an option that help, manual page, completion,
/// JSON schema, --print-config and the parser use.
struct OptionInfo {
  std::string key;                       ///< name in a configuration: "lsh-tables"
  std::vector<std::string> short_names;  ///< "o"
  std::vector<std::string> long_names;   ///< "output", "no-shuffle"
  std::vector<std::string> negations;    ///< names of a flag that switch it off: "no-shuffle"
  std::string metavar;                   ///< "INT", "FILE"; "" for a flag
  ValueKind kind = ValueKind::text;
  std::string word;                     ///< word accepted instead of a number: "auto"; "" = none
  ValueKind numbers = ValueKind::text;  ///< kind of value besides the word
  std::string expected;                 ///< in words: "a whole number from 1 to 24"; "" = anything
  std::string constraint;            ///< the part of `expected` that does not follow from the type
  std::vector<std::string> choices;  ///< all accepted values, if they can be listed
  std::vector<std::string> suggestions;  ///< values that shells offer beside names of files
  std::string description;
  std::string group;
  std::string environment;  ///< variable that sets the option; "" = none
  std::vector<std::string> defaults;
  bool has_default = false;  ///< false: no default value
  bool positional = false;
  bool flag = false;         ///< takes no value on the command line
  bool list = false;         ///< takes several values
  bool typed = false;        ///< a list of one value, and TYPE=VALUE for single types
  bool accumulates = false;  ///< repeating it adds: -vv, --config a --config b
  bool required = false;
  bool shared = false;       ///< all tools have it
  bool configurable = true;  ///< may be set by --config, the environment and --set
  char delimiter = ',';      ///< separates the values of a list given in one word
};

/// "--lsh-tables", "-k" or "DATA": the name that messages use.
std::string display_name(const OptionInfo& info);

/// Whether `text` is written like a value of this kind: 010 is not a whole number, 1e999 not a
/// number.
bool looks_like(ValueKind kind, const std::string& text);

/// True if the text is TYPE=VALUE. A type contains no '/', ',' or '='.
bool is_typed(const std::string& text);

/// The variable that an option sets, read and written as text.
class OptionValue {
 public:
  virtual ~OptionValue() = default;
  /// Parses and sets the value. If a text does not fit the variable's type, returns false and
  /// leaves the variable unchanged.
  virtual bool store(const std::vector<std::string>& texts) = 0;
  /// The value as a user writes it; parsing it gives the same value. Empty: nothing is written.
  virtual std::vector<std::string> texts() const = 0;
};

using OptionValuePtr = std::unique_ptr<OptionValue>;

/// Binds a variable, which must outlive the result. `word` stands for an empty optional.
OptionValuePtr bind_value(bool& variable);
OptionValuePtr bind_value(int& variable);
OptionValuePtr bind_value(std::int64_t& variable);
OptionValuePtr bind_value(std::uint32_t& variable);
OptionValuePtr bind_value(std::uint64_t& variable);
OptionValuePtr bind_value(float& variable);
OptionValuePtr bind_value(double& variable);
OptionValuePtr bind_value(std::string& variable);
OptionValuePtr bind_value(std::vector<int>& variable);
OptionValuePtr bind_value(std::vector<std::uint32_t>& variable);
OptionValuePtr bind_value(std::vector<std::uint64_t>& variable);
OptionValuePtr bind_value(std::vector<double>& variable);
OptionValuePtr bind_value(std::vector<std::string>& variable);
OptionValuePtr bind_value(std::optional<int>& variable, const std::string& word);
OptionValuePtr bind_value(std::optional<std::uint64_t>& variable, const std::string& word);
OptionValuePtr bind_value(std::optional<double>& variable, const std::string& word);

/// Binds a value, stored by `plain`, or TYPE=VALUE for each of several types, appended to `typed`
/// as given.
OptionValuePtr bind_typed(OptionValuePtr plain, std::vector<std::string>& typed);
/// Binds the number of times a flag is given, or a number.
OptionValuePtr bind_count(int& variable);
/// Binds a size: "64K", "8MiB". 0 is written as nothing.
OptionValuePtr bind_bytes(std::uint64_t& variable);
OptionValuePtr bind_bytes(std::optional<std::uint64_t>& variable);
/// Binds a duration in seconds: "90s", "5m". 0 is written as nothing.
OptionValuePtr bind_duration(double& variable);
/// Binds a choice among `names`; get and set use its index.
OptionValuePtr bind_choice(std::function<std::size_t()> get, std::function<void(std::size_t)> set,
                           std::vector<std::string> names);

}  // namespace frugal
