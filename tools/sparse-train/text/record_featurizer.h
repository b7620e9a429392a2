#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/text/example_parser.h"
#include "tools/sparse-train/text/featurizer.h"

namespace frugal::sparse {

/// Turns records into examples one at a time, as Featurizer::read() does whole inputs. One object
/// for each thread; the featurizer must outlive it.
class RecordFeaturizer {
 public:
  /// layout: of the records, by Featurizer::layout_of(), else as the training data had them, with
  /// or without the label's column.
  explicit RecordFeaturizer(const Featurizer& featurizer, std::optional<InputLayout> layout = {});

  /// Appends the record's example to the dataset, with labels if the record has some. An empty
  /// record is an example without features. Fails (bad_input) without the place.
  void add(std::string_view record, Dataset& dataset);

  /// Categories of all records so far, and how many of them are unknown.
  const std::vector<ColumnValues>& column_values() const { return values_; }

  /// From now on names() has what each feature of the last example stands for: "new york",
  /// "chars:ork", "brand=acme", "price in [2, 3.5)", "day weekday=Mon", "feature 17".
  void keep_names();
  const std::vector<std::string>& names() const { return names_; }

 private:
  void find_names(const std::vector<std::uint32_t>& features);

  const FeaturizerState& state_;
  InputLayout layout_;
  ExampleParser parser_;
  std::vector<ColumnValues> values_;
  bool keeps_names_ = false;
  std::vector<std::string> names_;
};

}  // namespace frugal::sparse
