#include "libcore/cli/conditions.h"

#include <CLI/CLI.hpp>

namespace frugal {
namespace {

/// Validators of this name are conditions. They are switched off, so that CLI11 neither applies nor
/// describes them.
constexpr const char* kCondition = "goes with";

}  // namespace

CLI::Option* goes_with(CLI::Option* option, const std::string& what,
                       std::function<bool()> applies) {
  const auto check = [what, applies = std::move(applies)](const std::string&) {
    return applies() ? std::string() : what;
  };
  CLI::Validator condition(check, "", kCondition);
  return option->check(condition.active(false));
}

void go_with(CLI::App& app, std::initializer_list<const char*> options, const std::string& what,
             const std::function<bool()>& applies) {
  for (const char* name : options) goes_with(app.get_option(name), what, applies);
}

void note_given(CLI::App& app, std::initializer_list<const char*> options,
                std::vector<std::string>& given) {
  for (const char* name : options) {
    goes_with(app.get_option(name), "", [name = std::string(name), &given] {
      given.push_back(name);
      return true;
    });
  }
}

std::string missing_condition(CLI::Option& option) {
  for (int i = 0;; ++i) {
    const CLI::Validator* validator = nullptr;
    try {
      validator = option.get_validator(i);
    } catch (const CLI::OptionNotFound&) {
      return "";
    }
    if (validator->get_name() != kCondition) continue;
    const std::string missing = CLI::Validator(*validator).active(true)(std::string());
    if (!missing.empty()) return missing;
  }
}

}  // namespace frugal
