#include "libcore/train/training_run.h"

#include <doctest/doctest.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "libcore/system/clock.h"
#include "libcore/system/signals.h"
#include "libcore/tensors/metadata_reader.h"
#include "tests/libcore/system/scratch_folder.h"

using namespace frugal;

namespace {

constexpr std::uint64_t kPerEpoch = 5;

/// Its weight grows by one a step; the loss of step s is s; epochs score as `scores` says.
class Counter final : public Trainee {
 public:
  explicit Counter(std::vector<double> scores = {}) : scores_(std::move(scores)) {}

  void begin_epoch(const RunPosition& at) override { begun_.push_back(at.epoch); }
  TrainedPart advance(const RunPosition& at, std::uint64_t most,
                      const std::function<bool()>& interrupted) override {
    TrainedPart part;
    while (part.steps < most && !part.epoch_ended) {
      const std::uint64_t step = at.step + part.steps;
      if (on_step) on_step(step);
      ++weight_;
      ++part.steps;
      part.samples += 2;
      part.loss_sum += 2 * loss(step);
      part.device_busy_seconds += 0.5;
      part.epoch_ended = (step + 1) % kPerEpoch == 0;
      if (interrupted()) break;
    }
    return part;
  }
  bool can_validate() const override { return !scores_.empty(); }
  Scores validate(const RunPosition& at) override {
    if (on_validate) on_validate(at.epoch);
    const double score = scores_.at(static_cast<std::size_t>(at.epoch));
    return {{{"score", score}}, score, 0};
  }
  void save_model(Document& document) const override {
    document.tensors.push_back(Tensor::copy_of<double>("weight", {1}, std::vector{weight_}));
  }
  void load_model(Document& document, const std::string&) override {
    weight_ = document.tensors.at(0).as<double>()[0];
  }
  bool keeps_state_between_epochs() const override { return keeps_state; }
  void save_state(Document& state) override { state.metadata["counter.state"] = "kept"; }
  void resume(Document& state, const std::string& path) override {
    CHECK(MetadataReader(state, path).text("counter.state") == "kept");
    for (const Tensor& tensor : state.tensors) {
      if (tensor.name == "weight") weight_ = tensor.as<double>()[0];
    }
  }

  double weight() const { return weight_; }
  const std::vector<int>& begun() const { return begun_; }
  bool keeps_state = true;
  std::function<void(std::uint64_t step)> on_step;
  std::function<void(int epoch)> on_validate;
  std::function<double(std::uint64_t step)> loss = [](std::uint64_t step) {
    return static_cast<double>(step);
  };

 private:
  std::vector<double> scores_;  ///< by epoch
  double weight_ = 0;
  std::vector<int> begun_;
};

RunResult train(Trainee& trainee, const RunSettings& settings, const TrainerSettings& options = {},
                const RunObserver& observer = {}) {
  RunClock clock(options);
  const RunCheckpoint checkpoint(options, "counter", {{{"--a", "1", false}}, {}});
  std::optional<Document> state = checkpoint.load();
  const auto ranks = single_process();
  return run_training(trainee, settings, {clock, checkpoint, *ranks, observer},
                      state ? &*state : nullptr);
}

RunSettings epochs(int n) {
  RunSettings settings;
  settings.epochs = n;
  return settings;
}

TrainerSettings with_checkpoint(const ScratchFolder& folder) {
  TrainerSettings options;
  options.checkpoint = folder.file("run.ckpt");
  options.checkpoint_seconds = 1e9;
  options.resume = true;
  return options;
}

}  // namespace

TEST_CASE("a run trains its epochs and takes the mean loss of each") {
  Counter counter;
  const RunResult result = train(counter, epochs(3));
  CHECK(result.at.step == 15);
  CHECK(result.at.epoch == 3);
  CHECK(result.at.loss == 12);  // of steps 10 to 14
  CHECK(result.figures.samples == 30);
  CHECK(result.figures.device_busy_seconds == 7.5);
  CHECK(result.figures.epoch_seconds.size() == 3);
  CHECK(counter.begun() == std::vector{0, 1, 2});
  CHECK(counter.weight() == 15);
}

TEST_CASE("a run ends with its steps, in the middle of an epoch that counts") {
  Counter counter({0, 1, 2});
  RunSettings settings = epochs(4);
  settings.steps = 7;
  const RunResult result = train(counter, settings);
  CHECK(result.at.step == 7);
  CHECK(result.at.epoch == 2);
  CHECK(result.at.loss == 5.5);
  CHECK(result.at.best_epoch == 2);
  CHECK(counter.weight() == 7);
}

