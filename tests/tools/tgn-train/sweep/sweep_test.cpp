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

TrainOptions options_of(const std::string& events, const SweepPoint& point, std::uint64_t seed) {
  TrainOptions options;
  options.events = events;
  options.network.memory_dim = options.network.time_dim = 8;
  options.mode = memory_mode_from_name(point.memory);
  options.batch = point.batch;
  options.seed = seed;
  options.epochs = 1;
  options.split.new_nodes = 0;
  return options;
}

/// Sweeps batches and seeds; how many runs there were, how many of them kept.
std::pair<std::size_t, std::size_t> sweep_on(const SmallStream& stream, const std::string& log,
                                             std::vector<std::size_t> batches, int seeds,
                                             double learning_rate = 1e-3) {
  SweepOptions options;
  options.events = stream.path();
  options.memories = {"window"};
  options.precisions = {"f32"};
  options.batches = std::move(batches);
  options.seeds = seeds;
  options.first_seed = 5;
  options.log = log;
  std::vector<SweepPoint> points = sweep_points(options);
  sweep(options, points,
        [&](const SweepPoint& point, std::uint64_t seed) {
          TrainOptions o = options_of(stream.path(), point, seed);
          o.learning_rate = learning_rate;
          return o;
        },
        {});
  std::size_t runs = 0, kept = 0;
  for (const SweepPoint& point : points) {
    CHECK(point.failure().empty());
    for (const double ap : point.values("test_average_precision_batch200")) CHECK(ap > 0.3);
    CHECK(point.mean("events_per_second").mean > 0);
    for (const SweepRun& run : point.runs) kept += run.kept ? 1 : 0;
    runs += point.runs.size();
  }
  return {runs, kept};
}

SweepPoint point_of(const std::string& memory, std::size_t batch, const std::vector<double>& aps) {
  SweepPoint point;
  point.memory = memory;
  point.batch = batch;
  for (const double ap : aps) {
    SweepRun& run = point.runs.emplace_back();
    run.values = {{"test_average_precision_batch200", ap}, {"events_per_second", 100 * ap}};
  }
  return point;
}

}  // namespace

TEST_CASE("A sweep has every combination once") {
  SweepOptions options;
  options.memories = {"exact", "window", "exact"};
  options.precisions = {"f32"};
  options.batches = {40, 10, 40};
  const auto points = sweep_points(options);
  REQUIRE(points.size() == 4);
  CHECK(points[0].memory == "exact");
  CHECK(points[0].batch == 40);
  CHECK(points[1].batch == 10);
  CHECK(points[2].memory == "window");
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

TEST_CASE("Results have points, runs and failed runs") {
  std::vector<SweepPoint> points = {point_of("window", 40, {0.6}),
                                    point_of("window", 10, {0.5, 0.7}),
                                    point_of("exact", 10, {0.4})};
  points.back().runs.emplace_back().failure = "why";
  nlohmann::ordered_json json;
  describe_sweep(ResultFields(json), points);
  CHECK(json["points"].size() == 3);
  CHECK(json["runs"].size() == 4);
  CHECK(json["failed"][0]["error"] == "why");
  CHECK(json["points"][1]["events_per_second"] == doctest::Approx(60));
  CHECK(json["points"][1]["events_per_second_deviation"] == doctest::Approx(std::sqrt(200)));

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
