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

/// One row of the option table: what help, manual page, completion, JSON schema, --print-config and
/// the parser need to know about an option.
struct OptionInfo {
  std::string key;                       ///< name in a configuration: "lsh-tables"
  std::vector<std::string> short_names;  ///< "o"
  std::vector<std::string> long_names;   ///< "output", "no-shuffle"
  std::vector<std::string> negations;    ///< names of a flag that switch it off: "no-shuffle"
  std::string metavar;                   ///< "INT", "FILE"; "" for a flag
  ValueKind kind = ValueKind::text;
  std::string word;                     ///< that may stand for a number: "auto"; "" = none
  ValueKind numbers = ValueKind::text;  ///< kind of value beside the word
  std::string expected;                 ///< in words: "a whole number from 1 to 24"; "" = anything
  std::string constraint;            ///< the part of `expected` that the type alone does not tell
  std::vector<std::string> choices;  ///< the only values, where there is such a list
  std::string description;
  std::string group;
  std::string environment;  ///< variable that sets the option; "" = none
  std::vector<std::string> defaults;
  bool has_default = false;  ///< false: the default is nothing
  bool positional = false;
  bool flag = false;         ///< takes no value on the command line
  bool list = false;         ///< takes several values
  bool accumulates = false;  ///< repeating it adds: -vv, --config a --config b
  bool required = false;
  bool shared = false;       ///< commands of all tools have it
  bool configurable = true;  ///< may be set by --config, the environment and --set
  char delimiter = ',';      ///< between the values of a list in one word
};

/// "--lsh-tables", "-k" or "DATA": the name that messages use.
std::string display_name(const OptionInfo& info);

/// Whether `text` is written like a value of this kind: 010 is no whole number, 1e999 no number.
bool looks_like(ValueKind kind, const std::string& text);

/// The variable that an option is bound to, as text.
class OptionValue {
 public:
  virtual ~OptionValue() = default;
  /// False where a text is no value of the variable's type; the variable is as before then.
  virtual bool store(const std::vector<std::string>& texts) = 0;
  /// As a user writes them: reading them back gives the same value. None: nothing to be written.
  virtual std::vector<std::string> texts() const = 0;
};

using OptionValuePtr = std::unique_ptr<OptionValue>;

/// Bound to a variable, which must outlive the value. `word` stands for an empty optional.
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

/// A value, which goes to `plain`, or TYPE=VALUE for each of several types, which `typed` gets as
/// they are given. A type has no '/', ',' and '='.
OptionValuePtr bind_typed(OptionValuePtr plain, std::vector<std::string>& typed);
/// How often a flag is given, or a number.
OptionValuePtr bind_count(int& variable);
/// "64K", "8MiB"; 0 is written as nothing.
OptionValuePtr bind_bytes(std::uint64_t& variable);
OptionValuePtr bind_bytes(std::optional<std::uint64_t>& variable);
/// Seconds as "90s", "5m"; 0 is written as nothing.
OptionValuePtr bind_duration(double& variable);
/// One of `names` by its place there.
OptionValuePtr bind_choice(std::function<std::size_t()> get, std::function<void(std::size_t)> set,
                           std::vector<std::string> names);

}  // namespace frugal
