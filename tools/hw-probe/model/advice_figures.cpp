#include <algorithm>
#include <map>

#include "libcore/report/report.h"
#include "tools/hw-probe/model/advice.h"

namespace frugal::probe {

Figure batch_figure(const Advice& advice) {
  Figure figure;
  figure.title = advice.workload.name + ": time by batch size";
  figure.caption = "Estimates of the cost model. Where two lines cross, the choice changes.";
  figure.x_label = "samples of a step and node";
  figure.y_label = "microseconds a sample";
  figure.log_x = figure.log_y = true;
  constexpr double kLeast = 1, kMost = 1 << 16, kMicro = 1e6;
  for (const MachineAdvice& m : advice.machines) {
    if (!m.misfit.empty()) continue;
    Series series;
    series.name = m.machine.name;
    for (double batch = kLeast; batch <= kMost; batch *= 2) {
      const Usage usage{batch, advice.usage.nodes};
      const double step =
          step_cost(advice.workload, m.machine, usage, advice.calibration.efficiency).seconds;
      series.x.push_back(batch);
      series.y.push_back(kMicro * step / (batch * m.ranks));
    }
    figure.series.push_back(std::move(series));
  }
  figure.references.push_back({advice.usage.batch, "batch", true});
  return figure;
}

/// "random rows" of "sample: random rows"; "exchange" is its own.
std::string resource(const std::string& bottleneck) {
  const std::size_t colon = bottleneck.find(": ");
  return colon == std::string::npos ? bottleneck : bottleneck.substr(colon + 2);
}

struct TimeUnit {
  const char* name;
  double seconds;
};

/// Seconds, minutes or hours, by the slowest machine.
TimeUnit unit_for(const Advice& advice) {
  constexpr double kMinute = 60, kHour = 3600;
  double slowest = 0;
  for (const MachineAdvice& m : advice.machines) {
    if (m.misfit.empty()) slowest = std::max(slowest, m.job_seconds.value);
  }
  if (slowest < kMinute) return {"seconds", 1};
  return slowest < kHour ? TimeUnit{"minutes", kMinute} : TimeUnit{"hours", kHour};
}

Figure price_figure(const Advice& advice) {
  Figure figure;
  figure.title = advice.workload.name + ": price and time of the job";
  figure.caption =
      "Estimates of the cost model. Vertical lines are 80 % intervals. The dashed line joins the "
      "machines that no other one beats in both time and price. Machines without a price are left "
      "out. Colours tell which resource limits a step.";
  figure.kind = FigureKind::scatter;
  const TimeUnit unit = unit_for(advice);
  figure.x_label = unit.name;
  figure.y_label = "dollars";
  figure.log_x = figure.log_y = true;
  std::map<std::string, Series> by_resource;
  std::map<double, double> frontier;
  for (const MachineAdvice& m : advice.machines) {
    if (!m.misfit.empty() || !m.job_dollars) continue;
    const double time = m.job_seconds.value / unit.seconds;
    Series& series = by_resource[resource(m.step.bottleneck)];
    series.x.push_back(time);
    series.y.push_back(m.job_dollars->value);
    series.low.push_back(m.job_dollars->low);
    series.high.push_back(m.job_dollars->high);
    series.labels.push_back(m.machine.name);
    if (m.efficient) frontier[time] = m.job_dollars->value;
  }
  for (auto& [name, series] : by_resource) {
    series.name = "limited by " + name;
    figure.series.push_back(std::move(series));
  }
  if (frontier.size() > 1) {
    Series line;
    line.name = "efficient machines";
    line.style = SeriesStyle::dashed;
    for (const auto& [time, dollars] : frontier) {
      line.x.push_back(time);
      line.y.push_back(dollars);
    }
    figure.series.push_back(std::move(line));
  }
  return figure;
}

}  // namespace frugal::probe
