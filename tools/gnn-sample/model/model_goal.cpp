#include "tools/gnn-sample/model/model_goal.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/gnn-sample/data/feature_columns.h"
#include "tools/gnn-sample/data/graph_file.h"
#include "tools/gnn-sample/network/conv_kinds.h"
#include "tools/gnn-sample/sampler/draw_shares.h"

namespace frugal::gnn {
namespace {

/// The metadata of a model that predicts numbers.
constexpr char kValueKey[] = "gnn.value_mean";
constexpr char kCommonNeighborsKey[] = "gnn.common_neighbors";

OptionFields described_scale(ValueScale& scale) {
  OptionFields f;
  f.add("value-mean", scale.mean);
  f.add("value-deviation", scale.deviation);
  return f;
}

std::optional<ValueScale> load_scale(const Document& document, const std::string& path,
                                     std::size_t outputs) {
  if (!document.metadata.contains(kValueKey)) return std::nullopt;
  ValueScale scale;
  read_metadata(described_scale(scale), kModelPrefix, document.metadata, path);
  if (std::isfinite(scale.mean) && std::isfinite(scale.deviation) && scale.deviation > 0 &&
      outputs == 1) {
    return scale;
  }
  fail(ExitStatus::bad_input, path, ": metadata '", kValueKey, "' is '", scale.mean,
       "' with a deviation of ", scale.deviation, " and ", outputs,
       " outputs, expected finite numbers, the deviation above 0, and one output");
}

OptionFields described_score(LinkScore& score) {
  OptionFields f;
  f.add("dot-weight", score.dot);
  f.add("common-neighbors", score.common_neighbors);
  f.add("score-bias", score.bias);
  return f;
}

LinkScore load_score(const Metadata& metadata, const std::string& path) {
  LinkScore score;
  if (!metadata.contains(kCommonNeighborsKey)) return score;
  read_metadata(described_score(score), kModelPrefix, metadata, path);
  const auto fits = [](float weight) { return std::isfinite(weight) && weight > 0; };
  if (fits(score.dot) && fits(score.common_neighbors) && std::isfinite(score.bias)) return score;
  fail(ExitStatus::bad_input, path, ": metadata '", kCommonNeighborsKey, "' is ",
       score.common_neighbors, ", with a dot product's weight of ", score.dot, " and a bias of ",
       score.bias, ", expected finite numbers, both weights above 0");
}

/// Names of classes, one for each output, or "".
std::string class_names_of(const Document& document, const std::string& path, std::size_t outputs) {
  const auto found = document.metadata.find(kClassNamesKey);
  if (found == document.metadata.end()) return "";
  const std::size_t names = split(found->second, '\n').size();
  if (names == outputs) return found->second;
  fail(ExitStatus::bad_input, path, ": metadata ", kClassNamesKey, " has ", names,
       " names, expected ", outputs, ", as many as there are outputs");
}

}  // namespace

void describe_goal(const OptionFields& fields, ModelGoal& goal) {
  fields.add("fanouts", goal.fanouts);
  fields.add("task", goal.task).choices({"nodes", "links"});
  fields.add("several_labels", goal.several_labels);
}

void save_scale_and_names(const ModelGoal& goal, Metadata& metadata) {
  if (goal.value_scale) {
    ValueScale scale = *goal.value_scale;
    write_metadata(described_scale(scale), kModelPrefix, metadata);
  }
  if (!goal.class_names.empty()) metadata[kClassNamesKey] = goal.class_names;
  if (!goal.normalized.empty()) metadata[kFeaturesNormalizedKey] = goal.normalized;
  if (goal.link_score.common_neighbors == 0) return;
  LinkScore score = goal.link_score;
  write_metadata(described_score(score), kModelPrefix, metadata);
}

void load_scale_and_names(ModelGoal& goal, const Document& document, const std::string& path,
                          std::size_t outputs) {
  goal.class_names = class_names_of(document, path, outputs);
  goal.value_scale = load_scale(document, path, outputs);
  goal.link_score = load_score(document.metadata, path);
  const auto normalized = document.metadata.find(kFeaturesNormalizedKey);
  if (normalized != document.metadata.end()) goal.normalized = normalized->second;
}

void save_weighted_draws(const GnnOptions& network, Metadata& metadata) {
  if (network.weighted_fanouts.empty()) return;
  GnnOptions copy = network;
  OptionFields fields;
  describe_weighted_draws(fields, copy);
  write_metadata(fields, kModelPrefix, metadata);
}

void load_weighted_draws(const Metadata& metadata, const std::string& path, std::size_t relations,
                         GnnOptions& network) {
  if (!metadata.contains(kWeightedDrawsKey)) return;
  OptionFields fields;
  describe_weighted_draws(fields, network);
  read_metadata(fields, kModelPrefix, metadata, path);
  const auto fanouts = *parse_fanouts_of_relations(network.weighted_fanouts);
  const auto fits = [&](const Fanouts& f) { return f.size() == network.num_layers; };
  if (fanouts.size() == relations && std::ranges::all_of(fanouts, fits)) return;
  fail(ExitStatus::bad_input, path, ": metadata '", kWeightedDrawsKey, "' is '",
       printable(network.weighted_fanouts), "', expected ",
       format_count(network.num_layers, "fanout"), " for each of ",
       format_count(relations, "relation"));
}

std::string normalization_of(const StoredGraph& graph) {
  const std::string said = graph.text_of(kFeaturesNormalizedKey);
  return said.empty() ? "none" : said;
}

void refuse_without_effect(const OptionFields& fields, const OptionFields& plain,
                           const std::string& path) {
  const OptionField* const field = given_without_effect(fields, plain);
  if (field == nullptr) return;
  std::string key = kModelPrefix + field->info().key;
  std::replace(key.begin(), key.end(), '-', '_');
  fail(ExitStatus::bad_input, path, ": metadata '", key, "' is '", field->texts().front(),
       "', which goes with ", field->missing_condition(), "; expected '",
       plain.field(field->info().key).texts().front(), "'");
}

std::uint64_t check_parameters(const Document& document, const std::string& path) {
  std::uint64_t count = 0;
  for (const Tensor& tensor : document.tensors) {
    if (tensor.dtype != Dtype::f32) continue;
    const bool variance = tensor.name.ends_with(".running_var");
    for (const float x : tensor.as<float>()) {
      if (std::isfinite(x) && (!variance || x >= 0)) continue;
      fail(ExitStatus::bad_input, path, ": tensor '", printable(tensor.name), "' has a ", x,
           variance ? ", expected finite numbers, not negative" : ", expected finite numbers");
    }
    count += tensor.as<float>().size();
  }
  return count;
}

}  // namespace frugal::gnn
