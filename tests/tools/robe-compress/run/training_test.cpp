#include "tools/robe-compress/run/training.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/system/signals.h"
#include "libcore/threading/parallel.h"
#include "tests/libcore/system/scratch_folder.h"
#include "tests/support/text_file.h"
#include "tests/tools/robe-compress/click_samples.h"
#include "tools/robe-compress/data/click_data.h"
#include "tools/robe-compress/model/click_model.h"
#include "tools/robe-compress/search/epoch_search.h"
#include "tools/robe-compress/search/hot_search.h"
#include "tools/robe-compress/serve/evaluate.h"
#include "tools/robe-compress/sweep/sweep.h"

using namespace frugal;
using namespace frugal::robe;

TEST_CASE("of several epochs the one that validates best is written") {
  const TextFile data(click_text(300, 1), ".csv"), test(click_text(300, 2), ".csv");
  const TextFile model("");
  TrainOptions options = small_options(data.path());
  options.model = model.path();
  options.validation = test.path();
  options.epochs = 8;
  options.learning_rate = 0.01;
  options.schedule = "constant";
  std::vector<double> losses;
  TrainObserver observer;
  observer.validated = [&](int, const BinaryMetrics& m) { losses.push_back(m.log_loss()); };
  const TrainResult result = train(options, observer);
  REQUIRE(losses.size() == 8);
  const auto best = std::min_element(losses.begin(), losses.end());
  CHECK(result.best_epoch == best - losses.begin() + 1);
  CHECK(result.best_epoch < 8);
  CHECK(metrics_of(model.path(), test.path()).log_loss() == *best);
}

TEST_CASE("the validation is of the model as it is stored") {
  const TextFile data(click_text(600, 1), ".csv"), model("");
  for (const char* method : {"robe", "int4"}) {
    TrainOptions options = small_options(data.path());
    options.model = model.path();
    options.validation = data.path();
    options.embedding.method = method;
    options.embedding.storage = Storage::int8;
    const TrainResult result = train(options, {});
    const BinaryMetrics written = metrics_of(model.path(), data.path());
    CHECK(result.validation->log_loss() == written.log_loss());
    CHECK(result.validation->auc() == written.auc());
    CHECK(result.facts.embedding_bytes < result.facts.full_bytes / 2);
  }
}

TEST_CASE("training while reading is one pass in the order of the file") {
  const TextFile data(click_text(500, 1), ".csv"), a(""), b("");
  TrainOptions options = small_options(data.path());
  options.input.ids = "hash";
  options.input.hash_rows = 500;
  options.input.shuffle = false;
  options.input.columns = "x:ignore";
  options.epochs = 1;
  options.schedule = "constant";
  options.model = a.path();
  const TrainResult stored = train(options, {});
  options.stream = true;
  options.model = b.path();
  const TrainResult streamed = train(options, {});
  CHECK(stored.steps == streamed.steps);
  CHECK(stored.loss == streamed.loss);
  CHECK(metrics_of(a.path(), data.path()).log_loss() ==
        metrics_of(b.path(), data.path()).log_loss());
}

TEST_CASE("shares of hot rows are tried; one is taken where its gain is beyond chance") {
  const TextFile data(click_text(1500, 1), ".csv");
  TrainOptions options = small_options(data.path());
  options.embedding.method = "robe-hot";
  options.embedding.compression = 8;
  std::vector<HotTrial> trials;
  TrainObserver observer;
  observer.tried = [&](const std::vector<HotTrial>& t) { trials = t; };
  const TrainResult result = train(options, observer);
  REQUIRE(trials.size() == 4);
  int chosen = 0;
  for (const HotTrial& trial : trials) {
    CHECK(trial.loss > 0);
    CHECK(trial.coverage <= 1);
    chosen += trial.chosen;
    if (trial.chosen && trial.share > 0) CHECK(trial.gain.is_clear());
    if (trial.gain.is_clear()) CHECK(trial.loss < trials.front().loss);
    for (const HotTrial& other : trials) {
      if (trial.chosen && trial.share > 0) CHECK(trial.loss <= other.loss);
      if (trial.chosen && trial.share == 0)
        CHECK((trial.loss <= other.loss || !other.gain.is_clear()));
      if (trial.hot_rows > other.hot_rows) CHECK(trial.coverage > other.coverage);
    }
    if (trial.chosen) CHECK(result.hot_share == trial.share);
  }
  CHECK(chosen == 1);
}

