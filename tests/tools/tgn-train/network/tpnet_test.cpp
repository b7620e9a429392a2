#include "tools/tgn-train/network/tpnet.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/threading/num_threads.h"
#include "tests/tools/tgn-train/network/variants.h"
#include "tests/tools/tgn-train/plain_tgn.h"

using namespace frugal;
using namespace frugal::tgn;
using plain::Number;
using plain::Numbers;

namespace {

constexpr std::size_t kNodes = 8, kEvents = 12;

TgnOptions tpnet_options(float dropout = 0, std::size_t layers = 2) {
  TgnOptions o = small_options(EmbeddingKind::walks);
  o.updater = UpdaterKind::none;
  o.layers = layers;
  o.neighbors = 5;
  o.dropout = dropout;
  return o;
}

TgnInputs tpnet_inputs(std::size_t edges = 3, bool nodes = true) {
  TgnInputs inputs{edges, nodes};
  inputs.walk_hops = 1;
  return inputs;
}

/// A random step of pairs, whose queries have no neighbour to as many as there are places.
class PairSteps {
 public:
  PairSteps(const TgnOptions& options, const TgnInputs& inputs, std::size_t events,
            std::size_t others, bool empty = false)
      : inputs_(inputs), dim_(options.memory_dim), rng_(9) {
    plan.others = others;
    plan.num_slots = 1 + kNodes;
    for (std::size_t s = 0; s < plan.num_slots; ++s) {
      plan.node_of_slot.push_back(static_cast<NodeId>(s == 0 ? 0 : s - 1));
    }
    edges_ = floats(kEvents * inputs.edge_features);
    nodes_ = floats(kNodes * dim_);
    plan.layers.resize(1);
    QueryRows& q = plan.layers[0];
    q.offsets = {0};
    for (std::size_t r = 0; r < events * (2 + others); ++r) {
      const std::size_t count = empty ? 0 : r % (options.neighbors + 1);
      for (std::size_t n = 0; n < count; ++n) {
        q.neighbors.push_back(1 + static_cast<std::uint32_t>(rng_.below(kNodes)));
        q.events.push_back(static_cast<EventId>(rng_.below(kEvents)));
        q.dt.push_back(rng_.uniform(0, 2));
      }
      q.self.push_back(1);
      q.offsets.push_back(static_cast<std::uint32_t>(q.neighbors.size()));
    }
    const std::size_t pairs = events * (1 + others), cross = 4, own = 3;
    const auto count = [&](std::size_t query) { return q.offsets[query + 1] - q.offsets[query]; };
    std::size_t tokens = 0;
    for (std::size_t p = 0; p < pairs; ++p) tokens += count(source(p)) + count(destination(p));
    plan.walks.nodes = floats(q.size() * own);
    plan.walks.neighbors = floats(q.neighbors.size() * own);
    plan.walks.ends = floats(q.neighbors.size() * cross);
    plan.walks.others = floats(tokens * cross);
    plan.walks.pairs = floats(pairs * cross);
  }

  std::size_t source(std::size_t pair) const {
    return pair / (1 + plan.others) * (2 + plan.others);
  }
  std::size_t destination(std::size_t pair) const {
    return source(pair) + 1 + pair % (1 + plan.others);
  }
  StepFeatures features() const {
    StepFeatures f;
    f.edges = rows(edges_, kEvents, inputs_.edge_features);
    if (inputs_.node_features) f.nodes = rows(nodes_, kNodes, dim_);
    return f;
  }
  Numbers edge(EventId event) const { return numbers(edges_, event, inputs_.edge_features); }
  Numbers node(NodeId node) const {
    return inputs_.node_features ? numbers(nodes_, node, dim_) : Numbers();
  }
  static Numbers numbers(const std::vector<float>& from, std::size_t row, std::size_t dim) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(row * dim);
    return {begin, begin + static_cast<std::ptrdiff_t>(dim)};
  }

  StepPlan plan;

 private:
  static FeatureRows rows(const std::vector<float>& from, std::size_t count, std::size_t dim) {
    return {Dtype::f32, reinterpret_cast<const std::byte*>(from.data()), count, dim};
  }
  std::vector<float> floats(std::size_t n) {
    std::vector<float> x(n);
    for (float& v : x) v = static_cast<float>(rng_.uniform(-1, 1));
    return x;
  }

  TgnInputs inputs_;
  std::size_t dim_;
  Rng rng_;
  std::vector<float> edges_, nodes_;
};

/// The network by the formulas of the paper: nothing is shared, pooled early or left out.
class PlainTpnet {
 public:
  PlainTpnet(const TgnOptions& options, const Document& saved) : options_(options) {
    plain::Tape::current().clear();
    for (const auto& [name, values] : plain::tensors_of(saved)) {
      for (const double value : values) parameters_[name].push_back(Number::variable(value));
    }
  }

