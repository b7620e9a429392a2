#include "tools/gnn-sample/network/gnn_model.h"

#include <doctest/doctest.h>

#include <cstring>

#include "libcore/base/error.h"
#include "libcore/threading/parallel.h"
#include "tests/libcore/nn/gradient_check.h"
#include "tests/support/worst.h"
#include "tests/tools/gnn-sample/network/plain_gnn.h"
#include "tools/gnn-sample/network/gnn_loss.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

constexpr std::size_t kModelFeatures = 5, kModelOutputs = 3;
/// Of batches for two layers or, where a model has three, with one more at the seeds.
std::vector<std::uint32_t> sizes_for(const GnnOptions& options, std::vector<std::uint32_t> sizes) {
  if (options.num_layers == 3) sizes.push_back(sizes.back() - 1);
  if (options.num_layers == 1) sizes.pop_back();
  return sizes;
}

/// Columns of a batch: the features and, where a model reads hops, those of each hop.
std::size_t columns_of(const GnnOptions& options) {
  return kModelFeatures * (conv_kind(options.kind).reads_hops ? options.hops + 1 : 1);
}

const std::vector<std::uint32_t> kSizes = {23, 11, 5};

GnnOptions small_options(const std::string& kind = "sage") {
  GnnOptions options;
  options.kind = kind;
  options.num_layers = 2;
  options.hidden = 4;
  options.dropout = 0;
  return options;
}

struct Variant {
  std::string name;
  GnnOptions options;
};

