#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/robe-compress/run/training.h"

namespace frugal::robe {

struct SweepOptions {
  TrainOptions train;  ///< of every run; method, compression and seed are the sweep's
  std::vector<std::string> methods = {"full", "robe", "robe-hot", "hash", "qr", "multi"};
  /// Names of storages, or auto; methods of one size have one. Empty: as `train` says.
  std::vector<std::string> storages;
  std::vector<double> compressions = {10, 100, 1000};
  int seeds = 1;
  std::string output;  ///< file for the table as CSV; "" = none
};

/// One model of a sweep: mean over its seeds, deviations of the sample.
struct SweepPoint {
  std::string method;
  std::string storage;     ///< as asked for; "" = as the options say; once trained: what it is
  double asked = 1;        ///< compression that it is trained with
  double compression = 0;  ///< the same, but for methods of one size: what they come to
  std::uint64_t bytes = 0;
  std::vector<double> aucs;  ///< by seed
  double auc = 0, auc_deviation = 0;
  double log_loss = 0, log_loss_deviation = 0;
  double hot_share = 0;           ///< robe-hot: of the bytes
  double lookups_per_second = 0;  ///< of rows, on one thread, once all models are trained
  double samples_per_second = 0;
  std::string refused;  ///< why the method cannot be that small; then nothing else holds

  /// "robe int8".
  std::string name() const { return storage.empty() ? method : method + " " + storage; }
};

/// Trains a model for every method, compression and seed on data that are read once, and evaluates
/// it on options.train.test, else on what chooses the epoch: options.train.validation or the
/// samples held out. Methods of one size are trained once. tell(point) is called as soon as a point
/// is there, but for the speed of its look-ups: these are measured when nothing else runs. Stops
/// early on a signal.
std::vector<SweepPoint> sweep(const SweepOptions& options,
                              const std::function<void(const SweepPoint&)>& tell,
                              const std::function<void(double done, double total)>& progress);

/// method,compression,bytes,test_auc,test_auc_deviation ... with a header that names metrics as
/// JSON does; part: "test" or "validation".
std::string sweep_csv(const std::vector<SweepPoint>& points, const std::string& part);

}  // namespace frugal::robe
