#include "tools/sparse-train/model/model_info.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/streams/json_text.h"
#include "tools/sparse-train/model/model.h"

namespace frugal::sparse {
namespace {

constexpr std::size_t kTextShown = 800;  ///< characters of a text: a plan is the longest

using Json = nlohmann::ordered_json;

/// Returns metadata that are a JSON object, or null where the key is missing. Fails (bad_input)
/// with `path` and key where they are something else.
Json parsed(const Document& document, const std::string& path, const std::string& key) {
  const auto found = document.metadata.find(key);
  if (found == document.metadata.end()) return {};
  const std::string place = path + ": metadata '" + key + "': ";
  Json json = parse_json<Json>(found->second, place);
  if (!json.is_object()) fail(ExitStatus::bad_input, place, "expected an object");
  check_joined_names(json, place);
  return json;
}

/// Returns the commands that made the model, a list of objects.
Json parsed_history(const Document& document, const std::string& path) {
  const auto found = document.metadata.find("frugal.history");
  if (found == document.metadata.end()) return {};
  const std::string place = path + ": metadata 'frugal.history': ";
  Json json = parse_json<Json>(found->second, place);
  const bool good = json.is_array() && std::all_of(json.begin(), json.end(), [](const Json& run) {
                      return run.is_object() && run.value("argv", Json::array()).is_array();
                    });
  if (!good) fail(ExitStatus::bad_input, place, "expected a list of {\"argv\": [...], ...}");
  return json;
}

const char* weights_text(Dtype of_labels) {
  return of_labels == Dtype::i8 ? "int8" : of_labels == Dtype::bf16 ? "f32, of labels bf16" : "f32";
}

Json network_json(const Network& network, const Document& document) {
  const NetworkShape& shape = network.shape;
  Json json = {{"hidden", shape.hidden},
               {"layers", shape.layers},
               {"activation", activation_name(shape.activation)},
               {"loss", loss_name(shape.loss)},
               {"weights", weights_text(document.at("labels.weight").dtype)}};
  std::uint64_t parameters = network.features.rows() * network.features.dim() +
                             network.labels.rows() * network.labels.dim();
  for (const RowTable& layer : network.layers) parameters += layer.rows() * layer.dim();
  json["parameters"] = parameters;
  return json;
}

Json forest_json(const LabelForest& forest) {
  Json json = {{"trees", forest.trees.size()}, {"beam", forest.beam}};
  std::uint64_t weights = 0;
  for (const LabelTree& tree : forest.trees) weights += tree.weights.size();
  json["weights"] = weights;
  json["bytes"] = forest.num_bytes();
  return json;
}

Json tensors_json(const Document& document) {
  Json json = Json::array();
  for (const Tensor& t : document.tensors) {
    json.push_back({{"name", t.name},
                    {"dtype", dtype_name(t.dtype)},
                    {"shape", t.shape},
                    {"bytes", t.bytes.size_bytes()}});
  }
  return json;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// "name: value", one a line, of the members of an object.
void append_members(const std::string& prefix, const Json& object, std::string& text) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) {
      append_members(prefix + key + " ", value, text);
    } else if (!value.is_array() || !value.empty()) {
      text += prefix + key + ": " + printable(text_of(value), kTextShown) + "\n";
    }
  }
}

}  // namespace

Json describe_model(const std::string& path) {
  const Document document = read_document(path);
  const Model model = load_model(document, path);
  const auto text = [&](const std::string& key) {
    const auto found = document.metadata.find(key);
    return found == document.metadata.end() ? "" : found->second;
  };
  Json json;
  json["version"] = text("model.version");
  if (model.network) json["network"] = network_json(*model.network, document);
  if (model.forest) json["forest"] = forest_json(*model.forest);
  json["examples"] = model.label_counts.examples;
  json["labels"] = model.featurizer.num_labels();
  json["features"] = model.featurizer.num_features();
  json["normalize"] = model.normalize;
  if (model.decisions) {
    json["decisions"] = {{"held_out", model.decisions->examples},
                         {"threshold", model.decisions->global},
                         {"shrinkage", model.decisions->shrinkage}};
  }
  json["features_made_by"] =
      parsed(document, path, "frugal.features").value("options", Json::object());
  json["training"] = parsed(document, path, "model.training");
  json["seed"] = text("frugal.seed");
  json["history"] = parsed_history(document, path);
  json["configuration"] = text("frugal.config");
  json["tensors"] = tensors_json(document);
  return json;
}

std::string model_text(const Json& description) {
  Json shown = description;
  for (const char* key : {"tensors", "configuration", "history", "features_made_by"}) {
    shown.erase(key);
  }
  if (shown["training"].is_null()) shown.erase("training");
  std::string text;
  append_members("", shown, text);
  const Json& made_by = description["features_made_by"];
  Json said = Json::object();
  for (const auto& [key, value] : made_by.items()) {
    if (value != "" && value != 0 && value != false) said[key] = value;
  }
  append_members("features: ", said, text);
  for (const Json& run : description["history"]) {
    std::string line = "made by: ";
    for (const Json& word : run.value("argv", Json::array())) line += text_of(word) + " ";
    text += printable(line, 300) + "\n";
  }
  return text;
}

}  // namespace frugal::sparse
