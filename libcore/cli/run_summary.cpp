#include "libcore/cli/run_summary.h"

#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "libcore/base/text.h"

namespace frugal {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kDigits = 4;
constexpr std::size_t kShownMetrics = 2;

struct Metric {
  const char* key;
  const char* name;
};
/// Metrics of a summary, the most decisive first.
constexpr std::array<Metric, 7> kMetrics{{{"average_precision", "average precision"},
                                          {"auc", "AUC"},
                                          {"mrr", "MRR"},
                                          {"accuracy", "accuracy"},
                                          {"p_at_1", "P@1"},
                                          {"p_at_5", "P@5"},
                                          {"log_loss", "log-loss"}}};
struct Part {
  const char* prefix;
  const char* name;
};
constexpr std::array<Part, 3> kParts{
    {{"test_", "test "}, {"", ""}, {"validation_", "validation "}}};
constexpr std::array<const char*, 4> kCounted{{"samples", "examples", "events", "nodes"}};

std::optional<double> number(const Json& result, const std::string& key) {
  const auto found = result.find(key);
  if (found == result.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

/// The first metrics of the first part of the data that has any; "" if none has.
std::string result_text(const Json& result) {
  for (const Part& part : kParts) {
    std::string text;
    std::size_t shown = 0;
    const bool one_label = number(result, std::string(part.prefix) + "accuracy").has_value();
    for (const Metric& metric : kMetrics) {
      // With one label per example, P@1 equals the accuracy, and P@5 has no meaning.
      if (one_label && std::string_view(metric.key).starts_with("p_at_")) continue;
      const std::optional<double> value = number(result, std::string(part.prefix) + metric.key);
      if (!value || shown++ == kShownMetrics) continue;
      text += (text.empty() ? part.name : ", ") + std::string(metric.name) + ' ' +
              format_number(*value, kDigits);
      if (shown == kShownMetrics) return text;
    }
    if (!text.empty()) return text;
  }
  return "";
}

/// The best baseline without learning, by the first metric that the baselines have.
std::string best_baseline(const Json& baselines) {
  for (const Metric& metric : kMetrics) {
    std::string best;
    double most = 0;
    for (const auto& [name, values] : baselines.items()) {
      const std::optional<double> value = number(values, metric.key);
      if (!value || (!best.empty() && *value <= most)) continue;
      best = name;
      most = *value;
    }
    if (!best.empty())
      return std::string(metric.name) + ' ' + format_number(most, kDigits) + ", " + best;
  }
  return "";
}

/// Quality of chance, or of always predicting the mean; "" if the result does not show it.
std::string baseline_text(const Json& result) {
  const auto baselines = result.find("baselines");
  if (baselines != result.end()) return best_baseline(*baselines);
  for (const Part& part : kParts) {
    const std::string prefix = part.prefix;
    if (!number(result, prefix + "auc")) continue;
    std::string text = "AUC 0.5";
    const std::optional<double> loss = number(result, prefix + "log_loss");
    const std::optional<double> entropy = number(result, prefix + "normalized_entropy");
    if (loss && entropy && *entropy > 0) {
      text += ", log-loss " + format_number(*loss / *entropy, kDigits);
    }
    return text;
  }
  return "";
}

std::string speed_text(const Json& result) {
  constexpr std::string_view kRate = "_per_second";
  for (const auto& [key, value] : result.items()) {
    if (!key.ends_with(kRate) || !value.is_number()) continue;
    return format_rate(value.get<double>(), key.substr(0, key.size() - kRate.size()));
  }
  const std::optional<double> epoch = number(result, "epoch_seconds");
  if (epoch && *epoch > 0) return format_seconds(*epoch) + " an epoch";
  const std::optional<double> seconds = number(result, "seconds");
  for (const char* counted : kCounted) {
    const std::optional<double> count = number(result, counted);
    if (!count || !seconds || *seconds <= 0) continue;
    return format_rate(*count / *seconds, counted);
  }
  return "";
}

/// Value of an option in the text of --print-config, without quotes; "" if it has none.
std::string config_value(const std::string& config, const std::string& name) {
  for (const std::string_view line : split(config, '\n')) {
    if (!line.starts_with(name + ": ")) continue;
    const std::string_view value = line.substr(name.size() + 2);
    if (!value.starts_with('"')) return std::string(value.substr(0, value.find(' ')));
    const std::size_t end = value.find('"', 1);
    return std::string(value.substr(1, end == std::string_view::npos ? end : end - 1));
  }
  return "";
}

/// Returns "events file stream.safetensors", or "" without a path.
std::string named_file(const std::string& what, const std::string& path) {
  if (path.empty()) return "";
  return what +
         (path == "-" ? " of stdin" : " file " + std::filesystem::path(path).filename().string());
}

}  // namespace

void complete_summary(const Json& result, const std::string& config, RunSummary& summary) {
  const auto complete = [](std::string& what, const std::string& text) {
    if (what.empty()) what = text;
  };
  for (const char* data : {"data", "events", "graph"}) {
    complete(summary.data, named_file(data, config_value(config, data)));
  }
  complete(summary.model, config_value(config, "architecture"));
  complete(summary.model, named_file("model", config_value(config, "model")));
  complete(summary.result, result_text(result));
  complete(summary.baseline, baseline_text(result));
  for (const char* key : {"train_seconds", "seconds"}) {
    if (const auto seconds = number(result, key)) complete(summary.time, format_seconds(*seconds));
  }
  complete(summary.speed, speed_text(result));
}

}  // namespace frugal
