#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/device/engine.h"
#include "libcore/device/registry.h"

using namespace frugal;

namespace {

void use_plugins(const std::string& fault) {
  setenv("FRUGAL_PLUGIN_DIR", (std::string(FAKE_PLUGINS) + "/" + fault).c_str(), 1);
}

EngineArray floats(const std::string& name, std::vector<float>& values) {
  return {name, FRUGAL_F32, {values.size()}, values.data()};
}

EngineRequest request(const std::string& device, const EngineSettings& settings = {}) {
  return {device, "demo train", "fake.sum", settings, 1000};
}

/// The status and words of the error that `body` ends with.
template <class Body>
std::pair<ExitStatus, std::string> error_of(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return {error.status(), error.what()};
  }
  return {ExitStatus::ok, ""};
}

}  // namespace

TEST_CASE("an engine takes its model, steps, and gives its model and its sums back") {
  use_plugins("none");
  const auto engine = open_engine(request("cuda"));
  REQUIRE(engine != nullptr);
  CHECK(engine->device() == "cuda:0 (Fake device)");
  std::vector<float> model{2}, batch{1, 2, 3}, answers(3);
  const std::vector<EngineArray> arrays{floats("model", model)}, in{floats("x", batch)},
      out{floats("y", answers)};
  engine->set(arrays);
  const std::vector<double> rates{0.5};
  engine->submit(rates, in);
  engine->submit(rates, in);
  const EngineSums sums = engine->collect(true);
  CHECK(sums.steps == 2);
  CHECK(sums.loss == 5 + 8);
  CHECK(engine->collect(true).steps == 0);
  engine->get(arrays);
  CHECK(model[0] == 8);
  engine->run(in, out);
  CHECK(answers == std::vector<float>{8, 16, 24});
}

TEST_CASE("devices by number") {
  use_plugins("none");
  CHECK(open_engine(request("cuda:1"))->device() == "cuda:1 (Fake device)");
  CHECK(error_of([] { open_engine(request("cuda:2")); }) ==
        std::pair(ExitStatus::unavailable,
                  std::string("--device cuda:2: there are 2 devices, the first is cuda:0")));
  for (const char* name : {"gpu", "cuda:", "cuda:x", "cuda:-1", "cuda1", "auto:0", "cpu:0", ""}) {
    CAPTURE(name);
    CHECK(error_of([&] { device_from_text(name); }).first == ExitStatus::usage);
  }
  CHECK(device_from_text("ipu:3").index == 3);
}

TEST_CASE("auto takes a device that has the engine, the memory and the speed, and nothing else") {
  use_plugins("none");
  CHECK(open_engine(request("cpu")) == nullptr);
  CHECK(open_engine(request("auto")) == nullptr);  // its speed is not known
  setenv("FAKE_BYTES_PER_SECOND", "1e12", 1);
  CHECK(open_engine(request("auto")) != nullptr);
  CHECK(open_engine(request("auto", {{"bytes", "2000000"}})) == nullptr);
  CHECK(open_engine(request("auto", {{"never", "1"}})) == nullptr);
  EngineRequest small = request("auto");
  small.batch_size = 10;
  setenv("FAKE_FACTS_FAIL", "1", 1);  // a context on the device would be made for nothing
  CHECK(open_engine(small) == nullptr);
  CHECK_THROWS(open_engine(request("auto")));
  unsetenv("FAKE_FACTS_FAIL");
  EngineRequest other = request("auto");
  other.kind = "other.train";
  CHECK(open_engine(other) == nullptr);
  setenv("FAKE_BYTES_PER_SECOND", "1e10", 1);
  CHECK(open_engine(request("auto")) == nullptr);
  unsetenv("FAKE_BYTES_PER_SECOND");
  use_plugins("score");
  CHECK(open_engine(request("auto")) == nullptr);
}

