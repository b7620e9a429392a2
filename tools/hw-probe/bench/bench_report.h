#pragma once
#include <string>

#include "libcore/metrics/result_fields.h"
#include "tools/hw-probe/bench/bench.h"

namespace frugal {
class Report;
}  // namespace frugal

namespace frugal::probe {

/// Describes the figures, what was left out and the verdict.
void describe_bench(const ResultFields& f, const BenchResult& result);
/// A table for people, many lines.
std::string bench_text(const BenchResult& result);
/// The roofline, random access and bandwidth as figures, and the table.
void add_bench_figures(const BenchResult& result, Report* report);

}  // namespace frugal::probe
