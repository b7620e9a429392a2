#include "tools/hw-probe/model/run_record.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::probe {
namespace {

constexpr const char* kValidation = "validation_";

const std::pair<const std::string, std::vector<CurvePoint>>& find_curve(const RunRecord& run,
                                                                        const std::string& name) {
  for (const std::string& full : {name, kValidation + name}) {
    if (const auto found = run.curves.find(full); found != run.curves.end()) return *found;
  }
  std::string known;
  for (const auto& [one, points] : run.curves) known += (known.empty() ? "" : ", ") + one;
  fail(ExitStatus::usage, "--until: ", run.path, " has no curve of '", printable(name),
       "'; expected one of ", known.empty() ? "none: the run did not validate" : known);
}

}  // namespace

double epochs_until(const RunRecord& run, const std::string& goal) {
  const std::size_t equals = goal.find('=');
  const auto value = equals == std::string::npos
                         ? std::nullopt
                         : parse_number<double>(std::string_view(goal).substr(equals + 1));
  if (!value) {
    fail(ExitStatus::usage, "--until: expected METRIC=VALUE, such as auc=0.9, found '",
         printable(goal), "'");
  }
  const auto& [name, points] = find_curve(run, goal.substr(0, equals));
  const double sign = name.find("loss") == std::string::npos ? 1 : -1;
  const auto is_there = [&](const CurvePoint& p) { return sign * p.value >= sign * *value; };
  const auto reached = std::find_if(points.begin(), points.end(), is_there);
  if (reached != points.end()) return reached->epoch;
  const auto best = std::max_element(
      points.begin(), points.end(),
      [&](const CurvePoint& a, const CurvePoint& b) { return sign * a.value < sign * b.value; });
  fail(ExitStatus::usage, "--until: ", run.path, " did not reach ", name, " ",
       format_number(*value), ": its best is ", format_number(best->value, 4), ", in epoch ",
       format_number(best->epoch));
}

}  // namespace frugal::probe