TEST_CASE("the best epoch's model is kept, of equal ones the first") {
  Counter counter({0, 3, 7, 7, 2});
  std::vector<bool> best;
  RunObserver observer;
  observer.validated = [&best](const RunPosition&, const Scores&, bool is) { best.push_back(is); };
  const RunResult result = train(counter, epochs(4), {}, observer);
  CHECK(best == std::vector{true, true, false, false});
  CHECK(result.at.best_epoch == 2);
  CHECK(counter.weight() == 10);

  Counter last({0, 3, 7, 7, 2});
  RunSettings settings = epochs(4);
  settings.keep_best = false;
  train(last, settings);
  CHECK(last.weight() == 20);
}

TEST_CASE("the model that a run begins with may stay the best") {
  Counter counter({9, 1, 2});
  RunSettings settings = epochs(2);
  settings.validate_start = true;
  CHECK(train(counter, settings).at.best_epoch == 0);
  CHECK(counter.weight() == 0);
}

TEST_CASE("patience ends a run, counted in epochs from the best") {
  Counter counter({0, 1, 5, 4, 4, 9});
  RunSettings settings = epochs(5);
  settings.patience = 2;
  const RunResult result = train(counter, settings);
  CHECK(result.at.epoch == 4);
  CHECK(counter.weight() == 10);
}

TEST_CASE("where not every epoch is validated the last one is") {
  Counter counter({0, 9, 1, 9, 2, 3});
  RunSettings settings = epochs(5);
  settings.validate_every = 2;
  std::vector<int> validated;
  RunObserver observer;
  observer.validated = [&](const RunPosition& at, const Scores&, bool) {
    validated.push_back(at.epoch);
  };
  CHECK(train(counter, settings, {}, observer).at.best_epoch == 5);
  CHECK(validated == std::vector{2, 4, 5});
}

TEST_CASE("a checkpoint that was asked for takes a new run to the same end") {
  handle_signals();
  const ScratchFolder folder;
  const TrainerSettings options = with_checkpoint(folder);
  const std::vector<double> scores{0, 3, 7, 1, 2};
  for (const std::uint64_t at : {2, 7, 9}) {
    CAPTURE(at);
    std::filesystem::remove(options.checkpoint);
    Counter killed(scores);
    struct Killed {};
    killed.on_step = [at](std::uint64_t step) {
      if (step == at) std::raise(SIGUSR1);
      if (step == at + 3) throw Killed();
    };
    CHECK_THROWS_AS(train(killed, epochs(4), options), Killed);
    Counter resumed(scores);
    const RunResult result = train(resumed, epochs(4), options);
    CHECK(result.figures.resumed_from == at + 1);
    CHECK(result.at.step == 20);
    CHECK(result.at.loss == 17);
    CHECK(result.at.best_epoch == 2);
    CHECK(resumed.weight() == 10);
  }
}

TEST_CASE("a time budget ends a run at a checkpoint, also within an epoch, which is validated") {
  const ScratchFolder folder;
  TrainerSettings options = with_checkpoint(folder);
  options.time_budget = 1e-9;
  Counter none({0, 1, 2, 3});
  const RunResult nothing = train(none, epochs(3), options);
  CHECK(nothing.at.step == 0);
  CHECK_THROWS_WITH_AS(expect_steps(nothing.figures, RunClock(options)),
                       doctest::Contains("before the first step"), Error);

  options.time_budget = 0.5;
  Counter cut({0, 1, 2, 3});
  cut.on_step = [](std::uint64_t step) {
    const double until = wall_seconds() + 0.5;
    while (step == 6 && wall_seconds() < until) {
    }
  };
  const RunResult part = train(cut, epochs(3), options);
  CHECK(part.at.step == 7);
  CHECK(part.at.epoch == 2);
  CHECK_FALSE(part.figures.stopped);

  options.time_budget = 0;
  Counter rest({0, 1, 2, 3});
  const RunResult result = train(rest, epochs(3), options);
  CHECK(result.figures.resumed_from == 7);
  CHECK(result.at.loss == 12);
  CHECK(rest.weight() == 15);
}

