#include "libcore/cli/command_options.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "libcore/base/rng.h"
#include "test_tool.h"

using namespace frugal;
using namespace frugal::test;

namespace {

/// A configuration file that is there while the object lives.
class ConfigFile {
 public:
  explicit ConfigFile(const std::string& text, const std::string& name = "a")
      : path_(std::filesystem::temp_directory_path() /
              ("frugal_cli_" + std::to_string(getpid()) + name + ".yml")) {
    std::ofstream(path_) << text;
  }
  ~ConfigFile() { std::filesystem::remove(path_); }
  ConfigFile(const ConfigFile&) = delete;
  ConfigFile& operator=(const ConfigFile&) = delete;
  std::string path() const { return path_; }

 private:
  std::filesystem::path path_;
};

int shift_of(const std::vector<std::string>& words) { return Parsed(words).options.shift; }
std::vector<int> layers_of(const std::vector<std::string>& words) {
  return Parsed(words).options.layers;
}
std::string message(const std::vector<std::string>& words) {
  return message_of([&] { Parsed parsed(words); });
}

}  // namespace

TEST_CASE("each layer wins over every weaker one, whichever of them are there") {
  const ConfigFile first("shift: 1", "1"), second("shift: 2", "2");
  for (int mask = 0; mask < 32; ++mask) {
    CAPTURE(mask);
    std::vector<std::string> words;
    int expected = -3;
    if (mask & 1) words.insert(words.end(), {"--config", first.path()}), expected = 1;
    if (mask & 2) words.insert(words.end(), {"--config", second.path()}), expected = 2;
    std::optional<ScopedVariable> variable;
    if (mask & 4) variable.emplace("FRUGAL_TEST_SHIFT", "3"), expected = 3;
    if (mask & 16) words.insert(words.begin(), {"--shift", "5"});
    if (mask & 8) words.insert(words.end(), {"--set", "shift=4"}), expected = 4;
    if (mask & 16) expected = 5;
    CHECK(shift_of(words) == expected);
  }
}

TEST_CASE("a later list replaces an earlier one as a whole") {
  const ConfigFile first("lsh: {layers: [1, 2, 3]}", "1"), second("lsh-layers: [4, 5]", "2");
  CHECK(layers_of({"--config", first.path()}) == std::vector<int>{1, 2, 3});
  CHECK(layers_of({"--config", first.path(), "--config", second.path()}) == std::vector<int>{4, 5});
  const ScopedVariable variable("FRUGAL_TEST_LAYERS", "6,7");
  CHECK(layers_of({"--config", first.path()}) == std::vector<int>{6, 7});
  CHECK(layers_of({"--set", "lsh.layers=[8]"}) == std::vector<int>{8});
  CHECK(layers_of({"--set", "lsh.layers=8,9"}) == std::vector<int>{8, 9});
  CHECK(layers_of({"--set", "lsh.layers=[8]", "--lsh-layers", "10,11"}) ==
        std::vector<int>{10, 11});
  CHECK(layers_of({"--lsh-layers", "1", "--lsh-layers=2"}) == std::vector<int>{2});
  CHECK(layers_of({"--set", "lsh.layers=[]"}).empty());
}

TEST_CASE("an empty environment variable says nothing") {
  const ScopedVariable variable("FRUGAL_TEST_SHIFT", "");
  CHECK(shift_of({}) == -3);
}

TEST_CASE("common options have variables, and counting flags add up within a layer") {
  const ScopedVariable seed("FRUGAL_SEED", "7");
  CHECK(Parsed({}).bound.common.seed == 7);
  CHECK(Parsed({"--seed", "8"}).bound.common.seed == 8);
  CHECK(Parsed({"-vv"}).bound.common.verbose == 2);
  CHECK(Parsed({"--set", "verbose=1", "-vv"}).bound.common.verbose == 2);
  CHECK(Parsed({"--set", "verbose=2"}).bound.common.verbose == 2);
}

