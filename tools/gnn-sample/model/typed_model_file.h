#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tools/gnn-sample/model/model_goal.h"
#include "tools/gnn-sample/typed/typed_inputs.h"
#include "tools/gnn-sample/typed/typed_model.h"

namespace frugal::gnn {

/// A trained model for graphs of several types, and what one must know to use it.
struct StoredTypedModel : ModelGoal {
  std::unique_ptr<TypedModel> model;
  std::string relation;                      ///< SOURCE:RELATION:TARGET of links; or ""
  std::size_t embedding = 0;                 ///< columns of embeddings of types without features
  std::vector<std::string> feature_columns;  ///< [types] FeatureColumns::text() in training; or ""

  /// Takes from the training graph, whose types are those of the model, what one must know of it.
  void describe(const StoredGraph& graph);
};

/// True if the model of a document is for graphs of several types.
bool is_typed_model(const Document& document);
/// Adds all of a model file that is not added by training: frugal.kind "model", keys gnn.*.
void save_typed_model(StoredTypedModel& stored, const TypedInputs& inputs, Document& document);
/// Loads a model; its embeddings remain in the document. Fails (bad_input) with `path`.
StoredTypedModel load_typed_model(const Document& document, const std::string& path,
                                  Precision precision);

}  // namespace frugal::gnn
