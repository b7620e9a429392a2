#pragma once
#include <span>
#include <string>
#include <string_view>

namespace frugal {

/// For an option ("--lr") or a command that there is not: "; did you mean '--learning-rate'?", by
/// what other tools and programs call it, else by its letters; "" where nothing is near.
std::string name_guess(std::string_view word, std::span<const std::string> candidates);

}  // namespace frugal
