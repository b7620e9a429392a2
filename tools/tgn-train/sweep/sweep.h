#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "libcore/metrics/named_values.h"
#include "tools/tgn-train/run/training.h"

namespace frugal::tgn {

/// What the runs of a sweep differ by.
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
  std::string output;  ///< file for the runs that have finished; "" = none
};

/// Every combination once; seeds: `first_seed` and those behind it, of one combination behind each
/// other.
std::vector<SweepSetting> sweep_settings(const SweepOptions& options, std::uint64_t first_seed);

struct SweepRun {
  SweepSetting setting;
  NamedValues values;   ///< the numbers of `train --json`
  std::string failure;  ///< why there are none
  bool kept = false;    ///< from a sweep before
};

struct SweepObserver {
  std::function<void(const SweepRun&)> finished;
  std::function<void(double runs, const std::string& note)> progress;
};

/// Trains and tests a model for each setting, with what `options_of` makes of it, but those that
/// options.output has from a sweep before with all that matters the same: options, events, threads
/// and instructions. A run that fails is said, and the others go on; fails as the first does where
/// all do. A signal ends the sweep, which goes on where it was when it is run again.
std::vector<SweepRun> sweep(const SweepOptions& options, const std::vector<SweepSetting>& settings,
                            const std::function<TrainOptions(const SweepSetting&)>& options_of,
                            const SweepObserver& observer);

/// A file of finished runs, a JSON object a line, that is only ever added to: what a killed sweep
/// had finished is there, a line that it did not finish is dropped.
class SweepLog {
 public:
  /// path: "" = none. Fails (bad_input) with the line for what is no file of a sweep.
  explicit SweepLog(std::string path);
  ~SweepLog();
  SweepLog(const SweepLog&) = delete;
  SweepLog& operator=(const SweepLog&) = delete;

  /// The numbers of the run with that identity; null where it has not finished.
  const NamedValues* find(const std::string& identity) const;
  /// Returns when the line is on the disk.
  void add(const SweepRun& run, const std::string& identity);

 private:
  void read();
  void open_file();

  std::string path_;
  int descriptor_ = -1;
  std::uint64_t whole_bytes_ = 0;  ///< of the lines that are whole
  std::map<std::string, NamedValues, std::less<>> runs_;
};

}  // namespace frugal::tgn
