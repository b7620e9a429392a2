#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "libcore/report/report.h"
#include "tools/hw-probe/model/advice.h"

namespace frugal::probe {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDigits = 3;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

/// Three digits, but no exponent.
std::string rounded(double value) {
  constexpr double kWhole = 100;
  return value < kWhole ? format_number(value, kDigits) : format_number(std::round(value));
}

std::string crossover_text(const MachineAdvice& machine, double batch) {
  if (!machine.crossover || !machine.misfit.empty()) return "-";
  const std::string size = format_number(*machine.crossover);
  return *machine.crossover > batch ? "from " + size : "up to " + size;
}

/// Columns as wide as their longest cell.
std::string table_text(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - row[i].size() + 2, ' ');
    }
    text += line + "\n";
  }
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

/// Names machines for which times follow from the model alone, because no engine has run there.
std::string not_measured_text(const Advice& advice) {
  std::vector<std::string> names;
  for (const MachineAdvice& m : advice.machines) {
    if (!m.measured && m.misfit.empty()) names.push_back(m.machine.name);
  }
  if (names.empty()) return "";
  return "Not measured: " + advice.workload.tool + " has not run yet on the devices of " +
         joined(names) + "\n";
}

std::string prices_text(const Advice& advice) {
  std::string text;
  for (const MachineAdvice& machine : advice.machines) {
    if (!machine.epoch_dollars) continue;
    text += text.empty() ? "Prices: " : "; ";
    text += machine.machine.name + " " + format_number(machine.machine.dollars_per_hour, 4) +
            " $/h (" + machine.machine.price_date + ")";
  }
  return text.empty() ? text : text + "\n";
}

Json terms_json(const Advice& advice, const MachineAdvice& machine) {
  Json stages = Json::object();
  for (std::size_t i = 0; i < machine.step.stages.size(); ++i) {
    Json& stage = stages[advice.workload.stages[i].name];
    for (std::size_t term = 0; term < kTerms; ++term) {
      stage[term_name(static_cast<Term>(term))] = machine.step.stages[i].seconds[term];
    }
    stage["total"] = machine.step.stages[i].total;
  }
  return stages;
}

}  // namespace

std::string advice_text(const Advice& advice) {
  const auto whole = [](double x) { return static_cast<std::uint64_t>(x); };
  std::string text = advice.workload.name + ": " + advice.workload.title + "\n" +
                     format_count(whole(advice.workload.epoch_samples), "sample") +
                     " an epoch, batches of " + format_number(advice.usage.batch) + " on each of " +
                     format_count(whole(advice.usage.nodes), "node") + "\n";
  std::vector<std::vector<std::string>> rows{
      {"machine", "epoch", "$/epoch", "samples/s", "bottleneck", "can run", "break-even batch"}};
  for (const MachineAdvice& m : advice.machines) {
    rows.push_back({m.machine.name, format_seconds(m.epoch_seconds),
                    m.epoch_dollars ? format_number(*m.epoch_dollars, kDigits) : "-",
                    rounded(m.samples_per_second(advice.usage)), m.step.bottleneck,
                    m.misfit.empty() ? "yes" : "no: " + m.misfit,
                    crossover_text(m, advice.usage.batch)});
  }
  text += table_text(rows) + not_measured_text(advice) + prices_text(advice);
  if (!advice.calibration.empty()) {
    text += "Efficiencies measured on real runs: " + advice.calibration + "\n";
  }
  return text + estimates_text(advice);
}

void describe_advice(const ResultFields& f, const Advice& advice) {
  f.add("workload", advice.workload.name, "name of the workload");
  f.add("title", advice.workload.title, "description of the workload");
  f.add("batch", advice.usage.batch, "number of samples of a step on each node");
  f.add("nodes", advice.usage.nodes, "number of identical machines that the job runs on");
  f.add("workload_estimates", advice.workload.estimates,
        "names of the workload's keys that are estimates");
  f.add("calibration", advice.calibration, "file of the efficiencies in use; \"\" = none");
  Json machines = Json::array();
  for (const MachineAdvice& m : advice.machines) {
    Json& entry = machines.emplace_back(Json::object());
    entry["machine"] = m.machine.name;
    entry["title"] = m.machine.title;
    entry["epoch_seconds"] = m.epoch_seconds;
    entry["step_seconds"] = m.step.seconds;
    entry["samples_per_second"] = m.samples_per_second(advice.usage);
    entry["epoch_dollars"] = m.epoch_dollars ? Json(*m.epoch_dollars) : Json();
    entry["price_date"] = m.machine.price_date;
    entry["bottleneck"] = m.step.bottleneck;
    entry["fits"] = m.misfit.empty();
    entry["misfit"] = m.misfit;
    entry["measured"] = m.measured;
    entry["crossover_batch"] = m.crossover ? Json(*m.crossover) : Json();
    entry["stages"] = terms_json(advice, m);
    entry["exchange_seconds"] = m.step.exchange;
    entry["estimates"] = m.machine.estimates;
  }
  f.add("machines", machines,
        "a list of objects, the best machine first: machine (its name), title, epoch_seconds, "
        "step_seconds, samples_per_second, epoch_dollars and price_date, bottleneck, fits (whether "
        "it can run there), misfit (why not, else \"\"), measured (false if no engine of the tool "
        "has run on such a device yet), crossover_batch (the break-even "
        "batch; null if there is none), stages (seconds of each), exchange_seconds and estimates "
        "(names of its keys that are estimates)");
}

Figure advice_figure(const Advice& advice, const Efficiency& efficiency) {
  Figure figure;
  figure.title = advice.workload.name + ": time by batch size";
  figure.caption = "Estimates of the cost model. Where two lines cross, the choice changes.";
  figure.x_label = "samples of a step and node";
  figure.y_label = "microseconds a sample";
  figure.log_x = figure.log_y = true;
  constexpr double kLeast = 1, kMost = 1 << 16, kMicro = 1e6;
  for (const MachineAdvice& m : advice.machines) {
    Series series;
    series.name = m.machine.name;
    for (double batch = kLeast; batch <= kMost; batch *= 2) {
      const Usage usage{batch, advice.usage.nodes};
      const double step = step_cost(advice.workload, m.machine, usage, efficiency).seconds;
      series.x.push_back(batch);
      series.y.push_back(kMicro * step / (batch * usage.nodes));
    }
    figure.series.push_back(std::move(series));
  }
  figure.references.push_back({advice.usage.batch, "batch", true});
  return figure;
}

}  // namespace frugal::probe