std::vector<Variant> variants() {
  std::vector<Variant> all;
  const auto add = [&](const std::string& name, const std::string& kind, const auto& change) {
    all.push_back({name, small_options(kind)});
    change(all.back().options);
  };
  add("sage", "sage", [](GnnOptions&) {});
  add("sage without bias, with dropout", "sage", [](GnnOptions& o) {
    o.bias = false;
    o.dropout = 0.4F;
    o.input_dropout = 0.3F;
  });
  add("sage with batch norm and leaky ReLU", "sage", [](GnnOptions& o) {
    o.norm = NormKind::batch;
    o.activation = ActivationKind::leaky_relu;
    o.dropout = 0.2F;
  });
  add("sage with ELU and dense layers", "sage", [](GnnOptions& o) {
    o.activation = ActivationKind::elu;
    o.dropout = 0.3F;
    o.head_layers = 2;
  });
  add("sage with the largest neighbours", "sage", [](GnnOptions& o) {
    o.aggregate = SageAggregate::max;
    o.activation = ActivationKind::elu;
  });
  add("gcn", "gcn", [](GnnOptions& o) { o.input_dropout = 0.2F; });
  add("gcn with batch norm", "gcn", [](GnnOptions& o) { o.norm = NormKind::batch; });
  add("gin", "gin", [](GnnOptions& o) { o.train_epsilon = true; });
  add("gin with batch norm, dropout and dense layers", "gin", [](GnnOptions& o) {
    o.norm = NormKind::batch;
    o.dropout = 0.3F;
    o.head_layers = 2;
  });
  add("gat with two heads", "gat", [](GnnOptions& o) { o.heads = 2; });
  add("gat with one head", "gat", [](GnnOptions& o) { o.attention_dropout = 0.3F; });
  add("gat with dropout everywhere", "gat", [](GnnOptions& o) {
    o.heads = 3;
    o.output_heads = 2;
    o.activation = ActivationKind::elu;
    o.dropout = 0.3F;
    o.input_dropout = 0.2F;
    o.attention_dropout = 0.4F;
  });
  add("gatv2", "gatv2", [](GnnOptions&) {});
  add("gatv2 of two heads with layer norm and a residual path, without bias", "gatv2",
      [](GnnOptions& o) {
        o.heads = 2;
        o.norm = NormKind::layer;
        o.bias = false;
        o.residual = true;
        o.jumping = Jumping::concat;
        o.head_layers = 1;
      });
  add("gatv2 with dropout everywhere", "gatv2", [](GnnOptions& o) {
    o.heads = 3;
    o.output_heads = 2;
    o.activation = ActivationKind::elu;
    o.dropout = 0.3F;
    o.input_dropout = 0.2F;
    o.attention_dropout = 0.4F;
  });
  add("sage-ri", "sage-ri", [](GnnOptions& o) {
    o.num_layers = 3;
    o.norm = NormKind::batch;
    o.activation = ActivationKind::leaky_relu;
    o.dropout = 0.1F;
    o.input_dropout = 0.1F;
  });
  add("sage with layer norm and a residual path", "sage", [](GnnOptions& o) {
    o.norm = NormKind::layer;
    o.residual = true;
    o.dropout = 0.2F;
    o.input_dropout = 0.2F;
    o.head_layers = 1;
  });
  add("gcn with a residual path and the sum of all layers", "gcn", [](GnnOptions& o) {
    o.num_layers = 3;
    o.norm = NormKind::layer;
    o.residual = true;
    o.jumping = Jumping::sum;
    o.dropout = 0.2F;
    o.head_layers = 1;
  });
  add("gcn with batch norm and all layers side by side", "gcn", [](GnnOptions& o) {
    o.norm = NormKind::batch;
    o.residual = true;
    o.bias = false;
    o.jumping = Jumping::concat;
    o.head_layers = 2;
  });
  add("gat with layer norm, a residual path and the sum of all layers", "gat", [](GnnOptions& o) {
    o.num_layers = 3;
    o.heads = 2;
    o.norm = NormKind::layer;
    o.residual = true;
    o.jumping = Jumping::sum;
    o.attention_dropout = 0.2F;
    o.head_layers = 1;
  });
  add("gat with a residual path and its mean of heads", "gat", [](GnnOptions& o) {
    o.output_heads = 2;
    o.residual = true;
  });
  add("gin with layer norm, a residual path and all layers side by side", "gin", [](GnnOptions& o) {
    o.norm = NormKind::layer;
    o.residual = true;
    o.train_epsilon = true;
    o.jumping = Jumping::concat;
    o.head_layers = 1;
  });
  add("sage of the largest neighbours with a residual path and the sum of all layers", "sage",
      [](GnnOptions& o) {
        o.aggregate = SageAggregate::max;
        o.activation = ActivationKind::elu;
        o.residual = true;
        o.jumping = Jumping::sum;
        o.head_layers = 2;
      });
  add("sign", "sign", [](GnnOptions& o) {
    o.num_layers = 1;
    o.hops = 0;
    o.head_layers = 2;
    o.norm = NormKind::batch;
    o.dropout = 0.2F;
    o.input_dropout = 0.2F;
  });
  add("sagn", "sagn", [](GnnOptions& o) {
    o.num_layers = 1;
    o.hops = 2;
    o.head_layers = 1;
  });
  add("sagn without dense layers", "sagn", [](GnnOptions& o) {
    o.num_layers = 1;
    o.hops = 3;
    o.output_heads = 2;
    o.attention_dropout = 0.3F;
    o.input_dropout = 0.2F;
  });
  add("sagn of three heads with dropout everywhere", "sagn", [](GnnOptions& o) {
    o.num_layers = 1;
    o.hops = 2;
    o.heads = 3;
    o.head_layers = 2;
    o.norm = NormKind::batch;
    o.bias = false;
    o.dropout = 0.2F;
    o.input_dropout = 0.2F;
    o.attention_dropout = 0.3F;
  });
  add("sagn of one hop with layer norm", "sagn", [](GnnOptions& o) {
    o.num_layers = 1;
    o.hops = 1;
    o.heads = 2;
    o.head_layers = 1;
    o.norm = NormKind::layer;
  });
  add("hoga", "hoga", [](GnnOptions& o) {
    o.num_layers = 1;
    o.hops = 2;
    o.head_layers = 1;
  });
  add("hoga of three heads with dropout everywhere", "hoga", [](GnnOptions& o) {
    o.num_layers = 1;
    o.hops = 3;
    o.heads = 3;
    o.head_layers = 2;
    o.activation = ActivationKind::elu;
    o.norm = NormKind::batch;
    o.bias = false;
    o.dropout = 0.2F;
    o.input_dropout = 0.2F;
    o.attention_dropout = 0.3F;
  });
  add("hoga of one hop", "hoga", [](GnnOptions& o) {
    o.num_layers = 1;
    o.hops = 1;
    o.heads = 2;
    o.head_layers = 1;
    o.activation = ActivationKind::leaky_relu;
  });
  add("sage-ri with layer norm", "sage-ri", [](GnnOptions& o) { o.norm = NormKind::layer; });
  add("sage-ri without norm", "sage-ri", [](GnnOptions& o) { o.num_layers = 3; });
  add("gine", "gine", [](GnnOptions& o) {
    o.edge_dim = 3;
    o.train_epsilon = true;
  });
  add("gine with batch norm, dropout, a residual path and dense layers", "gine", [](GnnOptions& o) {
    o.edge_dim = 1;
    o.norm = NormKind::batch;
    o.residual = true;
    o.bias = false;
    o.dropout = 0.3F;
    o.input_dropout = 0.2F;
    o.head_layers = 1;
  });
  for (const std::string kind : {"sage", "gcn", "gin", "sage-ri"}) {
    add(kind + " with weights of edges", kind, [&kind](GnnOptions& o) {
      o.edge_weights = true;
      o.residual = kind == "gcn";
      o.train_epsilon = kind == "gin";
    });
  }
  return all;
}

