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

}  // namespace

void save_network(const Network& network, Document& document) {
  const NetworkShape& shape = network.shape;
  document.metadata["model.features"] = std::to_string(shape.num_features);
  document.metadata["model.labels"] = std::to_string(shape.num_labels);
  document.metadata["model.hidden"] = std::to_string(shape.hidden);
  document.metadata["model.activation"] = activation_name(shape.activation);
  document.metadata["model.loss"] = loss_name(shape.loss);
  const MatrixView<const float> w = network.labels.weights();
  document.tensors.push_back(copy_columns("features.weight", network.features.weights()));
  document.tensors.push_back(
      copy_columns("labels.weight", {w.data, w.rows, shape.hidden, w.stride}));
  document.tensors.push_back(
      copy_columns("labels.bias", {w.data + shape.hidden, w.rows, 1, w.stride}));
}

Network load_network(const Document& document, const std::string& path) {
  NetworkShape shape;
  shape.num_features = number(document, path, "model.features");
  shape.num_labels = number(document, path, "model.labels");
  shape.hidden = number(document, path, "model.hidden");
  shape.activation = named(document, path, "model.activation", activation_from_name);
  shape.loss = named(document, path, "model.loss", loss_from_name);
  // The tensors are there: their sizes bound what the numbers may ask for.
  const Tensor& features = document.at("features.weight");
  const Tensor& labels = document.at("labels.weight");
  if (features.shape != Shape{shape.num_features, shape.hidden} ||
      labels.shape != Shape{shape.num_labels, shape.hidden}) {
    fail(ExitStatus::bad_input, path, ": features.weight is ", shape_text(features.shape),
         " and labels.weight ", shape_text(labels.shape), ", expected [", shape.num_features, ", ",
         shape.hidden, "] and [", shape.num_labels, ", ", shape.hidden, "]");
  }
  Network network(shape, OptimizerKind::sgd);
  const MatrixView<float> w = network.labels.weights();
  read_columns(path, features, network.features.weights());
  read_columns(path, labels, {w.data, w.rows, shape.hidden, w.stride});
  read_columns(path, document.at("labels.bias"), {w.data + shape.hidden, w.rows, 1, w.stride});
  return network;
}

}  // namespace frugal
