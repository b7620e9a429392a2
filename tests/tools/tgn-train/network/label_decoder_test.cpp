#include "tools/tgn-train/network/label_decoder.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

constexpr std::size_t kDim = 6, kRows = 9;

/// The formulas of twitter-research/tgn's MLP on the tensors of a document, in double.
struct PlainDecoder {
  explicit PlainDecoder(const LabelDecoder& decoder) { decoder.save(document); }

  double logit(const std::vector<double>& x) const {
    const std::vector<double> outputs = outputs_of(x);
    REQUIRE(outputs.size() == 1);
    return outputs[0];
  }
  std::vector<double> outputs_of(std::vector<double> x) const {
    for (int k = 1; k <= 3; ++k) {
      const std::string name = "node_label.fc_" + std::to_string(k);
      const Tensor& weight = document.at(name + ".weight");
      const auto w = weight.as<float>(), b = document.at(name + ".bias").as<float>();
      std::vector<double> y(weight.shape[0]);
      for (std::size_t o = 0; o < y.size(); ++o) {
        y[o] = b[o];
        for (std::size_t i = 0; i < x.size(); ++i) y[o] += double{w[o * x.size() + i]} * x[i];
        if (k < 3) y[o] = std::max(0.0, y[o]);
      }
      x = y;
    }
    return x;
  }
  double loss(const std::vector<std::vector<double>>& rows,
              const std::vector<float>& labels) const {
    double sum = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double p = 1 / (1 + std::exp(-logit(rows[r])));
      sum -= labels[r] != 0 ? std::log(p) : std::log(1 - p);
    }
    return sum / static_cast<double>(rows.size());
  }

  Document document;
};

struct Batch {
  Batch() : values(kRows * kDim) {
    Rng rng(3);
    for (float& x : values) x = static_cast<float>(rng.uniform(-2, 2));
    for (std::size_t r = 0; r < kRows; ++r) {
      labels.push_back(r % 3 == 0 ? 1.0F : 0.0F);
      rows.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(r * kDim),
                        values.begin() + static_cast<std::ptrdiff_t>((r + 1) * kDim));
    }
  }
  MatrixView<const float> view() const { return {values.data(), kRows, kDim}; }

  std::vector<float> values;
  std::vector<float> labels;
  std::vector<std::vector<double>> rows;
};

OptimizerOptions plain_steps() {
  OptimizerOptions options;
  options.kind = OptimizerKind::sgd;
  return options;
}

LabelDecoder make_decoder(float dropout) {
  LabelDecoder decoder(kDim, dropout);
  decoder.randomize(11);
  decoder.prepare_training(plain_steps());
  return decoder;
}

/// Of every parameter, in the order of the file: what a step at rate 1 subtracted.
std::vector<double> stepped_by(LabelDecoder& decoder, const Batch& batch, const TgnPass& pass) {
  Document before, after;
  decoder.save(before);
  decoder.train(batch.view(), batch.labels, pass, 1);
  decoder.save(after);
  std::vector<double> steps;
  for (std::size_t t = 0; t < before.tensors.size(); ++t) {
    const auto a = before.tensors[t].as<float>(), b = after.tensors[t].as<float>();
    for (std::size_t i = 0; i < a.size(); ++i) steps.push_back(double{a[i]} - double{b[i]});
  }
  decoder.load(before, "before");
  return steps;
}

/// How far every third step is from the central difference of `loss` of a document, relative to
/// these.
double distance(const std::vector<double>& steps, Document& document, float step,
                const std::function<double()>& loss) {
  double square = 0, difference = 0;
  std::size_t at = 0;
  for (Tensor& tensor : document.tensors) {
    for (float& x : tensor.as<float>()) {
      if (++at % 3 != 0) continue;
      const float was = x;
      x = was + step;
      const double high = x, above = loss();
      x = was - step;
      const double low = x, below = loss();
      x = was;
      const double want = (above - below) / (high - low);
      square += want * want;
      difference += (want - steps[at - 1]) * (want - steps[at - 1]);
    }
  }
  REQUIRE(at == steps.size());
  REQUIRE(square > 1e-3);
  return std::sqrt(difference / square);
}

}  // namespace

TEST_CASE("A label decoder has the layers of the authors' code") {
  CHECK(LabelDecoder(172, 0.1F).num_parameters() == 172 * 80 + 80 + 80 * 10 + 10 + 10 + 1);
}

TEST_CASE("Logits and losses of labels are those of the formulas") {
  const Batch batch;
  LabelDecoder decoder = make_decoder(0.5F);  // which counts in training only
  const PlainDecoder plain(decoder);
  const MatrixView<const float> logits = decoder.score(batch.view());
  for (std::size_t r = 0; r < kRows; ++r) {
    CHECK(logits(r, 0) == doctest::Approx(plain.logit(batch.rows[r])).epsilon(1e-5));
  }
  LabelDecoder whole = make_decoder(0);
  CHECK(whole.train(batch.view(), batch.labels, {true, 1, 0}, 0) ==
        doctest::Approx(plain.loss(batch.rows, batch.labels)).epsilon(1e-6));
}

TEST_CASE("Gradients of a label decoder are those of the plain loss") {
  const Batch batch;
  LabelDecoder decoder = make_decoder(0);
  const std::vector<double> steps = stepped_by(decoder, batch, {true, 1, 0});
  PlainDecoder plain(decoder);
  CHECK(distance(steps, plain.document, 1e-4F,
                 [&] { return plain.loss(batch.rows, batch.labels); }) < 1e-3);
}

