#include "tools/robe-compress/columns/libfm_pairs.h"

#include <algorithm>
#include <unordered_set>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/tables/text_kind.h"

namespace frugal::robe {

void split_words(std::string_view line, std::vector<std::string_view>& words) {
  constexpr std::string_view kBlanks = " \t\r";
  words.clear();
  for (std::size_t at = 0; (at = line.find_first_not_of(kBlanks, at)) < line.size();) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    const std::string_view word = line.substr(at, end - at);
    at = end;
    if (word.starts_with('#')) return;
    if (!word.starts_with("qid:")) words.push_back(word);
  }
}

ClickPair split_pair(std::string_view word) {
  const std::size_t colon = word.rfind(':');
  const bool has_value = colon != std::string_view::npos && colon > 0;
  const std::string_view value = has_value ? word.substr(colon + 1) : "";
  if (value != "1" && parse_number<double>(value) != 1.0) {
    fail(ExitStatus::bad_input, "found '", printable(word, 30),
         "', expected id:1 (a pair stands for a category; numbers go into columns of a csv)");
  }
  const std::string_view key = word.substr(0, colon);
  const std::size_t end = key.find(':');
  if (end == std::string_view::npos) return {{}, key, false};
  return {key.substr(0, end), key.substr(end + 1), true};
}

std::vector<std::string> names_of_pairs(const std::string& name,
                                        const std::vector<std::string_view>& pairs) try {
  std::vector<std::string> names;
  std::unordered_set<std::string> fields;
  for (const std::string_view word : pairs) {
    const ClickPair pair = split_pair(word);
    if (pair.has_field != split_pair(pairs.front()).has_field) {
      fail(ExitStatus::bad_input, "found '", printable(pairs.front(), 30), "' and '",
           printable(word, 30), "', expected id:1 in all pairs, or field:id:1 in all");
    }
    names.push_back(pair.has_field ? std::string(pair.field) : std::to_string(names.size() + 1));
    if (find_non_text(names.back()) != std::string::npos) {
      fail(ExitStatus::bad_input, "found the field '", printable(names.back(), 30),
           "', expected UTF-8 without control characters");
    }
    if (!fields.insert(names.back()).second) refuse_field_twice(names.back());
  }
  return names;
} catch (const Error& error) {
  fail(error.status(), name, ":1: ", error.what());
}

void refuse_field_twice(std::string_view field) {
  fail(ExitStatus::bad_input, "found the field '", printable(field, 30),
       "' twice, expected each field once in a line");
}

}  // namespace frugal::robe
