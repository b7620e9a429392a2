#include "tools/tgn-train/sweep/sweep_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "libcore/report/mean_lines.h"

namespace frugal::tgn {
namespace {

/// Whole numbers without a fraction.
nlohmann::ordered_json json_of(double value) {
  constexpr double kExact = 0x1p53;
  if (std::abs(value) < kExact && value == std::trunc(value)) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

constexpr int kShownDigits = 4;

std::string name_of(const SweepPoint& s) { return s.memory + ", " + s.precision; }

std::string with_deviation(const SweepPoint& point, const char* name) {
  const SampleMean mean = point.mean(name);
  if (std::isnan(mean.mean)) return "-";
  return format_number(mean.mean, kShownDigits) +
         (point.num_trained() > 1 ? " +-" + format_number(mean.deviation, 2) : "");
}

std::string whole(double value) {
  return std::isnan(value) ? "-" : format_number(std::round(value));
}

/// Columns of people's tables.
std::vector<std::string> columns(bool ranks) {
  std::vector<std::string> names = {"memory",        "precision", "batch",
                                    "validation AP", "test AP",   "AP, new nodes"};
  if (ranks) names.emplace_back("test MRR");
  names.insert(names.end(), {"events/s", "per CPU second"});
  return names;
}

std::vector<std::string> cells(const SweepPoint& p, bool ranks) {
  std::vector<std::string> cells = {p.memory, p.precision, std::to_string(p.batch)};
  for (const char* name : {sweep_value::kValidation, sweep_value::kTest, sweep_value::kNewNodes})
    cells.push_back(with_deviation(p, name));
  if (ranks) cells.push_back(with_deviation(p, sweep_value::kRank));
  cells.insert(cells.end(),
               {whole(p.mean(sweep_value::kRate).mean), whole(p.mean(sweep_value::kCpuRate).mean)});
  return cells;
}

std::string aligned(const std::vector<std::string>& cells) {
  constexpr std::size_t kNarrow = 9, kWide = 16, kFirst = 3;
  std::string line;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const std::size_t width = c < kFirst ? kNarrow : kWide;
    const std::string space(width > cells[c].size() ? width - cells[c].size() : 0, ' ');
    // Words are flush left, numbers right.
    line += (c == 0 ? "" : " ") + (c < 2 ? cells[c] + space : space + cells[c]);
  }
  return line;
}

/// A line for each mode and precision, its points by rising batch.
std::vector<Series> lines(const std::vector<SweepPoint>& points, const char* name) {
  MeanLines lines;
  for (const SweepPoint& point : points) {
    lines.add(name_of(point), static_cast<double>(point.batch), point.mean(name));
  }
  return lines.series();
}

Figure over_batches(const std::string& title, const std::string& label,
                    std::vector<Series> series) {
  Figure figure;
  figure.title = title;
  figure.x_label = "events a batch";
  figure.y_label = label;
  figure.log_x = true;
  figure.series = std::move(series);
  return figure;
}

bool has_ranks(const std::vector<SweepPoint>& points) {
  return std::any_of(points.begin(), points.end(), [](const SweepPoint& p) {
    return !std::isnan(p.mean(sweep_value::kRank).mean);
  });
}

}  // namespace

void describe_sweep(const ResultFields& f, const std::vector<SweepPoint>& points) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array(), means = all, failed = all;
  for (const SweepPoint& point : points) {
    for (const SweepRun& run : point.runs) {
      nlohmann::ordered_json one = json_of(point);
      one["seed"] = run.seed;
      if (!run.failure.empty()) {
        one["error"] = run.failure;
        failed.push_back(std::move(one));
        continue;
      }
      one["kept"] = run.kept;
      for (const auto& [name, value] : run.values) one[name] = json_of(value);
      all.push_back(std::move(one));
    }
    if (point.num_trained() == 0) continue;
    nlohmann::ordered_json one = json_of(point);
    one["seeds"] = point.num_trained();
    for (const char* name : {sweep_value::kValidation, sweep_value::kTest, sweep_value::kNewNodes,
                             sweep_value::kRank, sweep_value::kRate, sweep_value::kCpuRate}) {
      const SampleMean mean = point.mean(name);
      if (!std::isnan(mean.mean)) add_mean(one, name, mean);
    }
    means.push_back(std::move(one));
  }
  f.add("points", means,
        "a list of memory, precision, batch_size and seeds. Means over seeds follow: "
        "validation_average_precision_batch200, test_average_precision_batch200, "
        "inductive_average_precision_batch200, test_mrr, events_per_second, "
        "events_per_cpu_second. The same names with _deviation are standard deviations");
  f.add("runs", all,
        "a list of memory, precision, batch_size, seed, kept (whether it is from an earlier sweep) "
        "and all numbers of train --json");
  f.add("failed", failed, "a list of memory, precision, batch_size, seed and error");
}

std::string sweep_head(bool ranks) { return aligned(columns(ranks)); }

std::string sweep_row(const SweepPoint& point, bool ranks) {
  if (point.num_trained() != 0) return aligned(cells(point, ranks));
  return aligned({point.memory, point.precision, std::to_string(point.batch)}) +
         "  failed: " + point.failure();
}

std::vector<Figure> sweep_figures(const std::vector<SweepPoint>& points,
                                  const std::string& machine) {
  std::vector<Figure> figures = {
      over_batches("Accuracy over batch size", "average precision of the test",
                   lines(points, sweep_value::kTest)),
      over_batches("Events a second over batch size", "training events a second",
                   lines(points, sweep_value::kRate))};
  figures[0].caption =
      "Mean over batches of 200, whatever a model was trained with; bands are one standard "
      "deviation over seeds.";
  figures[1].caption = "Forward pass, backward pass and optimiser, on " + machine + '.';
  figures[1].log_y = true;
  if (has_ranks(points)) {
    figures.push_back(over_batches("Ranks over batch size", "mean reciprocal rank of the test",
                                   lines(points, sweep_value::kRank)));
  }
  return figures;
}

void add_sweep_report(const std::vector<SweepPoint>& points, const std::string& machine,
                      Report& report) {
  const auto described = [](const SweepPoint& p) {
    return name_of(p) + ", batches of " + std::to_string(p.batch);
  };
  if (const SweepPoint* accurate = best_point(points, sweep_value::kTest)) {
    report.summary().model = described(*accurate);
    report.summary().result =
        "test average precision " + with_deviation(*accurate, sweep_value::kTest);
    report.add_text("Most accurate: " + described(*accurate) + ", test AP " +
                    with_deviation(*accurate, sweep_value::kTest) + ".");
  }
  if (const SweepPoint* fast = best_point(points, sweep_value::kRate)) {
    report.summary().speed = format_rate(fast->mean(sweep_value::kRate).mean, "events");
    report.add_text("Fastest: " + described(*fast) + ", " +
                    whole(fast->mean(sweep_value::kRate).mean) + " events/s on " + machine + ".");
  }
  for (const Figure& figure : sweep_figures(points, machine)) report.add_figure(figure);
  const bool ranks = has_ranks(points);
  Table table{"All combinations", columns(ranks), {}};
  for (const SweepPoint& point : points) {
    if (point.num_trained() != 0) table.rows.push_back(cells(point, ranks));
  }
  report.add_table(table);
  for (const SweepPoint& point : points) {
    if (const std::string why = point.failure(); !why.empty())
      report.add_text("Failed: " + described(point) + ": " + why);
  }
}

}  // namespace frugal::tgn
