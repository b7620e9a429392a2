#include "tools/tgn-train/sweep/sweep.h"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/text_file.h"
#include "tools/tgn-train/making/generate.h"
#include "tools/tgn-train/sweep/sweep_report.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// 400 events of few nodes.
class SmallStream {
 public:
  SmallStream() {
    GenerateOptions options;
    options.output = file_.path();
    options.events = 400;
    options.nodes = 30;
    options.sources = 20;
    options.features = 2;
    generate(options, [](std::uint64_t, std::uint64_t) {});
  }
  const std::string& path() const { return file_.path(); }

 private:
  TextFile file_{"", ".safetensors"};
};

TrainOptions options_of(const std::string& events, const SweepSetting& setting) {
  TrainOptions options;
  options.events = events;
  options.network.memory_dim = options.network.time_dim = 8;
  options.mode = memory_mode_from_name(setting.memory);
  options.batch = setting.batch;
  options.seed = setting.seed;
  options.epochs = 1;
  options.split.new_nodes = 0;
  return options;
}

double value_of(const SweepRun& run, std::string_view name) {
  for (const auto& [key, value] : run.values) {
    if (key == name) return value;
  }
  return NAN;
}

SweepRun run_of(const std::string& memory, std::size_t batch, std::uint64_t seed, double ap) {
  SweepRun run;
  run.setting = {memory, "f32", batch, seed};
  run.values = {{"test_average_precision_batch200", ap}, {"events_per_second", 100 * ap}};
  return run;
}

/// Sweeps batches and seeds; how many runs there were, how many of them kept.
std::pair<std::size_t, std::size_t> sweep_on(const SmallStream& stream, const std::string& output,
                                             std::vector<std::size_t> batches, int seeds,
                                             double learning_rate = 1e-3) {
  SweepOptions options;
  options.events = stream.path();
  options.memories = {"window"};
  options.precisions = {"f32"};
  options.batches = std::move(batches);
  options.seeds = seeds;
  options.output = output;
  const auto runs = sweep(options, sweep_settings(options, 5),
                          [&](const SweepSetting& setting) {
                            TrainOptions o = options_of(stream.path(), setting);
                            o.learning_rate = learning_rate;
                            return o;
                          },
                          {});
  std::size_t kept = 0;
  for (const SweepRun& run : runs) {
    CHECK(run.failure.empty());
    CHECK(value_of(run, "test_average_precision_batch200") > 0.3);
    CHECK(value_of(run, "events_per_second") > 0);
    kept += run.kept ? 1 : 0;
  }
  return {runs.size(), kept};
}

}  // namespace

TEST_CASE("A sweep has every combination once, seeds behind each other") {
  SweepOptions options;
  options.memories = {"exact", "window", "exact"};
  options.precisions = {"f32"};
  options.batches = {40, 10, 40};
  options.seeds = 2;
  const auto settings = sweep_settings(options, 7);
  REQUIRE(settings.size() == 8);
  CHECK(settings[0].memory == "exact");
  CHECK(settings[1].seed == 8);
  CHECK(settings[1].batch == 40);
  CHECK(settings[2].batch == 10);
  CHECK(settings[4].memory == "window");
}

TEST_CASE("A sweep goes on behind what it finished, whatever cut it off") {
  const SmallStream stream;
  const TextFile log("", ".jsonl");
  CHECK(sweep_on(stream, log.path(), {50}, 2) == std::pair<std::size_t, std::size_t>(2, 0));
  CHECK(sweep_on(stream, log.path(), {50}, 2) == std::pair<std::size_t, std::size_t>(2, 2));
  CHECK(sweep_on(stream, log.path(), {100, 50}, 2) == std::pair<std::size_t, std::size_t>(4, 2));
  // Other options are another run, which the same file may keep.
  CHECK(sweep_on(stream, log.path(), {50}, 1, 2e-3) == std::pair<std::size_t, std::size_t>(1, 0));
  // A run that was killed while it wrote its line.
  const std::string whole = content_of(log.path());
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (const std::size_t size : {last, last + 1, whole.size() - 1}) {
    std::ofstream(log.path(), std::ios::binary) << whole.substr(0, size);
    CHECK(sweep_on(stream, log.path(), {50}, 1, 2e-3).second == 0);
    CHECK(sweep_on(stream, log.path(), {100, 50}, 2).second == 4);
    std::istringstream lines(content_of(log.path()));
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      CHECK(nlohmann::json::accept(line));
    }
    CHECK(count == 5);
  }
}

