#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tables/table_columns.h"

namespace frugal::gnn {

/// Types of the columns of a table that become features.
enum class FeatureType { number, date, category, words, ignore };
extern const ColumnTypes<FeatureType> kFeatureTypes;

/// Limits of a feature column.
inline constexpr std::size_t kMostCategories = 65536;
inline constexpr std::size_t kMostWordColumns = std::size_t{1} << 20;

/// How a column of a table becomes features.
///
/// number, date: (x - mean) / deviation. A second feature is 1 where the value is missing, if a
///   value was missing in the table that the column was made from.
/// category: a feature for each of `values`; those of the field are 1.
/// words: a feature for each bucket that words are hashed to, log(1 + number of its words in the
///   field). The features of a field are then divided by their length.
/// ignore: none.
struct FeatureColumn {
  std::string name;
  FeatureType type = FeatureType::ignore;
  std::string separator;  ///< category: between the values of a field; "": a field is one value
  double mean = 0, deviation = 1;
  bool marks_missing = false;       ///< the second feature exists
  std::vector<std::string> values;  ///< category: ascending
  std::size_t buckets = 0;          ///< words

  std::size_t num_features() const;
  bool operator==(const FeatureColumn&) const = default;
};

/// Metadata key of a graph, and of a model that was trained on it, with the text of FeatureColumns.
inline constexpr char kFeatureColumnsKey[] = "graph.feature_columns";

/// Metadata key of a graph whose features were normalized beyond what FeatureColumns says: row or
/// standardize. Models have it with "none", too; those of earlier versions do not.
inline constexpr char kFeaturesNormalizedKey[] = "graph.features_normalized";

/// How a table becomes features: those of its columns one after the other.
struct FeatureColumns {
  std::vector<FeatureColumn> columns;

  /// Numbers that become features as they are.
  static FeatureColumns raw(const std::vector<std::string>& names);
  /// True if there are columns and all are as raw() makes them.
  bool are_raw() const;

  std::size_t num_features() const;
  bool operator==(const FeatureColumns&) const = default;
  /// As JSON, from which parse() makes the same columns.
  std::string text() const;
  /// Fails (bad_input) with `place` where the text is not of text().
  static FeatureColumns parse(std::string_view text, const std::string& place);
  /// A short description of each column: "age:number", "city:category(214)".
  std::vector<std::string> summaries() const;
};

}  // namespace frugal::gnn