TEST_CASE("time that ends in a validation leaves a checkpoint from before or after it") {
  for (const bool keeps : {true, false}) {
    CAPTURE(keeps);
    const ScratchFolder folder;
    TrainerSettings options = with_checkpoint(folder);
    options.time_budget = 0.5;
    Counter cut({0, 1, 2, 3});
    cut.keeps_state = keeps;
    cut.on_validate = [](int epoch) {
      const double until = wall_seconds() + 0.5;
      while (epoch == 2 && wall_seconds() < until) {
      }
    };
    CHECK(train(cut, epochs(3), options).at.step == 10);
    options.time_budget = 0;
    Counter rest({0, 1, 2, 3});
    rest.keeps_state = keeps;
    std::vector<int> validated;
    rest.on_validate = [&validated](int epoch) { validated.push_back(epoch); };
    CHECK(train(rest, epochs(3), options).figures.resumed_from == 10);
    CHECK(validated == (keeps ? std::vector{3} : std::vector{2, 3}));
    CHECK(rest.weight() == 15);
  }
}

TEST_CASE("a trial ends where its caller says so, and leaves the signals to the run") {
  class Steps final : public TrialTrainee {
   public:
    TrainedPart advance(const RunPosition& at, std::uint64_t,
                        const std::function<bool()>& interrupted) override {
      TrainedPart part;
      while (!part.epoch_ended) {
        part.epoch_ended = (at.step + ++part.steps) % kPerEpoch == 0;
        ++steps;
        if (interrupted()) break;
      }
      return part;
    }
    bool can_validate() const override { return true; }
    Scores validate(const RunPosition& at) override { return {{}, at.epoch == 2 ? 1.0 : 0.0, 0}; }
    void keep_best() override { best_steps = steps; }
    bool suffices(const RunPosition& at) const override { return at.epoch == 3; }
    std::uint64_t steps = 0, best_steps = 0;
  };
  Steps all;
  handle_signals();
  std::raise(SIGUSR1);
  const RunResult result = run_trial(all, 9, [] { return false; });
  CHECK(take_checkpoint_request());
  CHECK(result.at.epoch == 3);
  CHECK(result.at.best_epoch == 2);
  CHECK(all.best_steps == 2 * kPerEpoch);
  Steps some;
  CHECK(run_trial(some, 9, [&some] { return some.steps == 8; }).figures.stopped);
  CHECK(some.steps == 8);
}

TEST_CASE("a checkpoint of a position that no run has is refused") {
  const ScratchFolder folder;
  const TrainerSettings options = with_checkpoint(folder);
  const auto refusal = [&](const std::string& key, const std::string& value, bool keeps_state) {
    std::filesystem::remove(options.checkpoint);
    TrainerSettings budget = options;
    budget.time_budget = 0.05;
    Counter cut;
    cut.on_step = [](std::uint64_t step) {
      const double until = wall_seconds() + 0.05;
      while (step == 6 && wall_seconds() < until) {
      }
    };
    train(cut, epochs(3), budget);
    Document state = read_document(options.checkpoint);
    state.metadata[key] = value;
    write_document(options.checkpoint, state);
    Counter resumed;
    resumed.keeps_state = keeps_state;
    try {
      train(resumed, epochs(3), options);
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what()).substr(options.checkpoint.size() + 2);
    }
  };
  CHECK(refusal("train.epoch", "3", true) == "train.epoch is 3, expected at most 2");
  CHECK(refusal("train.epoch", "2", true).empty());
  CHECK(refusal("train.began", "false", false).starts_with("train.began is false, expected"));
  CHECK(refusal("train.began", "no", true).find("train.began") != std::string::npos);
}

TEST_CASE("a loss that is not finite is an error of the step") {
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    Counter counter;
    counter.loss = [bad](std::uint64_t step) { return step == 5 ? bad : 1; };
    CHECK_THROWS_WITH_AS(train(counter, epochs(2)), doctest::Contains("not finite at step 5"),
                         Error);
  }
}

TEST_CASE("steps, losses and scores are logged an epoch each") {
  RunLog log("", "", "{}");
  RunObserver observer;
  observer.log = &log;
  Counter counter({0, 4, 5});
  train(counter, epochs(2), {}, observer);
  using Points = std::vector<std::pair<double, double>>;
  CHECK(log.series("epoch") == Points{{5, 1}, {10, 2}});
  CHECK(log.series("loss") == Points{{5, 2}, {10, 7}});
  CHECK(log.series("validation_score") == Points{{5, 4}, {10, 5}});
}
