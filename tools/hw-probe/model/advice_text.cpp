#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"
#include "tools/hw-probe/model/advice.h"
#include "tools/hw-probe/model/price_date.h"

namespace frugal::probe {
namespace {

constexpr int kDigits = 3;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

std::string crossover_text(const MachineAdvice& machine, double batch) {
  if (!machine.crossover) return "-";
  const std::string size = format_number(*machine.crossover);
  return *machine.crossover > batch ? "from " + size : "up to " + size;
}

std::string seconds_interval(const Range& range) {
  return format_seconds(range.low) + " to " + format_seconds(range.high);
}

std::string dollars_text(const std::optional<Range>& range) {
  if (!range) return "-";
  constexpr double kCent = 0.01;
  if (range->high < kCent) return "under $0.01";
  const auto number = [](double dollars) { return format_number(dollars, kDigits); };
  return "$" + number(range->value) + " (" + number(range->low) + " to " + number(range->high) +
         ")";
}

std::string energy_text(const std::optional<Range>& kwh) {
  return kwh ? format_number(kwh->value, kDigits) + " kWh" : "-";
}

std::string memory_text(const MemoryNeed& need) {
  const auto bytes = [](double count) { return format_bytes(static_cast<std::uint64_t>(count)); };
  return need.device > 0 ? bytes(need.host) + " + " + bytes(need.device) : bytes(need.host);
}

/// Lines of cells that are padded to the widest one of their column.
std::vector<std::string> table_lines(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string& line = lines.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - row[i].size() + 2, ' ');
    }
  }
  return lines;
}

/// The machines that can run the workload; a heading comes before those that are not measured.
std::string machines_text(const Advice& advice) {
  std::vector<std::vector<std::string>> rows{{"machine", "time", "80 % of runs", "price", "energy",
                                              "memory", "step", "bottleneck", "break-even batch"}};
  const auto is_priced = [](const MachineAdvice& m) {
    return m.misfit.empty() && m.job_dollars.has_value();
  };
  const auto& machines = advice.machines;
  const bool stars = std::count_if(machines.begin(), machines.end(), is_priced) > 1;
  std::size_t num_measured = 0;
  for (const MachineAdvice& m : advice.machines) {
    if (!m.misfit.empty()) continue;
    num_measured += m.measured ? 1 : 0;
    rows.push_back({m.machine.name + (stars && m.efficient ? " *" : ""),
                    format_seconds(m.job_seconds.value), seconds_interval(m.job_seconds),
                    dollars_text(m.job_dollars), energy_text(m.job_kwh), memory_text(m.memory),
                    format_seconds(m.step.seconds), m.step.bottleneck,
                    crossover_text(m, advice.usage.batch)});
  }
  const std::vector<std::string> lines = table_lines(rows);
  if (lines.size() == 1) return "";
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == num_measured + 1) {
      text += "Not measured: " + advice.workload.tool + " has not run yet on these devices\n";
    }
    text += lines[i] + "\n";
  }
  return text + (stars ? "* No other machine is both faster and cheaper\n" : "");
}

std::string misfits_text(const Advice& advice) {
  std::string text;
  for (const MachineAdvice& m : advice.machines) {
    if (!m.misfit.empty()) text += "  " + m.machine.name + ": " + m.misfit + "\n";
  }
  return text.empty() ? "" : "Cannot run it:\n" + text;
}

/// Names the runs that intervals come from, and how many of these an interval contains.
std::string interval_source(const Interval& interval, const std::string& runs) {
  return runs + " (" + format_number(std::round(interval.covered * interval.runs)) + " of " +
         format_number(interval.runs) + " were within one of the others)";
}

std::string intervals_text(const Advice& advice) {
  const Calibration& calibration = advice.calibration;
  if (advice.workload.tool.empty()) {
    return "Intervals: " + interval_source(published_interval(), "published times of programs") +
           "\n";
  }
  const auto& kernels = calibration.efficiency.kernels;
  const auto is_known = [&](const Stage& stage) { return kernels.contains(stage.kernel); };
  const auto& stages = advice.workload.stages;
  if (!std::any_of(stages.begin(), stages.end(), is_known)) {
    return "Intervals: " +
           interval_source(typical_calibration().interval, "runs of our tools, not calibrated") +
           "; hw-probe calibrate narrows them\n";
  }
  std::string text = "Efficiencies measured on real runs: " + calibration.path + "\nIntervals: ";
  const auto& machines = advice.machines;
  const auto is_own = [&](const MachineAdvice& m) {
    return m.machine.title == calibration.machine && calibration.interval.exists();
  };
  const auto num_own = std::count_if(machines.begin(), machines.end(), is_own);
  if (num_own > 0) {
    text += interval_source(calibration.interval, "runs on " + calibration.machine);
    if (num_own < std::ssize(machines)) text += "; elsewhere ";
  }
  if (num_own < std::ssize(machines)) {
    text += interval_source(transferred_interval(), "runs on another machine than calibrated");
  }
  return text + "\n";
}

std::string prices_text(const Advice& advice) {
  std::string text, old;
  for (const MachineAdvice& m : advice.machines) {
    if (!m.job_dollars) continue;
    text += text.empty() ? "Prices: " : "; ";
    text += m.machine.name + " " + format_number(m.machine.dollars_per_hour, 4) + " $/h (" +
            m.machine.price_date + ")";
    if (is_old_price(m.machine.price_date, days_today())) {
      old += (old.empty() ? "" : ", ") + m.machine.name;
    }
  }
  if (text.empty()) return "";
  text += "\n";
  if (!old.empty()) text += "Older than a year are the prices of " + old + "\n";
  return text;
}

std::string estimates_text(const Advice& advice) {
  std::string inputs;
  const auto add = [&](const std::string& name, const std::vector<std::string>& keys) {
    if (!keys.empty()) inputs += "\n  " + name + ": " + joined(keys);
  };
  add(advice.workload.name, advice.workload.estimates);
  for (const MachineAdvice& m : advice.machines) add(m.machine.name, m.machine.estimates);
  return "Estimates of a model, not measurements. Inputs that are estimates, too:" +
         (inputs.empty() ? " none" : inputs);
}

std::string logged_text(const Advice& advice) {
  if (!advice.logged) return "";
  const LoggedRun& logged = *advice.logged;
  return "Measured by the log: " +
         format_count(static_cast<std::uint64_t>(logged.epochs), "epoch") + " in " +
         format_seconds(logged.job_seconds) + ", " + format_seconds(logged.epoch_seconds) +
         " an epoch" + (logged.machine.empty() ? "" : " on " + logged.machine) + "\n";
}

}  // namespace

std::string advice_text(const Advice& advice) {
  const auto count = [](double x, const char* what) {
    return format_count(static_cast<std::uint64_t>(x), what);
  };
  return advice.workload.name + ": " + advice.workload.title + "\n" +
         count(advice.epochs, "epoch") + " of " + count(advice.workload.epoch_samples, "sample") +
         ", batches of " + format_number(advice.usage.batch) + " on each of " +
         count(advice.usage.nodes, "machine") + "\n" + machines_text(advice) +
         misfits_text(advice) + logged_text(advice) + intervals_text(advice) + prices_text(advice) +
         estimates_text(advice);
}

}  // namespace frugal::probe
