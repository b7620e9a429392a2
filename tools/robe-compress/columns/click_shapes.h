#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frugal::robe {

/// Rows of the embedding tables of a public data set; all have 13 numbers and 26 categories.
struct ClickShape {
  std::string_view name;
  std::string_view description;
  std::vector<std::uint64_t> rows;  ///< by field
};

/// kaggle, terabyte, small.
const std::vector<ClickShape>& click_shapes();
/// Fails (usage) with `option`, naming those there are.
const ClickShape& click_shape(std::string_view name, std::string_view option);

/// Tables above 20,000 rows divided by `scale`, but not below 20,000.
std::vector<std::uint64_t> scaled_rows(const ClickShape& shape, double scale);

/// "100,20,5", or the tables of a shape: "terabyte", "terabyte/100" (scaled). Fails (usage) with
/// `option`.
std::vector<std::uint64_t> parse_rows(std::string_view text, std::string_view option);

}  // namespace frugal::robe
