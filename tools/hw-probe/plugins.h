#pragma once
#include <string>

#include "tools/hw-probe/machine.h"

namespace frugal::probe {

/// Whether the plug-in for a kind of accelerator ("cuda", "ipu") loads, and why not. Not asked on a
/// recorded machine.
Signal plugin_signal(const std::string& root, const std::string& kind);

}  // namespace frugal::probe
