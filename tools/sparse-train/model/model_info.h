#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace frugal::sparse {

/// Description of a model file: version, parts with sizes, labels, features and their options,
/// configuration, history, figures of its training, tensors. Fails as load_model().
nlohmann::ordered_json describe_model(const std::string& path);

/// The description as lines for people, without configuration and tensors.
std::string model_text(const nlohmann::ordered_json& description);

}  // namespace frugal::sparse
