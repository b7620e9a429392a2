#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/kernels/gemm.h"
#include "libcore/metrics/result_fields.h"
#include "libcore/options/option_fields.h"
#include "libcore/parallel/communicator.h"

namespace frugal {

class Report;
class RunLog;
struct Shard;

/// Options of all tools. Every command has them, except for the three in CommonUses.
struct CommonOptions {
  std::uint64_t seed = 0;
  std::string threads = "auto";
  std::string device = "auto";
  std::string simd = "auto";
  std::string precision = "auto";
  bool json = false;
  std::string metrics;
  std::string tensorboard;
  std::string report;
  bool report_append = false;
  std::string progress = "auto";
  std::string color = "auto";
  bool quiet = false;
  int verbose = 0;
  bool force = false;
  std::string depfile;
  bool if_changed = false;
};

/// Common options that a command has only if they have an effect. Other commands refuse them as
/// unknown and ignore their environment variables.
struct CommonUses {
  bool seed = false;        ///< --seed: the command uses random numbers
  bool precision = false;   ///< --precision: its products use Run::precision()
  bool device = false;      ///< --device: a device engine could compute for it
  std::string engine = {};  ///< kind of engine it requests from plug-ins, "robe.train"; "" = none
};

/// Options of commands that train.
struct TrainerOptions {
  std::string checkpoint;         ///< file to write checkpoints to; "" = none
  double checkpoint_every = 300;  ///< seconds
  bool resume = false;            ///< resume from the checkpoint if it exists and is valid
  double time_budget = 0;         ///< stop training after so many seconds; 0 = none
};

/// Progress display: a bar with rate and remaining time on a terminal, else a line at most every 10
/// s. update() is thread-safe.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void update(double done, const std::string& note = "") = 0;
  virtual void finish() = 0;
};

/// Services and settings that a command's function receives.
class Run {
 public:
  virtual ~Run() = default;
  virtual const CommonOptions& options() const = 0;
  virtual int threads() const = 0;
  /// Returns the name of the vector instructions that the run uses, e.g. "avx2".
  virtual std::string simd() const = 0;
  /// The copies of this command that work together. Only the first one has outputs.
  virtual Communicator& ranks() const = 0;
  /// Configuration of the run, as --print-config prints it: a --config file that reproduces the
  /// run.
  virtual const std::string& config() const = 0;
  /// Configuration without the number of threads, which does not change a result.
  virtual std::string result_config() const = 0;
  /// Precision of products that --precision requests.
  virtual Precision precision() const = 0;
  /// This run's entry for the metadata key frugal.history: a JSON object (argv, version, time).
  virtual const std::string& history_entry() const = 0;
  /// Object that --json prints after the command. It already contains {"schema":
  /// "sparse-train.train/1", ...}.
  virtual nlohmann::ordered_json& result() = 0;
  /// Prints a line of the result for people to stdout; nothing with --json or --quiet.
  virtual void say(const std::string& line) = 0;
  virtual std::unique_ptr<Progress> progress(const std::string& task, double total,
                                             const std::string& unit) = 0;
  /// Metrics log and report. They are made at first use, and written at the end of a successful
  /// command.
  virtual RunLog& log() = 0;
  virtual Report& report() = 0;
  /// Declare a file that the command will read or write, before it does; "" is ignored. --depfile
  /// lists them. Fails (usage) if an output is also an input or another output, which would be
  /// lost.
  virtual void reads(const std::string& path) = 0;
  virtual void writes(const std::string& path) = 0;
  /// Declares a checkpoint that the command will write; it is not a result.
  virtual void keeps(const std::string& path) = 0;
};

struct ProgressTask {
  std::string name;
  double total = 0;  ///< <= 0: unknown; only the count and the rate are shown
  std::string unit;
};

/// Progress of a command's tasks, which run one after another. A task is shown from its first
/// update on.
class TaskProgress {
 public:
  explicit TaskProgress(Run& run) : run_(run) {}
  /// Begins a task. If its name differs from the last one's, the last one ends.
  void begin(const ProgressTask& task);
  /// Updates the current task, or begins `task` and updates it.
  void update(double done, const std::string& note = "") { shown_->update(done, note); }
  void update(const ProgressTask& task, double done, const std::string& note = "");
  /// Ends the display, before results are printed.
  void finish();

 private:
  Run& run_;
  std::string name_;
  std::unique_ptr<Progress> shown_;
};

struct Example {
  std::string command;
  std::string what;
};

struct Command {
  std::string name;
  std::string summary;      ///< one line without a full stop
  std::string description;  ///< paragraphs for the manual page, separated by blank lines
  std::vector<Example> examples;
  /// Options that most users set, e.g. "--epochs": -h shows them and the required ones, in this
  /// order.
  std::vector<std::string> often;
  /// Describes the options. Nested YAML keys are joined with '-': {lsh: {tables: 7}} and --set
  /// lsh.tables=7 mean --lsh-tables 7.
  std::function<void(const OptionFields&)> describe;
  /// Describes the keys of --json with an empty result, for the manual page; null: the command adds
  /// none.
  std::function<void(const ResultFields&)> describe_results;
  /// Which of --seed, --precision and --device the command supports.
  CommonUses uses;
  /// Not null: the command trains, and has the options above. It must call handle_signals().
  TrainerOptions* trainer = nullptr;
  /// Not null: the command can process a part of its input and gets --shard
  /// (libcore/parallel/shard.h), which is resolved before run().
  Shard* shard = nullptr;
  /// Copies that a launcher starts train together (Run::ranks()). Other commands refuse to run in
  /// copies.
  bool joins_ranks = false;
  /// Outputs get their names after the last result was printed, so a full disk behind stdout leaves
  /// none. Such a command must not read what it has written.
  bool holds_outputs = false;
  std::function<ExitStatus(Run&)> run;
};

struct Tool {
  std::string name;
  std::string summary;
  std::string description;
  std::vector<Command> commands;
  std::vector<std::string> see_also;  ///< "tensor-file(5)"
};

}  // namespace frugal