/// Dense features; sparse ones whose rows are added up first, as there are few neighbours; and ones
/// whose products are.
struct FeatureKind {
  double zeros;  ///< share of the numbers
  std::uint32_t most_neighbors;
};
constexpr FeatureKind kFeatureKinds[] = {{0, 4}, {0.8, 4}, {0.8, 100}};

/// Every parameter is something, no bias 0: a target whose edges were all dropped would else be
/// where ReLU has no slope.
GnnModel make_model(const GnnOptions& options) {
  GnnModel model(options, kModelFeatures, kModelOutputs);
  model.randomize(3);
  Document document;
  model.save(document);
  Rng rng(5);
  for (Tensor& tensor : document.tensors) {
    for (float& x : tensor.as<float>()) x += static_cast<float>(rng.uniform(0.05, 0.3));
  }
  model.load(document, "model");
  model.prepare_training({.kind = OptimizerKind::sgd});
  return model;
}

/// The sum of all outputs, each times its own number.
double weighted_sum(const PlainRows& outputs) {
  double sum = 0;
  for (Eigen::Index r = 0; r < outputs.rows(); ++r) {
    for (Eigen::Index c = 0; c < outputs.cols(); ++c) {
      sum += outputs(r, c) * std::cos(static_cast<double>(3 * r + c));
    }
  }
  return sum;
}

RowStore weights_of_sum(std::size_t rows) {
  RowStore gradient;
  gradient.resize(rows, kModelOutputs);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < kModelOutputs; ++c) {
      gradient.view()(r, c) = std::cos(static_cast<float>(3 * r + c));
    }
  }
  return gradient;
}

double largest_of(const std::vector<float>& values) {
  double largest = 0;
  for (const float v : values) largest = worse(largest, std::abs(static_cast<double>(v)));
  return largest;
}

double largest_difference(MatrixView<const float> got, const PlainRows& want) {
  double largest = 0;
  for (std::size_t r = 0; r < got.rows; ++r) {
    for (std::size_t c = 0; c < got.cols; ++c) {
      const double wanted = want(r, c), size = std::max(1.0, std::abs(wanted));
      largest = worse(largest, std::abs(static_cast<double>(got(r, c)) - wanted) / size);
    }
  }
  return largest;
}

}  // namespace

TEST_CASE("no two tensors of a model begin with the same random numbers") {
  for (const Variant& variant : variants()) {
    CAPTURE(variant.name);
    GnnModel model(variant.options, kModelFeatures, kModelOutputs);
    model.randomize(3);
    std::vector<std::vector<double>> tensors;
    for (const auto& [name, values] : plain_parameters(model)) {
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      if (values.size() >= 8 && *low != *high) tensors.push_back(values);
    }
    REQUIRE(tensors.size() > 1);
    for (std::size_t a = 0; a < tensors.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        // Each is scaled to its own bound, and in an order of its own but for the first.
        const double ratio = tensors[a][0] / tensors[b][0];
        std::size_t equal = 0;
        for (const double x : tensors[a]) {
          for (const double y : tensors[b]) equal += std::abs(x - ratio * y) < 1e-7 ? 1 : 0;
        }
        CHECK(equal < 3);
      }
    }
  }
}

