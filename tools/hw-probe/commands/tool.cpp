#include "tools/hw-probe/commands/tool.h"

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "tools/hw-probe/bench/bench_report.h"
#include "tools/hw-probe/machine/as_json.h"
#include "tools/hw-probe/machine/as_sbatch.h"
#include "tools/hw-probe/machine/as_text.h"
#include "tools/hw-probe/machine/detect.h"

namespace frugal::probe {
namespace {

void check_sysroot(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    fail(ExitStatus::cannot_open, path, ": cannot open: --sysroot expects a folder");
  }
}

/// Without the end of the last line, which say() adds.
std::string without_last_newline(std::string text) {
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

void describe_differences(const ResultFields& f, const std::string& differences) {
  f.add("equal", differences.empty(), "whether the machines are alike");
  f.add("differences", differences, "a line for each difference");
}

ExitStatus run_diff(const std::vector<std::string>& files, Run& run) {
  if (files.size() != 2) {
    fail(ExitStatus::usage, "--diff: expected two results of detect --json, found ", files.size());
  }
  for (const std::string& path : files) run.reads(path);
  const std::string differences = machine_differences(files[0], files[1]);
  describe_differences(ResultFields(run.result()), differences);
  if (!differences.empty()) run.say(without_last_newline(differences));
  return differences.empty() ? ExitStatus::ok : ExitStatus::check_failed;
}

}  // namespace

void check_format(const std::string& format, const Run& run) {
  if (!run.options().json || format == "text" || format == "json") return;
  fail(ExitStatus::usage, "--json and --format ", format, " are two formats, expected one");
}

namespace {

ExitStatus run_detect(const DetectOptions& options, Run& run) {
  if (options.diff) return run_diff(options.files, run);
  if (!options.files.empty()) fail(ExitStatus::usage, "files are only read with --diff");
  check_format(options.format, run);
  check_sysroot(options.sysroot);
  const Machine machine = detect_machine(options.sysroot);
  describe_machine(ResultFields(run.result()), machine);
  if (options.format == "json") {
    run.say(run.result().dump(2));
  } else if (options.format == "env") {
    run.say(without_last_newline(machine_variables(machine)));
  } else if (options.format == "slurm") {
    run.say(without_last_newline(machine_sbatch(machine)));
  } else {
    run.say(without_last_newline(machine_text(machine)));
  }
  return ExitStatus::ok;
}

Command detect_command(DetectOptions& options) {
  Command command;
  command.name = "detect";
  command.summary = "report what this machine has and what of it can be used";
  command.description =
      "Reports what this process may use of the machine. CPUs: how many, and what limits their "
      "number (affinity, control groups of versions 1 and 2 with all ancestors, SLURM, OpenMP). A "
      "quota of a control group is rounded to the nearest number of CPUs, at least one. Threads: "
      "how many --threads auto starts, and why. Cores: if there are several kinds, such as P and E "
      "cores, each kind with its CPUs, clock frequency and caches. Instruction sets: which kernels "
      "can use, and why not the others. Memory: what is installed and left, its limits, NUMA nodes "
      "and huge pages. Devices: CUDA, ROCm and IPU, with every sign for or against each. "
      "Surroundings: virtual machine, container and batch system. Last, the kernels and the device "
      "that each tool would use.\n\n"
      "The speed of slower cores is computed from the kernel's cpu_capacity or from clock "
      "frequencies, not measured. Training splits its work evenly among threads, so the slowest "
      "thread sets the pace. --threads auto leaves slower cores idle where the faster ones do more "
      "without them.\n\n"
      "With --json or --format json, sizes are in bytes. With --format env, lines NAME=value can "
      "be included in a Makefile or sourced by a shell. With --format slurm, #SBATCH lines request "
      "a node with what this process may use: all its CPUs and nine tenths of the memory. There is "
      "a task for each GPU that the tools can compute on, else one.\n\n"
      "With --sysroot, the machine is described from a folder with recorded parts of its /proc, "
      "/sys and /dev; no driver is called then. With --diff, the exit status is 1 if the machines "
      "differ.";
  command.examples = {
      {"hw-probe detect", "describe this machine"},
      {"hw-probe detect --json | jq .cpus_usable", "print the number of usable CPUs, for a script"},
      {"hw-probe detect --format env > machine.mk", "write variables for a Makefile"},
      {"(echo '#!/bin/sh'; hw-probe detect --format slurm; cat job) | sbatch",
       "submit a job that requests a node like this one"},
      {"hw-probe detect --diff node1.json node2.json", "compare two nodes"}};
  command.often = {"--format", "--diff", "--json"};
  command.describe = [&options](const OptionFields& f) {
    f.add("--format", options.format, "format of the output")
        .choices({"text", "json", "env", "slurm"});
    f.add("--sysroot", options.sysroot,
          "describe the machine whose files are recorded in this folder")
        .metavar("DIR");
    f.add("--diff", options.diff, "compare two results of detect --json");
    f.go_with({"--sysroot", "--format"}, "a machine, not with --diff",
              [&options] { return !options.diff; });
    f.add("files", options.files, "the two results to compare with --diff").metavar("FILE");
  };
  command.describe_results = [](const ResultFields& f) {
    f.when("a machine", true, [](const ResultFields& machine) { describe_machine(machine, {}); });
    f.when("--diff", true, [](const ResultFields& diff) { describe_differences(diff, ""); });
  };
  command.run = [&options](Run& run) { return run_detect(options, run); };
  return command;
}

ExitStatus run_bench(BenchOptions& options, Run& run) {
  options.threads = run.threads();
  options.seed = run.options().seed;
  TaskProgress progress(run);
  const BenchResult result =
      run_benchmarks(options, [&](std::size_t done, std::size_t all, const std::string& what) {
        progress.update({"measuring", static_cast<double>(all), "figures"},
                        static_cast<double>(done), what);
      });
  progress.finish();
  describe_bench(ResultFields(run.result()), result);
  run.say(without_last_newline(bench_text(result)));
  if (!run.options().report.empty()) add_bench_figures(result, &run.report());
  return ExitStatus::ok;
}

Command bench_command(BenchOptions& options) {
  Command command;
  command.name = "bench";
  command.summary = "measure the speed of this machine at what the tools do";
  command.description =
      "Measures what the tools spend their time in. Figures are named KIND/.../THREADS, where "
      "THREADS "
      "is 1 or all, or on machines with several kinds of cores the name of a slower kind. /1 is "
      "then "
      "measured on the fastest kind.\n\n"
      "peak: multiply-adds in registers, the limit of arithmetic. gemm: matrix products of the "
      "tools' shapes, rows x inner x columns. zstd: compression and decompression. bandwidth: "
      "sequential reads, writes, copies and triads (y += a x) in each cache and in memory. gather: "
      "sums of random rows of 64, 256 or 512 bytes, per row, with huge pages or small ones. "
      "sample: "
      "random neighbours drawn from a graph, per neighbour. hash: searches in a hash table, per "
      "key. "
      "chain: loads that each need the one before, per load. device: copies to and from a device, "
      "and "
      "the cost of starting an operation on it. The set in memory is twice as large as all L3 "
      "caches "
      "together.\n\n"
      "Each figure is the median of repeated runs, beside the best run and the spread: the "
      "distance "
      "between the quartiles divided by the median. Memory is touched before it is timed, on "
      "several "
      "NUMA nodes by the threads that use it. Peaks are measured at the start and at the end.\n\n"
      "A figure of one thread is timed by its CPU time (clock cpu), so other programs do not "
      "lengthen it by taking the CPU. With several threads, and for devices, elapsed time counts "
      "(clock wall), and runs in which a thread lost its CPU are left out. CPU/time is the share "
      "of "
      "the time that the threads had a CPU.\n\n"
      "A figure is unsteady if it spreads by more than 10 %, or if it is timed by the wall clock "
      "and "
      "CPU/time is below 0.9. Unsteady figures are measured again, up to four times and within 20 "
      "seconds for all. The machine counts as too noisy if more than a quarter of the figures stay "
      "unsteady. So it does if other virtual machines took more than 2 % of the time. advise and "
      "calibrate then refuse the figures.";
  command.examples = {
      {"hw-probe bench", "measure all figures: 10 seconds, 20 on a busy machine"},
      {"hw-probe bench --only gemm", "only measurements with gemm in their name"},
      {"hw-probe bench --json > figures.json", "store the figures, for advise and for the record"},
      {"hw-probe bench --report roofline.html", "write a page with the roofline of the machine"}};
  command.often = {"--only", "--quick", "--json", "--report"};
  command.describe = [&options](const OptionFields& f) {
    f.add("--only", options.only, "measure only figures whose name contains this text")
        .metavar("TEXT");
    f.add("--quick", options.quick, "use fewer and shorter runs and 1/16 of the memory, for tests");
  };
  command.uses = {.seed = true};
  command.describe_results = [](const ResultFields& f) { describe_bench(f, {}); };
  command.run = [&options](Run& run) { return run_bench(options, run); };
  return command;
}

}  // namespace

Tool hw_probe_tool(HwProbeOptions& options) {
  Tool tool;
  tool.name = "hw-probe";
  tool.summary = "report what a machine has, how fast it is and which hardware suits a job";
  tool.description =
      "Reports what a program may use of a machine. Measures what matters for training large "
      "sparse models: products of small matrices, random access to large tables, and bandwidth. "
      "From these figures, or from a catalogue of machines, it predicts the time and price of a "
      "workload.";
  tool.commands = {detect_command(options.detect), bench_command(options.bench),
                   advise_command(options.advise), calibrate_command(options.calibrate)};
  tool.see_also = {"sparse-train(1)", "tensor-file(1)"};
  return tool;
}

}  // namespace frugal::probe
