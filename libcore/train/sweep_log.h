#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "libcore/metrics/named_values.h"

namespace frugal {

/// File of the finished trainings of sweeps, one JSON object in each line. Lines are only appended:
/// after a kill, all finished trainings are there, and an incomplete last line is dropped. Sweeps
/// that run at the same time may share a file.
class SweepLog {
 public:
  /// path: "" = none, so that nothing is found and nothing can be added. Fails (usage) if it is no
  /// regular file, and (bad_input) with the line if the file is not of a sweep.
  explicit SweepLog(std::string path);
  ~SweepLog();
  SweepLog(const SweepLog&) = delete;
  SweepLog& operator=(const SweepLog&) = delete;

  /// The values of the training with that identity; null if it has not finished.
  const NamedValues* find(const std::string& identity) const;
  /// Appends a training and returns when the line is on disk. setting: an object that describes it
  /// for readers of the file; find() ignores it.
  void add(nlohmann::ordered_json setting, const NamedValues& values, const std::string& identity);

 private:
  void read();
  void open_file();

  std::string path_;
  int descriptor_ = -1;
  std::map<std::string, NamedValues, std::less<>> runs_;
};

}  // namespace frugal
