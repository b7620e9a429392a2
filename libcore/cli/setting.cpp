#include "libcore/cli/setting.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/cli/name_guess.h"

namespace frugal {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Goes through the words once; positional ones are kept aside because how many a list may take is
/// known only at the end.
class ArgumentParser {
 public:
  ArgumentParser(const std::vector<std::string>& words, const std::vector<OptionInfo>& options)
      : words_(words), options_(options) {}

  std::vector<Setting> parse() {
    bool only_positional = false;
    for (next_ = 0; next_ < words_.size();) {
      const std::string& word = words_[next_++];
      if (!only_positional && word == "--") {
        only_positional = true;
      } else if (!only_positional && word.starts_with("--")) {
        long_option(word);
      } else if (!only_positional && word.size() > 1 && word[0] == '-' && !negative_number(word)) {
        short_options(word);
      } else {
        positional_.push_back(word);
      }
    }
    place_positional();
    return std::move(settings_);
  }

 private:
  bool negative_number(const std::string& word) const {
    const bool digit = std::isdigit(static_cast<unsigned char>(word[1])) != 0;
    return digit && find_short(word[1]) == nullptr;
  }

  const OptionInfo* find_short(char letter) const {
    for (const OptionInfo& option : options_) {
      if (contains(option.short_names, std::string_view(&letter, 1))) return &option;
    }
    return nullptr;
  }

  [[noreturn]] void unknown_option(const std::string& shown) const {
    std::vector<std::string> names;
    for (const OptionInfo& option : options_) {
      for (const std::string& name : option.long_names) names.push_back("--" + name);
    }
    fail(ExitStatus::usage, "unknown option '", printable(shown), "'",
         unknown_option_hint(shown, names));
  }

  void long_option(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    for (const OptionInfo& option : options_) {
      if (!contains(option.long_names, name)) continue;
      if (equals != std::string::npos) {
        add(option, "--" + name, word.substr(equals + 1));
      } else if (option.flag) {
        add(option, "--" + name, flag_value(option, name));
      } else {
        add(option, "--" + name, take_value("--" + name));
      }
      return;
    }
    unknown_option(word.substr(0, equals));
  }

  void short_options(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const std::string name = {'-', word[i]};
      const OptionInfo* option = find_short(word[i]);
      if (option == nullptr) unknown_option(name);
      if (!option->flag) {
        add(*option, name, i + 1 < word.size() ? word.substr(i + 1) : take_value(name));
        return;
      }
      add(*option, name, flag_value(*option, name.substr(1)));
    }
  }

  static std::string flag_value(const OptionInfo& option, const std::string& name) {
    return contains(option.negations, name) ? "false" : "true";
  }

  std::string take_value(const std::string& name) {
    if (next_ >= words_.size()) fail(ExitStatus::usage, name, " needs a value");
    return words_[next_++];
  }

  void add(const OptionInfo& option, const std::string& name, const std::string& value) {
    Setting setting{Layer::flags, option.key, {value}, !option.accumulates, "", name};
    if (option.accumulates) {
      for (Setting& earlier : settings_) {
        if (earlier.key == option.key) {
          earlier.values.push_back(value);
          return;
        }
      }
    }
    settings_.push_back(std::move(setting));
  }

  void place_positional() {
    std::size_t singles = 0;
    for (const OptionInfo& option : options_) singles += option.positional && !option.list ? 1 : 0;
    auto word = positional_.begin();
    const auto left = [&] { return static_cast<std::size_t>(positional_.end() - word); };
    for (const OptionInfo& option : options_) {
      if (!option.positional || left() == 0) continue;
      if (!option.list) --singles;
      const std::size_t take = !option.list ? 1 : left() - std::min(left(), singles);
      if (take == 0) continue;
      const auto end = word + static_cast<std::ptrdiff_t>(take);
      settings_.push_back({Layer::flags, option.key, {word, end}, false, "", display_name(option)});
      word = end;
    }
    if (left() != 0) fail(ExitStatus::usage, "unexpected argument '", printable(*word), "'");
  }

  const std::vector<std::string>& words_;
  const std::vector<OptionInfo>& options_;
  std::size_t next_ = 0;
  std::vector<Setting> settings_;
  std::vector<std::string> positional_;
};

}  // namespace

std::string unknown_option_hint(const std::string& shown, const std::vector<std::string>& known) {
  // What some commands of every tool have: the name is right, the command is not.
  static const std::vector<std::string> elsewhere{
      "checkpoint", "checkpoint-every", "deterministic", "device", "precision", "resume", "seed",
      "shard",      "time-budget"};
  const bool right_name = contains(elsewhere, shown.substr(shown.starts_with("--") ? 2 : 0));
  const bool has_list = contains(known, shown + "s");  // --precisions of a sweep
  return right_name && !has_list ? "; this command has no use for it" : name_guess(shown, known);
}

std::vector<Setting> parse_arguments(const std::vector<std::string>& words,
                                     const std::vector<OptionInfo>& options) {
  return ArgumentParser(words, options).parse();
}

std::vector<Setting> environment_settings(const std::vector<OptionInfo>& options) {
  std::vector<Setting> settings;
  for (const OptionInfo& option : options) {
    if (option.environment.empty() || !option.configurable) continue;
    const char* value = std::getenv(option.environment.c_str());
    if (value == nullptr || *value == '\0') continue;
    settings.push_back(
        {Layer::environment, option.key, {value}, true, "environment: ", option.environment});
  }
  return settings;
}

}  // namespace frugal
