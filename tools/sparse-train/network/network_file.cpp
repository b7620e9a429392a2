#include "tools/sparse-train/network/network_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/kernels/kernels.h"
#include "libcore/options/option_fields.h"

namespace frugal::sparse {
namespace {

constexpr char kPrefix[] = "model.";

std::string layer_rows_name(std::size_t i) { return "hidden." + std::to_string(i) + ".rows"; }

/// Whole rows: weights, state and padding.
Tensor table_tensor(const std::string& name, const RowTable& table) {
  return Tensor::lend<float>(name, {table.rows(), table.stride()},
                             {table.data(), table.rows() * table.stride()});
}

void require_shape(const std::string& path, const Tensor& tensor, const Shape& expected) {
  if (tensor.shape == expected) return;
  fail(ExitStatus::bad_input, path, ": tensor '", tensor.name, "' is ", shape_text(tensor.shape),
       ", expected ", shape_text(expected));
}

/// first: row of the tensor that is the table's first, where the tensor has `all` rows and not just
/// the table's.
void restore_table(const Document& state, const std::string& path, const std::string& name,
                   RowTable& table, std::size_t first, std::size_t all) {
  const Tensor& tensor = state.at(name);
  const bool is_whole = tensor.shape != Shape{table.rows(), table.stride()};
  require_shape(path, tensor, {is_whole ? all : table.rows(), table.stride()});
  if (table.rows() == 0) return;
  const float* const from = tensor.as<float>().data() + (is_whole ? first * table.stride() : 0);
  std::memcpy(table.data(), from, table.rows() * table.stride() * sizeof(float));
}

void restore_table(const Document& state, const std::string& path, const std::string& name,
                   RowTable& table) {
  restore_table(state, path, name, table, 0, table.rows());
}

}  // namespace

void save_training_state(const Network& network, Document& state) {
  state.tensors.push_back(table_tensor("features.rows", network.features));
  state.tensors.push_back(table_tensor("labels.rows", network.labels));
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    state.tensors.push_back(table_tensor(layer_rows_name(i), network.layers[i]));
  }
}

void restore_training_state(const Document& state, const std::string& path, Network& network) {
  restore_table(state, path, "features.rows", network.features);
  restore_table(state, path, "labels.rows", network.labels, network.first_label,
                network.shape.num_labels);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    restore_table(state, path, layer_rows_name(i), network.layers[i]);
  }
}