TEST_CASE("A run that fails does not end the others") {
  const SmallStream stream;
  const TextFile log("", ".jsonl");
  SweepOptions options;
  options.events = stream.path();
  options.memories = {"window"};
  options.precisions = {"f32"};
  options.batches = {25, 100};
  options.output = log.path();
  const auto failing = [&](std::size_t bad) {
    return [&stream, bad](const SweepSetting& setting) {
      if (setting.batch <= bad) throw Error(ExitStatus::unavailable, "too small");
      return options_of(stream.path(), setting);
    };
  };
  std::vector<std::string> told;
  SweepObserver observer;
  observer.finished = [&](const SweepRun& run) { told.push_back(run.failure); };
  const auto runs = sweep(options, sweep_settings(options, 0), failing(25), observer);
  CHECK(told == std::vector<std::string>{"too small", ""});
  CHECK(runs[0].values.empty());
  CHECK(value_of(runs[1], "loss") > 0);
  // What failed is tried again.
  CHECK_FALSE(sweep(options, sweep_settings(options, 0), failing(0), {})[0].kept);
  CHECK(error_of([&] { sweep(options, sweep_settings(options, 0), failing(100), {}); }) ==
        "69 no run succeeded: too small");
}

TEST_CASE("A file of something else is no output of a sweep") {
  for (const char* text : {"{}\n", "[1]\n", "words\n", "{\"identity\":1,\"values\":{}}\n",
                           "{\"identity\":\"a\",\"values\":[]}\n"}) {
    const TextFile file(text);
    const std::string error = error_of([&] { SweepLog log(file.path()); });
    CHECK(error.starts_with("65 " + file.path() + ": line 1: '"));
  }
  const TextFile numbers("{\"identity\":\"a\",\"values\":{\"loss\":0.25,\"x\":null}}\nhalf a li");
  const SweepLog log(numbers.path());
  REQUIRE(log.find("a") != nullptr);
  CHECK(*log.find("a") == NamedValues{{"loss", 0.25}});
  CHECK(log.find("b") == nullptr);
  CHECK(error_of([] { SweepLog pipe("-"); }).starts_with("2 a sweep goes on from its output"));
}

TEST_CASE("Points are means over the seeds that succeeded") {
  std::vector<SweepRun> runs = {run_of("window", 10, 0, 0.5), run_of("window", 10, 1, 0.7),
                                run_of("window", 40, 0, 0.6), run_of("exact", 10, 0, 0.4)};
  runs.push_back(run_of("exact", 10, 1, 0));
  runs.back().values.clear();
  runs.back().failure = "why";
  const auto points = sweep_points(runs);
  REQUIRE(points.size() == 3);
  CHECK(points[0].seeds == 2);
  CHECK(points[0].of("test_average_precision_batch200").mean == doctest::Approx(0.6));
  CHECK(points[0].of("test_average_precision_batch200").deviation ==
        doctest::Approx(std::sqrt(0.02)));
  CHECK(points[2].seeds == 1);
  CHECK(points[2].failure == "why");
  CHECK(std::isnan(points[0].of("mrr").mean));

  nlohmann::ordered_json json;
  describe_sweep(ResultFields(json), runs);
  CHECK(json["points"].size() == 3);
  CHECK(json["runs"].size() == 4);
  CHECK(json["failed"][0]["error"] == "why");
  CHECK(json["points"][0]["events_per_second"] == doctest::Approx(60));

  const auto figures = sweep_figures(points, "a machine");
  CHECK(!figures[0].log_y);
  CHECK(figures[1].log_y);
  REQUIRE(figures.size() == 2);  // no ranks
  REQUIRE(figures[0].series.size() == 2);
  CHECK(figures[0].series[0].name == "window, f32");
  CHECK(figures[0].series[0].x == std::vector<double>{10, 40});
  CHECK(figures[0].series[0].y[1] == doctest::Approx(0.6));
  CHECK(figures[1].series[1].y[0] == doctest::Approx(40));
}
