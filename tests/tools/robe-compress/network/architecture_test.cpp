#include "tools/robe-compress/network/architecture.h"

#include <doctest/doctest.h>

#include <cstring>

#include "libcore/base/error.h"
#include "tests/libcore/nn/gradient_check.h"
#include "tests/tools/robe-compress/network/plain_network.h"

using namespace frugal;
using namespace frugal::robe;

namespace {

constexpr std::size_t kBatch = 5;
constexpr float kHugeRate = 0x1p30f;  // leaves nothing but the gradient of a stepped weight

struct Setting {
  std::string name;
  NetworkOptions options;
  NetworkShape shape;
};

NetworkOptions small(const std::string& architecture) {
  NetworkOptions o;
  o.architecture = architecture;
  o.bottom = {6};
  o.top = {9, 7};
  return o;
}

/// Every architecture with its options.
std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const Architecture& a : kArchitectures) {
    const auto dim = [&a](std::size_t other) { return a.is_linear ? 1 : other; };
    all.push_back({"with numbers", small(std::string(a.name)), {4, 3, dim(5)}});
    all.push_back({"fields alone", small(std::string(a.name)), {0, 3, dim(4)}});
    all.push_back({"numbers and one field", small(std::string(a.name)), {2, 1, dim(3)}});
    all.push_back({"no hidden layers", small(std::string(a.name)), {2, 2, dim(3)}});
    all.back().options.bottom = all.back().options.top = {};
  }
  all.push_back({"diagonal", small("dlrm"), {4, 3, 5}});
  all.back().options.diagonal = true;
  all.push_back({"low rank", small("dcn"), {4, 3, 5}});
  all.back().options.cross_rank = 2;
  all.push_back({"one cross layer", small("dcn"), {4, 3, 5}});
  all.back().options.cross_layers = 1;
  return all;
}

/// A batch of random numbers, and what a network makes of it. d loss / d logits: 1, 2 ...
struct Run {
  NetworkShape shape;
  std::vector<float> numbers, embeddings, gradient, logits, dembeddings;

  explicit Run(const NetworkShape& s)
      : shape(s),
        numbers(random_floats(kBatch * s.num_numbers, 1)),
        embeddings(random_floats(kBatch * s.num_fields * s.dim, 2)),
        logits(kBatch),
        dembeddings(embeddings.size()) {
    for (std::size_t r = 0; r < kBatch; ++r) gradient.push_back(static_cast<float>(r + 1));
  }
  NetworkInput input(std::size_t begin = 0, std::size_t end = kBatch) const {
    return {{numbers.data(), kBatch, shape.num_numbers},
            {embeddings.data(), kBatch, shape.num_fields * shape.dim},
            begin,
            end};
  }
  /// Both passes in ranges of `chunk` rows.
  std::unique_ptr<NetworkBatch> pass(const Network& network, std::size_t chunk = kBatch) {
    std::unique_ptr<NetworkBatch> batch = network.make_batch(kBatch, true);
    for (std::size_t begin = 0; begin < kBatch; begin += chunk) {
      const NetworkInput rows = input(begin, std::min(kBatch, begin + chunk));
      network.forward(rows, *batch, logits);
      network.backward(rows, *batch, gradient,
                       {dembeddings.data(), kBatch, shape.num_fields * shape.dim});
    }
    return batch;
  }
  void step(Network& network, NetworkBatch& batch, float rate) const {
    for (std::size_t p = network.num_pieces(); p-- > 0;) {
      network.step_piece(p, input(), batch, rate);
    }
  }
  /// sum_r gradient[r] logit[r] in double.
  double loss(const NetworkOptions& o, const plain::Parameters& p,
              const plain::Numbers& of_embeddings) const {
    double sum = 0;
    for (std::size_t r = 0; r < kBatch; ++r) {
      sum += static_cast<double>(gradient[r]) *
             plain::logit(o, shape, p, row(widened(numbers), r), row(of_embeddings, r));
    }
    return sum;
  }
  static plain::Numbers row(const plain::Numbers& matrix, std::size_t r) {
    const std::size_t cols = matrix.size() / kBatch;
    return {matrix.begin() + static_cast<std::ptrdiff_t>(r * cols),
            matrix.begin() + static_cast<std::ptrdiff_t>((r + 1) * cols)};
  }
};

