#pragma once
#include <string>

#include "tools/hw-probe/model/run_record.h"

namespace frugal::probe {

/// The log that a training of ours wrote to --metrics. Fails (bad_input) with file and line where
/// it is none, or where the run did not end.
RunRecord read_run(const std::string& path);

}  // namespace frugal::probe
