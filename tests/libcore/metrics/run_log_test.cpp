#include "libcore/metrics/run_log.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/metrics/event_file.h"

using namespace frugal;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / ("frugal_run_log_" + std::to_string(getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

std::vector<nlohmann::json> lines_of(const fs::path& path) {
  std::vector<nlohmann::json> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  for (int c; (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
  CHECK(pclose(pipe) == 0);
  return out;
}

}  // namespace

TEST_CASE("the log is one JSON object a line, the run first") {
  Folder folder;
  const std::string path = folder.path / "metrics.jsonl";
  {
    RunLog log(path, "", R"({"tool":"x"})");
    log.step(1, {{"loss", 0.5}, {"bad", std::numeric_limits<double>::quiet_NaN()}});
    log.step(2, {{"loss", 0.25}});
    CHECK(log.series("loss") == std::vector<std::pair<double, double>>{{1, 0.5}, {2, 0.25}});
    log.result(R"({"steps":2})");
  }
  const auto lines = lines_of(path);
  REQUIRE(lines.size() == 4);
  CHECK(lines[3]["type"] == "result");
  CHECK(lines[3]["steps"] == 2);
  CHECK(lines[0]["type"] == "run");
  CHECK(lines[0]["tool"] == "x");
  CHECK(lines[1]["step"] == 1);
  CHECK(lines[1]["bad"].is_null());
  CHECK(lines[2]["loss"] == 0.25);
}

TEST_CASE("resume cuts back to the checkpoint's step, drops a torn line and goes on") {
  Folder folder;
  const std::string path = folder.path / "metrics.jsonl";
  {
    RunLog log(path, "", "{}");
    for (int step = 1; step <= 5; ++step) log.step(step, {{"loss", 1.0 / step}});
    log.result("{}");
  }
  std::ofstream(path, std::ios::app) << R"({"type":"metric","st)";
  {
    RunLog log(path, "", "{}");
    log.resume_after(3);
    log.step(4, {{"loss", 9}});
    CHECK(log.series("loss").size() == 4);
  }
  const auto lines = lines_of(path);
  REQUIRE(lines.size() == 5);
  CHECK(lines[3]["step"] == 3);
  CHECK(lines[4]["loss"] == 9);
  CHECK(lines[4]["wall"] >= lines[3]["wall"]);
}

TEST_CASE("a finished log that goes on loses its result") {
  Folder folder;
  const std::string path = folder.path / "metrics.jsonl";
  RunLog(path, "", "{}").step(1, {{"loss", 1}});
  {
    RunLog log(path, "", "{}");
    log.resume_after(1);
    log.result("{}");
  }
  RunLog log(path, "", "{}");
  log.resume_after(1);
  log.step(2, {{"loss", 2}});
  const auto lines = lines_of(path);
  REQUIRE(lines.size() == 3);
  CHECK(lines[2]["step"] == 2);
}

TEST_CASE("a step that is no step ends what is kept of a log") {
  for (const char* step : {"1e67", "-1e67", "-1", "1e400"}) {
    Folder folder;
    const std::string path = folder.path / "metrics.jsonl";
    RunLog(path, "", "{}").step(1, {{"loss", 1}});
    std::ofstream(path, std::ios::app) << R"({"type":"metric","step":)" << step << "}\n";
    RunLog log(path, "", "{}");
    log.resume_after(5);
    CAPTURE(step);
    CHECK(lines_of(path).size() == 2);
  }
}

TEST_CASE("a log that cannot be created or written says so") {
  RunLog log("/nonexistent/metrics.jsonl", "", "{}");
  CHECK_THROWS_AS(log.step(1, {{"loss", 1}}), Error);
  RunLog full("/dev/full", "", "{}");
  CHECK_THROWS_WITH_AS(full.step(1, {{"loss", 1}}),
                       "/dev/full: cannot write: No space left on device", Error);
}

TEST_CASE("events that cannot be created say so") {
  try {
    const EventFile events("/proc/self/fd");
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::cannot_create);
    CHECK(std::string(error.what()).find("cannot create: No such file") != std::string::npos);
  }
}

TEST_CASE("CRC-32C has the check value of its specification") {
  CHECK(crc32c("123456789") == 0xe3069283u);
  CHECK(crc32c("") == 0);
}

TEST_CASE("an independent decoder reads the TensorBoard events") {
  Folder folder;
  {
    RunLog log("", folder.path / "tb", "{}");
    log.step(1, {{"loss", 0.5}, {"accuracy", 0.75}});
    log.step(300, {{"loss", -2}});
  }
  {
    RunLog resumed("", folder.path / "tb", "{}");
    resumed.resume_after(300);
    resumed.step(301, {{"loss", 3}});
  }
  const std::string decoder =
      std::string(FRUGAL_SOURCE_DIR) + "/tests/libcore/metrics/decode_events.py";
  // By name, which has the order in which they were made: their times may be equal.
  CHECK(output_of("python3 " + decoder + " " + (folder.path / "tb").string() + "/*") ==
        "version brain.Event:2\n1 loss 0.5\n1 accuracy 0.75\n300 loss -2.0\n"
        "version brain.Event:2\nstart 301\n301 loss 3.0\n");
}
