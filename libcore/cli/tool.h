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

/// Options that commands of every tool have: all commands, but for the three that CommonUses names.
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

/// The common options that a command has only where they do something. Another command refuses
/// them as unknown and ignores their environment variables.
struct CommonUses {
  bool seed = false;        ///< --seed: something is random
  bool precision = false;   ///< --precision: it computes products as Run::precision() asks
  bool device = false;      ///< --device: it computes what an engine of a device could
  std::string engine = {};  ///< that it asks plug-ins for, "robe.train"; "" = it knows none
};

/// Options of commands that train.
struct TrainerOptions {
  std::string checkpoint;         ///< file to write checkpoints to; "" = none
  double checkpoint_every = 300;  ///< seconds
  bool resume = false;            ///< go on from the checkpoint if it is there and valid
  double time_budget = 0;         ///< stop training after so many seconds; 0 = none
};

/// A bar with rate and ETA on a terminal, else a line at most every 10 s. Thread-safe update().
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void update(double done, const std::string& note = "") = 0;
  virtual void finish() = 0;
};

/// What the body of a command gets.
class Run {
 public:
  virtual ~Run() = default;
  virtual const CommonOptions& options() const = 0;
  virtual int threads() const = 0;
  /// Returns the name of the vector instructions that the run uses, e.g. "avx2".
  virtual std::string simd() const = 0;
  /// The copies of this command that work together. All but the first have no outputs.
  virtual Communicator& ranks() const = 0;
  /// What --print-config prints: a valid --config that reproduces the run.
  virtual const std::string& config() const = 0;
  /// The same without the number of threads, which changes no bit of a result.
  virtual std::string result_config() const = 0;
  /// What --precision asks for.
  virtual Precision precision() const = 0;
  /// This run's entry for the metadata key frugal.history: one JSON object (argv, version, time).
  virtual const std::string& history_entry() const = 0;
  /// The object that --json prints after the command; {"schema": "sparse-train.train/1", ...} is
  /// begun.
  virtual nlohmann::ordered_json& result() = 0;
  /// A line of the result for people: stdout, nothing with --json or --quiet.
  virtual void say(const std::string& line) = 0;
  virtual std::unique_ptr<Progress> progress(const std::string& task, double total,
                                             const std::string& unit) = 0;
  /// Metrics log and report; made on first use, written at the end of a successful command.
  virtual RunLog& log() = 0;
  virtual Report& report() = 0;
  /// What the command will read and write, "": nothing; call both before it does. Names for
  /// --depfile, too. Fails (usage) where an output is an input or another output: it would be gone.
  virtual void reads(const std::string& path) = 0;
  virtual void writes(const std::string& path) = 0;
  /// The same for a checkpoint, which is no result.
  virtual void keeps(const std::string& path) = 0;
};

struct ProgressTask {
  std::string name;
  double total = 0;  ///< <= 0: unknown, only the count and the rate are shown
  std::string unit;
};

/// Of a command: one task after the other, each from its first update on.
class TaskProgress {
 public:
  explicit TaskProgress(Run& run) : run_(run) {}
  /// A task of another name than the last one ends that.
  void begin(const ProgressTask& task);
  /// Of the task that was begun.
  void update(double done, const std::string& note = "") { shown_->update(done, note); }
  void update(const ProgressTask& task, double done, const std::string& note = "");
  /// Before a line of results.
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
  std::string summary;      ///< one line, no full stop
  std::string description;  ///< paragraphs for the manual page, separated by blank lines
  std::vector<Example> examples;
  /// Options that most users set, "--epochs": -h has these and the required ones, in this order.
  std::vector<std::string> often;
  /// Describes the options; nested YAML keys join with '-': {lsh: {tables: 7}} and
  /// --set lsh.tables=7 are --lsh-tables 7.
  std::function<void(const OptionFields&)> describe;
  /// Describes what --json prints, with an empty result, for the manual page; null: a command that
  /// prints nothing of its own.
  std::function<void(const ResultFields&)> describe_results;
  /// Which of --seed, --precision and --device the command has.
  CommonUses uses;
  /// Not null: the command trains and has the options above. It calls handle_signals() itself.
  TrainerOptions* trainer = nullptr;
  /// Not null: the command can work on a part and gets --shard (libcore/parallel/shard.h);
  /// resolved before run.
  Shard* shard = nullptr;
  /// Copies that a launcher starts train together (Run::ranks()); those of another command are
  /// refused.
  bool joins_ranks = false;
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
