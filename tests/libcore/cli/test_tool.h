#pragma once
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "libcore/cli/command_options.h"

namespace frugal::test {

/// One option of each type, as a tool would register them.
struct AllTypes {
  std::vector<std::string> inputs;
  std::string name = "plain";
  double rate = 0.05;
  int shift = -3;
  std::uint64_t big = 1;
  bool shuffle = true;
  bool fast = false;
  std::vector<int> layers{128};
  std::vector<std::string> columns{"a", "b"};
  std::string loss = "softmax";
};

inline Command all_types_command(AllTypes& o) {
  Command command;
  command.name = "show";
  command.summary = "shows options";
  command.add_options = [&o](CLI::App& app) {
    app.add_option("inputs", o.inputs, "files");
    app.add_option("--name", o.name, "any text")->envname("FRUGAL_TEST_NAME");
    app.add_option("--rate", o.rate, "learning rate")->check(CLI::PositiveNumber);
    app.add_option("--shift", o.shift, "whole")
        ->check(CLI::Range(-10, 10))
        ->envname("FRUGAL_TEST_SHIFT");
    app.add_option("--big", o.big, "64 bits");
    app.add_flag("--shuffle,!--no-shuffle", o.shuffle, "shuffle")->default_str("true");
    app.add_flag("-x,--fast", o.fast, "hurry");
    app.add_option("--lsh-layers", o.layers, "widths")->envname("FRUGAL_TEST_LAYERS");
    app.add_option("--columns", o.columns, "names");
    app.add_option("--loss", o.loss, "loss")
        ->check(CLI::IsMember(std::vector<std::string>{"softmax", "bce"}));
  };
  command.uses.seed = true;
  return command;
}

/// A fresh set of options to which the words are applied.
struct Parsed {
  AllTypes options;
  BoundOptions bound;
  Command command = all_types_command(options);
  CommandOptions table{command, bound};

  explicit Parsed(const std::vector<std::string>& words) { table.apply_layers(words); }
};

/// An environment variable for the time of a test.
class ScopedVariable {
 public:
  ScopedVariable(std::string name, const std::string& value) : name_(std::move(name)) {
    setenv(name_.c_str(), value.c_str(), 1);
  }
  ~ScopedVariable() { unsetenv(name_.c_str()); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  std::string name_;
};

/// The message of the Error that body() throws, "" where it throws none.
template <class Body>
std::string message_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace frugal::test
