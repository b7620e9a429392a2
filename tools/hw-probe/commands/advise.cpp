#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/report/report.h"
#include "libcore/system/output_file.h"
#include "tools/hw-probe/commands/calibration_file.h"
#include "tools/hw-probe/commands/catalogue.h"
#include "tools/hw-probe/commands/log_file.h"
#include "tools/hw-probe/commands/tool.h"
#include "tools/hw-probe/machine/as_sbatch.h"
#include "tools/hw-probe/machine/detect.h"
#include "tools/hw-probe/model/advice.h"
#include "tools/hw-probe/model/run_workload.h"

namespace frugal::probe {
namespace {

/// Options that make the tool use this machine as the model did.
std::string tool_flags(const Advice& advice, const Machine& machine) {
  const std::string& tool = advice.workload.tool;
  if (tool.empty()) {
    fail(ExitStatus::usage, "--format flags: ", advice.workload.name,
         " is run by another program than ours");
  }
  const Processor& cpu = advice.machines.front().machine.host;
  std::string flags;
  if (advice.workload.has_batches) {
    flags = "--batch-size " + format_number(advice.usage.batch) + " ";
  }
  flags +=
      "--threads " + format_number(std::floor(cpu.units / advice.machines.front().machine.devices));
  if (cpu.bf16_gflops > cpu.f32_gflops) flags += " --precision bf16";
  for (const ToolChoice& choice : machine.tools) {
    if (choice.tool == tool) flags += " --device " + choice.device;
  }
  return flags;
}

/// A job whose time limit is the upper end of the 80 % interval and the two minutes before a limit
/// in which SLURM asks for a checkpoint.
std::string job_lines(const Advice& advice, const Machine& machine) {
  constexpr double kMinute = 60, kForCheckpoint = 2, kLongest = 365 * 24 * 60;
  const double minutes = std::ceil(advice.machines.front().job_seconds.high / kMinute);
  if (minutes > kLongest) {
    fail(ExitStatus::usage, "--format slurm: the job may take ",
         format_number(minutes / kLongest, 3), " years on ", advice.machines.front().machine.name,
         ", expected a year at most");
  }
  return machine_sbatch(machine, static_cast<int>(advice.usage.nodes)) +
         "#SBATCH --time=" + format_number(kForCheckpoint + minutes);
}

/// Returns the machine that --format is about: this one, or one with the figures of the catalogue.
Machine asked_machine(const Advice& advice) {
  const MachineSpec& spec = advice.machines.front().machine;
  if (spec.name == "this") return detect_machine("/");
  Machine machine;
  machine.cpus.count = static_cast<int>(spec.host.units);
  machine.topology.memory_bytes = static_cast<std::uint64_t>(spec.host.memory_bytes());
  const bool has_gpu = spec.device.exists();
  if (has_gpu) {
    const auto devices = static_cast<std::size_t>(spec.devices);
    machine.accelerators.push_back({"cuda", true, "", {}, {devices, {"cuda", spec.title, 0}}});
  }
  machine.tools.push_back({advice.workload.tool, "", has_gpu ? "cuda" : "cpu"});
  return machine;
}

std::string shown(const AdviseOptions& options, const Advice& advice) {
  if (options.format == "text") return advice_text(advice);
  const MachineAdvice& asked = advice.machines.front();
  if (!asked.misfit.empty()) {
    fail(ExitStatus::usage, "--format ", options.format, ": ", asked.machine.name,
         " cannot run it (", asked.misfit, "); expected another machine in --machines");
  }
  const Machine machine = asked_machine(advice);
  return options.format == "flags" ? tool_flags(advice, machine) : job_lines(advice, machine);
}

std::vector<MachineSpec> wanted_machines(const AdviseOptions& options, int threads) {
  std::vector<std::string> names = options.machines;
  if (options.format != "text") {
    if (names.empty()) names = {"this"};
    if (names.size() != 1) {
      fail(ExitStatus::usage, "--format ", options.format, " is about one machine, found ",
           names.size(), " in --machines");
    }
  }
  if (names.empty()) names = catalogue_machines();
  std::vector<MachineSpec> machines;
  for (const std::string& name : names)
    machines.push_back(load_machine(name, threads, options.allow_noisy));
  return machines;
}

/// The calibration that is asked for, else the user's own, else the catalogue's.
Calibration wanted_calibration(const AdviseOptions& options, Run& run) {
  if (options.calibration == "none") return typical_calibration();
  std::string path = options.calibration.empty() ? calibration_file() : options.calibration;
  if (options.calibration.empty() && !std::filesystem::exists(path)) path = shipped_calibration();
  if (path.empty()) return typical_calibration();
  run.reads(path);
  return read_calibration(path);
}

std::optional<RunRecord> read_log(const std::string& workload) {
  const bool is_log = workload == "-" || std::filesystem::path(workload).extension() == ".jsonl";
  if (!is_log) return std::nullopt;
  return read_run(workload);
}

Workload wanted_workload(const AdviseOptions& options, const std::optional<RunRecord>& log) {
  if (options.predict && !log) {
    fail(ExitStatus::usage, "--predict needs a log NAME.jsonl of a training, found '",
         printable(options.workload), "'");
  }
  Workload workload = !log              ? load_workload(options.workload)
                      : options.predict ? prediction_workload(*log)
                                        : run_workload(*log);
  if (options.batch > 0) workload.batch = options.batch;
  const double most = std::ceil(workload.epoch_samples / options.nodes);
  if (workload.batch > most) {
    if (workload.has_batches) {
      log_info("a batch has at most the ", format_number(most),
               " samples that a machine has of an ", "epoch, not ", format_number(workload.batch));
    }
    workload.batch = most;
  }
  return workload;
}

double wanted_epochs(const AdviseOptions& options, const Workload& workload,
                     const std::optional<RunRecord>& log) {
  if (options.until.empty()) return options.epochs > 0 ? options.epochs : workload.epochs;
  if (options.predict) {
    fail(ExitStatus::usage,
         "--until is about a training, and --predict about predictions; expected "
         "one of them");
  }
  if (options.epochs > 0) {
    fail(ExitStatus::usage, "--until and --epochs both set the number of epochs; expected one");
  }
  if (log) return epochs_until(*log, options.until);
  fail(ExitStatus::usage, "--until needs a log NAME.jsonl of a training, found '",
       printable(options.workload), "'");
}

void draw(const Advice& advice, const std::string& plot, Run& run) {
  std::vector<Figure> figures;
  if (Figure prices = price_figure(advice); !prices.series.empty()) {
    figures.push_back(std::move(prices));
  }
  figures.push_back(batch_figure(advice));
  if (!plot.empty()) write_file(plot, figures_file(figures));
  if (run.options().report.empty()) return;
  for (const Figure& figure : figures) run.report().add_figure(figure);
}

/// Declares the files among the names of a workload and of machines.
void declare_files(const AdviseOptions& options, Run& run) {
  std::vector<std::string> names = options.machines;
  names.push_back(options.workload);
  for (const std::string& name : names) {
    const std::string extension = std::filesystem::path(name).extension();
    const bool is_file = extension == ".yaml" || extension == ".json" || extension == ".jsonl";
    if (is_file || name == "-") run.reads(name);
  }
}

ExitStatus run_advise(const AdviseOptions& options, Run& run) {
  check_format(options.format, run);
  const Calibration calibration = wanted_calibration(options, run);
  declare_files(options, run);
  run.writes(options.plot);
  const std::optional<RunRecord> log = read_log(options.workload);
  const Workload workload = wanted_workload(options, log);
  const double epochs = wanted_epochs(options, workload, log);
  const Usage usage{workload.batch, static_cast<double>(options.nodes)};
  Advice advice = advise(workload, wanted_machines(options, run.threads()), usage, epochs,
                         calibration, options.order);
  if (log && !options.predict) advice.logged = logged_run(*log);
  describe_advice(ResultFields(run.result()), advice);
  draw(advice, options.plot, run);
  run.say(shown(options, advice));
  return ExitStatus::ok;
}

/// The keys of a document, a paragraph each, for the manual page.
std::string keys_text(const OptionFields& fields) {
  std::string text;
  for (const OptionField& field : fields.all()) {
    text += "\n\n" + field.info().key + ": " + field.info().description + ".";
  }
  return text;
}

std::string description() {
  Workload workload;
  Stage stage;
  MachineSpec machine;
  const OptionFields of_workload, of_stage, of_machine;
  describe(of_workload, workload);
  stage.name = "STAGE";
  describe(of_stage, stage);
  describe(of_machine, machine);
  return "Predicts how long a job takes on each machine, what it costs, how much energy and "
         "memory it needs, and which resource limits it. A job is a whole training: set-up, such "
         "as reading the data, all epochs and their validation. The figures are estimates of a "
         "model, not measurements. The output also names inputs that are estimates. Each time has "
         "an interval, which contained about 80 % of the runs that it was tested on. The last "
         "lines "
         "name these runs and say how many of them were within. If WORKLOAD is a log, its measured "
         "time is printed beside the predictions.\n\n"
         "Machines that can run the workload are listed first, the fastest (or cheapest) at the "
         "top. Next are machines whose device no engine of the tool has run on yet. The rest lacks "
         "memory, a network, or an engine of our tool for its device. A star marks machines that "
         "no other one beats in both time and price. The column memory has the need of the host "
         "and, after a plus sign, of each device. Energy is the published power of processors and "
         "devices times the time. Machines without a published figure have none. The last column "
         "is the break-even batch. From this batch size on (or up to it, as the column says), the "
         "machine would be faster than the first one listed.\n\n"
         "A step of a workload consists of stages, which are grouped into lanes. Stages of a lane "
         "run one after the other, and lanes run in parallel, so the slowest lane determines the "
         "time of a step. The time of a stage is the longest of four times. (1) Products: "
         "operations divided by the peak speed for their number type and shape. (2) Long reads: "
         "bytes divided by the bandwidth of the memory level that holds them. (3) Random rows: "
         "each takes the latency divided by the number of reads in flight, but at least its bytes "
         "divided by the bandwidth. (4) The program's own instructions. Launches of kernels or "
         "operations and copies to the device are added to the time of a stage. The exchange "
         "between ranks, as far as it does not overlap, is added to the time of a step. Each "
         "device "
         "of a machine is a rank, with an equal share of the host's cores. At the start of an "
         "epoch, the slowest lane waits until the others have prepared the first batch.\n\n"
         "WORKLOAD is a name in share/frugal/configs/workloads, a file NAME.yaml, or a file "
         "NAME.jsonl that a training wrote with --metrics. A machine is a name in "
         "share/frugal/configs/hardware, a file NAME.yaml, or a file NAME.json that hw-probe bench "
         "--json wrote. The machine 'this' is this machine, which is measured now.\n\n"
         "With --format flags, the command prints options of the workload's tool for the machine "
         "of --machines, by default this one. With --format slurm, it prints #SBATCH lines for it. "
         "Their time limit is the upper end of the interval, and the two minutes in which SLURM "
         "asks "
         "for a checkpoint.\n\n"
         "These are the keys of a workload file." +
         keys_text(of_workload) +
         "\n\n"
         "These are the keys of a stage. STAGE stands for its name in stages: write STAGE-lane, or "
         "lane in a map named STAGE." +
         keys_text(of_stage) +
         "\n\n"
         "These are the keys of a machine file. The keys of a host describe its CPU and memory; "
         "machines without a device omit the keys of a device." +
         keys_text(of_machine);
}

}  // namespace

Command advise_command(AdviseOptions& options) {
  Command command;
  command.name = "advise";
  command.summary = "predict time and price of a workload on machines";
  command.description = description();
  command.examples = {
      {"hw-probe advise tgn-wikipedia-10", "all machines of the catalogue, the fastest first"},
      {"hw-probe advise criteo-robe --machines this,c7g.8xlarge --nodes 4",
       "compare two kinds of machines, four of each"},
      {"hw-probe advise run.jsonl --until auc=0.9 --order price",
       "the cheapest machines for a training until its log reached an AUC of 0.9"},
      {"hw-probe advise run.jsonl --predict --batch-size 1",
       "time of one prediction by the model of a training"},
      {"sparse-train train data.txt -o m $(hw-probe advise amazon-670k --format flags)",
       "train with the options for this machine"},
      {"hw-probe advise tgn-wikipedia-10 --plot batch.svg",
       "draw price over time, and time over batch sizes"}};
  command.often = {"--machines", "--nodes", "--epochs", "--until", "--order", "--format", "--json"};
  command.describe = [&options](const OptionFields& f) {
    f.add("workload", options.workload,
          "workload to predict (a name, a .yaml file, or a .jsonl log, also from stdin: -)")
        .suggests(catalogue_workloads())
        .required();
    f.add("--machines", options.machines,
          "machines to compare (names, files or 'this'); default: all of the catalogue")
        .suggests(suggested_machines())
        .metavar("LIST");
    f.add("--allow-noisy", options.allow_noisy,
          "use measurements that hw-probe bench marked as too noisy");
    f.add("--predict", options.predict,
          "advise on predictions by the model that wrote the log, not on its training");
    f.add("--nodes", options.nodes, "number of identical machines that the job runs on")
        .range(1, 1 << 16);
    f.add("--batch-size", options.batch,
          "number of samples of a step on each rank; 0: as in the workload")
        .not_negative();
    f.add("--order", options.order, Names{"time", "price"}, "quantity to sort machines by");
    f.add("--format", options.format, "format of the output").choices({"text", "flags", "slurm"});
    f.add("--epochs", options.epochs,
          "number of epochs of the job; 0: as in the workload, or as the log has")
        .range(0, 1 << 20);
    f.add("--until", options.until,
          "train as many epochs as the log needed to reach METRIC=VALUE, such as auc=0.9; a loss "
          "is reached from above")
        .metavar("METRIC=VALUE");
    f.add("--calibration", options.calibration,
          "file of efficiencies that calibrate wrote, or 'none'. Default: frugal/calibration.yaml "
          "in XDG_CONFIG_HOME, or else in ~/.config, if it exists, or else the catalogue's, which "
          "was made on an AMD EPYC")
        .metavar("FILE");
    f.add("--plot", options.plot, "SVG file for plots of price by time and of time by batch size")
        .metavar("FILE");
  };
  command.describe_results = [](const ResultFields& f) { describe_advice(f, {}); };
  command.run = [&options](Run& run) { return run_advise(options, run); };
  return command;
}

}  // namespace frugal::probe
