#include "tools/hw-probe/bench/bench_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "libcore/report/report.h"
#include "tools/hw-probe/bench/bench_compute.h"

namespace frugal::probe {
namespace {

using Json = nlohmann::ordered_json;

std::string rounded(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * share);
  return text;
}

const char* clock_name(const Measurement& figure) { return figure.cpu_clock ? "cpu" : "wall"; }

/// "3 unsteady figures were measured again, up to 4 times"; empty if none was.
std::string repeats_text(const BenchResult& result) {
  std::size_t figures = 0;
  int most = 0;
  for (const Measurement& figure : result.figures) {
    figures += figure.repeats > 0 ? 1 : 0;
    most = std::max(most, figure.repeats);
  }
  if (figures == 0) return "";
  return format_count(figures, "unsteady figure") + (figures == 1 ? " was" : " were") +
         " measured again, up to " + format_count(static_cast<std::uint64_t>(most), "time") + "\n";
}

const Measurement* find(const BenchResult& result, const std::string& name) {
  for (const Measurement& figure : result.figures) {
    if (figure.name == name) return &figure;
  }
  return nullptr;
}

/// Median of a figure; 0 if it was not measured.
double median_of(const BenchResult& result, const std::string& name) {
  const Measurement* figure = find(result, name);
  return figure == nullptr ? 0 : figure->median;
}

/// Best run of a figure, which bounds others; 0 if it was not measured.
double best_of(const BenchResult& result, const std::string& name) {
  const Measurement* figure = find(result, name);
  return figure == nullptr ? 0 : figure->best;
}

/// Roofline: min(peak, intensity x bandwidth) over the relevant intensities.
Series roof(const std::string& name, double peak_gflops, double gigabytes_per_second) {
  constexpr double kLowest = 1.0 / 16, kHighest = 1024;
  Series series;
  series.name = name;
  const double ridge = peak_gflops / gigabytes_per_second;
  std::vector<double> intensities{kLowest, kHighest};
  if (ridge > kLowest && ridge < kHighest) intensities.insert(intensities.begin() + 1, ridge);
  for (const double x : intensities) {
    series.x.push_back(x);
    series.y.push_back(std::min(peak_gflops, x * gigabytes_per_second));
  }
  return series;
}

void add_roofs(const BenchResult& result, Figure* figure) {
  const std::pair<const char*, const char*> peaks[] = {{"peak/f32/1", "f32"},
                                                       {"peak/bf16/1", "bf16"}};
  for (const auto& [peak_name, precision] : peaks) {
    for (const char* level : {"l1", "l2", "l3", "dram"}) {
      const double peak = best_of(result, peak_name);
      const double bandwidth = median_of(result, std::string("bandwidth/read/") + level + "/1");
      if (peak > 0 && bandwidth > 0) {
        figure->series.push_back(roof(std::string(precision) + ", " + level, peak, bandwidth));
      }
    }
  }
}

/// FLOP for each byte of the two inputs and the result, each moved once.
double intensity(const ProductShape& shape) {
  const auto m = static_cast<double>(shape.m), k = static_cast<double>(shape.k),
             n = static_cast<double>(shape.n);
  return 2 * m * k * n / (sizeof(float) * (m * k + k * n + m * n));
}

void add_products(const BenchResult& result, Figure* figure) {
  for (const char* precision : {"f32", "bf16"}) {
    Series series;
    series.name = std::string("gemm ") + precision;
    for (const ProductShape& shape : kProductShapes) {
      const double gflops =
          median_of(result, std::string("gemm/") + precision + "/" + shape.name + "/1");
      if (gflops <= 0) continue;
      series.x.push_back(intensity(shape));
      series.y.push_back(gflops);
      series.labels.push_back(shape.name);
    }
    if (!series.x.empty()) figure->series.push_back(std::move(series));
  }
}

/// Sums of rows: one addition for each float read.
void add_gathers(const BenchResult& result, Figure* figure) {
  Series series;
  series.name = "sums of random rows in DRAM";
  constexpr double kFlopPerByte = 0.25;
  for (const double bytes : {64.0, 256.0, 512.0}) {
    const std::string row = rounded(bytes, 4) + "B";
    const double nanoseconds = median_of(result, "gather/" + row + "/dram/huge/1");
    if (nanoseconds <= 0) continue;
    series.x.push_back(kFlopPerByte);
    series.y.push_back(kFlopPerByte * bytes / nanoseconds);
    series.labels.push_back(row);
  }
  if (!series.x.empty()) figure->series.push_back(std::move(series));
}

Figure roofline(const BenchResult& result) {
  Figure figure;
  figure.title = "Roofline, one thread";
  figure.caption =
      "Lines: what arithmetic and the read bandwidth of each level allow. Points: the tools' "
      "products "
      "and sums of rows. A point far below its line has room to gain.";
  figure.kind = FigureKind::line;
  figure.x_label = "FLOP for each byte";
  figure.y_label = "GFLOP/s";
  figure.log_x = figure.log_y = true;
  add_roofs(result, &figure);
  add_products(result, &figure);
  add_gathers(result, &figure);
  return figure;
}

Figure gather_figure(const BenchResult& result) {
  Figure figure;
  figure.title = "Random rows";
  figure.caption = "Time to add one row of 64 to 512 bytes at a random place, one thread.";
  figure.x_label = "bytes of a row";
  figure.y_label = "ns";
  figure.log_x = figure.log_y = true;
  for (const char* level : {"l2", "l3", "dram"}) {
    for (const char* pages : {"huge", "small"}) {
      Series series;
      series.name = std::string(level) + ", " + pages + " pages";
      for (const double bytes : {64.0, 256.0, 512.0}) {
        const double nanoseconds =
            median_of(result, "gather/" + rounded(bytes, 4) + "B/" + level + "/" + pages + "/1");
        if (nanoseconds <= 0) continue;
        series.x.push_back(bytes);
        series.y.push_back(nanoseconds);
      }
      if (!series.x.empty()) figure.series.push_back(std::move(series));
    }
  }
  return figure;
}

}  // namespace