  Number logit(const PairSteps& step, std::size_t pair, std::size_t& other) const {
    const WalkRows& w = step.plan.walks;
    const std::size_t u = step.source(pair), v = step.destination(pair);
    const Numbers of_u = embed(step, u, v, other), of_v = embed(step, v, u, other);
    const Numbers between =
        relative(PairSteps::numbers(w.pairs, pair, 4), PairSteps::numbers(w.nodes, u, 3),
                 PairSteps::numbers(w.nodes, v, 3));
    return two("tpnet.decoder", plain::joined({of_u, of_v, between}))[0];
  }
  std::vector<double> gradient(const Number& of, const std::string& name) const {
    const std::vector<double> by = plain::Tape::current().derivatives(of.place);
    std::vector<double> gradient;
    for (const Number& x : parameters_.at(name)) {
      gradient.push_back(by[static_cast<std::size_t>(x.place)]);
    }
    return gradient;
  }

 private:
  Numbers linear(const std::string& name, const Numbers& x) const {
    const Numbers &weights = parameters_.at(name + ".weight"),
                  &bias = parameters_.at(name + ".bias");
    Numbers y;
    for (std::size_t o = 0; o < bias.size(); ++o) {
      y.push_back(plain::dot(bias[o], {weights.data() + o * x.size(), x.size()}, x));
    }
    return y;
  }
  Numbers two(const std::string& name, const Numbers& x) const {
    Numbers hidden = linear(name + ".0", x);
    for (Number& h : hidden) h = plain::relu(h);
    return linear(name + ".1", hidden);
  }
  Numbers relative(const Numbers& cross, const Numbers& own, const Numbers& end) const {
    return two("tpnet.relative", plain::joined({cross, own, end}));
  }
  Numbers norm(const std::string& name, const Numbers& x) const {
    const auto n = static_cast<double>(x.size());
    Number mean = 0, variance = 0;
    for (const Number& v : x) mean = mean + v;
    mean = mean / n;
    for (const Number& v : x) variance = variance + (v - mean) * (v - mean);
    const Number deviation = plain::exp(Number(0.5) * plain::log(variance / n + 1e-5));
    Numbers y;
    for (std::size_t i = 0; i < x.size(); ++i) {
      y.push_back((x[i] - mean) / deviation * parameters_.at(name + ".weight")[i] +
                  parameters_.at(name + ".bias")[i]);
    }
    return y;
  }
  Numbers feed_forward(const std::string& name, const Numbers& x) const {
    Numbers hidden = linear(name + ".0", x);
    for (Number& h : hidden) {
      h = h * plain::sigmoid(Number(1.5957691216057308) * (h + Number(0.044715) * h * h * h));
    }
    return linear(name + ".1", hidden);
  }
  /// rows: [places], of which those before `first` are absent.
  void mix(const std::string& name, std::size_t first, std::vector<Numbers>& rows) const {
    const std::size_t channels = options_.memory_dim;
    std::vector<Numbers> mixed = rows;
    for (std::size_t c = 0; c < channels; ++c) {
      Numbers column;
      for (const Numbers& row : rows) column.push_back(row[c]);
      const Numbers more = feed_forward(name + ".token_mix", norm(name + ".token_norm", column));
      for (std::size_t t = first; t < rows.size(); ++t) mixed[t][c] = rows[t][c] + more[t];
    }
    for (std::size_t t = first; t < rows.size(); ++t) {
      const Numbers more =
          feed_forward(name + ".channel_mix", norm(name + ".channel_norm", mixed[t]));
      for (std::size_t c = 0; c < channels; ++c) rows[t][c] = mixed[t][c] + more[c];
    }
  }
  Numbers embed(const PairSteps& step, std::size_t own, std::size_t end, std::size_t& other) const {
    const WalkRows& w = step.plan.walks;
    const QueryRows& q = step.plan.layers[0];
    const std::size_t count = q.offsets[own + 1] - q.offsets[own];
    const std::size_t first = options_.neighbors - count;
    std::vector<Numbers> rows(options_.neighbors, Numbers(options_.memory_dim));
    for (std::size_t n = 0; n < count; ++n) {
      const std::size_t e = q.offsets[own] + n;
      const Numbers self = PairSteps::numbers(w.neighbors, e, 3);
      const Number age = std::log1p(4096 * q.dt[e]);
      Numbers time;
      for (std::size_t j = 0; j < options_.time_dim; ++j) {
        time.push_back(plain::cos(parameters_.at("time_encoder.w.weight")[j] * age +
                                  parameters_.at("time_encoder.w.bias")[j]));
      }
      const Numbers to_own =
          relative(PairSteps::numbers(w.ends, e, 4), self, PairSteps::numbers(w.nodes, own, 3));
      const Numbers to_end = relative(PairSteps::numbers(w.others, other++, 4), self,
                                      PairSteps::numbers(w.nodes, end, 3));
      rows[first + n] = two("tpnet.projection",
                            plain::joined({time, to_own, to_end, step.edge(q.events[e]),
                                           step.node(step.plan.node_of_slot[q.neighbors[e]])}));
    }
    for (std::size_t k = 0; k < options_.layers; ++k) {
      mix("tpnet.mixer." + std::to_string(k), first, rows);
    }
    Numbers mean(options_.memory_dim);
    for (const Numbers& row : rows) {
      for (std::size_t c = 0; c < mean.size(); ++c) {
        mean[c] = mean[c] + row[c] / static_cast<double>(rows.size());
      }
    }
    return mean;
  }

