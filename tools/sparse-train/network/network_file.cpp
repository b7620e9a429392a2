#include "tools/sparse-train/network/network_file.h"

#include <cstring>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

Tensor copy_columns(const std::string& name, MatrixView<const float> from) {
  Tensor tensor = Tensor::make(name, Dtype::f32, {from.rows, from.cols});
  float* to = tensor.as<float>().data();
  for (std::size_t r = 0; r < from.rows; ++r) {
    std::memcpy(to + r * from.cols, from.row(r), from.cols * sizeof(float));
  }
  return tensor;
}

void read_columns(const std::string& path, const Tensor& tensor, MatrixView<float> to) {
  const Shape expected = {to.rows, to.cols};
  if (tensor.shape != expected) {
    fail(ExitStatus::bad_input, path, ": tensor '", tensor.name, "' is ", shape_text(tensor.shape),
         ", expected ", shape_text(expected));
  }
  const float* from = tensor.as<float>().data();
  for (std::size_t r = 0; r < to.rows; ++r) {
    std::memcpy(to.row(r), from + r * to.cols, to.cols * sizeof(float));
  }
}

std::string value_of(const Document& document, const std::string& key) {
  const auto found = document.metadata.find(key);
  return found == document.metadata.end() ? "" : found->second;
}

std::uint32_t number(const Document& document, const std::string& path, const std::string& key) {
  const std::optional<std::uint32_t> value = parse_number<std::uint32_t>(value_of(document, key));
  if (!value)
    fail(ExitStatus::bad_input, path, ": metadata '", key, "' is missing or not a number");
  return *value;
}

/// What parse(value of `key`) makes of a name.
template <class Parse>
auto named(const Document& document, const std::string& path, const std::string& key, Parse parse) {
  try {
    return parse(value_of(document, key));
  } catch (const Error& error) {
    fail(ExitStatus::bad_input, path, ": metadata '", key, "': ", error.what());
  }
}

/// The last column of `table` is the bias.
void save_biased(const std::string& name, const RowTable& table, Document& document) {
  const MatrixView<const float> w = table.weights();
  document.tensors.push_back(
      copy_columns(name + ".weight", {w.data, w.rows, w.cols - 1, w.stride}));
  document.tensors.push_back(
      copy_columns(name + ".bias", {w.data + w.cols - 1, w.rows, 1, w.stride}));
}

void read_biased(const Document& document, const std::string& path, const std::string& name,
                 RowTable& table) {
  const MatrixView<float> w = table.weights();
  read_columns(path, document.at(name + ".weight"), {w.data, w.rows, w.cols - 1, w.stride});
  read_columns(path, document.at(name + ".bias"), {w.data + w.cols - 1, w.rows, 1, w.stride});
}

std::string layer_name(std::size_t i) { return "hidden." + std::to_string(i); }

/// Units of the further hidden layers, as their tensors say; models of version 1 have none.
std::vector<std::uint32_t> read_layers(const Document& document, const std::string& path,
                                       std::uint32_t inputs) {
  std::vector<std::uint32_t> layers;
  if (value_of(document, "model.layers").empty()) return layers;
  const std::uint32_t count = number(document, path, "model.layers");
  for (std::uint32_t i = 0; i < count; ++i) {
    const Tensor& weights = document.at(layer_name(i) + ".weight");
    if (weights.shape.size() != 2 || weights.shape[1] != inputs) {
      fail(ExitStatus::bad_input, path, ": tensor '", weights.name, "' is ",
           shape_text(weights.shape), ", expected [units, ", inputs, "]");
    }
    inputs = static_cast<std::uint32_t>(weights.shape[0]);
    layers.push_back(inputs);
  }
  return layers;
}

}  // namespace

void save_network(const Network& network, Document& document) {
  const NetworkShape& shape = network.shape;
  document.metadata["model.features"] = std::to_string(shape.num_features);
  document.metadata["model.labels"] = std::to_string(shape.num_labels);
  document.metadata["model.hidden"] = std::to_string(shape.hidden);
  document.metadata["model.activation"] = activation_name(shape.activation);
  document.metadata["model.loss"] = loss_name(shape.loss);
  document.metadata["model.layers"] = std::to_string(shape.layers.size());
  document.tensors.push_back(copy_columns("features.weight", network.features.weights()));
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    save_biased(layer_name(i), network.layers[i], document);
  }
  save_biased("labels", network.labels, document);
}

Network load_network(const Document& document, const std::string& path) {
  NetworkShape shape;
  shape.num_features = number(document, path, "model.features");
  shape.num_labels = number(document, path, "model.labels");
  shape.hidden = number(document, path, "model.hidden");
  shape.activation = named(document, path, "model.activation", activation_from_name);
  shape.loss = named(document, path, "model.loss", loss_from_name);
  shape.layers = read_layers(document, path, shape.hidden);
  // The tensors are there: their sizes bound what the numbers may ask for.
  const Tensor& features = document.at("features.weight");
  const Tensor& labels = document.at("labels.weight");
  if (features.shape != Shape{shape.num_features, shape.hidden} ||
      labels.shape != Shape{shape.num_labels, shape.width()}) {
    fail(ExitStatus::bad_input, path, ": features.weight is ", shape_text(features.shape),
         " and labels.weight ", shape_text(labels.shape), ", expected [", shape.num_features, ", ",
         shape.hidden, "] and [", shape.num_labels, ", ", shape.width(), "]");
  }
  Network network(shape, OptimizerKind::sgd);
  read_columns(path, features, network.features.weights());
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    read_biased(document, path, layer_name(i), network.layers[i]);
  }
  read_biased(document, path, "labels", network.labels);
  return network;
}

}  // namespace frugal
