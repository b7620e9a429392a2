#include "tools/hw-probe/model/workload.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::probe {

void describe(const OptionFields& f, Workload& w) {
  f.add("--title", w.title, "description of the workload in one line").required();
  f.add("--tool", w.tool, "tool of frugal that runs it, if one does");
  f.add("--epoch-samples", w.epoch_samples, "number of samples in an epoch").positive().required();
  f.add("--batch", w.batch, "number of samples in a step").positive().required();
  f.add("--epochs", w.epochs, "number of epochs of a whole training").positive();
  f.add("--setup-core-us", w.setup_core_us,
        "time that one core spends on a sample before the first epoch, such as reading it, in "
        "microseconds")
      .not_negative();
  f.add("--validation-share", w.validation_share,
        "time of the validation after an epoch, as a share of the epoch's time")
      .not_negative();
  f.add("--state-bytes", w.state_bytes, "bytes of parameters and of the state of the optimiser")
      .not_negative();
  f.add("--host-bytes", w.host_bytes, "bytes of data in the host's memory").not_negative();
  f.add("--batch-bytes", w.batch_bytes,
        "bytes of activations and gradients for each sample of a step, where the parameters are")
      .not_negative();
  f.add("--sharded", w.sharded, "whether nodes divide the state and the tables among them");
  f.add("--launch-us", w.launch_us,
        "time that the framework, such as PyTorch, needs to start an operation, in microseconds")
      .not_negative();
  f.add("--exchange", w.exchange, Names{"none", "reduce", "all-to-all"},
        "how ranks exchange gradients or rows: none, reduce or all-to-all");
  f.add("--exchange-bytes", w.exchange_bytes, "bytes that a rank exchanges in each step")
      .not_negative();
  f.add("--exchange-sample-bytes", w.exchange_sample_bytes,
        "bytes that a rank exchanges for each sample")
      .not_negative();
  f.add("--exchange-overlap", w.exchange_overlap,
        "share of the exchange that overlaps with computation")
      .range(0.0, 1.0);
  f.add("--stages", w.stage_names,
        "names of the stages of a step, all different; each is a map with the keys of a stage")
      .required();
  f.add("--estimates", w.estimates,
        "names of the keys whose values are estimates without a source");
}

void describe(const OptionFields& f, Stage& s) {
  const auto add = [&](const char* key, double& variable, const char* help) {
    f.add(("--" + s.name + "-" + key).c_str(), variable, help).not_negative();
  };
  f.add(("--" + s.name + "-lane").c_str(), s.lane,
        "name of the lane of the stage; any text. On a machine without a device, all stages are in "
        "one lane");
  f.add(("--" + s.name + "-kernel").c_str(), s.kernel,
        "name of the kind of work. calibrate fits one efficiency for each kind");
  f.add_either(("--" + s.name + "-on").c_str(), s.on_host, {false, true}, {"device", "host"},
               "where the stage runs: device or host. A machine without a device runs all stages "
               "on its host");
  f.add_either(("--" + s.name + "-precision").c_str(), s.bf16, {false, true}, {"f32", "bf16"},
               "number type of the products: f32 or bf16");
  add("sample-flop", s.sample_flop,
      "number of floating point operations in products for each sample");
  add("step-flop", s.step_flop, "number of floating point operations in products in each step");
  add("product-rows", s.product_rows,
      "number of rows that a sample contributes to the products; 0: products are large enough for "
      "all units");
  add("product-columns", s.product_columns, "number of columns of the products' results");
  add("sample-bytes", s.sample_bytes,
      "bytes that are read or written in long runs for each sample");
  add("step-bytes", s.step_bytes,
      "bytes that are read or written in long runs in each step, such as weights and the state of "
      "the optimiser");
  add("bytes-set", s.bytes_set, "working set of the long runs, in bytes");
  add("sample-rows", s.sample_rows,
      "number of random rows that are read or written for each sample");
  add("step-rows", s.step_rows, "number of random rows that are read or written in each step");
  add("row-bytes", s.row_bytes, "bytes of a random row");
  add("table-bytes", s.table_bytes, "bytes of the tables that the random rows are spread over");
  add("sample-core-us", s.sample_core_us,
      "time that a core spends in the program's own instructions for each sample, in microseconds");
  add("cores", s.cores, "maximum number of cores for the program's own instructions; 0: all");
  add("launches", s.launches, "number of kernels or operations of a framework in a step");
  add("sample-copy-bytes", s.sample_copy_bytes,
      "bytes that are copied from host to device for each sample");
  add("copies", s.copies, "number of copies from host to device in a step");
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
  static constexpr std::array<std::string_view, 4> kTools{"sparse-train", "robe-compress",
                                                          "gnn-sample", "tgn-train"};
  const std::string& tool = workload.tool;
  if (!tool.empty() && std::find(kTools.begin(), kTools.end(), tool) == kTools.end()) {
    fail(ExitStatus::usage, path, ": 'tool' is '", printable(tool),
         "', expected sparse-train, robe-compress, gnn-sample or tgn-train, or no such key");
  }
  if (workload.stages.empty()) fail(ExitStatus::usage, path, ": 'stages': expected one at least");
  for (const Stage& stage : workload.stages) {
    if ((stage.sample_rows > 0 || stage.step_rows > 0) && !(stage.row_bytes > 0)) {
      fail(ExitStatus::usage, path, ": '", stage.name, "-row-bytes': expected more than 0");
    }
  }
}

}  // namespace frugal::probe
