#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace frugal::robe {

/// The words of a line of libfm or svmlight, between blanks: the label, if there is one, and pairs.
/// Splits a line into words. Text after '#' is a comment, and "qid:N" is no pair.
void split_words(std::string_view line, std::vector<std::string_view>& words);

/// A pair of a line: "id:1", or libffm's "field:id:1".
struct ClickPair {
  std::string_view field;  ///< empty if the pair names none
  std::string_view id;
  bool has_field = false;
};

/// Splits a pair. Fails (bad_input), without place, for other words: categories have no other
/// value.
ClickPair split_pair(std::string_view word);

/// Names of the columns of the first line's pairs: the fields that they name, otherwise the numbers
/// from 1. Fails (bad_input) with `name`.
std::vector<std::string> names_of_pairs(const std::string& name,
                                        const std::vector<std::string_view>& pairs);

/// Fails (bad_input), without place: a line has two pairs of that field.
[[noreturn]] void refuse_field_twice(std::string_view field);

}  // namespace frugal::robe
