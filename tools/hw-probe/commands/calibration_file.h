#pragma once
#include <string>

#include "tools/hw-probe/model/accuracy.h"

namespace frugal::probe {

/// Where calibrate writes and advise reads: $XDG_CONFIG_HOME/frugal/calibration.yaml, else
/// ~/.config/frugal/calibration.yaml; "" where neither variable is set.
std::string calibration_file();

/// Reads the efficiencies and the interval that calibration_text() wrote. Kinds of kernels without
/// a line have typical_calibration()'s efficiency. Fails (usage; cannot_open) with file and line.
Calibration read_calibration(const std::string& path);

/// A YAML file with comments.
std::string calibration_text(const Calibration& calibration);

}  // namespace frugal::probe
