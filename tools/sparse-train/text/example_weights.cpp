#include "tools/sparse-train/text/example_weights.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/tables/record_reader.h"

namespace frugal::sparse {
namespace {

std::vector<double> balanced_weights(const Dataset& data) {
  std::vector<double> counts(data.num_labels);
  for (const std::uint32_t l : std::as_const(data.labels)) ++counts[l];
  const auto used =
      counts.size() - static_cast<std::size_t>(std::count(counts.begin(), counts.end(), 0));
  const double mean = static_cast<double>(data.labels.size()) / static_cast<double>(used);
  for (double& count : counts) count = count == 0 ? 1 : mean / count;
  return counts;
}

/// Reads lines "label,weight", quotes as in CSV, with or without a header.
class WeightFile {
 public:
  WeightFile(const std::string& path, const LabelTable& labels)
      : path_(path), labels_(labels), reader_(path, DelimitedStyle::csv()), lines_(labels.size()) {}

  std::vector<double> read() {
    std::vector<double> weights(labels_.size(), 1);
    bool is_empty = true;
    for (std::string_view record; reader_.next(record);) {
      if (trim(record).empty()) continue;
      parser_.parse(record, fields_);
      if (!parser_.problem().empty()) {
        fail(ExitStatus::bad_input, reader_.place(), ": ", parser_.problem());
      }
      if (reader_.line_number() == 1 && is_header()) continue;
      weights[label(record)] = *weight();
      is_empty = false;
    }
    if (!is_empty) return weights;
    fail(ExitStatus::bad_input, path_, ": has no weights, expected lines 'label,weight'");
  }

 private:
  std::optional<double> weight() const {
    const auto found = fields_.size() == 2 ? parse_finite<double>(trim(fields_[1])) : std::nullopt;
    return found && *found >= 0 ? found : std::nullopt;
  }
  std::uint32_t find_label() const { return labels_.find(std::string(trim(fields_[0]))); }

  /// Two names. "food,nan" is a weight that cannot be read, and "food" none of two.
  bool is_header() const {
    return fields_.size() == 2 && !is_missing(fields_[1]) &&
           !parse_number<double>(trim(fields_[1])) && find_label() == LabelTable::kMissing;
  }

  /// The label of the line, whose weight can be read.
  std::uint32_t label(std::string_view record) {
    if (!weight()) {
      fail(ExitStatus::bad_input, reader_.place(), ": found '", printable(record),
           "', expected 'label,weight' with a weight of at least 0");
    }
    const std::uint32_t label = find_label();
    if (label == LabelTable::kMissing) {
      fail(ExitStatus::bad_input, reader_.place(), ": the data have no label '",
           printable(fields_[0]), "', expected one of theirs");
    }
    if (lines_[label] != 0) {
      fail(ExitStatus::bad_input, reader_.place(), ": label '", printable(fields_[0]),
           "' has a weight in line ", lines_[label], ", expected each label once");
    }
    lines_[label] = reader_.line_number();
    return label;
  }

  const std::string& path_;
  const LabelTable& labels_;
  RecordReader reader_;
  RecordParser parser_{DelimitedStyle::csv()};
  std::vector<std::string_view> fields_;
  std::vector<std::uint64_t> lines_;  ///< that give a label its weight; 0: none
};

void weigh_by_labels(const std::vector<double>& of_label, Dataset& data) {
  data.weights.resize(data.size());
  float* const weights = data.weights.data();
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto labels = std::as_const(data).labels_of(i);
    double sum = 0;
    for (const std::uint32_t l : labels) sum += of_label[l];
    weights[i] = labels.empty() ? 1 : static_cast<float>(sum / static_cast<double>(labels.size()));
  }
}

void scale_to_mean_of_one(const std::string& name, Dataset& data) {
  double sum = 0;
  for (const float w : std::as_const(data.weights)) sum += static_cast<double>(w);
  if (sum <= 0) {
    fail(ExitStatus::bad_input, name, ": all weights are 0, expected some that are not");
  }
  const auto factor = static_cast<float>(static_cast<double>(data.size()) / sum);
  for (float& w : data.weights) w *= factor;
}

}  // namespace

void set_example_weights(const std::string& weights, const LabelTable& labels,
                         const std::string& name, Dataset& data) {
  if (weights == "none") return;
  if (weights == "balanced") {
    weigh_by_labels(balanced_weights(data), data);
  } else if (data.weights.empty()) {
    std::error_code ignored;
    if (!std::filesystem::exists(weights, ignored)) {
      fail(ExitStatus::usage, "--weights is '", printable(weights), "', but ", name,
           " has no such column, and there is no such file");
    }
    weigh_by_labels(WeightFile(weights, labels).read(), data);
  }
  scale_to_mean_of_one(name, data);
}

}  // namespace frugal::sparse
