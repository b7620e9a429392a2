#include "tools/hw-probe/model/workload.h"

#include <unordered_set>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::probe {

void describe(const OptionFields& f, Workload& w) {
  f.add("--title", w.title, "the workload in one line").required();
  f.add("--tool", w.tool, "the tool of frugal that runs it");
  f.add("--epoch-samples", w.epoch_samples, "samples of an epoch").positive().required();
  f.add("--batch", w.batch, "samples of a step").positive().required();
  f.add("--state-bytes", w.state_bytes, "parameters and state of the optimiser").not_negative();
  f.add("--host-bytes", w.host_bytes, "data in the host's memory").not_negative();
  f.add("--sharded", w.sharded, "nodes share the state and the tables out");
  f.add("--launch-us", w.launch_us, "cost of an operation in the framework, microseconds")
      .not_negative();
  f.add("--exchange", w.exchange, Names{"none", "reduce", "all-to-all"},
        "how ranks exchange gradients or rows");
  f.add("--exchange-bytes", w.exchange_bytes, "bytes of a rank in each step").not_negative();
  f.add("--exchange-sample-bytes", w.exchange_sample_bytes, "bytes of a rank for each sample")
      .not_negative();
  f.add("--exchange-overlap", w.exchange_overlap,
        "share of the exchange that hides behind computation")
      .range(0.0, 1.0);
  f.add("--stages", w.stage_names, "distinct names of the stages of a step, each a map below")
      .required();
  f.add("--estimates", w.estimates, "keys above that are estimates: no source has them");
}

void describe(const OptionFields& f, Stage& s) {
  const auto add = [&](const char* key, double& variable, const char* help) {
    f.add(("--" + s.name + "-" + key).c_str(), variable, help).not_negative();
  };
  f.add(("--" + s.name + "-lane").c_str(), s.lane,
        "stages of a lane follow each other; lanes run at the same time, but on a CPU alone");
  f.add(("--" + s.name + "-kernel").c_str(), s.kernel, "kind of work, for calibration");
  f.add_either(("--" + s.name + "-on").c_str(), s.on_host, {false, true}, {"device", "host"},
               "where it runs; a machine without a device runs all on its host");
  f.add_either(("--" + s.name + "-precision").c_str(), s.bf16, {false, true}, {"f32", "bf16"},
               "numbers that products have");
  add("sample-flop", s.sample_flop, "operations of products for each sample");
  add("step-flop", s.step_flop, "operations of products in each step");
  add("product-rows", s.product_rows, "rows that a sample adds to the products; 0: they fill all");
  add("product-columns", s.product_columns, "columns of the products' results");
  add("sample-bytes", s.sample_bytes, "bytes in long runs for each sample");
  add("step-bytes", s.step_bytes, "bytes in long runs in each step: weights, optimiser's state");
  add("bytes-set", s.bytes_set, "working set of the long runs");
  add("sample-rows", s.sample_rows, "random rows for each sample");
  add("step-rows", s.step_rows, "random rows in each step");
  add("row-bytes", s.row_bytes, "bytes of a random row");
  add("table-bytes", s.table_bytes, "what the random rows are spread over");
  add("sample-core-us", s.sample_core_us, "microseconds of a core's own instructions a sample");
  add("cores", s.cores, "cores that the program's own instructions use at most; 0: all");
  add("launches", s.launches, "kernels or operations of a framework in a step");
  add("sample-copy-bytes", s.sample_copy_bytes, "bytes from host to device for each sample");
  add("copies", s.copies, "copies from host to device in a step");
}

namespace {

/// Keys begin with the name of their stage.
void check_stage_name(const std::string& name, const std::string& path) {
  if (!name.empty() && printable(name) == name) return;
  fail(ExitStatus::usage, path, ": 'stages': '", printable(name),
       "': expected a name without control characters");
}

}  // namespace

void describe_stages(const OptionFields& fields, Workload& workload, const std::string& path) {
  constexpr std::size_t kMostStages = 64;
  if (workload.stage_names.size() > kMostStages) {
    fail(ExitStatus::usage, path, ": 'stages' has ", workload.stage_names.size(),
         " names, expected at most ", kMostStages);
  }
  std::unordered_set<std::string> keys;
  for (const OptionField& field : fields.all()) keys.insert(field.info().key);
  workload.stages.assign(workload.stage_names.size(), {});
  for (std::size_t i = 0; i < workload.stages.size(); ++i) {
    Stage& stage = workload.stages[i];
    stage.name = workload.stage_names[i];
    check_stage_name(stage.name, path);
    describe(fields, stage);
    for (std::size_t f = keys.size(); f < fields.all().size(); ++f) {
      if (const std::string& key = fields.all()[f].info().key; !keys.insert(key).second) {
        fail(ExitStatus::usage, path, ": 'stages': '", stage.name, "' makes the key '", key,
             "' a second time, expected another name");
      }
    }
  }
}

void check(const Workload& workload, const std::string& path) {
  if (workload.stages.empty()) fail(ExitStatus::usage, path, ": 'stages': expected one at least");
  for (const Stage& stage : workload.stages) {
    if ((stage.sample_rows > 0 || stage.step_rows > 0) && !(stage.row_bytes > 0)) {
      fail(ExitStatus::usage, path, ": '", stage.name, "-row-bytes': expected more than 0");
    }
  }
}

}  // namespace frugal::probe