TEST_CASE("the outputs of every model follow its formula") {
  for (const Variant& variant : variants()) {
    for (const FeatureKind& kind : kFeatureKinds) {
      CAPTURE(variant.name);
      CAPTURE(kind.zeros);
      CAPTURE(kind.most_neighbors);
      const RandomBatch batch(sizes_for(variant.options, kSizes), columns_of(variant.options), 1,
                              kind.most_neighbors, kind.zeros, EdgeParts::of(variant.options));
      GnnModel model = make_model(variant.options);
      const auto room = model.make_room();
      const PlainParameters parameters = plain_parameters(model);
      for (const bool training : {true, false}) {
        const GnnPass pass = {training, 9, 4};
        const auto got = model.forward(batch.view(), pass, *room);
        REQUIRE(got.rows == batch.num_seeds());
        const PlainRows want = PlainGnn(variant.options, parameters, pass).forward(batch);
        CHECK(largest_difference(got, want) < 1e-5);
      }
    }
  }
}

TEST_CASE("the gradients of every model are those of central differences") {
  const GnnPass pass = {true, 9, 4};
  for (const Variant& variant : variants()) {
    for (const FeatureKind& kind : kFeatureKinds) {
      const RandomBatch batch(sizes_for(variant.options, kSizes), columns_of(variant.options), 2,
                              kind.most_neighbors, kind.zeros, EdgeParts::of(variant.options));
      RowStore dout = weights_of_sum(batch.num_seeds());
      GnnModel model = make_model(variant.options);
      const auto room = model.make_room();
      PlainParameters parameters = plain_parameters(model);
      model.forward(batch.view(), pass, *room);
      model.backward(batch.view(), pass, *room, dout.view());
      for (const auto& parameter : model.gradients()) {
        const std::string& name = parameter.first;
        const std::vector<float>& gradient = parameter.second;
        CAPTURE(variant.name);
        CAPTURE(kind.zeros);
        CAPTURE(kind.most_neighbors);
        CAPTURE(name);
        const std::vector<double> at = parameters.at(name);
        const auto loss = [&](const std::vector<double>& values) {
          parameters[name] = values;
          return weighted_sum(PlainGnn(variant.options, parameters, pass).forward(batch));
        };
        const std::vector<double> want = central_differences(loss, at, 1e-6);
        parameters[name] = at;
        const double error = relative_error(want, gradient);
        CAPTURE(error);
        CAPTURE(largest_of(gradient));
        // What a norm takes away again, such as a bias before it, has no gradient but by rounding.
        const bool none =
            std::all_of(want.begin(), want.end(), [](double g) { return std::abs(g) < 1e-7; });
        CHECK((error < 1e-4 || (none && largest_of(gradient) < 1e-5)));
      }
    }
  }
}

TEST_CASE("the gradients of every model by its features are those of central differences") {
  const GnnPass pass = {true, 9, 4};
  for (const Variant& variant : variants()) {
    CAPTURE(variant.name);
    RandomBatch random(sizes_for(variant.options, kSizes), columns_of(variant.options), 2, 4, 0,
                       EdgeParts::of(variant.options));
    GnnBatch batch = random.view();
    batch.wants_gradient = true;
    RowStore dout = weights_of_sum(random.num_seeds());
    GnnModel model = make_model(variant.options);
    const auto room = model.make_room();
    const PlainParameters parameters = plain_parameters(model);
    model.forward(batch, pass, *room);
    model.backward(batch, pass, *room, dout.view());
    const std::size_t sources = batch.nodes.size();
    RowStore rows;
    const std::size_t columns = columns_of(variant.options);
    rows.resize(sources, columns);
    model.feature_gradient(batch, pass, *room, 0, 7, rows.view().rows_between(0, 7));
    model.feature_gradient(batch, pass, *room, 7, sources, rows.view().rows_between(7, sources));
    // A node may be several sources.
    const std::vector<double> at = random.features();
    std::vector<float> gradient(at.size());
    for (std::size_t s = 0; s < sources; ++s) {
      for (std::size_t c = 0; c < columns; ++c) {
        gradient[batch.nodes[s] * columns + c] += rows.view()(s, c);
      }
    }
    const auto loss = [&](const std::vector<double>& values) {
      random.set_precise_features(values);
      return weighted_sum(PlainGnn(variant.options, parameters, pass).forward(random));
    };
    const double error = relative_error(central_differences(loss, at, 1e-6), gradient);
    CAPTURE(error);
    CHECK(error < 1e-4);
    CHECK(largest_of(gradient) > 0);
  }
}

