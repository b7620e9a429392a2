#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace frugal::sparse {

/// What a model file is: version, parts with their sizes, labels, features and how they are made,
/// configuration, history, figures of its training, tensors. Fails as load_model() does.
nlohmann::ordered_json describe_model(const std::string& path);

/// The same as lines for people, without configuration and tensors.
std::string model_text(const nlohmann::ordered_json& description);

}  // namespace frugal::sparse
