#include "tools/tgn-train/network/memory_updater.h"

#include <doctest/doctest.h>

#include "tests/support/worst.h"
#include "tests/tools/tgn-train/network/random_step.h"
#include "tests/tools/tgn-train/network/variants.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

const std::string kCellName = "memory_updater.memory_updater.";

/// As other programs leave it: what the updater adds up are two parameters that differ.
Document with_unequal_parts(const TgnModel& model) {
  Document document = saved(model);
  Rng rng(21);
  for (const char* name : {"weight_ih", "weight_hh", "bias_ih", "bias_hh"}) {
    for (float& x : document.at(kCellName + name).as<float>()) {
      x = static_cast<float>(rng.uniform(-0.5, 0.5));
    }
  }
  return document;
}

/// Where a parameter of weight_hh or bias_hh is in weight_ih or bias_ih, if the updater adds them.
struct Pair {
  std::string hh, ih;
  std::size_t at_hh, at_ih;
};

std::vector<Pair> added_pairs(const TgnOptions& o, const plain::Tensors& tensors) {
  std::vector<Pair> pairs;
  const std::size_t rows = (o.updater == UpdaterKind::gru ? 2 : 1) * o.memory_dim;
  const std::size_t message_dim =
      tensors.at(kCellName + "weight_ih").size() / tensors.at(kCellName + "bias_ih").size();
  for (std::size_t row = 0; row < rows; ++row) {
    pairs.push_back({kCellName + "bias_hh", kCellName + "bias_ih", row, row});
    for (std::size_t c = 0; o.message == MessageKind::identity && c < o.memory_dim; ++c) {
      pairs.push_back({kCellName + "weight_hh", kCellName + "weight_ih", row * o.memory_dim + c,
                       row * message_dim + c});
    }
  }
  return pairs;
}

/// Both parameters of a pair become their mean: what is left to compare is their sum.
void join_pairs(const std::vector<Pair>& pairs, plain::Tensors& tensors) {
  for (const Pair& p : pairs) {
    double& hh = tensors.at(p.hh)[p.at_hh];
    double& ih = tensors.at(p.ih)[p.at_ih];
    hh = ih = (hh + ih) / 2;
  }
}

/// Adam as PyTorch has it (Kingma, Ba, ICLR 2015, algorithm 1), for every parameter by itself.
class PlainAdam {
 public:
  void step(plain::Tensors& tensors, const plain::Tensors& gradient, double rate) {
    ++steps_;
    for (auto& [name, tensor] : tensors) {
      auto &m = mean_[name], &v = square_[name];
      m.resize(tensor.size());
      v.resize(tensor.size());
      for (std::size_t i = 0; i < tensor.size(); ++i) {
        const double g = gradient.at(name)[i];
        m[i] = 0.9 * m[i] + 0.1 * g;
        v[i] = 0.999 * v[i] + 0.001 * g * g;
        const double mean = m[i] / (1 - std::pow(0.9, steps_));
        const double square = v[i] / (1 - std::pow(0.999, steps_));
        tensor[i] -= rate * mean / (std::sqrt(square) + 1e-8);
      }
    }
  }

 private:
  plain::Tensors mean_, square_;
  int steps_ = 0;
};

/// Of each parameter the smallest gradient that it ever had, in shares of its tensor's largest.
/// Adam makes whole steps of gradients that are nothing but rounding.
void keep_smallest(const plain::Tensors& gradient, plain::Tensors& smallest) {
  for (const auto& [name, tensor] : gradient) {
    double largest = 0;
    for (const double g : tensor) largest = worse(largest, std::abs(g));
    std::vector<double>& kept = smallest[name];
    kept.resize(tensor.size(), HUGE_VAL);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      kept[i] = largest < 1e-12 ? 0 : std::min(kept[i], std::abs(tensor[i]) / largest);
    }
  }
}

}  // namespace