/// Calls check(setting, run, network) for every setting.
template <class Check>
void with_every_network(const OptimizerOptions& optimizer, Check check) {
  for (const Setting& setting : settings()) {
    CAPTURE(setting.options.architecture);
    CAPTURE(setting.name);
    const std::unique_ptr<Network> network = make_network(setting.options, setting.shape, 11);
    network->prepare_training(optimizer);
    Run run(setting.shape);
    check(setting, run, *network);
  }
}

std::string words_of_error(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("networks agree with their formulas") {
  with_every_network({}, [](const Setting& s, Run& run, Network& network) {
    run.pass(network);
    const plain::Parameters p = plain::parameters_of(network);
    for (std::size_t r = 0; r < kBatch; ++r) {
      const double want = plain::logit(s.options, s.shape, p, Run::row(widened(run.numbers), r),
                                       Run::row(widened(run.embeddings), r));
      CHECK(static_cast<double>(run.logits[r]) == doctest::Approx(want).epsilon(1e-5));
    }
  });
}

TEST_CASE("gradients of networks agree with central differences") {
  with_every_network({OptimizerKind::sgd}, [](const Setting& s, Run& run, Network& network) {
    const plain::Parameters before = plain::parameters_of(network);
    const std::unique_ptr<NetworkBatch> batch = run.pass(network);
    const plain::Numbers e = widened(run.embeddings);
    const auto by_embeddings = [&](auto& v) { return run.loss(s.options, before, v); };
    CHECK(relative_error(central_differences(by_embeddings, e), run.dembeddings) < 1e-5);

    run.step(network, *batch, kHugeRate);
    std::uint64_t parameters = 0;
    for (const auto& entry : plain::parameters_of(network)) {
      const auto& name = entry.first;
      const auto& after = entry.second;
      CAPTURE(name);
      std::vector<float> gradient;
      for (const double w : after) gradient.push_back(static_cast<float>(w / -0x1p30));
      plain::Parameters changed = before;
      const auto by_tensor = [&, &tensor = changed[name]](const plain::Numbers& v) {
        tensor = v;
        return run.loss(s.options, changed, e);
      };
      CHECK(relative_error(central_differences(by_tensor, before.at(name)), gradient) < 2e-5);
      parameters += after.size();
    }
    CHECK(parameters == network.num_parameters());
  });
}

TEST_CASE("what a network learns does not depend on how rows are split") {
  with_every_network({OptimizerKind::adagrad}, [](const Setting& s, Run& run, Network& network) {
    const std::unique_ptr<Network> other = make_network(s.options, s.shape, 11);
    other->prepare_training({OptimizerKind::adagrad});
    Run split(s.shape);
    for (int step = 0; step < 2; ++step) {
      run.step(network, *run.pass(network), 0.01f);
      split.step(*other, *split.pass(*other, 2), 0.01f);
    }
    CHECK(run.logits == split.logits);
    CHECK(run.dembeddings == split.dembeddings);
    CHECK(plain::parameters_of(network) == plain::parameters_of(*other));
  });
}

TEST_CASE("a loaded network gives the same bits and goes on with its training") {
  with_every_network({OptimizerKind::adam}, [](const Setting& s, Run& run, Network& network) {
    run.step(network, *run.pass(network), 0.01f);
    Document document;
    network.save(document);
    network.save_state(document);
    const std::unique_ptr<Network> loaded = load_network(document, "model");
    const std::unique_ptr<NetworkBatch> batch = loaded->make_batch(kBatch, false);
    Run again(s.shape);
    loaded->forward(again.input(), *batch, again.logits);
    run.pass(network);
    CHECK(run.logits == again.logits);
    CHECK(loaded->num_parameters() == network.num_parameters());

    loaded->prepare_training({OptimizerKind::adam});
    loaded->load_state(document, "model");
    again.step(*loaded, *again.pass(*loaded), 0.01f);
    run.step(network, *run.pass(network), 0.01f);
    CHECK(plain::parameters_of(network) == plain::parameters_of(*loaded));
  });
}

TEST_CASE("the settings of the reference code have its numbers of parameters") {
  // 13-512-256-64-16 and 367-512-256-1; 13-512-256-128 and 479-1024-1024-512-256-1.
  NetworkOptions o;
  CHECK(make_network(o, {13, 26, 16}, 1)->num_parameters() == 475985);
  o.bottom = {512, 256};
  o.top = {1024, 1024, 512, 256};
  CHECK(make_network(o, {13, 26, 128}, 1)->num_parameters() == 2368897);
}

TEST_CASE("precisions other than f32 are close to it") {
  const NetworkOptions exact;
  NetworkOptions rounded;
  rounded.precision = Precision::automatic;
  const NetworkShape shape{13, 26, 16};
  Run a(shape), b(shape);
  const auto network = make_network(exact, shape, 1), other = make_network(rounded, shape, 1);
  for (Network* n : {network.get(), other.get()}) n->prepare_training({OptimizerKind::sgd});
  for (int step = 0; step < 2; ++step) {
    a.step(*network, *a.pass(*network), 1e-4f);
    b.step(*other, *b.pass(*other), 1e-4f);
  }
  CHECK(relative_error(widened(a.logits), b.logits) < 0.05);
  CHECK(relative_error(widened(a.dembeddings), b.dembeddings) < 0.05);
}

TEST_CASE("networks that cannot be made are refused with the reason") {
  NetworkOptions o;
  o.cross_layers = 65;
  CHECK(words_of_error([&] { check_network_options(o, 16); }) ==
        "network: 65 cross layers, expected 0 to 64");
  o = {};
  o.architecture = "dlrn";
  CHECK(words_of_error([&] {
          make_network(o, {13, 26, 16}, 1);
        }) == "unknown architecture 'dlrn', expected one of dlrm, dcn, deepfm, wide-dlrm, linear");
  CHECK(words_of_error([] {
          make_network({}, {0, 0, 16}, 1);
        }) ==
        "dlrm: 0 numeric columns and 0 fields have nothing to combine, expected more columns");
  o = {};
  o.architecture = "linear";
  CHECK(words_of_error([&] {
          make_network(o, {1, 1, 2}, 1);
        }) == "linear: rows of 2 numbers, expected one weight for each value");
  CHECK(words_of_error([] {
          make_network({}, {1, 1, 0}, 1);
        }) == "network: 0 dimensions of embeddings, expected 1 to 65536");
  o = {};
  o.top = {512, 0};
  CHECK(words_of_error([&] {
          make_network(o, {13, 26, 16}, 1);
        }) == "network: 0 units in a layer, expected 1 to 16777216");
}

TEST_CASE("damaged documents are refused with the path and what is wrong") {
  for (const Setting& s : settings()) {
    Document whole;
    make_network(s.options, s.shape, 1)->save(whole);
    for (std::size_t i = 0; i < whole.tensors.size(); ++i) {
      Document damaged;
      damaged.metadata = whole.metadata;
      for (const Tensor& tensor : whole.tensors) damaged.tensors.push_back(tensor.clone());
      const std::string name = whole.tensors[i].name;
      damaged.tensors[i].shape.push_back(2);
      CHECK(words_of_error([&] { load_network(damaged, "m"); }).rfind("m: tensor '" + name, 0) ==
            0);
      damaged.tensors[i].dtype = Dtype::i32;
      CHECK(words_of_error([&] { load_network(damaged, "m"); }).rfind("m: tensor '" + name, 0) ==
            0);
      damaged.tensors.erase(damaged.tensors.begin() + static_cast<std::ptrdiff_t>(i));
      CHECK(words_of_error([&] { load_network(damaged, "m"); }) ==
            "m: there is no tensor '" + name + "'");
    }
    for (const auto& entry : whole.metadata) {
      const std::string& key = entry.first;
      Document damaged;
      damaged.metadata = whole.metadata;
      for (const Tensor& tensor : whole.tensors) damaged.tensors.push_back(tensor.clone());
      damaged.metadata.erase(key);
      CHECK(words_of_error([&] { load_network(damaged, "m"); }) ==
            "m: metadata '" + key + "' is missing");
      for (const char* hostile : {"x\n", "-1", "4294967295", "99999999999999999999", "1--2"}) {
        damaged.metadata[key] = hostile;
        const std::string error = words_of_error([&] { load_network(damaged, "m"); });
        CAPTURE(key);
        CAPTURE(error);
        CHECK(error.rfind("m: ", 0) == 0);
        CHECK(error.find('\n') == std::string::npos);
      }
    }
  }
}
