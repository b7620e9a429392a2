#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace frugal::sparse {

struct TrainResult;

/// The figures of a training that its model keeps, metadata "model.training": JSON. The same for
/// equal models: no times.
std::string training_figures(const TrainResult& result);

/// What a model file is: version, parts with their sizes, labels, features and how they are made,
/// configuration, history, figures of its training, tensors. Fails as load_model() does.
nlohmann::ordered_json describe_model(const std::string& path);

/// The same as lines for people, without configuration and tensors.
std::string model_text(const nlohmann::ordered_json& description);

}  // namespace frugal::sparse
