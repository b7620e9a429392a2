#include "libcore/metrics/result_fields.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "libcore/base/error.h"

namespace frugal {
namespace {

constexpr std::pair<const char*, const char*> kMeanings[] = {
    {"accuracy", "share of predictions that are correct"},
    {"macro_f1", "mean of the F1 scores of all classes"},
    {"micro_f1", "F1 score of all labels together"},
    {"log_loss", "mean negative logarithm of the probability predicted for the correct class"},
    {"auc", "area under the ROC curve"},
    {"average_precision", "area under the curve of precision over recall"},
    {"r2", "share of the variance of the numbers that predictions explain, at most 1"},
    {"rmse", "root of the mean squared error, in the unit of the numbers"},
    {"mae", "mean absolute error, in the unit of the numbers"},
    {"mrr", "mean reciprocal rank of the true link among its negatives"},
    {"popularity_mrr", "mrr without learning, by the number of training edges of the target"},
    {"adamic_adar_mrr",
     "mrr without learning, by common neighbours in the training edges (Adamic and Adar)"},
    {"hits_at_1", "share of links that rank before all their negatives"},
    {"normalized_entropy", "log_loss divided by the log-loss of always predicting the mean label"},
    {"calibration", "mean prediction divided by the mean label"},
};

constexpr std::string_view kHits = "hits_at_", kBatch = "_batch";

}  // namespace

void ResultFields::add(const std::string& name, const nlohmann::ordered_json& value,
                       const std::string& help) const {
  if (values_ != nullptr) {
    (*values_)[name] = value;
  } else {
    keys_->push_back({name, help, when_});
  }
}

void ResultFields::add_metrics(const std::string& part, const NamedValues& values,
                               const std::vector<std::string>& all) const {
  if (keys_ != nullptr) {
    for (const std::string& name : all) add(metric_name(part, name), 0, metric_meaning(name));
    return;
  }
  for (const auto& [name, value] : values) {
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      fail(ExitStatus::internal, "metric ", name, " is not described");
    }
    add(metric_name(part, name), value, "");
  }
}

void ResultFields::when(const std::string& what, bool holds,
                        const std::function<void(const ResultFields&)>& describe) const {
  if (values_ != nullptr && !holds) return;
  ResultFields inner = *this;
  inner.when_ = when_.empty() ? what : when_ + "; " + what;
  describe(inner);
}

std::string metric_meaning(const std::string& name) {
  const auto* const found = std::find_if(std::begin(kMeanings), std::end(kMeanings),
                                         [&](const auto& row) { return name == row.first; });
  if (found != std::end(kMeanings)) return found->second;
  if (name.starts_with(kHits)) {
    return "share of true links whose rank among their negatives is at most " +
           name.substr(kHits.size());
  }
  if (const std::size_t batch = name.rfind(kBatch); batch != std::string::npos) {
    return "mean of " + name.substr(0, batch) + " over batches of " +
           name.substr(batch + kBatch.size());
  }
  fail(ExitStatus::internal, "metric ", name, " has no meaning");
}

}  // namespace frugal
