#pragma once
#include <string>

namespace frugal::sparse {

/// A name where blanks end it: as it is, or as a JSON string where it is empty or has blanks,
/// quotes or control characters.
std::string as_word(const std::string& name);
/// A name where tabs and line ends end it: the same, but blanks are characters like others.
std::string as_field(const std::string& name);

}  // namespace frugal::sparse
