#include "tools/tgn-train/network/tgn_model.h"

#include <doctest/doctest.h>

#include <cstring>
#include <numeric>
#include <set>
#include <string>

#include "libcore/base/error.h"
#include "tests/tools/tgn-train/network/random_step.h"
#include "tests/tools/tgn-train/network/variants.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

constexpr std::size_t kTriples = 4;

/// Made in the step; made before it; made in it with gradients for their encodings of time.
enum class Messages { fresh, kept, time_learns };

/// Where the second document is behind the first, over `rate`: tensor by tensor.
plain::Tensors step_between(const Document& before, const Document& after, double rate) {
  plain::Tensors from = plain::tensors_of(before);
  const plain::Tensors to = plain::tensors_of(after);
  for (auto& [name, tensor] : from) {
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      tensor[i] = (tensor[i] - to.at(name)[i]) / rate;
    }
  }
  return from;
}

bool same_bytes(const Document& a, const Document& b) {
  if (a.tensors.size() != b.tensors.size()) return false;
  for (std::size_t t = 0; t < a.tensors.size(); ++t) {
    const auto x = a.tensors[t].content(), y = b.tensors[t].content();
    if (a.tensors[t].name != b.tensors[t].name || a.tensors[t].shape != b.tensors[t].shape ||
        x.size() != y.size() || std::memcmp(x.data(), y.data(), x.size()) != 0) {
      return false;
    }
  }
  return true;
}

std::size_t size_of_tensors(const Document& document, const std::string& prefix) {
  std::size_t size = 0;
  for (const Tensor& tensor : document.tensors) {
    if (tensor.name.starts_with(prefix)) size += num_elements(tensor.shape);
  }
  return size;
}

