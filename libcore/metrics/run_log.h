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

/// Of one step.
using StepValues = NamedValues;

/// The metrics of a run: JSON Lines in --metrics FILE and event files in --tensorboard DIR, both
/// optional. First line {"type":"run",...}, then {"type":"metric","step":...,"wall":...,...}, last
/// {"type":"result",...}: one write a line, so a crash loses one line at most. Also keeps the
/// values in memory for the report.
class RunLog {
 public:
  /// header_json: one JSON object with configuration, versions and machine.
  RunLog(const std::string& metrics_path, const std::string& tensorboard_dir,
         const std::string& header_json);
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  void step(std::int64_t step, const StepValues& values);
  /// The last line, {"type":"result",...}: one JSON object with what the run came to.
  void result(const std::string& result_json);
  /// --resume: drops lines after `step` from an existing file and appends to the rest. Call before
  /// step().
  void resume_after(std::int64_t step);
  /// All values of one name as (step, value).
  std::vector<std::pair<double, double>> series(std::string_view name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether the file at `path` is there and begins with the first line of a RunLog.
bool is_run_log(const std::string& path);

}  // namespace frugal
