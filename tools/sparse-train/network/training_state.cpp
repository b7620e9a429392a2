#include "tools/sparse-train/network/training_state.h"

#include <cstring>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::sparse {
namespace {

std::string layer_rows_name(std::size_t i) { return "hidden." + std::to_string(i) + ".rows"; }

/// Whole rows: weights, state and padding.
Tensor table_tensor(const std::string& name, const RowTable& table) {
  return Tensor::lend<float>(name, {table.rows(), table.stride()},
                             {table.data(), table.rows() * table.stride()});
}

void restore_table(const Document& state, const std::string& path, const std::string& name,
                   RowTable& table) {
  const Tensor& tensor = state.at(name);
  const Shape expected = {table.rows(), table.stride()};
  if (tensor.shape != expected) {
    fail(ExitStatus::bad_input, path, ": tensor '", name, "' is ", shape_text(tensor.shape),
         ", expected ", shape_text(expected));
  }
  const std::span<const float> values = tensor.as<float>();
  std::memcpy(table.data(), values.data(), values.size_bytes());
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
  restore_table(state, path, "labels.rows", network.labels);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    restore_table(state, path, layer_rows_name(i), network.layers[i]);
  }
}

}  // namespace frugal::sparse
