#include "libcore/cli/cli11_arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

using Words = std::vector<std::string>;

/// Hides words from CLI11 that mean something to it alone: "++" would end the reading, and the
/// values of "--name=" and "--name={}" count as none. No word of a command line has a NUL.
constexpr char kMark = '\0';

std::string marked(std::string word) {
  if (word == "++") return kMark + word;
  const std::size_t value = word.find('=') + 1;
  if (word.starts_with("--") && value != 0 &&
      (value == word.size() || word.substr(value) == "{}")) {
    word.insert(value, 1, kMark);
  }
  return word;
}

std::string unmarked(std::string word) {
  std::erase(word, kMark);
  return word;
}

/// Names in the form of CLI11: "-o,--output", "--eval,!--no-eval".
std::string declared_names(const OptionInfo& option) {
  Words names;
  for (const std::string& name : option.short_names) names.push_back("-" + name);
  for (const std::string& name : option.long_names) {
    const bool is_negation = std::ranges::count(option.negations, name) != 0;
    names.push_back((is_negation ? "!--" : "--") + name);
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

/// Options as CLI11 reads them. Arguments are not declared to it, so they are left over: it would
/// read an argument "[a]" as a list.
class OptionParser {
 public:
  explicit OptionParser(const std::vector<OptionInfo>& options) {
    app_.set_help_flag();
    app_.allow_extras();
    for (const OptionInfo& option : options) {
      if (!option.positional) declare(option);
    }
  }

  /// Fails (usage) where the last word is an option without its value.
  void parse(const Words& words) {
    Words last_first;
    std::transform(words.rbegin(), words.rend(), std::back_inserter(last_first), marked);
    try {
      app_.parse(std::move(last_first));
    } catch (const CLI::ArgumentMismatch&) {
      const std::string& last = words.back();
      fail(ExitStatus::usage, last.starts_with("--") ? last : std::string{'-', last.back()},
           " needs a value");
    }
  }

  /// Settings in the order of the words.
  std::vector<Setting> settings() const {
    std::map<const CLI::Option*, std::size_t> taken;
    std::vector<Setting> settings;
    for (const CLI::Option* given : app_.parse_order()) {
      const OptionInfo& option = *declared_.at(given);
      const std::size_t number = taken[given]++;
      if (option.accumulates && number != 0) continue;
      Words values = option.accumulates ? given->results() : Words{given->results().at(number)};
      std::ranges::transform(values, values.begin(), unmarked);
      settings.push_back({Layer::flags, option.key, std::move(values), !option.accumulates, "",
                          display_name(option)});
    }
    return settings;
  }

  /// Words that are neither options nor their values. Fails (usage) at one that looks like an
  /// option, with the nearest name.
  Words arguments() const {
    Words arguments;
    bool options_ended = false;
    for (const std::string& word : app_.remaining()) {
      if (!options_ended && word == "--") {
        options_ended = true;
        continue;
      }
      if (!options_ended && word.size() > 1 && word[0] == '-' && !is_digit(word[1])) {
        const std::string name = word.substr(0, std::max<std::size_t>(word.find('='), 2));
        fail(ExitStatus::usage, "unknown option '", printable(name), "'",
             unknown_option_hint(name, names_));
      }
      arguments.push_back(unmarked(word));
    }
    return arguments;
  }

 private:
  void declare(const OptionInfo& option) {
    const auto accept = [](const CLI::results_t&) { return true; };
    CLI::Option* declared = option.flag ? app_.add_flag(declared_names(option))
                                        : app_.add_option(declared_names(option), accept);
    if (!option.flag) declared->expected(1);
    declared->take_all();
    declared_[declared] = &option;
    for (const std::string& name : option.long_names) names_.push_back("--" + name);
  }

  CLI::App app_;
  std::map<const CLI::Option*, const OptionInfo*> declared_;
  Words names_;
};

/// Gives arguments to the positional options; a list takes what the others leave, wherever it
/// stands.
void place_arguments(const Words& arguments, const std::vector<OptionInfo>& options,
                     std::vector<Setting>& settings) {
  auto singles = static_cast<std::size_t>(std::ranges::count_if(
      options, [](const OptionInfo& option) { return option.positional && !option.list; }));
  auto next = arguments.begin();
  for (const OptionInfo& option : options) {
    const auto left = static_cast<std::size_t>(arguments.end() - next);
    if (!option.positional || left == 0) continue;
    if (!option.list) --singles;
    const std::size_t count = option.list ? left - std::min(left, singles) : 1;
    if (count == 0) continue;
    const auto end = next + static_cast<std::ptrdiff_t>(count);
    settings.push_back({Layer::flags, option.key, {next, end}, false, "", display_name(option)});
    next = end;
  }
  if (next != arguments.end()) {
    fail(ExitStatus::usage, "unexpected argument '", printable(*next), "'");
  }
}

}  // namespace

std::vector<Setting> parse_arguments(const std::vector<std::string>& words,
                                     const std::vector<OptionInfo>& options) {
  OptionParser parser(options);
  parser.parse(words);
  std::vector<Setting> settings = parser.settings();
  place_arguments(parser.arguments(), options, settings);
  return settings;
}

}  // namespace frugal
