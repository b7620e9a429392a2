#include "libcore/cli/progress.h"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "libcore/cli/command_run.h"
#include "libcore/cli/trainer_run.h"
#include "test_tool.h"
#include "tests/support/text_file.h"

using namespace frugal;
using namespace std::chrono_literals;

TEST_CASE("progress tells share, rate and time left") {
  const ProgressTask task{"train", 2000, "examples"};
  CHECK(progress_text(task, 500, 10, "loss 0.3") ==
        "train: 25% of 2k examples, 50 examples/s, 30 s left, loss 0.3");
  CHECK(progress_text(task, 2000, 40, "") == "train: 100% of 2k examples, 50 examples/s");
  CHECK(progress_text(task, 0, 0, "") == "train: 0% of 2k examples");
  CHECK(progress_text({"read", 0, "lines"}, 1234567, 1, "") == "read: 1.23M lines, 1.23M lines/s");
  CHECK(progress_text({"fit", 2.5e9, "B"}, 1e9, 10, "") ==
        "fit: 40% of 2.5 GB, 100 MB/s, 15 s left");
  CHECK(progress_text(task, 9999, 1, "") == "train: 100% of 2k examples, 10k examples/s");
}

namespace {

/// Writes down what a command's tasks show.
class WrittenProgress : public Progress {
 public:
  WrittenProgress(std::string& text, const std::string& begun) : text_(text) { text_ += begun; }
  void update(double done, const std::string& note) override {
    text_ += " " + std::to_string(static_cast<int>(done)) + note;
  }
  void finish() override { text_ += " end;"; }

 private:
  std::string& text_;
};

class WrittenRun : public CommandRun {
 public:
  WrittenRun() : CommandRun(setup_of(*alone_)) {}
  std::unique_ptr<Progress> progress(const std::string& task, double total,
                                     const std::string& unit) override {
    return std::make_unique<WrittenProgress>(
        text, task + " of " + std::to_string(static_cast<int>(total)) + " " + unit + ":");
  }
  std::string text;

 private:
  static RunSetup setup_of(Communicator& ranks) {
    RunSetup setup;
    setup.ranks = &ranks;
    return setup;
  }
  static inline const std::unique_ptr<Communicator> alone_ = single_process();
};

}  // namespace

TEST_CASE("a task is shown from its first update on, and ends with the next one") {
  WrittenRun run;
  TaskProgress progress(run);
  progress.finish();
  CHECK(run.text.empty());
  progress.update({"read", 9, "B"}, 1);
  progress.update({"read", 9, "B"}, 5, "!");
  progress.begin({"write", 4, "rows"});
  progress.update(2);
  progress.finish();
  progress.finish();
  CHECK(run.text == "read of 9 B: 1 5! end;write of 4 rows: 2 end;");
}

TEST_CASE("a training that a signal stopped says how to go on") {
  WrittenRun run;
  TrainerSettings settings;
  {
    TrainerRun training(run, settings, {"data", ""}, "model");
    training.progress().begin({"train", 3, "epochs"});
    training.shows_progress()(1, "");
    training.finish(false, "");
    CHECK(run.text == "train of 3 epochs: 1 end;");
    CHECK(run.result().at("train_seconds").get<double>() >= 0);
    CHECK(test::message_of([&] { training.finish(true, "at step 7"); }) ==
          "stopped at step 7; without --checkpoint the work is lost");
  }
  const TextFile kept("an earlier run's");
  settings.checkpoint = kept.path();
  const std::string begins =
      "stopped at step 7, before the first checkpoint: the next run starts anew";
  const std::string goes_on =
      "stopped at step 7; go on with --resume and --checkpoint " + settings.checkpoint;
  WrittenRun written, anew, resumed;
  const auto message = [](TrainerRun& training) {
    return test::message_of([&] { training.finish(true, "at step 7"); });
  };
  TrainerRun training(written, settings, {}, "model");
  CHECK(message(training) == begins);
  std::filesystem::last_write_time(settings.checkpoint,
                                   std::filesystem::file_time_type::clock::now() + 1min);
  CHECK(message(training) == goes_on);
  TrainerRun other(anew, settings, {}, "model");
  CHECK(message(other) == begins);
  settings.resume = true;
  TrainerRun further(resumed, settings, {}, "model");
  CHECK(message(further) == goes_on);
  CHECK(test::message_of([&] { TrainerRun(resumed, {}, {"model"}, "m"); }) != "");
}

TEST_CASE("there is no bar where stderr is no terminal, and no colour where it is refused") {
  CHECK(progress_style("never", false) == ProgressStyle::none);
  CHECK(progress_style("auto", true) == ProgressStyle::none);
  CHECK(progress_style("always", false) == ProgressStyle::bar);
  const test::ScopedVariable variable("NO_COLOR", "1");
  CHECK_FALSE(use_color("auto", 2));
  CHECK(use_color("always", 2));
  CHECK_FALSE(use_color("never", 2));
}
