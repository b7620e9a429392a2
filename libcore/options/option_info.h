#pragma once
#include <string>
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

}  // namespace frugal