TEST_CASE("flags can be switched off and on by every layer") {
  CHECK_FALSE(Parsed({"--no-shuffle"}).options.shuffle);
  CHECK_FALSE(Parsed({"--shuffle=false"}).options.shuffle);
  CHECK_FALSE(Parsed({"--set", "shuffle=no"}).options.shuffle);
  CHECK(Parsed({"--set", "shuffle=false", "--shuffle"}).options.shuffle);
  CHECK_FALSE(Parsed({"--set", "fast=true", "--fast=false"}).options.fast);
}

TEST_CASE("arguments that are not options can also come from a configuration") {
  const ConfigFile file("inputs: [\"a b\", \"c,d\"]");
  CHECK(Parsed({"--config", file.path()}).options.inputs == std::vector<std::string>{"a b", "c,d"});
  CHECK(Parsed({"--config", file.path(), "x,y"}).options.inputs == std::vector<std::string>{"x,y"});
}

TEST_CASE("errors say where the value came from, what was found and what was expected") {
  const ConfigFile typo("rate: 1\nlsh:\n  layrs: 3\n", "1"), type("name: x\nshift: abc\n", "2"),
      range("\nshift: 11\n", "3"), list("shift: [1, 2]\n", "4");
  CHECK(message({"--config", typo.path()}) ==
        typo.path() + ": line 3: unknown option 'lsh-layrs'; did you mean 'lsh-layers'?");
  CHECK(message({"--config", type.path()}) ==
        type.path() + ": line 2: 'shift' is 'abc', expected a whole number from -10 to 10");
  CHECK(message({"--config", range.path()}) ==
        range.path() + ": line 2: 'shift' is '11', expected a whole number from -10 to 10");
  CHECK(message({"--config", list.path()}) ==
        list.path() + ": line 1: 'shift' is a list, expected one value");
  CHECK(message({"--rate", "0"}) == "--rate is '0', expected a number above 0");
  CHECK(message({"--loss", "sofmax"}) == "--loss is 'sofmax', expected one of softmax, bce");
  CHECK(message({"--set", "shfit=1"}) == "--set: unknown option 'shfit'; did you mean 'shift'?");
  CHECK(message({"--set", "shift=x"}) ==
        "--set shift is 'x', expected a whole number from -10 to 10");
  CHECK(message({"--set", "shift"}) == "--set 'shift': expected NAME=VALUE");
  CHECK(message({"--big", "-1"}) == "--big is '-1', expected a whole number, 0 or more");
  const ScopedVariable variable("FRUGAL_TEST_SHIFT", "1.5");
  CHECK(message({}) ==
        "environment: FRUGAL_TEST_SHIFT is '1.5', expected a whole number from -10 to 10");
}

TEST_CASE("a bad value is an error even where a stronger layer replaces it") {
  const ConfigFile file("shift: abc");
  CHECK(message({"--config", file.path(), "--shift", "1"}).find("line 1") != std::string::npos);
}

TEST_CASE("numbers are read strictly") {
  for (const char* text : {"010", "0x10", "1e2", "", " 1", "+1", "99999999999", "1.0"}) {
    CAPTURE(text);
    CHECK(message({"--set", std::string("shift=") + text}) != "");
  }
  for (const char* text : {"nan", "1e999", "0x1p3", "1,5", "1e", ".", "--1"}) {
    CAPTURE(text);
    CHECK(message({"--rate", text}) != "");
  }
  CHECK(Parsed({"--rate", "1e-300"}).options.rate == 1e-300);
  CHECK(Parsed({"--big", "18446744073709551615"}).options.big == 18446744073709551615u);
  CHECK(message({"--big", "18446744073709551616"}) != "");
}

namespace {

/// Options that depend on others.
struct Dependent {
  std::string kind = "plain";
  int heads = 4, walks = 0;
  std::string seeds = "train", edges, note;
  std::vector<std::string> given;

