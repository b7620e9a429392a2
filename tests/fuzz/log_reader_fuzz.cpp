// Feeds bytes to the readers of what a run goes on from: its log, the table of a sweep, a report.
// The first byte chooses.
#include <unistd.h>

#include "libcore/base/error.h"
#include "libcore/metrics/run_log.h"
#include "libcore/report/report.h"
#include "libcore/train/sweep_log.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using namespace frugal;

/// Metrics are kept up to a step, and what follows them is cut off.
void go_on(const std::string& path) {
  RunLog log(path, "", "{}");
  log.resume_after(5);
  log.step(6, {{"loss", 1.0}});
  log.result("{}");
  const auto losses = log.series("loss");
  require(!losses.empty() && losses.back().second == 1.0, "the new step is in the log");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const FuzzInput input(data, size, 1);
  reading(ExitStatus::usage, [&] {
    switch (input.choice(0) % 3) {
      case 0: return go_on(input.path());
      case 1: return static_cast<void>(SweepLog(input.path()));
      default: return static_cast<void>(ReportPage::read(input.path()).next_run());
    }
  });
  return 0;
}
