#include "tools/tgn-train/network/common_decoder.h"

#include <doctest/doctest.h>

#include <cmath>

#include "libcore/base/error.h"
#include "libcore/threading/num_threads.h"
#include "tests/tools/tgn-train/network/random_step.h"
#include "tests/tools/tgn-train/network/variants.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

TgnOptions tncn_options() {
  TgnOptions o = small_options(EmbeddingKind::transformer);
  o.decoder = DecoderKind::common;
  return o;
}

}  // namespace

TEST_CASE("the published sizes of TNCN") {
  // The layer over all parts has a bias for each; in the authors' code those of the sums come out
  // of the embedding layer.
  const std::uint64_t decoder = 7 * 101 * 256 + 257;
  const std::uint64_t mlp = (2 * 100 + 1) * 100 + 101;
  CHECK(TgnModel(tgn_architecture("tncn").options, {172}).num_parameters() ==
        260401 - mlp + decoder);
}

TEST_CASE("against several destinations TNCN follows the gradient, in every tensor") {
  constexpr std::size_t kTried = 4, kOthers = 3;
  const TgnOptions options = tncn_options();
  const TgnInputs inputs{3};
  TgnModel model = make_model(options, inputs);
  const RandomStep step(options, inputs, kTried, 5, false, kOthers);
  const Document before = saved(model);
  plain::Network network(options, before);
  network.make_variable();
  const plain::Number loss =
      network.link_loss(step.plain_embeddings(network), step.plain_pairs(network), kOthers);
  step.embed(model, {true, 1, 1});
  const double rate = 256;
  CHECK(model.train_links(step.plan, step.features(), static_cast<float>(rate)) ==
        doctest::Approx(loss.value).epsilon(1e-5));
  network.descend(network.gradient(loss), rate);
  const plain::Tensors from = plain::tensors_of(before), to = plain::tensors_of(saved(model));
  for (const auto& entry : from) {
    const std::string& name = entry.first;
    const std::vector<double>& tensor = entry.second;
    CAPTURE(name);
    std::vector<double> got, want;
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      got.push_back((tensor[i] - to.at(name)[i]) / rate);
      want.push_back((tensor[i] - network.tensors().at(name)[i]) / rate);
    }
    CHECK(relative_distance(got, want) < 1e-4);
  }
}

TEST_CASE("any number of threads gives TNCN the same bits") {
  const TgnOptions options = tncn_options();
  const TgnInputs inputs{3};
  const RandomStep step(options, inputs, 150, 5, false, 3);
  const std::vector<Document> after = trained_by_threads(
      options, inputs, step, [&](TgnModel& model, const auto& pass) { step.embed(model, pass); });
  CHECK(different_tensors(after[0], after[1]) == std::vector<std::string>{});
  CHECK(!different_tensors(after[0], saved(make_model(options, inputs))).empty());
}

TEST_CASE("TNCN scores pairs as the formulas do, among many and alone") {
  const TgnOptions options = tncn_options();
  const TgnInputs inputs{3};
  TgnModel model = make_model(options, inputs);
  const plain::Network network(options, saved(model));
  for (const std::size_t others : {0U, 40U}) {
    const RandomStep step(options, inputs, 5, 6, false, others);
    const MatrixView<const float> rows = step.embed(model, {});
    REQUIRE(rows.rows == 5 * (2 + others));
    REQUIRE(rows.cols == 1);
    const MatrixView<const float> logits = model.score(step.plan, rows);
    const auto embeddings = step.plain_embeddings(network), of = step.plain_pairs(network);
    for (std::size_t p = 0; p < 5 * (1 + others); ++p) {
      const std::size_t event = p / (1 + others), source = event * (2 + others);
      const double want = network.logit(embeddings[source], embeddings[p + event + 1], of[p]).value;
      CHECK(logits.data[p] == doctest::Approx(want).epsilon(1e-5));
    }
  }
}

TEST_CASE("a step of TNCN that cannot fit into memory is refused before anything is computed") {
  CommonDecoder decoder(tncn_options());
  float none = 0;
  try {
    decoder.forward({}, {&none, std::size_t{1} << 40});
    FAIL("not refused");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::unavailable);
    CHECK(std::string(error.what()).find("1099511627776 pairs") != std::string::npos);
  }
}

TEST_CASE("a decoder of common neighbours goes with embeddings of single nodes alone") {
  for (const char* architecture : {"tpnet", "dyrep"}) {
    TgnOptions options = tgn_architecture(architecture).options;
    options.decoder = DecoderKind::common;
    CHECK_THROWS_AS(check_network(options), Error);
  }
  check_network(tgn_architecture("tncn").options);
}