void describe_bench(const ResultFields& f, const BenchResult& result) {
  Json figures = Json::object();
  for (const Measurement& figure : result.figures) {
    figures[figure.name] = {{"median", figure.median},
                            {"best", figure.best},
                            {"spread", figure.spread},
                            {"unit", figure.unit},
                            {"cpu_per_wall", figure.cpu_per_wall},
                            {"runs", figure.runs},
                            {"clock", clock_name(figure)},
                            {"interrupted_runs", figure.interrupted},
                            {"repeats", figure.repeats},
                            {"unsteady", is_unsteady(figure)}};
  }
  Json levels = Json::object();
  for (const auto& [level, bytes] : result.levels) levels[level] = bytes;
  f.add("cpu_model", result.cpu_model, "name of the CPU");
  f.add("simd", result.simd, "vector instructions that were measured");
  f.add("threads", result.threads, "threads of the figures NAME/all");
  f.when("measured caches", !levels.empty(), [&](const ResultFields& caches) {
    caches.add("levels", levels, "size of the working set that stands for each level, in bytes");
  });
  f.add("figures", figures,
        "by name, the median, best, spread, unit and number of runs of each measurement; "
        "cpu_per_wall "
        "(CPU time per time and thread), clock (cpu: CPU time of the thread, wall: elapsed time), "
        "interrupted_runs (left out because a thread lost its CPU), repeats (how often it was "
        "measured again) and unsteady");
  f.add("left_out", result.left_out, "what was not measured, and why");
  f.add("seconds", result.seconds, "time of all measurements");
  f.add("steal_share", result.steal_share,
        "share of the CPU time that the hypervisor gave to others");
  f.add("noisy", result.noisy, "whether the machine was too noisy for the figures to be trusted");
  f.add("verdict", result.verdict, "how steady the machine was, in a sentence");
}

std::string bench_text(const BenchResult& result) {
  std::string text = result.cpu_model + ", kernels " + result.simd + ", /1: one thread, /all: " +
                     format_count(static_cast<std::uint64_t>(result.threads), "thread") + "\n";
  text += padded("figure", 32) + padded("median", 20) + padded("best", 10) + padded("spread", 8) +
          padded("clock", 7) + "CPU/time\n";
  for (const Measurement& figure : result.figures) {
    text += padded(figure.name, 32) + padded(rounded(figure.median, 4) + " " + figure.unit, 20) +
            padded(rounded(figure.best, 4), 10) + padded(percent(figure.spread), 8) +
            padded(clock_name(figure), 7) + padded(rounded(figure.cpu_per_wall, 2), 10) +
            (is_unsteady(figure) ? "unsteady " : "") +
            (figure.repeats > 0 ? "repeated " + std::to_string(figure.repeats) + "x" : "");
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  for (const std::string& what : result.left_out) text += "left out: " + what + "\n";
  text += repeats_text(result);
  return text + result.verdict + ", " + format_seconds(result.seconds) + " in all\n";
}

void add_bench_figures(const BenchResult& result, Report* report) {
  report->add_text(result.cpu_model + ": " + result.verdict + ".");
  const Figure roofs = roofline(result);
  if (!roofs.series.empty()) report->add_figure(roofs);
  const Figure gathers = gather_figure(result);
  if (!gathers.series.empty()) report->add_figure(gathers);
  Table table{"Figures", {"figure", "median", "best", "unit", "spread", "clock", "CPU/time"}, {}};
  for (const Measurement& figure : result.figures) {
    table.rows.push_back({figure.name, rounded(figure.median, 4), rounded(figure.best, 4),
                          figure.unit, percent(figure.spread), clock_name(figure),
                          rounded(figure.cpu_per_wall, 2)});
  }
  report->add_table(table);
}

}  // namespace frugal::probe
