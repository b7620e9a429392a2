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
  if (!value) missing(name);
  return *value;
}

double RunFacts::option_or(const char* name, double otherwise) const {
  return parse_number<double>(text(name)).value_or(otherwise);
}

double RunFacts::batch(double samples) const {
  return std::round(samples * figure("epochs") / std::max(1.0, figure("steps")));
}

double RunFacts::steps() const {
  return std::max(1.0, figure_or("steps", 1) - figure_or("resumed_from_step", 0));
}

void RunFacts::missing(const char* name) const {
  fail(ExitStatus::bad_input, run_.name, ": the log has no number '", name,
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
