#pragma once
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
  command.describe = [&o](const OptionFields& f) {
    f.add("inputs", o.inputs, "files");
    f.add("--name", o.name, "any text").environment("FRUGAL_TEST_NAME");
    f.add("--rate", o.rate, "learning rate").positive();
    f.add("--shift", o.shift, "whole").range(-10, 10).environment("FRUGAL_TEST_SHIFT");
    f.add("--big", o.big, "64 bits");
    f.add("--shuffle,!--no-shuffle", o.shuffle, "shuffle");
    f.add("-x,--fast", o.fast, "hurry");
    f.add("--lsh-layers", o.layers, "widths").environment("FRUGAL_TEST_LAYERS");
    f.add("--columns", o.columns, "names");
    f.add("--loss", o.loss, "loss").choices({"softmax", "bce"});
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
