#include "tools/tgn-train/sweep/sweep_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "libcore/base/text.h"

namespace frugal::tgn {
namespace {

bool same_point(const SweepSetting& a, const SweepSetting& b) {
  return a.memory == b.memory && a.precision == b.precision && a.batch == b.batch;
}

/// Whole numbers without a fraction.
nlohmann::ordered_json json_of(double value) {
  constexpr double kExact = 0x1p53;
  if (std::abs(value) < kExact && value == std::trunc(value)) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

nlohmann::ordered_json json_of(const SweepSetting& setting) {
  return {
      {"memory", setting.memory}, {"precision", setting.precision}, {"batch_size", setting.batch}};
}

constexpr int kShownDigits = 4;

std::string name_of(const SweepSetting& s) { return s.memory + ", " + s.precision; }

std::string number(double value) {
  return std::isnan(value) ? "-" : format_number(value, kShownDigits);
}

std::string with_deviation(const SweepPoint& point, const char* name) {
  const SampleMean mean = point.of(name);
  return number(mean.mean) + (point.seeds > 1 ? " +-" + format_number(mean.deviation, 2) : "");
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
  std::vector<std::string> cells = {p.setting.memory, p.setting.precision,
                                    std::to_string(p.setting.batch)};
  for (const char* name : {sweep_value::kValidation, sweep_value::kTest, sweep_value::kNewNodes})
    cells.push_back(with_deviation(p, name));
  if (ranks) cells.push_back(with_deviation(p, sweep_value::kRank));
  cells.insert(cells.end(),
               {whole(p.of(sweep_value::kRate).mean), whole(p.of(sweep_value::kCpuRate).mean)});
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
std::vector<Series> lines(std::vector<SweepPoint> points, const char* name) {
  std::stable_sort(points.begin(), points.end(), [](const SweepPoint& a, const SweepPoint& b) {
    return a.setting.batch < b.setting.batch;
  });
  std::vector<Series> lines;
  for (const SweepPoint& point : points) {
    const SampleMean mean = point.of(name);
    if (std::isnan(mean.mean)) continue;
    const std::string line_name = name_of(point.setting);
    auto line = std::find_if(lines.begin(), lines.end(),
                             [&](const Series& series) { return series.name == line_name; });
    if (line == lines.end()) {
      line = lines.emplace(lines.end());
      line->name = line_name;
    }
    line->x.push_back(static_cast<double>(point.setting.batch));
    line->y.push_back(mean.mean);
    // Where a point has one seed, the band is a line there.
    line->low.push_back(mean.mean - mean.deviation);
    line->high.push_back(mean.mean + mean.deviation);
  }
  if (std::all_of(points.begin(), points.end(), [](const SweepPoint& p) { return p.seeds < 2; })) {
    for (Series& line : lines) line.low = line.high = {};
  }
  return lines;
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
    return !std::isnan(p.of(sweep_value::kRank).mean);
  });
}

}  // namespace

SampleMean SweepPoint::of(std::string_view name) const {
  const auto found = means.find(name);
  return found == means.end() ? SampleMean{NAN, 0} : found->second;
}

std::vector<SweepPoint> sweep_points(const std::vector<SweepRun>& runs) {
  std::vector<SweepPoint> points;
  for (auto run = runs.begin(); run != runs.end();) {
    SweepPoint& point = points.emplace_back();
    point.setting = run->setting;
    std::map<std::string, std::vector<double>, std::less<>> values;
    for (; run != runs.end() && same_point(run->setting, point.setting); ++run) {
      if (point.failure.empty()) point.failure = run->failure;
      if (!run->failure.empty()) continue;
      ++point.seeds;
      for (const auto& [name, value] : run->values) values[name].push_back(value);
    }
    for (const auto& [name, of_seeds] : values) point.means[name] = sample_mean(of_seeds);
  }
  return points;
}

void describe_sweep(const ResultFields& f, const std::vector<SweepRun>& runs) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array(), means = all, failed = all;
  for (const SweepRun& run : runs) {
    nlohmann::ordered_json one = json_of(run.setting);
    one["seed"] = run.setting.seed;
    if (!run.failure.empty()) {
      one["error"] = run.failure;
      failed.push_back(std::move(one));
      continue;
    }
    one["kept"] = run.kept;
    for (const auto& [name, value] : run.values) one[name] = json_of(value);
    all.push_back(std::move(one));
  }
  for (const SweepPoint& point : sweep_points(runs)) {
    if (point.seeds == 0) continue;
    nlohmann::ordered_json one = json_of(point.setting);
    one["seeds"] = point.seeds;
    for (const char* name : {sweep_value::kValidation, sweep_value::kTest, sweep_value::kNewNodes,
                             sweep_value::kRank, sweep_value::kRate, sweep_value::kCpuRate}) {
      const SampleMean mean = point.of(name);
      if (std::isnan(mean.mean)) continue;
      one[name] = mean.mean;
      one[std::string(name) + "_deviation"] = mean.deviation;
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
  if (point.seeds != 0) return aligned(cells(point, ranks));
  return aligned(
             {point.setting.memory, point.setting.precision, std::to_string(point.setting.batch)}) +
         "  failed: " + point.failure;
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
  const auto most = [&](const char* name) -> const SweepPoint* {
    const SweepPoint* best = nullptr;
    for (const SweepPoint& point : points) {
      const double value = point.of(name).mean;
      if (!std::isnan(value) && (best == nullptr || value > best->of(name).mean)) best = &point;
    }
    return best;
  };
  const auto described = [](const SweepPoint& p) {
    return name_of(p.setting) + ", batches of " + std::to_string(p.setting.batch);
  };
  if (const SweepPoint* accurate = most(sweep_value::kTest)) {
    report.summary().model = described(*accurate);
    report.summary().result =
        "test average precision " + with_deviation(*accurate, sweep_value::kTest);
    report.add_text("Most accurate: " + described(*accurate) + ", test AP " +
                    with_deviation(*accurate, sweep_value::kTest) + ".");
  }
  if (const SweepPoint* fast = most(sweep_value::kRate)) {
    report.summary().speed = format_rate(fast->of(sweep_value::kRate).mean, "events");
    report.add_text("Fastest: " + described(*fast) + ", " +
                    whole(fast->of(sweep_value::kRate).mean) + " events/s on " + machine + ".");
  }
  for (const Figure& figure : sweep_figures(points, machine)) report.add_figure(figure);
  const bool ranks = has_ranks(points);
  Table table{"All combinations", columns(ranks), {}};
  for (const SweepPoint& point : points) {
    if (point.seeds != 0) table.rows.push_back(cells(point, ranks));
  }
  report.add_table(table);
  for (const SweepPoint& point : points) {
    if (!point.failure.empty())
      report.add_text("Failed: " + described(point) + ": " + point.failure);
  }
}

}  // namespace frugal::tgn
