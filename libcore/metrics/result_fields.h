#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "libcore/metrics/named_values.h"

namespace frugal {

/// One key of the object that a command prints with --json.
struct ResultKey {
  std::string name;
  std::string help;  ///< meaning and unit of its value
  std::string when;  ///< case in which the key is present, e.g. "several ranks"; "" = always
};

/// Describes the results of a command: each call of add() gives a result's key, value and meaning.
/// One function serves two purposes. Given the object of --json, it adds the values. Given a list,
/// it adds the keys, for the manual page; values are then those of an empty result and are ignored.
///
///     void describe_result(const ResultFields& f, const Result& r) {
///       f.add("nodes", r.nodes, "nodes of the graph");
///       f.when("--parts", r.parts, [](const ResultFields& f, const Parts& p) { ... });
///     }
class ResultFields {
 public:
  explicit ResultFields(nlohmann::ordered_json& values) : values_(&values) {}
  explicit ResultFields(std::vector<ResultKey>& keys) : keys_(&keys) {}

  void add(const std::string& name, const nlohmann::ordered_json& value,
           const std::string& help) const;
  /// Adds metrics of a part of the data, named by metric_name(). `all` lists the metrics that
  /// `values` may contain. Fails (internal) on a metric without a meaning (metric_meaning()).
  void add_metrics(const std::string& part, const NamedValues& values,
                   const std::vector<std::string>& all) const;

  /// Describes keys that are present only in one case, which `what` names.
  void when(const std::string& what, bool holds,
            const std::function<void(const ResultFields&)>& describe) const;
  /// Describes keys that are present only if `value` exists. The manual page describes an empty
  /// one.
  template <class Value, class Describe>
  void when(const std::string& what, const std::optional<Value>& value,
            const Describe& describe) const {
    when(what, value.has_value(),
         [&](const ResultFields& f) { describe(f, value ? *value : Value{}); });
  }

 private:
  nlohmann::ordered_json* values_ = nullptr;
  std::vector<ResultKey>* keys_ = nullptr;
  std::string when_;
};

/// Returns what a metric is, e.g. "area under the ROC curve" for "auc". Fails (internal) on a name
/// that no tool prints.
std::string metric_meaning(const std::string& name);

}  // namespace frugal