  TgnOptions options_;
  std::map<std::string, Numbers> parameters_;
};

std::vector<float> logits_of(TgnModel& model, const PairSteps& step, const TgnPass& pass) {
  model.begin(step.plan);
  const MatrixView<const float> rows = model.embed(step.plan, step.features(), {}, pass);
  const MatrixView<const float> logits = model.score(step.plan, rows);
  return {logits.data, logits.data + logits.rows * logits.cols};
}

/// The mean over events of the cross-entropy of the event plus the mean of those of the others.
Number loss_of(const PlainTpnet& network, const PairSteps& step, std::size_t events) {
  const std::size_t each = 1 + step.plan.others;
  Number loss = 0;
  std::size_t other = 0;
  for (std::size_t p = 0; p < events * each; ++p) {
    const Number logit = network.logit(step, p, other);
    loss = p % each == 0 ? loss + plain::softplus(Number(0) - logit)
                         : loss + plain::softplus(logit) / static_cast<double>(each - 1);
  }
  return loss / static_cast<double>(events);
}

}  // namespace

TEST_CASE("logits and gradients of TPNet are those of the formulas, in every tensor") {
  constexpr std::size_t kPairEvents = 5;
  for (const std::size_t layers : {1U, 2U, 3U}) {
    for (const std::size_t others : {1U, 3U}) {
      CAPTURE(layers);
      CAPTURE(others);
      const TgnOptions options = tpnet_options(0, layers);
      const bool features = layers != 1;
      const TgnInputs inputs = tpnet_inputs(features ? 3 : 0, features);
      TgnModel model = make_model(options, inputs);
      const PairSteps step(options, inputs, kPairEvents, others);
      const Document before = saved(model);
      const PlainTpnet network(options, before);
      const std::vector<float> logits = logits_of(model, step, {true, 1, 1});
      std::size_t other = 0;
      for (std::size_t p = 0; p < logits.size(); ++p) {
        CHECK(logits[p] == doctest::Approx(network.logit(step, p, other).value).epsilon(1e-5));
      }
      const Number loss = loss_of(network, step, kPairEvents);
      const double rate = 64;
      CHECK(model.train_links(step.plan, step.features(), static_cast<float>(rate)) ==
            doctest::Approx(loss.value).epsilon(1e-5));
      const plain::Tensors from = plain::tensors_of(before), to = plain::tensors_of(saved(model));
      for (const auto& entry : from) {
        const std::string& name = entry.first;
        const std::vector<double>& tensor = entry.second;
        CAPTURE(name);
        std::vector<double> got;
        for (std::size_t i = 0; i < tensor.size(); ++i) {
          got.push_back((tensor[i] - to.at(name)[i]) / rate);
        }
        CHECK(relative_distance(got, network.gradient(loss, name)) < 1e-4);
      }
    }
  }
}

TEST_CASE("dropout of TPNet is the same in both passes") {
  // The slope along a parameter, by differences, of a step whose dropout is drawn again.
  const TgnOptions options = tpnet_options(0.4F);
  const TgnInputs inputs = tpnet_inputs();
  const PairSteps step(options, inputs, 6, 1);
  const TgnPass pass{true, 3, 5};
  TgnModel model = make_model(options, inputs);
  const Document before = saved(model);
  logits_of(model, step, pass);
  model.train_links(step.plan, step.features(), 1);
  const plain::Tensors from = plain::tensors_of(before), to = plain::tensors_of(saved(model));
  const auto loss_with = [&](const std::string& name, double change) {
    TgnModel moved(options, inputs);
    Document document = saved(model);
    for (std::size_t t = 0; t < document.tensors.size(); ++t) {
      const auto values = before.tensors[t].as<float>();
      std::copy(values.begin(), values.end(), document.tensors[t].as<float>().begin());
      if (document.tensors[t].name == name) {
        document.tensors[t].as<float>()[0] += static_cast<float>(change);
      }
    }
    moved.load(document, "moved");
    moved.prepare_training({.kind = OptimizerKind::sgd});
    logits_of(moved, step, pass);
    return moved.train_links(step.plan, step.features(), 0);
  };
  for (const std::string name :
       {"tpnet.projection.1.weight", "tpnet.mixer.0.token_mix.0.weight",
        "tpnet.mixer.0.token_mix.1.bias", "tpnet.mixer.0.channel_mix.0.weight",
        "tpnet.mixer.1.channel_mix.1.bias", "tpnet.relative.0.weight"}) {
    CAPTURE(name);
    constexpr double kChange = 2e-3;
    const double slope = (loss_with(name, kChange) - loss_with(name, -kChange)) / (2 * kChange);
    CHECK(from.at(name)[0] - to.at(name)[0] == doctest::Approx(slope).epsilon(0.05));
  }
  CHECK(logits_of(model, step, pass) != logits_of(model, step, {true, 3, 6}));
  CHECK(logits_of(model, step, {}) != logits_of(model, step, pass));
}

