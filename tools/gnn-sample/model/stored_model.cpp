#include "tools/gnn-sample/model/stored_model.h"

#include "tools/gnn-sample/data/feature_columns.h"
#include "tools/gnn-sample/data/graph_file.h"

namespace frugal::gnn {

void StoredModel::describe(const StoredGraph& graph, const std::string& of_task) {
  task = of_task;
  several_labels = task == "nodes" && !graph.label_matrix().empty();
  if (task == "nodes") class_names = graph.text_of(kClassNamesKey);
  if (!inputs.settings().parts.features) return;
  feature_columns = graph.text_of(kFeatureColumnsKey);
  normalized = normalization_of(graph);
}

std::size_t StoredModel::num_parameters() const {
  return model->num_parameters() + (inputs.trained() ? inputs.trained()->num_parameters() : 0);
}

void StoredModel::prepare_training(const OptimizerOptions& optimizer) {
  model->prepare_training(optimizer);
  if (inputs.trained() == nullptr) return;
  OptimizerOptions of_rows = optimizer;
  const GnnOptions& network = model->options();
  of_rows.weight_decay = network.decay_first_only ? 0 : network.weight_decay;
  inputs.trained()->prepare_training(of_rows);
}

void StoredModel::save_parameters(Document& document) const {
  model->save(document);
  if (inputs.trained() != nullptr) inputs.trained()->save(document);
}

void StoredModel::load_parameters(const Document& document, const std::string& path) {
  model->load(document, path);
  if (inputs.trained() != nullptr) inputs.trained()->load(document, path);
}

void StoredModel::save_state(Document& document) const {
  model->save_state(document);
  if (inputs.trained() != nullptr) inputs.trained()->save_state(document);
}

void StoredModel::load_state(const Document& document, const std::string& path) {
  model->load_state(document, path);
  if (inputs.trained() != nullptr) inputs.trained()->load_state(document, path);
}

}  // namespace frugal::gnn
