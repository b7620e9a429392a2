#include "libcore/tables/unicode_folding.h"

#include <doctest/doctest.h>

#include <string>

using namespace frugal;

namespace {

std::string folded(const std::string& text, const UnicodeRules& rules = {}) {
  return std::string(UnicodeFolding(rules).fold(text));
}

}  // namespace

TEST_CASE("upper and lower case of all scripts are one") {
  for (const auto& [lower, upper] : {std::pair{"é", "É"},
                                     {"straße", "strasse"},
                                     {"ș", "Ș"},
                                     {"tiếng việt", "tiẾng viỆt"},
                                     {"ꞌ", "Ꞌ"},
                                     {"ĳ", "Ĳ"},
                                     {"ǆ", "Ǆ"},
                                     {"ἀγάπη", "ἈΓΆΠΗ"},
                                     {"οδος", "ΟΔΟΣ"},
                                     {"љубав", "ЉУБАВ"},
                                     {"բառ", "ԲԱՌ"},
                                     {"ღვინო", "ᲦᲕᲘᲜᲝ"},
                                     {"ɓ", "Ɓ"},
                                     {"ə", "Ə"},
                                     {"ŋ", "Ŋ"},
                                     {"ⲁⲃ", "ⲀⲂ"},
                                     {"𐐨𐐩", "𐐀𐐁"},
                                     {"ístanbul ışık", "Ístanbul işik"},
                                     {"i\u0307", "İ"}}) {
    CHECK(folded(lower) == folded(upper));
    CHECK(folded(lower, {true, false}) != folded(upper, {true, false}));
  }
}

TEST_CASE("spellings of one word have the same bytes") {
  for (const auto& [a, b] : {std::pair{"café", "cafe\u0301"},
                             {"한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8"},
                             {"ệ", "e\u0302\u0323"},
                             {"donaudampf", "donau\u00addampf"},
                             {"ශ්‍රී", "ශ්රී"},
                             {"می\u200cخواهم", "میخواهم"},
                             {"word", "\ufeffword"},
                             {"עולם", "עולם\u200f"},
                             {"कि\u200dताब", "किताब"},
                             {"كتاب", "كتـــاب"},
                             {"e\u200d\u0301", "é"},
                             {"क\u093c", "\u0958"}}) {
    CHECK(folded(a) == folded(b));
    CHECK(folded(a, {false}) == folded(b, {false}));
  }
}

TEST_CASE("compatible forms are plain ones where that is asked for") {
  for (const auto& [plain, form] : {std::pair{"abc 123", "ａｂｃ　１２３"},
                                    {"カタカナガ", "ｶﾀｶﾅｶﾞ"},
                                    {"50 kg", "50 kᵍ"},
                                    {"123", "١٢٣"},
                                    {"2023", "२०२३"},
                                    {"x2", "x²"},
                                    {"a", "𝐚"}}) {
    CHECK(folded(plain) == folded(form));
    CHECK(folded(plain, {false}) != folded(form, {false}));
  }
}

TEST_CASE("combining marks are parts of words, in scripts that write vowels with them") {
  for (const char* word : {"हिन्दी", "தமிழ்", "ภาษาไทย", "বাংলা", "မြန်မာ"})
    CHECK(folded(word) == word);
}

TEST_CASE("bytes that are no UTF-8 stay") {
  CHECK(folded("x\xff\xc3 \xed\xa0\x80\xe4\xbd") == "x\xff\xc3 \xed\xa0\x80\xe4\xbd");
  CHECK(folded("\xcc\x81"
               "a") ==
        "\xcc\x81"
        "a");
}

TEST_CASE("marks without end take linear time, and long expansions fit") {
  std::string text = "e";
  for (int i = 0; i < 200000; ++i) text += "\u0323\u0301";
  CHECK(folded(text).size() > 500000);
  CHECK(folded("\ufdfa") == "صلى الله عليه وسلم");
}
