#include "tools/sparse-train/model.h"

#include <cstring>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

constexpr const char* kModelVersion = "1";

std::string value_of(const Document& document, const std::string& key) {
  const auto found = document.metadata.find(key);
  return found == document.metadata.end() ? "" : found->second;
}

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

std::uint32_t number(const Document& document, const std::string& path, const std::string& key) {
  const std::optional<std::uint32_t> value = parse_number<std::uint32_t>(value_of(document, key));
  if (!value)
    fail(ExitStatus::bad_input, path, ": metadata '", key, "' is missing or not a number");
  return *value;
}

}  // namespace

void save_network(const Network& network, Document& document) {
  const NetworkShape& shape = network.shape;
  document.metadata["format"] = "pt";
  document.metadata["frugal.version"] = "1";
  document.metadata["frugal.kind"] = "model";
  document.metadata["frugal.tool"] = "sparse-train";
  document.metadata["model.version"] = kModelVersion;
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

void save_label_counts(const LabelCounts& counts, Document& document) {
  document.metadata["model.examples"] = std::to_string(counts.examples);
  document.tensors.push_back(
      Tensor::copy_of<std::uint64_t>("labels.count", {counts.counts.size()}, counts.counts));
}

namespace {

Network load_network(const Document& document, const std::string& path) {
  NetworkShape shape;
  shape.num_features = number(document, path, "model.features");
  shape.num_labels = number(document, path, "model.labels");
  shape.hidden = number(document, path, "model.hidden");
  shape.activation = activation_from_name(value_of(document, "model.activation"));
  shape.loss = loss_from_name(value_of(document, "model.loss"));
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

LabelCounts load_label_counts(const Document& document, const std::string& path) {
  const Tensor& tensor = document.at("labels.count");
  const std::span<const std::uint64_t> counts = tensor.as<std::uint64_t>();
  LabelCounts result;
  result.counts.assign(counts.begin(), counts.end());
  result.examples = number(document, path, "model.examples");
  return result;
}

Document read_model(const std::string& path) {
  Document document = read_document(path);
  const std::string kind = value_of(document, "frugal.kind");
  const std::string tool = value_of(document, "frugal.tool");
  if (kind != "model" || tool != "sparse-train") {
    fail(ExitStatus::bad_input, path, ": expected a model of sparse-train, found ",
         kind.empty() ? "a tensor file without frugal.kind" : "kind '" + printable(kind) + "'",
         tool.empty() ? "" : " of " + printable(tool));
  }
  const std::string version = value_of(document, "model.version");
  if (version != kModelVersion) {
    fail(ExitStatus::bad_input, path, ": model of version '", printable(version),
         "', this program reads ", kModelVersion);
  }
  return document;
}

}  // namespace

Model load_model(const std::string& path) {
  const Document document = read_model(path);
  Model model{load_network(document, path), Featurizer(document), load_label_counts(document, path),
              value_of(document, "model.normalize") == "true"};
  const NetworkShape& shape = model.network.shape;
  if (shape.num_features != model.featurizer.num_features() ||
      shape.num_labels != model.featurizer.num_labels() ||
      model.label_counts.counts.size() != shape.num_labels) {
    fail(ExitStatus::bad_input, path, ": network, vocabulary and label names do not fit together");
  }
  return model;
}

}  // namespace frugal