namespace {

/// The bytes of parameters and optimiser after some steps, at once or in their two parts.
std::vector<std::byte> bytes_after_steps(const GnnOptions& options, const RandomBatch& batch,
                                         int threads, bool apart = false) {
  set_num_threads(threads);
  GnnModel model(options, kModelFeatures, kModelOutputs);
  model.randomize(3);
  model.prepare_training({.kind = OptimizerKind::adam});
  const auto room = model.make_room();
  RowStore dout = weights_of_sum(batch.num_seeds());
  for (std::uint64_t step = 0; step < 2; ++step) {
    model.forward(batch.view(), {true, 9, step}, *room);
    model.backward(batch.view(), {true, 9, step}, *room, dout.view());
    if (apart) {
      model.apply_gradient(model.take_gradient(), 0.01F);
    } else {
      model.step(0.01F);
    }
  }
  Document document;
  model.save(document);
  model.save_state(document);
  std::vector<std::byte> bytes;
  for (const Tensor& tensor : document.tensors) {
    bytes.insert(bytes.end(), tensor.content().begin(), tensor.content().end());
  }
  set_num_threads(0);
  return bytes;
}

}  // namespace

TEST_CASE("steps of every model give the same bytes for any number of threads, and apart") {
  for (const Variant& variant : variants()) {
    for (const FeatureKind& kind : kFeatureKinds) {
      CAPTURE(variant.name);
      CAPTURE(kind.zeros);
      CAPTURE(kind.most_neighbors);
      const RandomBatch batch(sizes_for(variant.options, {3000, 1500, 300}),
                              columns_of(variant.options), 3, 4, kind.zeros,
                              EdgeParts::of(variant.options));
      const std::vector<std::byte> one = bytes_after_steps(variant.options, batch, 1);
      CHECK(one == bytes_after_steps(variant.options, batch, 2));
      CHECK(one == bytes_after_steps(variant.options, batch, 8));
      CHECK(one == bytes_after_steps(variant.options, batch, 2, true));
    }
  }
}

TEST_CASE("weights of edges that are all 1 change no output") {
  for (const std::string kind : {"sage", "gcn", "gin", "sage-ri"}) {
    for (const FeatureKind& features : kFeatureKinds) {
      CAPTURE(kind);
      GnnOptions options = small_options(kind);
      RandomBatch batch(kSizes, kModelFeatures, 1, features.most_neighbors, features.zeros,
                        {.weights = true});
      batch.make_weights_one();
      GnnModel plain = make_model(options);
      options.edge_weights = true;
      GnnModel weighted = make_model(options);
      GnnBatch without = batch.view();
      std::vector<Block> blocks(without.blocks.begin(), without.blocks.end());
      for (Block& block : blocks) block.weights = nullptr;
      without.blocks = blocks;
      without.weighted_degrees = {};
      const auto room = plain.make_room(), other = weighted.make_room();
      const MatrixView<const float> a = plain.forward(without, {}, *room);
      const MatrixView<const float> b = weighted.forward(batch.view(), {}, *other);
      for (std::size_t r = 0; r < a.rows; ++r) {
        for (std::size_t c = 0; c < a.cols; ++c) CHECK(a(r, c) == doctest::Approx(b(r, c)));
      }
    }
  }
}

TEST_CASE("a model that was saved goes on as if it had not been") {
  const auto train = [&](GnnModel& model, std::uint64_t step) {
    const RandomBatch batch(sizes_for(model.options(), kSizes), columns_of(model.options()), 4, 4,
                            0, EdgeParts::of(model.options()));
    RowStore dout = weights_of_sum(batch.num_seeds());
    const auto room = model.make_room();
    model.forward(batch.view(), {true, 9, step}, *room);
    model.backward(batch.view(), {true, 9, step}, *room, dout.view());
    model.step(0.01F);
  };
  for (const Variant& variant : variants()) {
    CAPTURE(variant.name);
    GnnModel model(variant.options, kModelFeatures, kModelOutputs),
        other(variant.options, kModelFeatures, kModelOutputs);
    for (GnnModel* m : {&model, &other}) {
      m->randomize(m == &model ? 1 : 2);
      m->prepare_training({.kind = OptimizerKind::adam});
    }
    train(model, 0);
    Document document;
    model.save(document);
    model.save_state(document);
    other.load(document, "model.tz");
    other.load_state(document, "model.tz");
    train(model, 1);
    train(other, 1);
    CHECK(plain_parameters(model) == plain_parameters(other));
    document.tensors.pop_back();
    document.tensors.erase(document.tensors.begin());
    CHECK_THROWS_AS(other.load(document, "model.tz"), Error);
  }
}