TEST_CASE("a device that is asked for and cannot do it ends with 69, one that is lost with 75") {
  use_plugins("none");
  const auto status_of = [](const EngineSettings& settings) {
    return error_of([&] { open_engine(request("cuda", settings)); });
  };
  CHECK(status_of({{"never", "1"}}) ==
        std::pair(ExitStatus::unavailable, std::string("--device cuda: the fake never does")));
  const auto large = status_of({{"bytes", "2097152"}});
  CHECK(large.first == ExitStatus::unavailable);
  CHECK(large.second ==
        "--device cuda: needs 2.0 MiB of its memory, 1.0 MiB of 1.0 MiB are free; a lower "
        "--batch-size or a smaller model needs less");
  const auto full = status_of({{"full", "1"}});
  CHECK(full.first == ExitStatus::unavailable);
  CHECK(full.second ==
        "device cuda:0 (Fake device): fake.sum: no memory is left; a lower --batch-size or a "
        "smaller model needs less");
  EngineRequest other = request("cuda");
  other.kind = "other.train";
  CHECK(error_of([&] { open_engine(other); }) ==
        std::pair(ExitStatus::unavailable,
                  std::string("--device cuda: demo train has no engine there, it has fake.sum")));

  const auto engine = open_engine(request("cuda", {{"lost_at", "3"}}));
  std::vector<float> batch{1};
  const std::vector<EngineArray> in{floats("x", batch)};
  const std::vector<double> rates{1};
  engine->submit(rates, in);
  engine->submit(rates, in);
  const auto lost = error_of([&] { engine->submit(rates, in); });
  CHECK(lost.first == ExitStatus::stopped);
  CHECK(lost.second.find("lost: it fell off the bus") != std::string::npos);
}

TEST_CASE("a command without an engine refuses devices, one with an engine does not ask yet") {
  CHECK_NOTHROW(check_device("auto", "sparse-train train", ""));
  CHECK_NOTHROW(check_device("cpu", "sparse-train train", ""));
  CHECK_NOTHROW(check_device("cuda:1", "robe-compress train", "robe.train"));
  CHECK(error_of([] { check_device("cuda", "sparse-train train", ""); }) ==
        std::pair(ExitStatus::unavailable,
                  std::string("--device cuda: sparse-train train has no engine for it, expected "
                              "auto or cpu")));
}

TEST_CASE("a plug-in that does not fit is refused with its reason") {
  const std::vector<std::pair<std::string, std::string>> reasons{
      {"abi", "made for plug-in interface 4, this program has 3"},
      {"size", "its struct has"},
      {"score", "cannot run here: the fake has no driver"},
      {"entry", "has no frugal_plugin_entry()"},
      {"hole", "leaves a function of its table 'engine' empty"},
      {"short", "its table 'device' has"},
      {"missing", "no libfrugal_cuda.so in"}};
  for (const auto& [binding, reason] : reasons) {
    const std::string& fault = binding;  // clang 14 captures no structured binding
    CAPTURE(fault);
    use_plugins(fault);
    const PluginStatus status = load_plugin("cuda");
    CHECK_FALSE(status.usable);
    CHECK(status.reason.find(reason) != std::string::npos);
    const auto asked = error_of([] { open_engine(request("cuda")); });
    CHECK(asked.first == ExitStatus::unavailable);
    CHECK(asked.second.find(reason) != std::string::npos);
  }
}

TEST_CASE("what a plug-in is made with and has") {
  use_plugins("none");
  const PluginStatus status = load_plugin("cuda");
  REQUIRE_MESSAGE(status.usable, status.reason);
  CHECK(status.toolkit == "fake toolkit 1.0");
  CHECK(status.needs == "a fake driver");
  CHECK(status.num_devices == 2);
  CHECK(status.engines == std::vector<std::string>{"fake.sum"});
  CHECK(suite_of(*status.plugin) == nullptr);
}

TEST_CASE("what an engine for IPUs would need is said by all in the same words") {
  use_plugins("nowhere");
  const std::string need = plugin_would_need("ipu");
  REQUIRE(!need.empty());
  CHECK(plugin_would_need("cuda").empty());
  CHECK(load_plugin("ipu").reason.ends_with("; " + need));
  CHECK(load_plugin("cuda").reason.find(need) == std::string::npos);
  for (const std::string engine : {"", "fake.sum"}) {
    const auto [status, words] = error_of([&] {
      check_device("ipu", "demo train", engine);
      open_engine(request("ipu"));
    });
    CHECK(status == ExitStatus::unavailable);
    CHECK(words.ends_with("; " + need));
  }
  std::ifstream readme(FRUGAL_SOURCE_DIR "/README.md");
  const std::string text((std::istreambuf_iterator<char>(readme)), {});
  CHECK(text.find(need) != std::string::npos);
}
