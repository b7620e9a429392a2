#pragma once
#include <memory>
#include <string>

#include "tools/gnn-sample/network/gnn_model.h"

namespace frugal::gnn {

/// A trained model and what one must know to use it.
struct StoredModel {
  std::unique_ptr<GnnModel> model;
  std::string fanouts;          ///< it was trained with
  std::string task = "nodes";   ///< or links
  bool several_labels = false;  ///< a node; else a class
  std::string class_names;      ///< a line each, where the training graph has names of classes
};

/// The whole of a model file but what training adds (kind "model", keys gnn.*).
void save_model(StoredModel& stored, Document& document);
/// Errors: bad_input with `path` for what is no model of gnn-sample.
StoredModel load_model(const Document& document, const std::string& path,
                       Precision precision = Precision::f32);

}  // namespace frugal::gnn
