#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/metrics/named_values.h"

namespace frugal {

/// Metrics of one step.
using StepValues = NamedValues;

/// The metrics of a run: JSON Lines in --metrics FILE and event files in --tensorboard DIR, both
/// optional. The first line is {"type":"run",...}, then
/// {"type":"metric","step":...,"wall":...,...}, the last {"type":"result",...}. Each line is one
/// write, so that a crash loses at most one. The values also stay in memory for the report.
class RunLog {
 public:
  /// header_json: one JSON object with configuration, versions and machine.
  RunLog(const std::string& metrics_path, const std::string& tensorboard_dir,
         const std::string& header_json);
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  void step(std::int64_t step, const StepValues& values);
  /// Writes the last line, {"type":"result",...}, from one JSON object with the run's results.
  void result(const std::string& result_json);
  /// For --resume: removes lines after `step` from an existing file, and appends to it. Call before
  /// step().
  void resume_after(std::int64_t step);
  /// All values of one metric as (step, value).
  std::vector<std::pair<double, double>> series(std::string_view name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether the file at `path` exists and begins with the first line of a RunLog.
bool is_run_log(const std::string& path);

}  // namespace frugal
