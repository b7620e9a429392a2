#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace frugal::robe {

/// The places of the tables that patterns mean, * and ? standing for any characters; without
/// patterns all. Fails (usage) with `path` for a pattern that means none.
std::vector<std::size_t> choose_tables(const std::vector<std::string>& tables,
                                       const std::vector<std::string>& patterns,
                                       const std::string& path);

}  // namespace frugal::robe