  Command command() {
    Command command;
    command.name = "show";
    command.describe = [this](const OptionFields& f) {
      f.add("--kind", kind, "what");
      f.add("--heads", heads, "some").goes_with("--kind gat", [this] { return kind == "gat"; });
      f.add("--walks", walks, "steps");
      f.add("--seeds", seeds, "nodes");
      f.add("--edges", edges, "links").excludes("seeds");
      f.add("--note", note, "text").needs("walks");
      f.go_with({"--note", "--heads"}, "few walks", [this] { return walks < 9; });
      f.note_given({"--edges", "--seeds", "--walks"}, given);
    };
    return command;
  }
};

std::string dependent_message(const std::vector<std::string>& words) {
  Dependent options;
  BoundOptions bound;
  return message_of([&] {
    CommandOptions table(options.command(), bound);
    table.apply_layers(words);
  });
}

}  // namespace

TEST_CASE("an option that would do nothing is an error, its default in a configuration is none") {
  CHECK(dependent_message({"--heads", "8"}) == "--heads goes with --kind gat");
  CHECK(dependent_message({"--heads", "4"}) == "--heads goes with --kind gat");
  CHECK(dependent_message({"--set", "heads=8"}) == "--heads goes with --kind gat");
  CHECK(dependent_message({"--set", "heads=4"}).empty());
  CHECK(dependent_message({"--heads", "8", "--kind", "gat"}).empty());
  CHECK(dependent_message({"--heads", "8", "--kind", "gat", "--walks", "9"}) ==
        "--heads goes with few walks");
  CHECK(dependent_message({"--seeds", "all", "--edges", "e"}) ==
        "--seeds and --edges cannot be used together");
  CHECK(dependent_message({"--set", "seeds=train", "--edges", "e"}).empty());
  CHECK(dependent_message({"--note", "a"}) == "--note needs --walks too");
  CHECK(dependent_message({"--note", "a", "--walks", "1"}).empty());
  Dependent options;
  BoundOptions bound;
  CommandOptions table(options.command(), bound);
  table.apply_layers({"--edges", "e", "--walks", "0", "--set", "seeds=train"});
  CHECK(options.given == std::vector<std::string>{"--walks", "--edges"});
  const ConfigFile config(table.config_text("show"));
  CHECK(dependent_message({"--config", config.path()}).empty());
}

TEST_CASE("what --config and --set configure cannot configure themselves") {
  CHECK(message({"--set", "config=x"}).find("unknown option 'config'") != std::string::npos);
  CHECK(message({"--set", "print-config=true"}).find("unknown option") != std::string::npos);
}

TEST_CASE("a missing configuration cannot be opened, a directory cannot be read") {
  CHECK(message({"--config", "no/such/file.yml"}) ==
        "no/such/file.yml: cannot open: No such file or directory");
  CHECK(message({"--config", "/"}) == "/: cannot open: is a folder");
}

TEST_CASE("--print-config round-trips every type with awkward values") {
  const std::vector<std::string> texts{
      "-",    "yes", "no",   "1e3",   "",        "a b",       "null", "~",           "[a]",
      "{}",   "# x", "a: b", "\"q\"", "back\\s", "new\nline", "\t",   "tr\xc3\xa9s", " lead",
      "0x1F", "'",   "a,b",  "%",     "&a",      "*a",        "!t",   "\x01"};
  for (const std::string& text : texts) {
    CAPTURE(text);
    Parsed first({"--name=" + text, "--rate", "1e-300", "--big", "18446744073709551615",
                  "--no-shuffle", "-x", "--set", "lsh.layers=[]", "-vv", "--", text, "a b"});
    CHECK(first.options.name == text);
    const std::string written = first.table.config_text("test");
    const ConfigFile file(written);
    Parsed second({"--config", file.path()});
    CHECK(second.options.name == text);
    CHECK(second.options.rate == 1e-300);
    CHECK(second.options.big == 18446744073709551615u);
    CHECK_FALSE(second.options.shuffle);
    CHECK(second.options.fast);
    CHECK(second.options.layers.empty());
    CHECK(second.options.columns == first.options.columns);
    CHECK(second.options.inputs == std::vector<std::string>{text, "a b"});
    CHECK(second.bound.common.verbose == 2);
    CHECK(second.table.config_text("test") == written);
  }
}