namespace {

Tensor copy_columns(const std::string& name, MatrixView<const float> from) {
  Tensor tensor = Tensor::make(name, Dtype::f32, {from.rows, from.cols});
  float* to = tensor.as<float>().data();
  for (std::size_t r = 0; r < from.rows; ++r) {
    std::memcpy(to + r * from.cols, from.row(r), from.cols * sizeof(float));
  }
  return tensor;
}

/// The smallest bf16 that brings the row into [-127, 127].
BFloat16 byte_scale(std::span<const float> row) {
  float largest = 0;
  for (const float v : row) largest = std::max(largest, std::abs(v));
  BFloat16 scale = to_bfloat16(largest / 127);
  if (to_float(scale) * 127 < largest) ++scale.bits;
  return scale;
}

/// "labels.weight" -> "labels.scale".
std::string scale_name(const std::string& weight_name) {
  return weight_name.substr(0, weight_name.rfind('.')) + ".scale";
}

/// Rows as bytes and their scales.
void save_bytes(const std::string& name, MatrixView<const float> from, Document& document) {
  Tensor bytes = Tensor::make(name, Dtype::i8, {from.rows, from.cols});
  Tensor scales = Tensor::make(scale_name(name), Dtype::bf16, {from.rows});
  std::int8_t* to = bytes.as<std::int8_t>().data();
  for (std::size_t r = 0; r < from.rows; ++r) {
    const BFloat16 scale = byte_scale({from.row(r), from.cols});
    scales.as<BFloat16>()[r] = scale;
    const float inverse = to_float(scale) > 0 ? 1 / to_float(scale) : 0;
    for (std::size_t c = 0; c < from.cols; ++c) {
      *to++ = static_cast<std::int8_t>(std::nearbyint(from(r, c) * inverse));
    }
  }
  document.tensors.push_back(std::move(bytes));
  document.tensors.push_back(std::move(scales));
}

void read_bytes(const Document& document, const std::string& path, const Tensor& tensor,
                MatrixView<float> to) {
  const Tensor& scales = document.at(scale_name(tensor.name));
  require_shape(path, scales, {to.rows});
  const std::int8_t* from = tensor.as<std::int8_t>().data();
  for (std::size_t r = 0; r < to.rows; ++r) {
    const float scale = to_float(scales.as<BFloat16>()[r]);
    for (std::size_t c = 0; c < to.cols; ++c) to(r, c) = scale * static_cast<float>(*from++);
  }
}

void read_columns(const std::string& path, const Tensor& tensor, MatrixView<float> to) {
  require_shape(path, tensor, {to.rows, to.cols});
  const float* from = tensor.as<float>().data();
  for (std::size_t r = 0; r < to.rows; ++r) {
    std::memcpy(to.row(r), from + r * to.cols, to.cols * sizeof(float));
  }
}

/// The weights of a table that keeps them as bf16, and its biases.
void save_halves(const std::string& name, const RowTable& table, Document& document) {
  const std::size_t width = table.half_columns();
  Tensor weights = Tensor::make(name + ".weight", Dtype::bf16, {table.rows(), width});
  Tensor biases = Tensor::make(name + ".bias", Dtype::f32, {table.rows(), 1});
  std::vector<float> row(table.dim());
  for (std::size_t r = 0; r < table.rows(); ++r) {
    table.read(r, row.data());
    kernels().to_bf16(row.data(), weights.as<BFloat16>().data() + r * width, width);
    biases.as<float>()[r] = row[width];
  }
  document.tensors.push_back(std::move(weights));
  document.tensors.push_back(std::move(biases));
}

/// Weights as save_network() stored them.
void read_weights(const Document& document, const std::string& path, const std::string& name,
                  MatrixView<float> to) {
  const Tensor& tensor = document.at(name);
  if (tensor.dtype != Dtype::i8 && tensor.dtype != Dtype::bf16) {
    return read_columns(path, tensor, to);
  }
  require_shape(path, tensor, {to.rows, to.cols});
  if (tensor.dtype == Dtype::i8) return read_bytes(document, path, tensor, to);
  const BFloat16* from = tensor.as<BFloat16>().data();
  for (std::size_t r = 0; r < to.rows; ++r) {
    kernels().from_bf16(from + r * to.cols, to.row(r), to.cols);
  }
}

/// The metadata model.* of a network, but for its further layers.
OptionFields described(NetworkShape& shape) {
  OptionFields f;
  f.add("features", shape.num_features);
  f.add("labels", shape.num_labels);
  f.add("hidden", shape.hidden);
  f.add("activation", shape.activation, kActivationNames);
  f.add("loss", shape.loss, kLossNames);
  return f;
}

/// Models of version 1 have no further layers and do not say so.
OptionFields described_layers(std::uint32_t& count) {
  OptionFields f;
  f.add("layers", count);
  return f;
}

void save_weights(const std::string& name, MatrixView<const float> weights, StoredWeights stored,
                  Document& document) {
  if (stored == StoredWeights::int8) return save_bytes(name, weights, document);
  document.tensors.push_back(copy_columns(name, weights));
}

/// The last column of `table` is the bias.
void save_biased(const std::string& name, const RowTable& table, StoredWeights stored,
                 Document& document) {
  if (table.half_columns() != 0) return save_halves(name, table, document);
  const MatrixView<const float> w = table.weights();
  save_weights(name + ".weight", {w.data, w.rows, w.cols - 1, w.stride}, stored, document);
  document.tensors.push_back(
      copy_columns(name + ".bias", {w.data + w.cols - 1, w.rows, 1, w.stride}));
}

void read_biased(const Document& document, const std::string& path, const std::string& name,
                 RowTable& table) {
  const MatrixView<float> w = table.weights();
  read_weights(document, path, name + ".weight", {w.data, w.rows, w.cols - 1, w.stride});
  read_columns(path, document.at(name + ".bias"), {w.data + w.cols - 1, w.rows, 1, w.stride});
}

std::string layer_name(std::size_t i) { return "hidden." + std::to_string(i); }

/// Units of the further hidden layers, as their tensors say; models of version 1 have none.
std::vector<std::uint32_t> read_layers(const Document& document, const std::string& path,
                                       std::uint32_t inputs) {
  std::vector<std::uint32_t> layers;
  if (!document.metadata.contains("model.layers")) return layers;
  std::uint32_t count = 0;
  read_metadata(described_layers(count), kPrefix, document.metadata, path);
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

void save_network(const Network& network, Document& document, StoredWeights stored) {
  NetworkShape shape = network.shape;
  auto layers = static_cast<std::uint32_t>(shape.layers.size());
  write_metadata(described(shape), kPrefix, document.metadata);
  write_metadata(described_layers(layers), kPrefix, document.metadata);
  save_weights("features.weight", network.features.weights(), stored, document);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    save_biased(layer_name(i), network.layers[i], StoredWeights::f32, document);
  }
  save_biased("labels", network.labels, stored, document);
}

Network load_network(const Document& document, const std::string& path, Elements elements) {
  NetworkShape shape;
  read_metadata(described(shape), kPrefix, document.metadata, path);
  shape.layers = read_layers(document, path, shape.hidden);
  // The tensors are there: their sizes bound what the numbers may ask for, unless rows are empty.
  const Tensor& features = document.at("features.weight");
  const Tensor& labels = document.at("labels.weight");
  if (features.shape != Shape{shape.num_features, shape.hidden} ||
      labels.shape != Shape{shape.num_labels, shape.width()}) {
    fail(ExitStatus::bad_input, path, ": features.weight is ", shape_text(features.shape),
         " and labels.weight ", shape_text(labels.shape), ", expected [", shape.num_features, ", ",
         shape.hidden, "] and [", shape.num_labels, ", ", shape.width(), "]");
  }
  if (shape.hidden == 0 || std::count(shape.layers.begin(), shape.layers.end(), 0) != 0) {
    fail(ExitStatus::bad_input, path, ": a hidden layer has no units, expected at least 1");
  }
  const bool is_lent = elements == Elements::lent && features.dtype == Dtype::f32;
  NetworkShape owned = shape;
  if (is_lent) owned.num_features = 0;
  Network network(owned, OptimizerKind::sgd);
  network.shape = shape;
  if (is_lent) {
    network.features =
        RowTable::view_of({features.as<float>().data(), shape.num_features, shape.hidden});
  } else {
    read_weights(document, path, "features.weight", network.features.weights());
  }
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    read_biased(document, path, layer_name(i), network.layers[i]);
  }
  read_biased(document, path, "labels", network.labels);
  return network;
}

}  // namespace frugal::sparse
