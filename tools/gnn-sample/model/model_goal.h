#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "libcore/metrics/value_metrics.h"
#include "libcore/options/option_fields.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/layers/gnn_options.h"
#include "tools/gnn-sample/network/link_score.h"

namespace frugal::gnn {

/// Prefix of the metadata of models.
inline constexpr char kModelPrefix[] = "gnn.";
/// Metadata of models for graphs of several types, which others do not have (TypedSchema::text()).
inline constexpr char kTypesKey[] = "gnn.types";
/// Largest number of features, or outputs.
inline constexpr unsigned kMaxSize = 1U << 20;

/// Meaning of a model's outputs, and how it was trained.
struct ModelGoal {
  std::string fanouts;                    ///< it was trained with
  std::string task = "nodes";             ///< or links
  bool several_labels = false;            ///< a node; else a class
  std::optional<ValueScale> value_scale;  ///< of outputs that predict numbers
  std::string class_names;  ///< a line each, where the training graph has names of classes
  LinkScore link_score;
  /// kFeaturesNormalizedKey of the training graph, or none; "" if features are not read, or an
  /// earlier version wrote the model.
  std::string normalized;
};

/// Describes the metadata that all models have.
void describe_goal(const OptionFields& fields, ModelGoal& goal);
/// The metadata that some have: the scale of numbers to predict, names of classes, how features are
/// normalized, and the score of pairs if common neighbours count.
void save_scale_and_names(const ModelGoal& goal, Metadata& metadata);
/// Fails (bad_input) with `path` if they do not fit the number of outputs.
void load_scale_and_names(ModelGoal& goal, const Document& document, const std::string& path,
                          std::size_t outputs);

/// The metadata of a model whose training drew neighbours by weight; other models have none.
void save_weighted_draws(const GnnOptions& network, Metadata& metadata);
/// Fails (bad_input) with `path` if they are not fanouts of each layer for so many relations.
void load_weighted_draws(const Metadata& metadata, const std::string& path, std::size_t relations,
                         GnnOptions& network);

/// How the features of a graph are normalized, or none.
std::string normalization_of(const StoredGraph& graph);

/// Fails (bad_input) with `path` if a field whose condition is not met differs from the plain one:
/// options of a network must go together as on the command line.
void refuse_without_effect(const OptionFields& fields, const OptionFields& plain,
                           const std::string& path);

/// Requires parameters to be finite, variances not negative. Returns how many numbers there are.
/// Fails (bad_input) with `path`.
std::uint64_t check_parameters(const Document& document, const std::string& path);

}  // namespace frugal::gnn
