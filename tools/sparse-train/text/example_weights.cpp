#include "tools/sparse-train/text/example_weights.h"

#include <algorithm>
#include <filesystem>
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

/// "label,weight" a line, quotes as in CSV; a first line whose weight is no number is a header.
std::vector<double> weights_of_file(const std::string& path, const LabelTable& labels) {
  std::vector<double> weights(labels.size(), 1);
  RecordReader reader(path, DelimitedStyle::csv());
  RecordParser parser(DelimitedStyle::csv());
  std::vector<std::string_view> fields;
  for (std::string_view record; reader.next(record);) {
    if (trim(record).empty()) continue;
    parser.parse(record, fields);
    const auto weight = fields.size() == 2 ? parse_finite<double>(trim(fields[1])) : std::nullopt;
    if (!weight && reader.line_number() == 1) continue;
    if (!weight || *weight < 0) {
      fail(ExitStatus::bad_input, reader.place(), ": found '", printable(record),
           "', expected 'label,weight' with a weight of at least 0");
    }
    const std::uint32_t label = labels.find(std::string(trim(fields[0])));
    if (label == LabelTable::kMissing) {
      fail(ExitStatus::bad_input, reader.place(), ": the data have no label '",
           printable(fields[0]), "', expected one of theirs");
    }
    weights[label] = *weight;
  }
  return weights;
}

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
    weigh_by_labels(weights_of_file(weights, labels), data);
  }
  scale_to_mean_of_one(name, data);
}

}  // namespace frugal::sparse