TEST_CASE("a sweep trains each method and size, those of one size once") {
  const TextFile data(click_text(800, 1), ".csv");
  SweepOptions options;
  options.train = small_options(data.path());
  options.train.input.held_out = "every:4";
  options.methods = {"full", "robe", "qr"};
  options.compressions = {2, 5000};
  options.seeds = 2;
  int told = 0;
  SweepPlan plan;
  plan.finished = [&](std::size_t) { ++told; };
  std::vector<SweepPoint> points = sweep_points(options);
  sweep(options, points, plan);
  REQUIRE(points.size() == 5);
  CHECK(told == 5);
  CHECK(points[0].method == "full");
  CHECK(points[0].compression == 1);
  const std::vector<double> aucs = points[0].values("auc");
  REQUIRE(aucs.size() == 2);
  CHECK(points[0].mean("auc").mean == doctest::Approx((aucs[0] + aucs[1]) / 2));
  CHECK(points[0].mean("auc").mean > 0.52);
  CHECK(points[1].bytes() <= points[0].bytes() / 2);
  CHECK(points[1].lookups_per_second > 0);
  CHECK(points[4].num_trained() == 0);
  CHECK(!points[4].failure().empty());
  options.train.input.held_out = "";
  CHECK_THROWS_AS(sweep(options, points, {}), Error);
}

TEST_CASE("a model that is trained further keeps the way its numbers are stored") {
  const TextFile data(click_text(300, 1), ".csv"), test(click_text(300, 2), ".csv"), first(""),
      second("");
  TrainOptions options = small_options(data.path());
  options.model = first.path();
  options.embedding.storage = Storage::int8;
  const TrainResult began = train(options, {});
  options.embedding.storage = Storage::f32;
  options.init = first.path();
  options.model = second.path();
  options.validation = test.path();
  options.learning_rate = 1e-7;
  const TrainResult further = train(options, {});
  CHECK(further.facts.embedding_bytes == began.facts.embedding_bytes);
  CHECK(further.facts.method == "robe");
}

