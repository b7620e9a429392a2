#include "tools/robe-compress/serve/evaluate.h"

#include <doctest/doctest.h>

#include <string>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/tensors/tensor_file.h"
#include "tests/support/text_file.h"
#include "tests/tools/robe-compress/click_samples.h"
#include "tools/robe-compress/sweep/sweep.h"

using namespace frugal;
using namespace frugal::robe;

namespace {

std::vector<SweepPoint> swept_points(const SweepOptions& options) {
  std::vector<SweepPoint> points = sweep_points(options);
  sweep(options, points, {});
  return points;
}

}  // namespace

TEST_CASE("a sweep is graded on samples that chose nothing, where they are named") {
  const TextFile data(click_text(600, 1), ".csv"), test(click_text(300, 2), ".csv");
  SweepOptions options;
  options.train = small_options(data.path());
  options.train.input.held_out = "every:4";
  options.methods = {"robe"};
  options.compressions = {2, 1e6};
  const auto validated = swept_points(options);
  options.train.test = test.path();
  const auto tested = swept_points(options);
  CHECK(tested[0].mean("auc").mean != validated[0].mean("auc").mean);
  const TextFile model("");
  TrainOptions same = options.train;
  same.embedding.method = "robe";
  same.embedding.compression = 2;
  same.model = model.path();
  train(same, {});
  CHECK(tested[0].mean("auc").mean == metrics_of(model.path(), test.path()).auc());
  // The table has what was refused, and why.
  const std::string csv = sweep_csv(tested, "test");
  CHECK(csv.find("robe,1e+06,,,,,,0,,,,\"") != std::string::npos);
  CHECK(csv.find("expected room for a block") != std::string::npos);
  options.train.input.held_out = "";
  CHECK(swept_points(options)[0].failure().empty());
  options.compressions = {1e6, 2e6};
  const std::string none = error_of([&] { swept_points(options); });
  CHECK(none.starts_with("2 no run succeeded: 0 B for the embeddings, expected room for a block"));
}

TEST_CASE("samples of one class, or none, are said before they look like a result") {
  const TextFile data(click_text(200, 1), ".csv"), model("");
  TrainOptions options = small_options(data.path());
  options.model = model.path();
  train(options, {});
  const TextFile none("click,user,item,x\n"),
      zeros("click,user,item,x\n0,u1,i1,0.5\n0,u2,i2,0.5\n"),
      ones("click,user,item,x\n1,u1,i1,0.5\n");
  CHECK(error_of([&] { metrics_of(model.path(), none.path()); }) ==
        "65 " + none.path() + ": has no samples to evaluate on");
  CHECK(error_of([&] {
          metrics_of(model.path(), zeros.path());
        }).starts_with("65 " + zeros.path() + ": all 2 labels are 0, expected clicks and others"));
  CHECK(error_of([&] { metrics_of(model.path(), ones.path()); }).find("all 1 labels are 1") !=
        std::string::npos);
  // Before the first step, not after the last.
  options.validation = none.path();
  std::uint64_t steps = 0;
  TrainObserver observer;
  observer.begun = [&](const TrainFacts&) { ++steps; };
  CHECK(error_of([&] { train(options, observer); }) ==
        "65 " + none.path() + ": has no samples to evaluate on");
  CHECK(steps == 0);
  options.validation = zeros.path();
  CHECK(!train(options, {}).validation->has_both_classes());
  SweepOptions swept;
  swept.train = options;
  swept.methods = {"robe"};
  swept.compressions = {2};
  CHECK(error_of([&] { swept_points(swept); }).starts_with("65 all 2 labels are 0"));
}

TEST_CASE("nothing is trained on samples of one class but a model that knows others") {
  std::string text = "click,user,item,x\n";
  for (int i = 0; i < 60; ++i) {
    text +=
        (i % 5 == 4 ? "0,u" : "1,u") + std::to_string(i % 7) + ",i" + std::to_string(i) + ",0.5\n";
  }
  const TextFile both(text, ".csv"), first(""), second("");
  TrainOptions options = small_options(both.path());
  options.model = first.path();
  options.epochs = 1;
  train(options, {});
  options.input.held_out = "every:5";  // what is held out teaches nothing
  CHECK(error_of([&] { train(options, {}); }) ==
        "65 " + both.path() +
            ": all 48 labels in column 'click' are 1, expected clicks and others (--positive of "
            "train says which labels are clicks)");
  options.init = first.path();
  options.model = second.path();
  CHECK(train(options, {}).epochs == 1);
}

TEST_CASE("a model that is trained further keeps what made it") {
  const TextFile data(click_text(200, 1), ".csv"), first(""), second("");
  TrainOptions options = small_options(data.path());
  options.model = first.path();
  options.history_entry = R"({"argv":["a"]})";
  train(options, {});
  options.init = first.path();
  options.model = second.path();
  options.history_entry = R"({"argv":["b"]})";
  train(options, {});
  const Metadata metadata = read_document(second.path()).metadata;
  CHECK(metadata.at("frugal.history") == R"([{"argv":["a"]},{"argv":["b"]}])");
  CHECK(metadata.at("frugal.tool") == "robe-compress");
}

TEST_CASE("numbers alone are trained, with every architecture") {
  std::string text = "click,x,y\n";
  Rng rng(3);
  for (int i = 0; i < 400; ++i) {
    const double x = rng.uniform(-1, 1), y = rng.uniform(-1, 1);
    text += std::to_string(x + y > 0 ? 1 : 0) + "," + std::to_string(x) + "," + std::to_string(y) +
            "\n";
  }
  const TextFile data(text, ".csv"), model("");
  TrainOptions options = small_options(data.path());
  options.model = model.path();
  options.learning_rate = 0.01;
  for (const Architecture& architecture : kArchitectures) {
    for (const char* method : {"robe", "int8"}) {
      CAPTURE(architecture.name);
      options.network.architecture = architecture.name;
      options.embedding.method = method;
      train(options, {});
      CHECK(metrics_of(model.path(), data.path()).auc() > 0.9);
    }
  }
}
