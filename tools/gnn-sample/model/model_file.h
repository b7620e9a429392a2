#pragma once
#include <string>

#include "tools/gnn-sample/model/stored_model.h"

namespace frugal::gnn {

/// The whole of a model file but what training adds (kind "model", keys gnn.*).
void save_model(StoredModel& stored, Document& document);
/// Errors: bad_input with `path` for what is no model of gnn-sample.
StoredModel load_model(const Document& document, const std::string& path,
                       Precision precision = Precision::f32);

}  // namespace frugal::gnn
