#include <nlohmann/json.hpp>

#include "libcore/metrics/result_fields.h"
#include "tools/hw-probe/model/advice.h"
#include "tools/hw-probe/model/price_date.h"

namespace frugal::probe {
namespace {

using Json = nlohmann::ordered_json;

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

/// Adds NAME, NAME_low and NAME_high, which are null without a range.
void add_range(const std::string& name, const std::optional<Range>& range, Json* entry) {
  (*entry)[name] = range ? Json(range->value) : Json();
  (*entry)[name + "_low"] = range ? Json(range->low) : Json();
  (*entry)[name + "_high"] = range ? Json(range->high) : Json();
}

Json machine_json(const Advice& advice, const MachineAdvice& m) {
  Json entry = Json::object();
  entry["machine"] = m.machine.name;
  entry["title"] = m.machine.title;
  add_range("epoch_seconds", m.epoch_seconds, &entry);
  add_range("job_seconds", m.job_seconds, &entry);
  entry["step_seconds"] = m.step.seconds;
  entry["fill_seconds"] = m.step.fill;
  entry["ranks"] = m.ranks;
  entry["samples_per_second"] = m.samples_per_second(advice.usage);
  add_range("epoch_dollars", m.epoch_dollars, &entry);
  add_range("job_dollars", m.job_dollars, &entry);
  entry["price_date"] = m.machine.price_date;
  entry["price_is_old"] = is_old_price(m.machine.price_date, days_today());
  add_range("job_kwh", m.job_kwh, &entry);
  entry["host_memory_bytes"] = m.memory.host;
  entry["device_memory_bytes"] = m.memory.device;
  entry["bottleneck"] = m.step.bottleneck;
  entry["fits"] = m.misfit.empty();
  entry["misfit"] = m.misfit;
  entry["measured"] = m.measured;
  entry["efficient"] = m.efficient;
  entry["crossover_batch"] = m.crossover ? Json(*m.crossover) : Json();
  entry["stages"] = terms_json(advice, m);
  entry["exchange_seconds"] = m.step.exchange;
  entry["estimates"] = m.machine.estimates;
  return entry;
}

}  // namespace

void describe_advice(const ResultFields& f, const Advice& advice) {
  f.add("workload", advice.workload.name, "name of the workload");
  f.add("title", advice.workload.title, "description of the workload");
  f.add("epochs", advice.epochs, "number of epochs of the job");
  f.add("batch", advice.usage.batch, "number of samples of a step on each rank");
  f.add("nodes", advice.usage.nodes, "number of identical machines that the job runs on");
  f.add("workload_estimates", advice.workload.estimates,
        "names of the workload's keys that are estimates");
  f.add("calibration", advice.calibration.path, "file of the efficiencies in use; \"\" = none");
  f.when("a log as the workload", advice.logged, [](const ResultFields& log, const LoggedRun& run) {
    log.add("logged_machine", run.machine, "CPU and threads of the logged run");
    log.add("logged_epochs", run.epochs, "number of epochs of the logged run");
    log.add("logged_epoch_seconds", run.epoch_seconds, "measured time of an epoch's steps");
    log.add("logged_job_seconds", run.job_seconds, "measured time of the logged run");
  });
  Json machines = Json::array();
  for (const MachineAdvice& m : advice.machines) machines.push_back(machine_json(advice, m));
  f.add("machines", machines,
        "a list of objects, the best machine first: machine (its name), title, epoch_seconds "
        "(steps of an epoch) and job_seconds (all epochs, set-up and validation), each with the "
        "ends of its 80 % interval, _low and _high; step_seconds, fill_seconds (wait for the first "
        "batch of an epoch), ranks, samples_per_second; epoch_dollars and job_dollars with _low "
        "and _high, price_date and price_is_old (older than a year); job_kwh with _low and _high; "
        "host_memory_bytes (of a machine), device_memory_bytes (of a device); bottleneck, fits "
        "(whether it can run there), misfit (why not, else \"\"), measured (false if no engine of "
        "the tool has run on such a device yet), efficient (no other machine is both faster and "
        "cheaper), crossover_batch (the break-even batch; null if there is none), stages (seconds "
        "of each), exchange_seconds and estimates (names of its keys that are estimates)");
}

}  // namespace frugal::probe