TEST_CASE("a checkpoint is gone on from by the run that wrote it alone") {
  const TextFile data(click_text(300, 1), ".csv"), first(""), other(""), model("");
  TrainOptions options = small_options(data.path());
  for (const TextFile* file : {&first, &other}) {
    options.model = file->path();
    train(options, {});
    options.seed = 7;
  }
  const ScratchFolder folder;
  const auto refused = [&](TrainOptions o, const auto& change) {
    o.model = model.path();
    o.checkpoint = folder.file("c");
    o.checkpoint_seconds = 0;
    train(o, {});
    o.resume = true;
    change(o);
    try {
      train(o, {});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("went on");
  };
  options.init = first.path();
  CHECK(refused(options, [](TrainOptions&) {}) == "went on");
  CHECK(refused(options, [&](TrainOptions& o) {
          o.init = other.path();
        }).find("the initial model differs") != std::string::npos);
  CHECK(refused(options, [](TrainOptions& o) {
          o.learning_rate = 0.0010000001;
        }).find("--learning-rate 0.0010000001: the checkpoint has 0.001") != std::string::npos);
  options.init = "";
  options.stream = true;
  options.input.ids = "hash";
  CHECK(refused(options, [](TrainOptions&) {}) == "went on");
  CHECK(refused(options, [](TrainOptions& o) {
          o.input.positive = "<=0";
        }).find("cannot resume: --positive <=0: the checkpoint has ") != std::string::npos);
}

TEST_CASE("a checkpoint that is asked for is written after the batch that runs") {
  const TextFile data(click_text(300, 1), ".csv");
  const ScratchFolder folder;
  TrainOptions options = small_options(data.path());
  options.model = folder.file("m");
  options.checkpoint = folder.file("c");
  options.checkpoint_seconds = 1e9;
  options.epochs = 1;
  std::vector<double> samples_done;
  TrainObserver observer;
  observer.begun = [](const TrainFacts&) { handle_signals(); };
  observer.progress = [&](double samples, const std::string&) {
    if (samples_done.empty()) raise(SIGUSR1);
    samples_done.push_back(samples);
  };
  train(options, observer);
  REQUIRE(samples_done.size() >= 3);  // the first batch, the one that was asked in, the epoch
  CHECK(samples_done[1] <= samples_done[0] + options.batch_size);
  CHECK(samples_done.back() == 300);
}

TEST_CASE("a signal within the trials leaves no checkpoint of what they found") {
  const TextFile data(click_text(1000, 1), ".csv");
  const ScratchFolder folder;
  TrainOptions options = small_options(data.path());
  options.model = folder.file("m");
  options.checkpoint = folder.file("c");
  const pid_t child = fork();  // a signal changes the state of the whole process
  if (child == 0) {
    set_num_threads(1);  // those of the parent are not here
    handle_signals();
    TrainObserver observer;
    observer.tried_epochs = [](const TrainOptions&, const auto&) { raise(SIGTERM); };
    const TrainResult result = train(options, observer);
    _exit(result.stopped && result.steps == 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(folder.names().empty());
}

TEST_CASE("time that goes by before the first step leaves no untrained model") {
  const TextFile data(click_text(300, 1), ".csv");
  const ScratchFolder folder;
  TrainOptions options = small_options(data.path());
  options.model = folder.file("m");
  options.time_budget = 1e-9;
  CHECK_THROWS_AS(train(options, {}), Error);
  CHECK(folder.names().empty());
}

TEST_CASE("files that are no models, and parts that do not fit together, are refused") {
  const TextFile data(click_text(100, 1), ".csv"), model("");
  TrainOptions options = small_options(data.path());
  options.model = model.path();
  train(options, {});
  const Document whole = read_document(model.path());
  const auto refused = [&](auto change) {
    Document document;
    document.metadata = whole.metadata;
    for (const Tensor& tensor : whole.tensors) document.tensors.push_back(tensor.clone());
    change(document);
    write_document(model.path(), document);
    try {
      load_model(model.path());
      FAIL_CHECK("nothing was refused");
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::bad_input);
      CHECK(std::string(error.what()).starts_with(model.path() + ": "));
    }
  };
  refused([](Document& d) { d.metadata["frugal.kind"] = "embedding"; });
  refused([](Document& d) { d.metadata.erase("data.encoder"); });
  refused([](Document& d) {
    d.metadata["embedding.tables"] = R"([{"name":"user","rows":7},{"name":"item","rows":7}])";
  });
  for (const Tensor& tensor : whole.tensors) {
    CAPTURE(tensor.name);
    if (tensor.name.starts_with("data.counts")) continue;  // which a model can do without
    refused([&](Document& d) {
      std::erase_if(d.tensors, [&](const Tensor& t) { return t.name == tensor.name; });
    });
  }
}

TEST_CASE(
    "without a validation, as many epochs as samples held back find best are trained on all") {
  const TextFile data(click_text(1500, 1), ".csv"), found(""), given("");
  TrainOptions options = small_options(data.path());
  options.model = found.path();
  std::vector<EpochTrial> trials;
  TrainObserver observer;
  observer.tried_epochs = [&](const TrainOptions&, const std::vector<EpochTrial>& t) {
    trials = t;
  };
  const TrainResult result = train(options, observer);
  REQUIRE(trials.size() >= 3);
  const auto best =
      std::min_element(trials.begin(), trials.end(), [](const EpochTrial& a, const EpochTrial& b) {
        return a.figures.log_loss < b.figures.log_loss;
      });
  CHECK(best->chosen);
  CHECK(trials.end() - best == 3);  // two more were no better
  CHECK(result.epochs == best - trials.begin() + 1);
  CHECK(result.epochs > 2);
  CHECK(result.samples == 1500U * static_cast<unsigned>(result.epochs));
  options.model = given.path();
  options.epochs = result.epochs;
  options.schedule = "constant";
  train(options, {});
  CHECK(metrics_of(found.path(), data.path()).log_loss() ==
        metrics_of(given.path(), data.path()).log_loss());
}

TEST_CASE("with a validation, epochs follow until two were no better than the best") {
  const TextFile data(click_text(1500, 1), ".csv"), test(click_text(500, 2), ".csv"), model("");
  TrainOptions options = small_options(data.path());
  options.model = model.path();
  options.validation = test.path();
  const TrainResult result = train(options, {});
  CHECK(result.epochs == result.best_epoch + 2);
  CHECK(result.best_epoch > 2);
  CHECK(metrics_of(model.path(), test.path()).log_loss() == result.validation->log_loss());
}

TEST_CASE("a run waits longer for the first epoch that finds anything") {
  BinaryMetrics chance, good;
  const std::vector<float> labels = {1, 0, 1, 0}, none(4), right = {2, -2, 2, -2};
  chance.add(none, labels);
  good.add(right, labels);
  CHECK(!epochs_suffice(3, 1, chance.log_loss(), chance, {2, 10}));
  CHECK(epochs_suffice(11, 1, chance.log_loss(), chance, {2, 10}));
  CHECK(!epochs_suffice(2, 1, good.log_loss(), chance, {2, 10}));
  CHECK(epochs_suffice(3, 1, good.log_loss(), chance, {2, 10}));
  // What learns the training samples by heart finds nothing later.
  const std::vector<float> by_heart = {1, 1, -1, -1};
  BinaryMetrics wrong;
  wrong.add(by_heart, labels);
  CHECK(wrong.log_loss() > 1.1 * chance.log_loss());
  CHECK(epochs_suffice(3, 1, chance.log_loss(), wrong, {2, 10}));
  CHECK(!epochs_suffice(2, 1, chance.log_loss(), wrong, {2, 10}));
}

TEST_CASE("a click and a sample that is none by turns do not keep a trial from both") {
  std::string text = "click,user,item\n";
  for (int i = 0; i < 1000; ++i) {
    text += std::to_string(i % 2) + "," + std::to_string((i * 7 + i % 2) % 20) + "," +
            std::to_string(i % 9) + "\n";
  }
  const TextFile data(text, ".csv");
  TrainOptions options = small_options(data.path());
  std::size_t trials = 0;
  TrainObserver observer;
  observer.tried_epochs = [&](const TrainOptions&, const std::vector<EpochTrial>& t) {
    trials = t.size();
  };
  ClickData samples(options.data, options.input);
  CHECK(train(samples, options, observer).epochs > 2);
  CHECK(trials > 2);
}

TEST_CASE("what is held back for trials comes back") {
  const TextFile file(click_text(1000, 1), ".csv");
  ClickData data(file.path(), {.held_out = "every:5"});
  CHECK(data.size() == 800);
  {
    HeldBack held_back(data);
    CHECK(held_back.suffices());
    CHECK(data.size() == 720);
    CHECK(data.num_held_back() == 80);
    CHECK(data.num_held_out() == 200);
  }
  CHECK(data.size() == 800);
  CHECK(data.num_held_back() == 0);
}

TEST_CASE("a run continues a trial whose first epoch is the best, also from a checkpoint") {
  // Only a network learns the clicks. Rows are learned by heart: further epochs overfit.
  std::string text = "click,user,item,row\n";
  Rng rng(6);
  constexpr int kSamples = 3000, kHeldBack = 300, kBatch = 32;
  for (int i = 0; i < kSamples; ++i) {
    const std::uint64_t user = rng.below(4), item = rng.below(4);
    const bool click = rng.below(10) < ((user ^ item) % 2 == 0 ? 8U : 2U);
    text += std::to_string(click) + ",u" + std::to_string(user) + ",i" + std::to_string(item) +
            ",r" + std::to_string(i / 3) + "\n";
  }
  const TextFile data(text, ".csv");
  const ScratchFolder folder;
  TrainOptions options = small_options(data.path());
  options.find_storage = options.find_size = true;
  options.learning_rate = 0.05F;
  options.model = folder.file("whole");
  double progress = 0;
  TrainObserver observer;
  observer.progress = [&](double samples, const std::string&) { progress = samples; };
  const TrainResult whole = train(options, observer);
  REQUIRE(whole.candidates);
  CHECK(whole.candidates->best() != ModelCandidates::linear);
  CHECK(whole.facts.epochs == 1);
  CHECK(progress == kSamples);
  CHECK(whole.samples == kSamples);
  CHECK(whole.steps ==
        (kSamples - kHeldBack + kBatch - 1) / kBatch + (kHeldBack + kBatch - 1) / kBatch);
  CHECK(whole.fit_seconds > 0);

  options.model = folder.file("resumed");
  options.checkpoint = folder.file("c");
  options.checkpoint_seconds = 1e9;
  const pid_t child = fork();  // a signal changes the state of the whole process
  if (child == 0) {
    set_num_threads(1);  // those of the parent are not here
    handle_signals();
    observer.progress = [](double, const std::string&) {
      if (!stop_requested()) raise(SIGTERM);
    };
    const TrainResult result = train(options, observer);
    _exit(result.stopped && result.steps < whole.steps ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  options.resume = true;
  const TrainResult resumed = train(options, {});
  CHECK(resumed.steps == whole.steps);
  CHECK(resumed.resumed_from > static_cast<std::uint64_t>((kSamples - kHeldBack) / kBatch));
  CHECK(resumed.samples < kHeldBack);
  CHECK(metrics_of(options.model, data.path()).log_loss() ==
        metrics_of(folder.file("whole"), data.path()).log_loss());
}

TEST_CASE("a gain that chance may give is not clear") {
  CHECK(paired_gain({1, 1, 1, 1}, {0.5F, 0.6F, 0.4F, 0.5F}).is_clear());
  CHECK(paired_gain({1, 1, 1, 1}, {0.5F, 0.6F, 0.4F, 0.5F}).mean == doctest::Approx(0.5));
  CHECK(!paired_gain({1, 1, 1, 1}, {0, 2, 0.5F, 1.4F}).is_clear());
  CHECK(!paired_gain({1, 1, 1, 1}, {2, 2, 2.1F, 2}).is_clear());
}

TEST_CASE("the usual storage depends on the numbers that it leaves; a file's is kept") {
  const TextFile data(click_text(600, 1), ".csv"), model("");
  TrainOptions options = small_options(data.path());
  options.model = model.path();
  options.epochs = 1;
  options.find_storage = true;
  for (const auto& [compression, storage] :
       {std::pair{1.0, "f32"}, {10.0, "int8"}, {60.0, "int4"}}) {
    options.embedding.compression = compression;
    const TrainResult result = train(options, {});
    CHECK(result.facts.storage == storage);
    CHECK(static_cast<double>(result.facts.embedding_bytes) * compression <=
          static_cast<double>(result.facts.full_bytes));
  }
  options.init = model.path();
  options.model = data.path() + ".further";
  CHECK(train(options, {}).facts.storage == "int4");
  options.init = "";
  options.embedding.method = "full";
  CHECK(train(options, {}).facts.storage == "f32");
  std::remove(options.model.c_str());
}

TEST_CASE("small tables are kept whole where nobody says otherwise") {
  const TextFile data(click_text(300, 1), ".csv");
  TrainOptions options = small_options(data.path());
  options.epochs = 1;
  options.find_storage = options.find_size = true;
  const TrainResult whole = train(options, {});
  CHECK(whole.facts.method == "full");
  CHECK(whole.facts.storage == "int8");
  CHECK(whole.facts.description.back().starts_with("adagrad, "));
  options.for_small = {"--optimizer"};
  CHECK(train(options, {}).facts.description.back().starts_with("adam, "));
  options.for_tables = {"--method"};
  CHECK(train(options, {}).facts.method == "robe");
}

TEST_CASE("a model trained for int4 is no worse stored so than it was in training") {
  const TextFile data(click_text(3000, 1), ".csv"), test(click_text(1000, 2), ".csv"), model("");
  TrainOptions options = small_options(data.path());
  options.model = model.path();
  options.validation = test.path();
  options.embedding.storage = Storage::int4;
  double best = 1e9;
  TrainObserver observer;
  observer.validated = [&](int, const BinaryMetrics& m) { best = std::min(best, m.log_loss()); };
  const TrainResult result = train(options, observer);
  CHECK(result.validation->log_loss() == best);
  CHECK(metrics_of(model.path(), test.path()).log_loss() == best);
}
