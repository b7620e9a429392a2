#include "tools/hw-probe/model/run_facts.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::probe {

double RunFacts::figure(const char* name) const {
  const auto found = run_.figures.find(name);
  if (found == run_.figures.end()) missing(name);
  return found->second;
}

double RunFacts::figure_or(const char* name, double otherwise) const {
  const auto found = run_.figures.find(name);
  return found == run_.figures.end() ? otherwise : found->second;
}

std::string RunFacts::text(const char* name) const {
  const auto found = run_.settings.find(name);
  if (found == run_.settings.end() || found->second.empty()) missing(name);
  return found->second.front();
}

double RunFacts::option(const char* name) const {
  const auto value = parse_number<double>(text(name));
  if (value) return *value;
  fail(ExitStatus::bad_input, run_.path, ": the log does not say what --", name, " ", text(name),
       " became, which the model of ", run_.tool, " needs; expected a log of a run with --", name,
       " N, or of a newer version");
}

double RunFacts::option_or(const char* name, double otherwise) const {
  return parse_number<double>(text(name)).value_or(otherwise);
}

double RunFacts::figure_or_option(const char* figure, const char* option) const {
  const auto found = run_.figures.find(figure);
  return found == run_.figures.end() ? this->option(option) : found->second;
}

double RunFacts::batch(double samples) const {
  const double steps = figure("steps") / std::max(1.0, figure("epochs"));
  const double least = samples / std::max(1.0, steps);
  const auto has_so_many_steps = [&](double batch) {
    return batch >= 1 && std::fabs(std::ceil(samples / batch) - steps) < 0.01;
  };
  // The last mini-batch may be short: many sizes have as many steps, of which one was asked for.
  const auto found = run_.settings.find("batch-size");
  if (found != run_.settings.end() && !found->second.empty()) {
    const auto asked = parse_number<double>(found->second.front());
    if (asked && has_so_many_steps(*asked)) return std::min(*asked, samples);
  }
  const double power = std::exp2(std::ceil(std::log2(least)));
  return steps > 1 && has_so_many_steps(power) ? power : std::ceil(least - 0.01);
}

double RunFacts::steps() const {
  const double all = figure_or("steps", 1);
  const double own = std::max(1.0, all - figure_or("resumed_from_step", 0));
  return has("trees") ? own / std::max(1.0, all) * figure_or("epochs", 1) : own;
}

void RunFacts::missing(const char* name) const {
  fail(ExitStatus::bad_input, run_.path, ": the log has no number '", name,
       "', which the model of ", run_.tool, " needs");
}

Workload workload_of(const RunRecord& run, double epoch_samples, double batch) {
  Workload workload;
  workload.name = run.name;
  workload.title = run.tool + " " + run.command + ", from its log";
  workload.tool = run.tool;
  workload.epoch_samples = epoch_samples;
  workload.batch = batch;
  return workload;
}

Stage& add_stage(Workload* workload, const char* name) {
  Stage& stage = workload->stages.emplace_back();
  stage.name = name;
  stage.kernel = workload->tool + "-" + name;
  workload->stage_names.emplace_back(name);
  return stage;
}

void add_optimizer(Workload* workload, double weights) {
  Stage& stage = add_stage(workload, "optimizer");
  stage.step_bytes = kWeightPasses * kFloat * weights;
  stage.bytes_set = stage.step_bytes / 2;
}

void set_memory(Workload* w, const MemoryShares& shares, double data, double weights,
                double batch) {
  w->host_bytes = shares.program + shares.data * data;
  w->state_bytes = shares.weights * weights;
  w->batch_bytes = shares.batch * batch;
}

}  // namespace frugal::probe
