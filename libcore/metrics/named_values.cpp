#include "libcore/metrics/named_values.h"

#include "libcore/base/text.h"

namespace frugal {

std::string metric_name(const std::string& part, const std::string& name) {
  return part.empty() ? name : part + "_" + name;
}

std::string metrics_text(const std::string& part, const NamedValues& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    text +=
        ", " + (part.empty() ? "" : part + " ") + name + " " + format_number(value, kMetricDigits);
  }
  return text;
}

}  // namespace frugal