TEST_CASE("any number of threads gives TPNet the same bits") {
  const TgnOptions options = tpnet_options(0.2F);
  const TgnInputs inputs = tpnet_inputs();
  const PairSteps step(options, inputs, 40, 2);
  const std::vector<Document> after =
      trained_by_threads(options, inputs, step,
                         [&](TgnModel& model, const auto& pass) { logits_of(model, step, pass); });
  CHECK(different_tensors(after[0], after[1]) == std::vector<std::string>{});
  CHECK(!different_tensors(after[0], saved(make_model(options, inputs))).empty());
}

TEST_CASE("TPNet scores a pair alike in training and afterwards, at once and in parts") {
  const TgnOptions options = tpnet_options();
  const TgnInputs inputs = tpnet_inputs();
  // More pairs than are computed at once.
  const PairSteps step(options, inputs, 2, 300);
  TgnModel model = make_model(options, inputs);
  const std::vector<float> at_once = logits_of(model, step, {true, 1, 1});
  const std::vector<float> in_parts = logits_of(model, step, {});
  CHECK(at_once == in_parts);
}

TEST_CASE("TPNet takes a step of nodes without neighbours, and of none") {
  const TgnOptions options = tpnet_options();
  const TgnInputs inputs = tpnet_inputs();
  TgnModel model = make_model(options, inputs);
  const PairSteps lonely(options, inputs, 3, 1, true), none(options, inputs, 0, 1);
  const std::vector<float> before = logits_of(model, lonely, {true, 1, 1});
  CHECK(std::isfinite(model.train_links(lonely.plan, lonely.features(), 0.1F)));
  CHECK(logits_of(model, lonely, {}) != before);
  CHECK(logits_of(model, none, {}).empty());
}

TEST_CASE("a saved TPNet is the same when loaded, and goes on alike with its state") {
  const TgnOptions options = tpnet_options();
  const TgnInputs inputs = tpnet_inputs();
  const PairSteps step(options, inputs, 6, 1);
  TgnModel model = make_model(options, inputs), loaded(options, inputs);
  model.prepare_training({.kind = OptimizerKind::adam});
  loaded.prepare_training({.kind = OptimizerKind::adam});
  const auto train = [&](TgnModel& m, std::uint64_t number) {
    logits_of(m, step, {true, 1, number});
    m.train_links(step.plan, step.features(), 0.01F);
  };
  train(model, 1);
  Document state = saved(model);
  CHECK(model.num_parameters() == [&] {
    std::uint64_t count = 0;
    for (const Tensor& tensor : state.tensors) count += tensor.as<float>().size();
    return count;
  }());
  model.save_state(state);
  loaded.load(state, "state");
  loaded.load_state(state, "state");
  train(model, 2);
  train(loaded, 2);
  CHECK(logits_of(model, step, {}) == logits_of(loaded, step, {}));
  Document broken = saved(model);
  broken.tensors.pop_back();
  CHECK_THROWS_AS(loaded.load(broken, "some.file"), Error);
}

TEST_CASE("the published sizes of TPNet") {
  TgnInputs inputs{172};
  inputs.walk_hops = 3;
  const TgnOptions options = tgn_architecture("tpnet").options;
  const TgnModel model(options, inputs);
  // Per layer in + 1 times out: relative encodings of 36 distinct products in place of 64,
  // projection, decoder; two mixers; the time encoder.
  const std::uint64_t relative = 37 * 256 + 257 * 64, decoder = (2 * 172 + 64 + 1) * 172 + 173;
  const std::uint64_t projection = (100 + 2 * 64 + 172 + 1) * 344 + 345 * 172;
  const std::uint64_t mixer =
      2 * 20 + 21 * 10 + 11 * 20 + 2 * 172 + 173 * 688 + std::uint64_t{689} * 172;
  CHECK(model.num_parameters() == relative + projection + decoder + 2 * mixer + 200);
}
