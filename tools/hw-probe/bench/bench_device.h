#pragma once
#include <string>
#include <vector>

#include "tools/hw-probe/bench/measure.h"

namespace frugal::probe {

/// Copies to and from the first device of a plug-in, and the cost of an operation that is put onto
/// its stream. Nothing where no device can be used: `why` says so then.
std::vector<Work> device_works(std::string* why);

}  // namespace frugal::probe
