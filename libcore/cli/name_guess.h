#pragma once
#include <span>
#include <string>
#include <string_view>

namespace frugal {

/// Suggestion for an unknown option ("--lr") or command: "; did you mean '--learning-rate'?". It
/// uses the names in other tools and programs, then similar spelling; "" if nothing is near.
std::string name_guess(std::string_view word, std::span<const std::string> candidates);

}  // namespace frugal
