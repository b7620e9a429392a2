#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/hw-probe/bench/bench.h"

namespace frugal {
class Report;
}  // namespace frugal

namespace frugal::probe {

/// "figures": {name: {median, spread, unit, ...}}, and what was left out and the verdict.
void add_bench(const BenchResult& result, nlohmann::ordered_json* object);
/// A table for people, many lines.
std::string bench_text(const BenchResult& result);
/// The roofline, random access and bandwidth as figures, and the table.
void add_bench_figures(const BenchResult& result, Report* report);

}  // namespace frugal::probe
