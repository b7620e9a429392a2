#include "libcore/options/option_fields.h"

#include <doctest/doctest.h>

#include <limits>

#include "tests/support/refusal.h"

using namespace frugal;

namespace {

enum class Colour : std::uint8_t { red, green, blue };
constexpr std::array<std::string_view, 3> kColours = {"red", "green", "blue"};

/// A field of each type.
struct Everything {
  bool shuffle = true, fast = false;
  int shift = -3;
  std::uint32_t tables = 7;
  std::uint64_t big = std::numeric_limits<std::uint64_t>::max();
  std::int64_t wide = -1;
  float dropout = 0.1F;
  double rate = 1e-4;
  std::string name = "plain", input = "data.txt";
  std::vector<int> layers{1, 2};
  std::vector<std::uint64_t> sizes{3};
  std::vector<double> betas{0.9, 0.999};
  std::vector<std::string> columns;
  std::optional<int> level;
  Colour colour = Colour::green;
  bool colour_left = true;
  std::uint64_t buffer = std::uint64_t{8} << 20;
  double pause = 300;
  int verbose = 0;
  std::uint32_t hidden = 0;
};

OptionFields describe(Everything& o) {
  const OptionFields all;
  all.add("input", o.input, "data").required().keeps_result();
  all.add("--shuffle,!--no-shuffle", o.shuffle, "mix");
  all.add("-x,--fast", o.fast, "hurry");
  const OptionFields f = all.group("Numbers");
  f.add("--shift", o.shift, "whole").range(-10, 10);
  f.add("--tables", o.tables, "some");
  f.add("--big", o.big, "64 bits");
  f.add("--wide", o.wide, "with a sign").range(std::int64_t{-1}, std::int64_t{1} << 62);
  f.add("--dropout", o.dropout, "share").range(0.0, 0.99);
  f.add("--rate", o.rate, "of learning").positive();
  f.add("--hidden", o.hidden, "units").range(1, 4096).automatic(o.hidden, 0);
  f.add("--level", o.level, "auto", "of zstd").range(-7, 19);
  all.add("--name", o.name, "text");
  all.add("--layers", o.layers, "widths");
  all.add("--sizes", o.sizes, "more");
  all.add("--betas", o.betas, "decay").expected(2);
  all.add("--columns", o.columns, "names").choices({"a", "b"});
  all.add("--colour", o.colour, kColours, "of it").automatic(o.colour_left);
  all.add_bytes("--buffer", o.buffer, "room").keeps_result();
  all.add_duration("--pause", o.pause, "time");
  all.add_count("-v,--verbose", o.verbose, "more").keeps_result();
  return all;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("defaults are written as a user writes them, and read back to the same values") {
  Everything first, second;
  const OptionFields from = describe(first), to = describe(second);
  second = {false, true, 1,  1,     1, 1,           1,     1, "", "",
            {},    {},   {}, {"x"}, 3, Colour::red, false, 1, 1,  2};
  for (std::size_t i = 0; i < from.all().size(); ++i) {
    CAPTURE(from.all()[i].info().key);
    const Texts texts = from.all()[i].texts();
    if (!texts.empty()) CHECK(to.all()[i].store(texts));
    if (!texts.empty()) CHECK(to.all()[i].texts() == texts);
  }
  CHECK(second.dropout == first.dropout);
  CHECK(second.rate == first.rate);
  CHECK(second.big == first.big);
  CHECK(second.betas == first.betas);
  CHECK(second.buffer == first.buffer);
  CHECK(second.pause == first.pause);
  CHECK_FALSE(second.level.has_value());
  CHECK(second.colour_left);
  CHECK(from.field("--dropout").texts() == Texts{"0.1"});
  CHECK(from.field("--rate").texts() == Texts{"0.0001"});
  CHECK(from.field("--buffer").texts() == Texts{"8M"});
  CHECK(from.field("--pause").texts() == Texts{"5m"});
  first.rate = 0.1 + 0.2;
  CHECK(from.field("--rate").texts() == Texts{"0.30000000000000004"});
  first.buffer = 1537;
  CHECK(from.field("--buffer").texts() == Texts{"1537"});
  first.pause = 0.25;
  CHECK(from.field("--pause").texts() == Texts{"0.25s"});
}

TEST_CASE("a value that an option may not have leaves the variable as it was") {
  Everything o;
  const OptionFields f = describe(o);
  const auto refused = [&](const char* name, const Texts& texts) {
    return !f.field(name).store(texts);
  };
  CHECK(refused("--shift", {"11"}));
  CHECK(refused("--shift", {"99999999999"}));
  CHECK(refused("--tables", {"4294967296"}));
  CHECK(refused("--dropout", {"1"}));
  CHECK(refused("--rate", {"0"}));
  CHECK(refused("--level", {"20"}));
  CHECK(refused("--level", {"fast"}));
  CHECK(refused("--colour", {"pink"}));
  CHECK(refused("--columns", {"a", "c"}));
  CHECK(refused("--layers", {"1", "x"}));
  CHECK(refused("--buffer", {"8X"}));
  CHECK(refused("--fast", {"maybe"}));
  CHECK(o.shift == -3);
  CHECK(o.tables == 7);
  CHECK(o.colour == Colour::green);
  CHECK(o.layers == std::vector<int>{1, 2});
  CHECK(f.field("--level").store({"-7"}));
  CHECK(o.level == -7);
  CHECK(f.field("--colour").store({"blue"}));
  CHECK(o.colour == Colour::blue);
  CHECK_FALSE(o.colour_left);
  CHECK(f.field("--verbose").store({"true", "true"}));
  CHECK(o.verbose == 2);
}

TEST_CASE("a number left to the command is auto, whatever the variable holds then") {
  Everything o;
  const OptionFields f = describe(o);
  const OptionField& hidden = f.field("--hidden");
  CHECK(hidden.texts() == Texts{"auto"});
  CHECK(hidden.store({"7"}));
  CHECK(o.hidden == 7);
  CHECK(hidden.texts() == Texts{"7"});
  CHECK_FALSE(hidden.store({"0"}));
  CHECK(hidden.store({"auto"}));
  CHECK(o.hidden == 0);
  CHECK(hidden.info().metavar == "N|auto");
  CHECK(hidden.info().constraint == "a whole number from 1 to 4096");
}

TEST_CASE("the table says what values there are") {
  Everything o;
  const OptionFields f = describe(o);
  CHECK(f.field("--shift").info().expected == "a whole number from -10 to 10");
  CHECK(f.field("--wide").info().expected == "a whole number from -1 to 4611686018427387904");
  CHECK(f.field("--dropout").info().expected == "a number from 0 to 0.99");
  CHECK(f.field("--rate").info().expected == "a number above 0");
  CHECK(f.field("--level").info().expected == "auto or a whole number from -7 to 19");
  CHECK(f.field("--colour").info().expected == "one of auto, red, green, blue");
  CHECK(f.field("--colour").info().metavar == "auto|red|green|blue");
  CHECK(f.field("--colour").info().defaults == Texts{"auto"});
  CHECK(f.field("--shuffle").info().defaults == Texts{"true"});
  CHECK(f.field("--shuffle").info().negations == Texts{"no-shuffle"});
  CHECK_FALSE(f.field("--fast").info().has_default);
  CHECK(f.field("--level").info().group == "Numbers");
  CHECK(f.field("input").info().positional);
  CHECK(f.field("--columns").info().list);
}

TEST_CASE("a run's identity has every option but those that are said to keep results") {
  Everything o;
  const OptionFields f = describe(o);
  const OptionTexts before = result_options(f);
  CHECK(before.size() + 3 == f.all().size());
  CHECK(option_line(before).find("shift=-3 tables=7 big=18446744073709551615") !=
        std::string::npos);
  CHECK(option_line(before).find("layers=1,2 sizes=3 betas=0.9,0.999 columns= colour=auto") !=
        std::string::npos);
  o.buffer = 1, o.input = "other", o.verbose = 3;
  CHECK(result_options(f) == before);
  o.colour_left = false;
  CHECK(result_options(f) != before);
}

TEST_CASE("what would do nothing is refused where no command line said it, too") {
  Everything o, plain;
  const OptionFields f = describe(o), defaults = describe(plain);
  f.go_with({"--shift", "--rate"}, "--fast", [&o] { return o.fast; });
  refuse_without_effect(f, defaults);
  o.rate = 1;
  CHECK_THROWS_WITH(refuse_without_effect(f, defaults), "--rate goes with --fast");
  o.fast = true;
  refuse_without_effect(f, defaults);
}

namespace {

/// What a model's metadata say.
struct Stored {
  int layers = 2;
  std::uint64_t seed = 18446744073709551615U;
  double rate = 0.1;
  bool bias = true;
  std::string name = "a b";
  std::vector<std::size_t> sizes = {512, 256}, none;
  Colour colour = Colour::green;
};

OptionFields describe(Stored& o) {
  const OptionFields f;
  f.add("--head-layers", o.layers).range(1, 4);
  f.add("--seed", o.seed);
  f.add("--rate", o.rate).finite();
  f.add("--bias,!--no-bias", o.bias);
  f.add("name", o.name);
  f.add("sizes", o.sizes).range(1, 1000);
  f.add("none", o.none);
  f.add("colour", o.colour, kColours);
  return f;
}

}  // namespace

TEST_CASE(
    "options of a handle with a condition have it, and those of a run that counts are decided") {
  bool fast = false, slow = true;
  int rate = 0, steps = 4, plain = 1;
  std::string word;
  const auto described = [&] {
    OptionFields f;
    f.add("--fast", fast, "");
    const OptionFields with = f.going_with("--fast", [&fast] { return fast; });
    with.add("--rate", rate, "").automatic(rate, 0);
    with.going_with("--slow", [&slow] { return slow; }).add("--steps", steps, "");
    f.add("--plain", plain, "");
    f.add("--word", word, "");
    f.add("--file", word, "").keeps_result();
    return f;
  };
  const OptionFields defaults = described();
  CHECK(defaults.field("--rate").missing_condition() == "--fast");
  CHECK(defaults.field("--steps").missing_condition() == "--fast");
  CHECK(defaults.field("--plain").missing_condition().empty());
  CHECK(option_line(decided_options(defaults)) == "fast=false plain=1");
  fast = true;
  CHECK(option_line(decided_options(described())) == "fast=true steps=4 plain=1");
  rate = 3;
  slow = false;
  word = "w";
  const OptionFields given = described();
  CHECK(given.field("--steps").missing_condition() == "--slow");
  CHECK(option_line(decided_options(given)) == "fast=true rate=3 plain=1 word=w");
}

TEST_CASE("the first option that is given without effect is found") {
  struct {
    bool fast = true;
    int rate = 0, steps = 4;
  } given, plain;
  const auto described = [](auto& o) {
    OptionFields f;
    const OptionFields with = f.going_with("--fast", [&o] { return o.fast; });
    with.add("--rate", o.rate, "");
    with.add("--steps", o.steps, "");
    return f;
  };
  given.steps = 5;
  CHECK(given_without_effect(described(given), described(plain)) == nullptr);
  given.fast = false;
  const OptionFields fields = described(given);
  CHECK(given_without_effect(fields, described(plain)) == &fields.field("--steps"));
}

TEST_CASE("metadata that a description wrote give the same values back") {
  Stored o, back;
  o.layers = 4, o.rate = 1.0 / 3, o.bias = false, o.name = "", o.sizes = {7};
  std::map<std::string, std::string> metadata;
  write_metadata(describe(o), "m.", metadata);
  CHECK(metadata.at("m.head_layers") == "4");
  CHECK(metadata.at("m.sizes") == "7");
  CHECK(metadata.at("m.none").empty());
  CHECK(metadata.at("m.colour") == "green");
  metadata["other"] = "kept";
  read_metadata(describe(back), "m.", metadata, "file");
  CHECK(back.layers == 4);
  CHECK(back.seed == o.seed);
  CHECK(back.rate == o.rate);
  CHECK_FALSE(back.bias);
  CHECK(back.name.empty());
  CHECK(back.sizes == o.sizes);
  CHECK(back.none.empty());
  CHECK(back.colour == Colour::green);
}

TEST_CASE("metadata that no description wrote are refused by key and expectation") {
  Stored o;
  std::map<std::string, std::string> whole;
  write_metadata(describe(o), "m.", whole);
  CHECK(whole.at("m.sizes") == "512-256");
  const auto refusal = [&](const std::string& key, const std::string& value) {
    std::map<std::string, std::string> metadata = whole;
    metadata["m." + key] = value;
    return refusal_of([&] { read_metadata(describe(o), "m.", metadata, "file"); });
  };
  CHECK(refusal("head_layers", "5") ==
        "file: metadata 'm.head_layers' is '5', expected a whole number from 1 to 4");
  CHECK(refusal("head_layers", "01") != "");
  CHECK(refusal("seed", "-1") ==
        "file: metadata 'm.seed' is '-1', expected a whole number, 0 or more");
  CHECK(refusal("rate", "nan") == "file: metadata 'm.rate' is 'nan', expected a finite number");
  CHECK(refusal("bias", "\n") == "file: metadata 'm.bias' is '\\x0a', expected true or false");
  CHECK(refusal("sizes", "1--2") ==
        "file: metadata 'm.sizes' is '1--2', expected numbers with '-' between them, each a whole "
        "number from 1 to 1000");
  CHECK(refusal("colour", "pink") ==
        "file: metadata 'm.colour' is 'pink', expected one of red, green, blue");
  CHECK(refusal("bias", "no") != "");
  whole.erase("m.name");
  CHECK(refusal("colour", "red") == "file: metadata 'm.name' is missing");
}

TEST_CASE("an option takes one value, the last, or one for each of several types") {
  std::string split = "none";
  std::vector<std::string> typed;
  const OptionFields f;
  const OptionField& field = f.add_typed("--split", bind_value(split), typed, "");
  CHECK(field.texts() == std::vector<std::string>{"none"});
  CHECK(field.store({"0.5,0.5", "b=x,y", "a:to:b=1", "dir/c=d"}));
  CHECK(split == "dir/c=d");
  CHECK(typed == std::vector<std::string>{"b=x,y", "a:to:b=1"});
  CHECK(field.texts() == std::vector<std::string>{"dir/c=d", "b=x,y", "a:to:b=1"});
  CHECK(field.store({"b=z"}));
  CHECK(typed == std::vector<std::string>{"b=z"});
}
