#include "libcore/train/sweep.h"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "libcore/streams/input_stream.h"
#include "libcore/train/sweep_log.h"
#include "tests/support/text_file.h"

using namespace frugal;

namespace {

/// Points of a number each. A training has the sum of its number and seed as its result.
class Sums {
 public:
  Sums(std::vector<double> numbers, int seeds, const std::string& log = "")
      : numbers_(std::move(numbers)), points(numbers_.size()) {
    plan.seeds = seeds;
    plan.log = log;
    plan.identity = [this](std::size_t i, std::uint64_t seed) {
      return settings + " number=" + std::to_string(numbers_[i]) + " seed=" + std::to_string(seed);
    };
    plan.train = [this](std::size_t i, std::uint64_t seed, const SweepProgress& share) {
      share(0.5, "half");
      ++trained;
      if (numbers_[i] < 0) fail(failure, "below 0");
      return NamedValues{{"sum", numbers_[i] + static_cast<double>(seed)}, {"odd", NAN}};
    };
    plan.describe = [this](std::size_t i) {
      return nlohmann::ordered_json{{"number", numbers_[i]}};
    };
  }
  Sums& run() {
    run_sweep(points, plan);
    return *this;
  }
  std::size_t kept() const {
    std::size_t kept = 0;
    for (const SeedRuns& point : points) {
      for (const SweepRun& run : point.runs) kept += run.kept ? 1 : 0;
    }
    return kept;
  }

 private:
  std::vector<double> numbers_;

 public:
  std::vector<SeedRuns> points;
  SweepPlan plan;
  std::string settings = "rate=1";
  ExitStatus failure = ExitStatus::usage;
  int trained = 0;
};

std::size_t count_lines(const std::string& path) {
  std::istringstream lines(read_whole(path));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    CHECK(nlohmann::json::accept(line));
  }
  return count;
}

}  // namespace

TEST_CASE("every point is trained with every seed, and has their mean and deviation") {
  Sums sums({1, 10}, 3);
  sums.plan.first_seed = 4;
  std::vector<std::size_t> finished;
  std::vector<double> done;
  sums.plan.finished = [&](std::size_t i) { finished.push_back(i); };
  sums.plan.progress = [&](double runs, double total, const std::string& note) {
    CHECK(total == 6);
    CHECK((note == "half") == (std::fmod(runs, 1) == 0.5));
    done.push_back(runs);
  };
  sums.run();
  CHECK(finished == std::vector<std::size_t>{0, 1});
  CHECK(done == std::vector<double>{0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6});
  CHECK(sums.points[0].values("sum") == std::vector<double>{5, 6, 7});
  CHECK(sums.points[0].mean("sum").mean == 6);
  CHECK(sums.points[0].mean("sum").deviation == 1);
  CHECK(sums.points[1].runs[2].seed == 6);
  CHECK(sums.points[1].num_trained() == 3);
  CHECK(std::isnan(sums.points[0].mean("none").mean));
  CHECK(sums.points[0].mean("none").deviation == 0);
  CHECK(best_point(sums.points, "sum") == &sums.points[1]);
  CHECK(best_point(sums.points, "none") == nullptr);
  nlohmann::ordered_json json;
  add_mean(json, "sum", sums.points[0].mean("sum"));
  CHECK(json.dump() == R"({"sum":6.0,"sum_deviation":1.0})");
}

TEST_CASE("a run that fails does not end the others, and is tried again by the next sweep") {
  const TextFile log("", ".jsonl");
  Sums sums({-1, 1}, 2, log.path());
  sums.failure = ExitStatus::unavailable;
  sums.run();
  CHECK(sums.points[0].failure() == "below 0");
  CHECK(sums.points[0].num_trained() == 0);
  CHECK(sums.points[0].values("sum").empty());
  CHECK(sums.points[1].failure().empty());
  CHECK(best_point(sums.points, "sum") == &sums.points[1]);
  CHECK(count_lines(log.path()) == 2);
  Sums again({-1, 1}, 2, log.path());
  again.run();
  CHECK(again.trained == 2);
  CHECK(again.kept() == 2);

  Sums all({-1, -2}, 1);
  all.failure = ExitStatus::unavailable;
  CHECK(error_of([&] { all.run(); }) == "69 no run succeeded: below 0");
  CHECK(all.trained == 2);
  Sums strict({1, -1, 2}, 1);
  strict.plan.ends_at_errors = true;
  strict.failure = ExitStatus::bad_input;
  CHECK(error_of([&] { strict.run(); }) == "65 below 0");
  CHECK(strict.trained == 2);
  Sums refused({1, -1, 2}, 1);
  refused.plan.ends_at_errors = true;
  refused.run();
  CHECK(refused.points[1].failure() == "below 0");
  CHECK(refused.points[2].values("sum") == std::vector<double>{2});
}

TEST_CASE("a sweep goes on from its log, wherever a kill has cut it") {
  const TextFile log("", ".jsonl");
  CHECK(Sums({1, 2}, 2, log.path()).run().trained == 4);
  const std::string whole = read_whole(log.path());
  CHECK(whole.starts_with(
      R"({"number":1.0,"seed":0,"values":{"sum":1.0,"odd":null},"identity":"rate=1 number=)"));
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (const std::size_t size : {last, last + 1, whole.size() - 1}) {
    CAPTURE(size);
    std::ofstream(log.path(), std::ios::binary) << whole.substr(0, size);
    Sums sums({1, 2}, 2, log.path());
    sums.run();
    CHECK(sums.trained == 1);
    CHECK(sums.kept() == 3);
    CHECK(sums.points[1].values("sum") == std::vector<double>{2, 3});
    CHECK(read_whole(log.path()) == whole);
  }
  // Other settings are other runs, which the same file may have.
  Sums other({1, 2}, 2, log.path());
  other.settings = "rate=2";
  CHECK(other.run().kept() == 0);
  CHECK(count_lines(log.path()) == 8);
  Sums more({1, 2, 3}, 3, log.path());
  CHECK(more.run().kept() == 4);
}

TEST_CASE("sweeps at the same time add to one log") {
  const TextFile log("", ".jsonl");
  Sums first({1}, 1, log.path());
  const auto train = first.plan.train;
  first.plan.train = [&](std::size_t i, std::uint64_t seed, const SweepProgress& share) {
    Sums({2}, 2, log.path()).run();  // when the first has read the log, and not yet opened it
    return train(i, seed, share);
  };
  first.run();
  CHECK(count_lines(log.path()) == 3);
  CHECK(Sums({1, 2}, 1, log.path()).run().kept() == 2);
}

TEST_CASE("a file of something else is no log of a sweep") {
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
  CHECK(
      error_of([] { SweepLog pipe("-"); }).starts_with("2 a sweep goes on from its finished runs"));
}