TEST_CASE("a cell whose two products differ makes the same memory as in one") {
  for (const Variant& v : variants()) {
    if (!v.options.has_memory()) continue;
    CAPTURE(v.name);
    TgnModel model = make_model(v.options, v.inputs);
    const Document document = with_unequal_parts(model);
    model.load(document, "model");
    const RandomStep step(v.options, v.inputs, 4, 9);
    const plain::Network network(v.options, document);
    const auto want = step.plain_embeddings(network);
    step.embed(model, {});
    CHECK(relative_distance(model.embeddings(), want) < 1e-5);
    CHECK(relative_distance(model.slots(), step.plain_slots(network)) < 1e-5);
  }
}

TEST_CASE("what stands for two parameters has the gradient of both") {
  for (const Variant& v : variants()) {
    if (!v.options.has_memory()) continue;
    CAPTURE(v.name);
    TgnModel model = make_model(v.options, v.inputs);
    const Document document = with_unequal_parts(model);
    model.load(document, "model");
    model.prepare_training({.kind = OptimizerKind::sgd});
    const RandomStep step(v.options, v.inputs, 4, 9);
    plain::Network network(v.options, document);
    network.make_variable();
    const auto gradient = network.gradient(
        network.link_loss(step.plain_embeddings(network), step.plain_pairs(network)));
    const double rate = 256;
    step.embed(model, {});
    model.train_links(step.plan, step.features(), static_cast<float>(rate));
    const plain::Tensors before = plain::tensors_of(document);
    const plain::Tensors after = plain::tensors_of(saved(model));
    std::vector<double> got, want;
    for (const Pair& p : added_pairs(v.options, before)) {
      const double by_hh = gradient.at(p.hh)[p.at_hh], by_ih = gradient.at(p.ih)[p.at_ih];
      // Both have the same input.
      CHECK(by_hh == doctest::Approx(by_ih).epsilon(1e-9));
      CHECK(after.at(p.hh)[p.at_hh] == after.at(p.ih)[p.at_ih]);
      const double sum = before.at(p.hh)[p.at_hh] + before.at(p.ih)[p.at_ih];
      // Descent moves it by what the two move, each of the two halves that are written.
      got.push_back((sum - after.at(p.hh)[p.at_hh] - after.at(p.ih)[p.at_ih]) / rate);
      want.push_back(2 * (by_hh + by_ih));
    }
    CHECK(relative_distance(got, want) < 1e-4);
  }
}

TEST_CASE("Adam takes the steps that it takes with every parameter by itself") {
  for (const Variant& v : variants()) {
    if (!v.options.has_memory()) continue;
    CAPTURE(v.name);
    TgnModel model = make_model(v.options, v.inputs);
    const Document document = with_unequal_parts(model);
    model.load(document, "model");
    model.prepare_training({.kind = OptimizerKind::adam});
    PlainAdam adam;
    plain::Tensors tensors = plain::tensors_of(document), smallest;
    for (std::uint64_t s = 0; s < 4; ++s) {
      const RandomStep step(v.options, v.inputs, 4, 30 + s);
      plain::Network network(v.options, tensors);
      network.make_variable();
      auto gradient = network.gradient(
          network.link_loss(step.plain_embeddings(network), step.plain_pairs(network)));
      for (const char* name : {"time_encoder.w.weight", "time_encoder.w.bias"}) {
        if (!v.options.train_time) std::fill(gradient[name].begin(), gradient[name].end(), 0.0);
      }
      adam.step(tensors, gradient, 1e-3);
      keep_smallest(gradient, smallest);
      step.embed(model, {});
      model.train_links(step.plan, step.features(), 1e-3F);
    }
    plain::Tensors before = plain::tensors_of(document);
    const plain::Tensors after = plain::tensors_of(saved(model));
    const std::vector<Pair> pairs = added_pairs(v.options, before);
    join_pairs(pairs, before);
    join_pairs(pairs, tensors);
    for (const auto& entry : before) {
      const std::string& name = entry.first;
      const std::vector<double>& tensor = entry.second;
      CAPTURE(name);
      std::vector<double> got, want;
      for (std::size_t i = 0; i < tensor.size(); ++i) {
        if (smallest.at(name)[i] < 1e-2) continue;
        got.push_back(after.at(name)[i] - tensor[i]);
        want.push_back(tensors.at(name)[i] - tensor[i]);
      }
      CHECK(relative_distance(got, want) < 1e-3);
    }
  }
}
