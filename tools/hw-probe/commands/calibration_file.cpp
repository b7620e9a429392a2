#include "tools/hw-probe/commands/calibration_file.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/cli/yaml_config.h"

namespace frugal::probe {
namespace {

/// Fails (usage) with the line where the value is no number above 0.
double positive_value(const Setting& setting) {
  const std::string value = setting.values.empty() ? "" : setting.values.front();
  const auto number = parse_number<double>(value);
  if (!number || !(*number > 0)) {
    fail(ExitStatus::usage, setting.place, setting.name, " is '", printable(value),
         "', expected a number above 0");
  }
  return *number;
}

double efficiency_value(const Setting& setting) {
  const double value = positive_value(setting);
  if (value > 1) {
    log_warning(setting.place, setting.name, " is ", format_number(value),
                ", an efficiency above 1: taken as 1; run hw-probe calibrate again");
  }
  return std::min(value, 1.0);
}

/// Keys of the interval, whose names no kernel has.
double* interval_value(const std::string& key, Interval* interval) {
  if (key == "interval-low") return &interval->low;
  if (key == "interval-high") return &interval->high;
  if (key == "interval-runs") return &interval->runs;
  return key == "interval-covered" ? &interval->covered : nullptr;
}

void check_interval(const Interval& interval, const std::string& path) {
  if (!interval.exists() || interval.low <= interval.high) return;
  fail(ExitStatus::usage, path, ": interval-low is ", format_number(interval.low),
       ", expected at most interval-high, ", format_number(interval.high));
}

}  // namespace

std::string calibration_file() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = secure_getenv(name);
    return value == nullptr ? "" : value;
  };
  std::string folder = variable("XDG_CONFIG_HOME");
  if (folder.empty() && !variable("HOME").empty()) folder = variable("HOME") + "/.config";
  return folder.empty() ? "" : folder + "/frugal/calibration.yaml";
}

Calibration read_calibration(const std::string& path) {
  Calibration calibration;
  calibration.path = path;
  calibration.efficiency.other = typical_calibration().efficiency.other;
  for (const Setting& setting : read_config(path)) {
    if (setting.key == "machine") {
      calibration.machine = setting.values.empty() ? "" : setting.values.front();
    } else if (double* value = interval_value(setting.key, &calibration.interval)) {
      *value = positive_value(setting);
    } else {
      calibration.efficiency.kernels[setting.key] = efficiency_value(setting);
    }
  }
  check_interval(calibration.interval, path);
  return calibration;
}

std::string calibration_text(const Calibration& calibration) {
  constexpr int kDigits = 4;
  std::string text =
      "# Written by hw-probe calibrate. Each kind of kernel has the share of the modelled speed\n"
      "# that it reaches. The interval contains measured time / predicted time of 80 % of runs.\n";
  text += "machine: " + nlohmann::json(printable(calibration.machine, 200)).dump() + "\n";
  const Interval& interval = calibration.interval;
  if (interval.exists()) {
    text += "interval-low: " + format_number(interval.low, kDigits) + "\n";
    text += "interval-high: " + format_number(interval.high, kDigits) + "\n";
    text += "interval-runs: " + format_number(interval.runs) + "\n";
    text += "interval-covered: " + format_number(interval.covered, kDigits) + "\n";
  }
  for (const auto& [kernel, share] : calibration.efficiency.kernels) {
    text += kernel + ": " + format_number(share, kDigits) + "\n";
  }
  return text;
}

}  // namespace frugal::probe
