// What the other tests take for right.
#include "tests/tools/tgn-train/plain_tgn.h"

#include <doctest/doctest.h>

#include "tests/tools/tgn-train/network/variants.h"

using namespace frugal;
using namespace frugal::tgn;
using plain::Network;
using plain::Numbers;

namespace {

Numbers drawn(std::size_t n, Rng& rng) {
  Numbers x;
  for (std::size_t i = 0; i < n; ++i) x.emplace_back(rng.uniform(-1, 1));
  return x;
}

/// Of three nodes with memory that was just updated, as each other's neighbours.
plain::Number loss_of(const Network& network, const TgnInputs& inputs) {
  const TgnOptions& o = network.options();
  Rng rng(11);
  std::vector<Numbers> nodes, embeddings;
  for (std::size_t i = 0; i < 3; ++i) {
    const Numbers own = drawn(o.memory_dim, rng);
    const Numbers rest = drawn(o.memory_dim + inputs.edge_features + o.time_dim, rng);
    const Numbers raw = plain::joined({own, rest});
    nodes.push_back(o.has_memory() ? network.update(raw, own) : own);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<plain::Neighbor> neighbors;
    for (std::size_t j = 0; j < i; ++j) {
      neighbors.push_back({nodes[j], drawn(inputs.edge_features, rng), rng.uniform(0, 5)});
    }
    embeddings.push_back(network.embed(0, nodes[i], 0.7, neighbors));
  }
  std::vector<Numbers> pairs;
  const std::size_t common = 2 + 4 * (o.memory_dim + 1);
  for (std::size_t p = 0; p < 2; ++p) {
    pairs.push_back(drawn(o.reads_common() ? common : inputs.pair_features, rng));
  }
  return network.link_loss(embeddings, pairs);
}

}  // namespace

TEST_CASE("gradients by the tape are those by central differences") {
  for (const Variant& v : variants()) {
    CAPTURE(v.name);
    const TgnModel model = make_model(v.options, v.inputs);
    Network network(v.options, saved(model));
    network.make_variable();
    const plain::Tensors gradient = network.gradient(loss_of(network, v.inputs));
    for (const auto& entry : network.tensors()) {
      const std::string& name = entry.first;
      const std::vector<double>& tensor = entry.second;
      CAPTURE(name);
      for (std::size_t i = tensor.size() / 3; i < tensor.size(); i += 1 + tensor.size() / 2) {
        constexpr double kStep = 1e-5;
        const auto loss_at = [&](double by) {
          plain::Tensors moved = network.tensors();
          moved[name][i] += by;
          return loss_of(Network(v.options, moved), v.inputs).value;
        };
        const double difference = (loss_at(kStep) - loss_at(-kStep)) / (2 * kStep);
        CHECK(std::abs(difference - gradient.at(name)[i]) < 1e-8);
      }
    }
  }
}
