#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/train/sweep.h"
#include "tools/robe-compress/run/training.h"

namespace frugal::robe {

struct SweepOptions : SweepSettings {
  TrainOptions train;  ///< of every run; method, compression and seed are the sweep's
  std::vector<std::string> methods = {"full", "robe", "robe-hot", "hash", "qr", "multi"};
  /// Names of storages, or auto; methods of one size have one. Empty: as `train` says.
  std::vector<std::string> storages;
  std::vector<double> compressions = {10, 100, 1000};
  std::string output;  ///< file for the table as CSV; "" = none
};

/// Method and size of models, one for each seed. The values of a run are auc, log_loss, bytes,
/// compression, hot_share, samples_per_second, and storage (a Storage) where it is a choice.
struct SweepPoint : SeedRuns {
  std::string method;
  std::string storage;     ///< as asked for; "" = as the options say; once trained: what it is
  double asked = 1;        ///< compression as asked for
  double compression = 1;  ///< as asked for; of a trained one, what its bytes come to
  double lookups_per_second = 0;  ///< of rows, on one thread, once all models are trained

  /// "robe int8".
  std::string name() const { return storage.empty() ? method : method + " " + storage; }
  std::uint64_t bytes() const { return static_cast<std::uint64_t>(mean("bytes").mean); }
  /// The highest speed of a seed.
  double samples_per_second() const;
};

/// Lists every combination, without runs; methods of one size once.
std::vector<SweepPoint> sweep_points(const SweepOptions& options);

/// Method, storage and compression, as the log and the results name them.
nlohmann::ordered_json json_of(const SweepPoint& point);

/// Trains a model for every point and seed on data that are read once, and evaluates it on
/// options.train.test, else on what chooses the epoch: options.train.validation or the samples held
/// out. Measures look-ups when all models are trained and nothing else runs. Points that cannot be
/// that small have failures instead of values. Runs of the log are those with the same options,
/// samples, threads and instruction set. plan: who is told.
void sweep(const SweepOptions& options, std::vector<SweepPoint>& points, SweepPlan plan);

/// method,compression,bytes,test_auc,test_auc_deviation ... with a header that names metrics as
/// JSON does; part: "test" or "validation".
std::string sweep_csv(const std::vector<SweepPoint>& points, const std::string& part);

}  // namespace frugal::robe
