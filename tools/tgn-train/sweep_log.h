#pragma once
#include <map>
#include <string>

#include "tools/tgn-train/sweep.h"

namespace frugal::tgn {

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
  const MetricValues* find(const std::string& identity) const;
  /// Returns when the line is on the disk.
  void add(const SweepRun& run, const std::string& identity);

 private:
  void read();
  void open_file();

  std::string path_;
  int descriptor_ = -1;
  std::uint64_t whole_bytes_ = 0;  ///< of the lines that are whole
  std::map<std::string, MetricValues, std::less<>> runs_;
};

}  // namespace frugal::tgn