TEST_CASE("--print-config of nothing but defaults reads back as the defaults") {
  const std::string written = Parsed({}).table.config_text("test");
  const ConfigFile file(written);
  Parsed again({"--config", file.path()});
  CHECK(again.options.shift == -3);
  CHECK(again.options.layers == std::vector<int>{128});
  CHECK(again.options.columns == std::vector<std::string>{"a", "b"});
  CHECK(again.options.shuffle);
  CHECK(again.table.config_text("test") == written);
}

TEST_CASE("--config reads are bounded and strict") {
  const auto config_message = [](const std::string& text) {
    return message_of([&] { parse_config(text, "c.yml"); });
  };
  CHECK(config_message("a: 1\nb: [1\n") ==
        "c.yml: line 3: not valid YAML: end of sequence flow not found");
  CHECK(config_message("a: 1\na: 2\n") == "c.yml: line 2: 'a' is given twice");
  CHECK(config_message("a: {b: 1}\na-b: 2\n") == "c.yml: line 2: 'a-b' is given twice");
  CHECK(config_message("- a\n") == "c.yml: line 1: expected 'name: value' lines");
  CHECK(config_message("a:\n") == "c.yml: line 1: 'a' has no value; write \"\" for an empty one");
  CHECK(config_message("a: [[1]]\n") == "c.yml: line 1: 'a' may hold plain values only");
  CHECK(config_message("[a]: 1\n") == "c.yml: line 1: expected a name before ':'");
  CHECK(config_message("a: 1\n---\nb: 1\n") ==
        "c.yml: line 2: expected one YAML document, found more");
  CHECK(config_message("a: \xff\n") == "c.yml: not UTF-8 text");
  CHECK(config_message(std::string("a: b\0_c\n", 8)) == "c.yml: a NUL byte, not text");
  for (const char* text : {"a: \"\\_\"\n", "a: [\"\\N\"]\n", "\"\\_\": 1\n"}) {
    CHECK(config_message(text) == "c.yml: line 1: YAML's \\N and \\_ are not read");
  }
  CHECK(config_message("") == "");
  CHECK(config_message("# nothing\n") == "");
  CHECK(config_message("a: *b\n").find("c.yml: line 1: not valid YAML") == 0);
  std::string deep;
  for (int i = 0; i < 40; ++i) deep += "{a: ";
  CHECK(config_message(deep + "1" + std::string(40, '}')).find("nested more than") !=
        std::string::npos);
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "a" + std::to_string(i) + ": 1\n";
  CHECK(config_message(many) == "c.yml: line 4097: more than 4096 settings");
  CHECK(config_message("a: &x 1\nb: *x\n") == "c.yml: line 2: YAML aliases are not read");
}

TEST_CASE("no text makes the reader of configurations hang, crash or take much memory") {
  // "," and "%" made yaml-cpp's own LoadAll() run for ever.
  for (const char* piece :
       {"[", "{",  "- ", "? ", "{a: ", "&a ", "!!",  "\"",  "'",     "|",     "a: ",         ",",
        "%", "[]", "*",  "\t", "- [",  "{a,", "%\n", "x\n", "---\n", "...\n", "\xef\xbb\xbf"}) {
    CAPTURE(piece);
    std::string text;
    while (text.size() < 20000) text += piece;
    message_of([&] { parse_config(text, "c.yml"); });
    message_of([&] { parse_config("a: " + text, "c.yml"); });
  }
  Rng rng(1);
  static constexpr std::string_view kLetters = "ab:-[]{},\n \t\"'|>&*!#%?~1\\.<";
  for (std::uint64_t i = 0; i < 3000; ++i) {
    std::string text;
    for (std::uint64_t k = 0; k < 1 + i % 40; ++k) {
      text += kLetters[rng.below(kLetters.size())];
    }
    CAPTURE(text);
    message_of([&] { parse_config(text, "c.yml"); });
  }
}
