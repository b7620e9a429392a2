#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "libcore/metrics/named_values.h"
#include "tools/tgn-train/run/training.h"

namespace frugal::tgn {

/// Options in which the runs of a sweep differ.
struct SweepSetting {
  std::string memory = "window", precision = "f32";
  std::size_t batch = 200;
  std::uint64_t seed = 0;
};

struct SweepOptions {
  std::string events;
  std::vector<std::string> memories = {"window", "exact"};
  std::vector<std::string> precisions = {"f32", "bf16"};
  std::vector<std::size_t> batches = {10, 40, 200};
  int seeds = 1;
  std::string output;  ///< file of finished runs; "" = none
};

/// Lists every combination once, for seeds from `first_seed` on. The seeds of a combination are
/// consecutive.
std::vector<SweepSetting> sweep_settings(const SweepOptions& options, std::uint64_t first_seed);

struct SweepRun {
  SweepSetting setting;
  NamedValues values;   ///< the numbers of `train --json`
  std::string failure;  ///< why there are no values
  bool kept = false;    ///< taken from an earlier sweep
};

struct SweepObserver {
  std::function<void(const SweepRun&)> finished;
  std::function<void(double runs, const std::string& note)> progress;
};

/// Trains and tests a model for each setting, with options_of(setting). Skips runs that
/// options.output has from an earlier sweep with the same options, events, threads and instruction
/// set. If a run fails, that is logged and the others continue; if all fail, fails as the first
/// did. A signal stops the sweep, which continues when it is run again.
std::vector<SweepRun> sweep(const SweepOptions& options, const std::vector<SweepSetting>& settings,
                            const std::function<TrainOptions(const SweepSetting&)>& options_of,
                            const SweepObserver& observer);

/// File of finished runs, one JSON object in each line. Lines are only appended: after a kill, all
/// finished runs are there, and an incomplete last line is dropped.
class SweepLog {
 public:
  /// path: "" = none. Fails (bad_input) with the line if the file is not of a sweep.
  explicit SweepLog(std::string path);
  ~SweepLog();
  SweepLog(const SweepLog&) = delete;
  SweepLog& operator=(const SweepLog&) = delete;

  /// The values of the run with that identity; null if it has not finished.
  const NamedValues* find(const std::string& identity) const;
  /// Appends a run. Returns when the line is on disk.
  void add(const SweepRun& run, const std::string& identity);

 private:
  void read();
  void open_file();

  std::string path_;
  int descriptor_ = -1;
  std::uint64_t whole_bytes_ = 0;  ///< bytes of the complete lines
  std::map<std::string, NamedValues, std::less<>> runs_;
};

}  // namespace frugal::tgn
