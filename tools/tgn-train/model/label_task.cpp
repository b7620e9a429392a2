#include "tools/tgn-train/model/label_task.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::tgn {
void LabelTask::check_range(float label, const std::string& place) const {
  if (type != LabelType::numbers || std::isnan(label)) return;
  if (std::abs(scale.scaled(label)) <= kMostDeviations) return;
  fail(ExitStatus::bad_input, place, "label ", label,
       " is too far from the training's labels, of mean ", scale.mean, " and deviation ",
       scale.deviation, ", expected at most ", kMostDeviations, " deviations from the mean");
}

float LabelTask::number_of(std::string_view name, const std::string& place,
                           const std::string& model) const {
  const auto found = std::find(classes.begin(), classes.end(), name);
  if (found != classes.end()) return static_cast<float>(found - classes.begin());
  fail(ExitStatus::bad_input, place, "label '", printable(name), "', the model ", model, "knows ",
       some_of(classes));
}

}  // namespace frugal::tgn