/// What load() says where `name` has another shape or is not there.
std::string refusal(TgnModel& model, const std::string& name, bool remove) {
  Document document = saved(model);
  for (std::size_t t = 0; t < document.tensors.size(); ++t) {
    Tensor& tensor = document.tensors[t];
    if (tensor.name != name) continue;
    if (remove) {
      document.tensors.erase(document.tensors.begin() + static_cast<std::ptrdiff_t>(t));
    } else {
      Shape shape = tensor.shape;
      ++shape.back();
      tensor = Tensor::make(name, Dtype::f32, shape);
    }
    break;
  }
  try {
    model.load(document, "some.file");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("embeddings, logits and loss are those of the formulas") {
  for (const Variant& v : variants()) {
    CAPTURE(v.name);
    for (const bool kept : {false, true}) {
      TgnModel model = make_model(v.options, v.inputs);
      const RandomStep step(v.options, v.inputs, kTriples, 5, kept && v.options.has_memory());
      const plain::Network network(v.options, saved(model));
      const auto want = step.plain_embeddings(network);
      const MatrixView<const float> rows = step.embed(model, {});
      CHECK(relative_distance(model.embeddings(), want) < 1e-5);
      CHECK(relative_distance(model.slots(), step.plain_slots(network)) < 1e-5);
      const MatrixView<const float> logits = model.score(step.plan, rows);
      REQUIRE(logits.rows == kTriples);
      const std::vector<plain::Numbers> pairs = step.plain_pairs(network);
      for (std::size_t i = 0; i < kTriples; ++i) {
        for (const std::size_t k : {0U, 1U}) {
          const plain::Numbers pair = pairs.empty() ? plain::Numbers() : pairs[2 * i + k];
          const double logit = network.logit(want[3 * i], want[3 * i + 1 + k], pair).value;
          CHECK(logits(i, k) == doctest::Approx(logit).epsilon(1e-5));
        }
      }
      const double loss = model.train_links(step.plan, step.features(), 0);
      CHECK(
          loss ==
          doctest::Approx(network.link_loss(want, step.plain_pairs(network)).value).epsilon(1e-5));
    }
  }
}

TEST_CASE("a step follows the gradient of the formulas, in every tensor") {
  for (const Variant& v : variants()) {
    CAPTURE(v.name);
    for (const Messages messages : {Messages::fresh, Messages::kept, Messages::time_learns}) {
      TgnModel model = make_model(v.options, v.inputs);
      const bool kept = messages == Messages::kept && v.options.has_memory();
      RandomStep step(v.options, v.inputs, kTriples, 5, kept);
      step.plan.updates.time_learns = messages == Messages::time_learns;
      const Document before = saved(model);
      plain::Network network(v.options, before);
      network.make_variable();
      const auto gradient = network.gradient(
          network.link_loss(step.plain_embeddings(network), step.plain_pairs(network)));
      // So far that little of the steps is lost by rounding parameters.
      const double rate = 256;
      step.embed(model, {true, 1, 1});
      model.train_links(step.plan, step.features(), static_cast<float>(rate));
      const plain::Tensors got = step_between(before, saved(model), rate);
      network.descend(gradient, rate);
      for (const auto& entry : plain::tensors_of(before)) {
        const std::string& name = entry.first;
        const std::vector<double>& tensor = entry.second;
        CAPTURE(name);
        std::vector<double> want;
        for (std::size_t i = 0; i < tensor.size(); ++i) {
          want.push_back((tensor[i] - network.tensors().at(name)[i]) / rate);
        }
        CHECK(relative_distance(got.at(name), want) < 1e-4);
      }
    }
  }
}

TEST_CASE("a step against several destinations follows the gradient of both losses") {
  constexpr std::size_t kOthers = 3, kDestinations = 40;
  for (const std::size_t features : {0U, 5U}) {
    for (const LossKind kind : {LossKind::one_vs_all, LossKind::softmax}) {
      const TgnOptions options = small_options();
      const TgnInputs inputs{3, false, features};
      TgnModel model = make_model(options, inputs);
      model.prepare_training({.kind = OptimizerKind::sgd}, {kind, kDestinations});
      const RandomStep step(options, inputs, kTriples, 5, false, kOthers);
      const Document before = saved(model);
      plain::Network network(options, before);
      network.make_variable();
      const auto rows = step.plain_embeddings(network);
      const plain::Number loss =
          kind == LossKind::softmax
              ? network.ranking_loss(rows, step.plain_pairs(network), kOthers, kDestinations)
              : network.link_loss(rows, step.plain_pairs(network), kOthers);
      const double rate = 256;
      step.embed(model, {true, 1, 1});
      CHECK(model.train_links(step.plan, step.features(), static_cast<float>(rate)) ==
            doctest::Approx(loss.value).epsilon(1e-5));
      const plain::Tensors got = step_between(before, saved(model), rate);
      network.descend(network.gradient(loss), rate);
      for (const auto& entry : plain::tensors_of(before)) {
        const std::string& name = entry.first;
        const std::vector<double>& tensor = entry.second;
        CAPTURE(name);
        std::vector<double> want;
        for (std::size_t i = 0; i < tensor.size(); ++i) {
          want.push_back((tensor[i] - network.tensors().at(name)[i]) / rate);
        }
        // A softmax does not depend on a bias that all its logits have.
        if (kind == LossKind::softmax && name == "affinity_score.fc2.bias") {
          CHECK(std::abs(got.at(name)[0]) < 1e-6);
        } else {
          CHECK(relative_distance(got.at(name), want) < 1e-4);
        }
      }
    }
  }
}

TEST_CASE("the reference's sizes have its number of parameters") {
  TgnOptions options;
  const TgnInputs inputs{172};
  TgnModel model(options, inputs);
  CHECK(model.num_parameters() == 1216385);
  model.randomize(1);
  const Document document = saved(model);
  CHECK(size_of_tensors(document, "") == 1216385);
  CHECK(size_of_tensors(document, "time_encoder.") == 344);
  CHECK(size_of_tensors(document, "memory_updater.") == 444792);
  const std::string layer = "embedding_module.attention_models.0.";
  CHECK(size_of_tensors(document, layer + "multi_head_target.") == 593056);
  CHECK(size_of_tensors(document, layer + "merger.") == 118680);
  CHECK(size_of_tensors(document, "affinity_score.") == 59513);
}

TEST_CASE("Graphcore's model has its number of parameters") {
  CHECK(TgnModel(tgn_architecture("pyg").options, {172}).num_parameters() == 260401);
}

TEST_CASE("as many parameters are counted as are saved") {
  for (const Variant& v : variants()) {
    CAPTURE(v.name);
    const TgnModel model = make_model(v.options, v.inputs);
    CHECK(model.num_parameters() == size_of_tensors(saved(model), ""));
  }
}

TEST_CASE("a model begins as its seed says, with no bias in attention's products") {
  for (const Variant& v : variants()) {
    CAPTURE(v.name);
    TgnModel one(v.options, v.inputs), same(v.options, v.inputs), other(v.options, v.inputs);
    one.randomize(5);
    // Memory that is taken again holds what was there.
    for (const std::uint64_t seed : {6U, 5U}) same.randomize(seed);
    other.randomize(6);
    CHECK(same_bytes(saved(one), saved(same)));
    CHECK(!same_bytes(saved(one), saved(other)));
    for (const Tensor& tensor : saved(one).tensors) {
      if (tensor.name.find("in_proj_bias") == std::string::npos) continue;
      for (const float bias : tensor.as<float>()) CHECK(bias == 0);
    }
  }
}

TEST_CASE("a model that was saved and loaded is the same") {
  for (const Variant& v : variants()) {
    CAPTURE(v.name);
    TgnModel model = make_model(v.options, v.inputs);
    const Document document = saved(model);
    TgnModel loaded(v.options, v.inputs);
    loaded.load(document, "model");
    CHECK(same_bytes(saved(loaded), document));
    const RandomStep step(v.options, v.inputs, kTriples, 7);
    const MatrixView<const float> a = step.embed(model, {}), b = step.embed(loaded, {});
    for (std::size_t r = 0; r < a.rows; ++r) {
      CHECK(std::memcmp(a.row(r), b.row(r), a.cols * sizeof(float)) == 0);
    }
  }
}

TEST_CASE("training that was saved with its state and loaded goes on alike") {
  for (const Variant& v : variants()) {
    CAPTURE(v.name);
    TgnModel model = make_model(v.options, v.inputs);
    model.prepare_training({.kind = OptimizerKind::adam});
    const RandomStep step(v.options, v.inputs, kTriples, 7);
    const auto train = [&](TgnModel& m, std::uint64_t number) {
      step.embed(m, {true, 1, number});
      m.train_links(step.plan, step.features(), 0.01F);
    };
    train(model, 0);
    Document document = saved(model), state;
    model.save_state(state);
    TgnModel other(v.options, v.inputs);
    other.load(document, "model");
    other.prepare_training({.kind = OptimizerKind::adam});
    other.load_state(state, "model");
    train(model, 1);
    train(other, 1);
    CHECK(same_bytes(saved(model), saved(other)));
    Document state_of_model, state_of_other;
    model.save_state(state_of_model);
    other.save_state(state_of_other);
    CHECK(same_bytes(state_of_model, state_of_other));
  }
}

TEST_CASE("time encoders have the names of earlier versions in checkpoints") {
  TgnModel model(tgn_architecture("pyg").options, {4});
  model.prepare_training({.kind = OptimizerKind::adam});
  Document state;
  model.save_state(state);
  std::vector<std::string> names;
  for (const Tensor& tensor : state.tensors) {
    const bool time = tensor.name.find("time") != std::string::npos;
    if (time && !tensor.name.ends_with(".steps")) names.push_back(tensor.name);
  }
  CHECK(names == std::vector<std::string>{"time.weight", "time.bias", "gnn.conv.time.weight",
                                          "gnn.conv.time.bias"});
}

TEST_CASE("every parameter is visited, with the name of its state") {
  for (const Variant& v : variants()) {
    CAPTURE(v.name);
    TgnModel model = make_model(v.options, v.inputs);
    model.prepare_training({.kind = OptimizerKind::adagrad});
    const RandomStep step(v.options, v.inputs, kTriples, 7);
    step.embed(model, {true, 1, 0});
    model.train_links(step.plan, step.features(), 0.01F);
    std::set<std::string> visited, kept;
    std::set<std::uint64_t> steps;
    bool times_learn = false;
    const ParameterVisit visit{[&](const std::string& name, DenseLayer& layer) {
                                 CHECK(visited.insert(name).second);
                                 steps.insert(layer.steps());
                               },
                               [&](const std::string& name, VectorParameter& vector, bool learns) {
                                 const bool time = name.starts_with("time_encoder.w.") ||
                                                   name.starts_with("gnn.time_enc.");
                                 if (time) times_learn = learns;
                                 CHECK((time || visited.insert(name).second));
                                 if (learns) steps.insert(vector.steps());
                               }};
    model.visit_time(visit);
    model.visit_updater(visit);
    model.visit_layers(visit);
    model.visit_decoder(visit);
    Document state;
    model.save_state(state);
    for (const Tensor& tensor : state.tensors) {
      const bool time = tensor.name.find("time.") != std::string::npos;
      if (!tensor.name.ends_with(".steps") && !time) kept.insert(tensor.name);
    }
    CHECK(visited == kept);
    CHECK(steps == std::set<std::uint64_t>{1});
    CHECK(times_learn == v.options.train_time);
  }
}

TEST_CASE("a gradient that is taken and then applied makes the step of both at once") {
  for (const Variant& v : variants()) {
    CAPTURE(v.name);
    const RandomStep step(v.options, v.inputs, kTriples, 7);
    TgnModel at_once = make_model(v.options, v.inputs), apart = make_model(v.options, v.inputs);
    for (TgnModel* model : {&at_once, &apart}) {
      model->prepare_training({.kind = OptimizerKind::adam});
    }
    for (std::uint64_t number = 0; number < 2; ++number) {
      step.embed(at_once, {true, 1, number});
      const double loss = at_once.train_links(step.plan, step.features(), 0.01F);
      step.embed(apart, {true, 1, number});
      CHECK(apart.backward_links(step.plan, step.features()) == loss);
      const std::vector<float> gradient = apart.take_gradient();
      CHECK(gradient.size() == apart.gradient_size());
      apart.apply_gradient(gradient, 0.01F);
    }
    Document state, want;
    at_once.save_state(want);
    apart.save_state(state);
    CHECK(same_bytes(saved(at_once), saved(apart)));
    CHECK(same_bytes(want, state));
  }
}

TEST_CASE("what no batch's gradient reached is not stepped") {
  const Variant v = variants().front();
  TgnModel model = make_model(v.options, v.inputs);
  model.prepare_training({.kind = OptimizerKind::adam});
  const Document before = saved(model);
  model.apply_gradient(std::vector<float>(model.gradient_size()), 0.01F);
  CHECK(same_bytes(before, saved(model)));
}

TEST_CASE("tensors that are missing or of another shape are refused by name") {
  for (const Variant& v : variants()) {
    CAPTURE(v.name);
    TgnModel model = make_model(v.options, v.inputs);
    for (const Tensor& tensor : saved(model).tensors) {
      for (const bool remove : {false, true}) {
        const std::string message = refusal(model, tensor.name, remove);
        CAPTURE(message);
        CHECK(message.find(tensor.name) != std::string::npos);
        CHECK(message.find("some.file") != std::string::npos);
      }
    }
  }
}
