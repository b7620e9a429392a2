#pragma once
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "libcore/base/rng.h"
#include "libcore/threading/parallel.h"
#include "tests/support/worst.h"
#include "tests/tools/tgn-train/plain_tgn.h"
#include "tools/tgn-train/network/tgn_model.h"

namespace frugal::tgn {

/// A small network with some of the modules.
struct Variant {
  std::string name;
  TgnOptions options;
  TgnInputs inputs;
};

inline TgnOptions small_options(EmbeddingKind embedding = EmbeddingKind::attention) {
  TgnOptions o;
  o.embedding = embedding;
  o.memory_dim = 6;
  o.time_dim = 4;
  o.message_dim = 5;
  o.neighbors = 4;
  o.dropout = 0;
  return o;
}

inline std::vector<Variant> variants() {
  std::vector<Variant> all;
  const auto add = [&](const std::string& name, EmbeddingKind embedding, TgnInputs inputs,
                       const auto& change) {
    TgnOptions o = small_options(embedding);
    change(o);
    all.push_back({name, o, inputs});
  };
  using enum EmbeddingKind;
  const auto no_change = [](TgnOptions&) {};
  const auto rnn = [](TgnOptions& o) { o.updater = UpdaterKind::rnn; };
  const auto mlp = [](TgnOptions& o) { o.message = MessageKind::mlp; };
  const auto two_layers = [](TgnOptions& o) { o.layers = 2; };
  add("attention", attention, {3}, no_change);
  add("attention without edge features", attention, {0}, no_change);
  add("attention, three heads, node features", attention, {3, true}, [](TgnOptions& o) {
    o.heads = 3;
    o.memory_dim = 7;
    o.time_dim = 5;
  });
  add("attention, RNN", attention, {3}, rnn);
  add("attention, messages through an MLP", attention, {3}, mlp);
  add("attention, RNN, messages through an MLP", attention, {0}, [](TgnOptions& o) {
    o.updater = UpdaterKind::rnn;
    o.message = MessageKind::mlp;
  });
  add("attention over two layers", attention, {3, true}, two_layers);
  add("attention without memory", attention, {3, true},
      [](TgnOptions& o) { o.updater = UpdaterKind::none; });
  add("attention, fixed times", attention, {3}, [](TgnOptions& o) { o.train_time = false; });
  add("attention, features of pairs", attention, {3, false, 5}, no_change);
  add("attention, edge types", attention, {5, false, 7, 3}, no_change);
  add("transformer, edge types alone, messages through an MLP", transformer, {4, true, 4, 4}, mlp);
  add("sum, edge types", sum, {3, false, 2, 2}, no_change);
  add("sum", sum, {3}, no_change);
  add("sum without edge features, RNN", sum, {0}, rnn);
  add("sum over two layers, node features", sum, {3, true}, two_layers);
  add("transformer", transformer, {3}, no_change);
  add("transformer, three heads, node features", transformer, {3, true},
      [](TgnOptions& o) { o.heads = 3; });
  add("transformer without edge features, RNN", transformer, {0}, rnn);
  const auto common = [](TgnOptions& o) { o.decoder = DecoderKind::common; };
  add("transformer, common neighbours", transformer, {3}, common);
  add("attention without memory, common neighbours, node features", attention, {3, true},
      [](TgnOptions& o) {
        o.updater = UpdaterKind::none;
        o.decoder = DecoderKind::common;
      });
  add("identity, RNN, node features, common neighbours", identity, {0, true}, [](TgnOptions& o) {
    o.updater = UpdaterKind::rnn;
    o.decoder = DecoderKind::common;
  });
  add("identity", identity, {3}, no_change);
  add("identity, RNN, node features", identity, {0, true}, rnn);
  add("time", time, {3}, no_change);
  add("time, RNN, messages through an MLP", time, {3}, [](TgnOptions& o) {
    o.updater = UpdaterKind::rnn;
    o.message = MessageKind::mlp;
  });
  return all;
}

inline Document saved(const TgnModel& model) {
  Document document;
  model.save(document);
  return document;
}

/// Every parameter is something, no bias 0.
inline TgnModel make_model(const TgnOptions& options, const TgnInputs& inputs,
                           std::uint64_t seed = 3) {
  TgnModel model(options, inputs);
  model.randomize(seed);
  Document document = saved(model);
  Rng rng(seed, 1);
  for (Tensor& tensor : document.tensors) {
    for (float& x : tensor.as<float>()) x += static_cast<float>(rng.uniform(-0.1, 0.25));
  }
  model.load(document, "model");
  model.prepare_training({.kind = OptimizerKind::sgd});
  return model;
}

/// The model after three steps of training, with 1 and with 3 threads. embed(model, pass) computes
/// what a step trains on.
template <class Step, class Embed>
std::vector<Document> trained_by_threads(const TgnOptions& options, const TgnInputs& inputs,
                                         const Step& step, const Embed& embed) {
  std::vector<Document> after;
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    TgnModel model = make_model(options, inputs);
    model.prepare_training({.kind = OptimizerKind::adam});
    for (std::uint64_t number = 1; number < 4; ++number) {
      embed(model, TgnPass{true, 1, number});
      model.train_links(step.plan, step.features(), 0.01F);
    }
    after.push_back(saved(model));
  }
  set_num_threads(1);
  return after;
}

/// Names of the tensors whose bytes differ.
inline std::vector<std::string> different_tensors(const Document& a, const Document& b) {
  if (a.tensors.size() != b.tensors.size()) return {"their number"};
  std::vector<std::string> names;
  for (std::size_t t = 0; t < a.tensors.size(); ++t) {
    const auto x = a.tensors[t].content(), y = b.tensors[t].content();
    const bool equal = x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size()) == 0;
    if (!equal) names.push_back(a.tensors[t].name);
  }
  return names;
}

/// |got - want| / |want| in the Euclidean norm; 0 where both are 0 but for rounding of doubles.
inline double relative_distance(const std::vector<double>& got, const std::vector<double>& want) {
  double distance = got.size() == want.size() ? 0 : HUGE_VAL, size = 0;
  for (std::size_t i = 0; i < std::min(got.size(), want.size()); ++i) {
    distance += (got[i] - want[i]) * (got[i] - want[i]);
    size += want[i] * want[i];
  }
  return distance < 1e-24 ? 0 : std::sqrt(distance / size);
}

/// The largest of these over the rows.
inline double relative_distance(MatrixView<const float> got,
                                const std::vector<plain::Numbers>& want) {
  double largest = got.rows == want.size() ? 0 : HUGE_VAL;
  for (std::size_t r = 0; r < std::min(got.rows, want.size()); ++r) {
    const std::vector<double> row(got.row(r), got.row(r) + got.cols);
    largest = worse(largest, relative_distance(row, plain::values(want[r])));
  }
  return largest;
}

}  // namespace frugal::tgn