TEST_CASE("Gradients of a label decoder take what dropout left out") {
  const Batch batch;
  LabelDecoder decoder = make_decoder(0.4F);
  const TgnPass pass{true, 7, 5};
  const std::vector<double> steps = stepped_by(decoder, batch, pass);
  Document document;
  decoder.save(document);
  CHECK(distance(steps, document, 1e-3F, [&] {
          decoder.load(document, "document");
          return decoder.train(batch.view(), batch.labels, pass, 0);
        }) < 0.02);
  // Another step leaves out other units.
  const double loss = decoder.train(batch.view(), batch.labels, pass, 0);
  CHECK(loss == decoder.train(batch.view(), batch.labels, pass, 0));
  CHECK(loss != decoder.train(batch.view(), batch.labels, {true, 7, 6}, 0));
}

TEST_CASE("A label decoder of another shape is refused") {
  const LabelDecoder decoder = make_decoder(0);
  Document document;
  decoder.save(document);
  CHECK(error_of([&] { LabelDecoder::check(document, "FILE", kDim, LabelType::binary, 0); }) ==
        "no error");
  CHECK(error_of([&] {
          LabelDecoder::check(document, "FILE", kDim + 1, LabelType::binary, 0);
        }).starts_with("65 FILE: "));
  document.tensors.pop_back();
  CHECK(error_of([&] {
          LabelDecoder::check(document, "FILE", kDim, LabelType::binary, 0);
        }).starts_with("65 FILE: "));
}

TEST_CASE("Classes and numbers are learnt by cross-entropy and by squared errors") {
  Batch batch;
  for (std::size_t r = 0; r < kRows; ++r) batch.labels[r] = static_cast<float>(r % 3);
  for (const LabelType type : {LabelType::classes, LabelType::numbers}) {
    LabelDecoder decoder(kDim, 0, type, 3);
    decoder.randomize(11);
    decoder.prepare_training(plain_steps());
    const std::vector<double> steps = stepped_by(decoder, batch, {true, 1, 0});
    PlainDecoder plain(decoder);
    const auto loss = [&] {
      double sum = 0;
      for (std::size_t r = 0; r < kRows; ++r) {
        const std::vector<double> outputs = plain.outputs_of(batch.rows[r]);
        REQUIRE(outputs.size() == (type == LabelType::classes ? 3 : 1));
        const double error = outputs[0] - batch.labels[r];
        double exponentials = 0;
        for (const double x : outputs) exponentials += std::exp(x);
        sum += type == LabelType::numbers
                   ? error * error
                   : std::log(exponentials) - outputs[static_cast<std::size_t>(batch.labels[r])];
      }
      return sum / static_cast<double>(kRows);
    };
    CHECK(decoder.train(batch.view(), batch.labels, {true, 1, 0}, 0) ==
          doctest::Approx(loss()).epsilon(1e-6));
    CHECK(distance(steps, plain.document, 1e-4F, loss) < 1e-3);
  }
}

TEST_CASE("A decoder with averages scores and saves a moving average of its weights") {
  const Batch batch;
  const auto make = [](bool averages) {
    LabelDecoder decoder(kDim, 0);
    decoder.randomize(11);
    OptimizerOptions adam;
    adam.kind = OptimizerKind::adam;
    decoder.prepare_training(adam, averages);
    return decoder;
  };
  const auto weights_of = [](const LabelDecoder& decoder) {
    Document document;
    decoder.save(document);
    std::vector<double> weights;
    for (const Tensor& tensor : document.tensors) {
      const auto values = tensor.as<float>();
      weights.insert(weights.end(), values.begin(), values.end());
    }
    return weights;
  };
  LabelDecoder plain = make(false), averaged = make(true);
  std::vector<double> want = weights_of(plain);
  Document state;
  for (std::uint64_t step = 0; step < 20; ++step) {
    if (step == 12) {
      Document lent;
      averaged.save(lent);
      averaged.save_state(lent);
      for (const Tensor& tensor : lent.tensors) state.tensors.push_back(tensor.clone());
    }
    for (LabelDecoder* const decoder : {&plain, &averaged}) {
      decoder->train(batch.view(), batch.labels, {true, 1, step}, 0.01F);
    }
    const double decay = (1.0 + static_cast<double>(step)) / (10.0 + static_cast<double>(step));
    const std::vector<double> trained = weights_of(plain);
    for (std::size_t i = 0; i < want.size(); ++i) want[i] += (1 - decay) * (trained[i] - want[i]);
  }
  const std::vector<double> weights = weights_of(averaged);
  for (std::size_t i = 0; i < want.size(); ++i) CHECK(weights[i] == doctest::Approx(want[i]));
  CHECK(weights != weights_of(plain));

  LabelDecoder loaded(kDim, 0);
  Document document;
  averaged.save(document);
  loaded.load(document, "FILE");
  const auto scores = [&](LabelDecoder& decoder) {
    const MatrixView<const float> logits = decoder.score(batch.view());
    return std::vector<float>(logits.data, logits.data + kRows);
  };
  CHECK(scores(loaded) == scores(averaged));

  LabelDecoder resumed = make(true);
  resumed.load(state, "FILE");
  resumed.load_state(state, "FILE");
  for (std::uint64_t step = 12; step < 20; ++step) {
    resumed.train(batch.view(), batch.labels, {true, 1, step}, 0.01F);
  }
  CHECK(weights_of(resumed) == weights);
}
