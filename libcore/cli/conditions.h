#pragma once
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11 named it
class App;
class Option;
}  // namespace CLI

namespace frugal {

/// The option does something only where `applies` holds when all options have their values. Given
/// elsewhere it is an error: "--heads goes with WHAT". A configuration may have its default, as
/// --print-config writes it. Returns the option; it may have several such conditions.
CLI::Option* goes_with(CLI::Option* option, const std::string& what, std::function<bool()> applies);

/// The same of several options of `app`, by name.
void go_with(CLI::App& app, std::initializer_list<const char*> options, const std::string& what,
             const std::function<bool()>& applies);

/// Once all options have their values, adds the names of those of `options` that are given to
/// `given`: where only the data can say whether they do something.
void note_given(CLI::App& app, std::initializer_list<const char*> options,
                std::vector<std::string>& given);

/// What the option goes with and is not there, or "".
std::string missing_condition(CLI::Option& option);

}  // namespace frugal
