#include "tools/sparse-train/network/explain.h"

#include <vector>

#include "libcore/kernels/kernels.h"

namespace frugal::sparse {
namespace {

using Units = std::vector<float>;

/// Units of each hidden layer, with a 1 behind each.
std::vector<Units> forward(const Network& network, const Bag& bag) {
  std::vector<Units> units;
  for (std::size_t layer = 0; layer < network.num_layers(); ++layer) {
    Units u(network.unit_stride(layer));
    if (layer == 0) {
      embedding_bag_forward(network.features, bag, u.data());
    } else {
      const RowTable& table = network.layers[layer - 1];
      for (std::size_t i = 0; i < table.rows(); ++i) {
        u[i] = kernels().dot(table.row(i), units.back().data(), table.dim());
      }
    }
    network.activate(layer, {u.data(), 1, network.num_units(layer), u.size()});
    units.push_back(std::move(u));
  }
  return units;
}

/// Gradient of the units before a ReLU, from that behind it.
void through_activation(const Network& network, const Units& units, Units& gradient) {
  if (network.shape.activation == Activation::relu) {
    kernels().relu_backward(units.data(), gradient.data(), gradient.size());
  }
}

}  // namespace

LabelShares explain_logit(const Network& network, const Bag& bag, std::uint32_t label) {
  const std::vector<Units> units = forward(network, bag);
  LabelShares result;
  result.total =
      kernels().dot(network.labels.row(label), units.back().data(), network.labels.dim());
  Units gradient(network.labels.row(label), network.labels.row(label) + network.shape.width());
  for (std::size_t layer = network.layers.size(); layer > 0; --layer) {
    through_activation(network, units[layer], gradient);
    const RowTable& table = network.layers[layer - 1];
    Units before(network.num_units(layer - 1));
    for (std::size_t i = 0; i < table.rows(); ++i) {
      kernels().axpy(gradient[i], table.row(i), before.data(), before.size());
    }
    gradient = std::move(before);
  }
  through_activation(network, units[0], gradient);
  double total = 0;
  for (std::size_t j = 0; j < bag.rows.size(); ++j) {
    const float weight = bag.weights.empty() ? 1 : bag.weights[j];
    const float share =
        weight * kernels().dot(network.features.row(bag.rows[j]), gradient.data(), gradient.size());
    result.features.push_back(share);
    total += static_cast<double>(share);
  }
  result.rest = static_cast<float>(static_cast<double>(result.total) - total);
  return result;
}

}  // namespace frugal::sparse
