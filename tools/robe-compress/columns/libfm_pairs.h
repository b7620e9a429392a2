#pragma once
#include <string_view>
#include <vector>

namespace frugal::robe {

/// The words of a line of libfm or svmlight, between blanks: the label, if there is one, and pairs.
/// Splits a line into words. Text after '#' is a comment, and "qid:N" is no pair.
void split_words(std::string_view line, std::vector<std::string_view>& words);

/// The id of "id:1", or of libffm's "field:id:1". Fails (bad_input), without place, for other
/// words: categories have no other value.
std::string_view id_of_pair(std::string_view word);

}  // namespace frugal::robe
