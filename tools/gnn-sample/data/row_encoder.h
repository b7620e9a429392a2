#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/text.h"
#include "libcore/tables/unicode_folding.h"
#include "tools/gnn-sample/data/feature_columns.h"

namespace frugal::gnn {

/// True for number and date, whose fields number_of() reads.
bool is_number_type(FeatureType type);
/// Number of a field that F32 holds, or seconds since 1970 of a date, which may be a number such as
/// 20240229 or a Unix time; nothing if it is neither.
/// separator: that of the fields, as for parse_number_between().
std::optional<double> number_of(std::string_view field, FeatureType type, char separator);

/// Calls use(value) for each value of a category's field that is not missing. separator: between
/// the values, as in FeatureColumn.
template <class Use>
void for_each_value(std::string_view field, const std::string& separator, const Use& use) {
  while (true) {
    const std::size_t end = separator.empty() ? field.npos : field.find(separator);
    const std::string_view value = trim(field.substr(0, end));
    if (!is_missing(value)) use(value);
    if (end == field.npos) return;
    field.remove_prefix(end + separator.size());
  }
}

/// Features of some rows, one behind the other, columns ascending in each.
struct RowFeatures {
  std::vector<std::uint32_t> columns;
  std::vector<float> values;

  /// Adds a value that is not 0.
  void add(std::size_t column, double value);
};

/// Makes features of the fields of a row, as FeatureColumn says. Each thread needs its own object.
class RowEncoder {
 public:
  /// Borrows the columns.
  RowEncoder(const FeatureColumns& columns, char separator)
      : columns_(columns), separator_(separator), folding_(UnicodeRules{}) {}

  /// Adds the features of a field of column `column`, which begin with feature `first`.
  void add(std::size_t column, std::string_view field, std::size_t first, RowFeatures& out);

 private:
  void add_values(const FeatureColumn& c, std::string_view field, std::size_t first,
                  RowFeatures& out);
  void add_words(const FeatureColumn& c, std::string_view field, std::size_t first,
                 RowFeatures& out);

  const FeatureColumns& columns_;
  char separator_;
  UnicodeFolding folding_;
  std::string lower_;  ///< the text of a field of words, in lower case
  std::vector<std::size_t> found_;
};

}  // namespace frugal::gnn
