#include "tools/hw-probe/model/bench_machine.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libcore/base/error.h"

namespace frugal::probe {
namespace {

using Json = nlohmann::ordered_json;

/// Figures by name, those with all threads where there are several.
class Figures {
 public:
  Figures(const Json& bench, const std::string& path)
      : figures_(bench.at("figures")), threads_(bench.at("threads")), path_(path) {}

  /// The median run, or the best for what bounds others.
  double get(const std::string& name, const char* which = "median") const {
    const auto found = figures_.find(name + (threads_ > 1 ? "/all" : "/1"));
    if (found == figures_.end()) {
      fail(ExitStatus::bad_input, path_, ": no figure '", name,
           "'; expected all figures of hw-probe bench --json");
    }
    return found->at(which);
  }
  bool has(const std::string& name) const {
    return figures_.contains(name + (threads_ > 1 ? "/all" : "/1"));
  }
  double chain_ns(const std::string& level) const {
    return figures_.at("chain/" + level + "/huge/1").at("median");
  }
  int threads() const { return threads_; }

 private:
  const Json& figures_;
  int threads_;
  std::string path_;
};

/// Random rows of a line: one after the other they take the latency, in a loop far less. The ratio
/// is how many a thread has in flight.
double in_flight(const Figures& figures, const std::string& level) {
  const double each = figures.get("gather/64B/" + level + "/huge");
  return figures.threads() * std::max(1.0, figures.chain_ns(level) / each);
}

Processor host_of(const Json& bench, const Figures& figures, const std::string& path) {
  Processor p;
  p.f32_gflops = figures.get("peak/f32", "best");
  if (figures.has("peak/bf16")) p.bf16_gflops = figures.get("peak/bf16", "best");
  p.units = figures.threads();
  constexpr double kRegion = 2;  // microseconds in which threads begin and end a parallel region
  p.launch_us = figures.threads() > 1 ? kRegion : 0;
  constexpr double kTile = 16;  // of the products' kernels, about
  p.tile = kTile;
  const Json& levels = bench.at("levels");
  if (levels.size() > kMostLevels) {
    fail(ExitStatus::bad_input, path, ": 'levels' has ", levels.size(),
         " levels, expected at most ", kMostLevels);
  }
  for (const auto& [name, bytes] : levels.items()) {
    if (name == "l1") continue;  // gathers are not measured there
    p.level_bytes.push_back(bytes);
    p.level_gb_per_s.push_back(figures.get("bandwidth/triad/" + name));
    p.level_ns.push_back(figures.chain_ns(name));
    p.level_in_flight.push_back(in_flight(figures, name));
  }
  return p;
}

}  // namespace

MachineSpec machine_of_bench(const Json& bench, const std::string& path) {
  MachineSpec machine;
  try {
    machine.title = bench.at("cpu_model").get<std::string>() + ", " +
                    std::to_string(bench.at("threads").get<int>()) + " threads, measured";
    machine.host = host_of(bench, Figures(bench, path), path);
  } catch (const nlohmann::json::exception&) {
    fail(ExitStatus::bad_input, path, ": expected an object written by 'hw-probe bench --json'");
  }
  check(machine, path);
  return machine;
}

}  // namespace frugal::probe
