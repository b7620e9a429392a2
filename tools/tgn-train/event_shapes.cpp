#include "tools/tgn-train/event_shapes.h"

#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::tgn {
namespace {

constexpr EventShape kShapes[] = {
    {.name = "small",
     .description = "1,000 users, 200 items, 20,000 events with 16 features",
     .nodes = 1200,
     .sources = 1000,
     .events = 20000,
     .duration = 1000000,
     .features = 16,
     .exponent = 2.2,
     .recurrence = 0.7},
    // 18,257 pairs of a user and a page, so that 88 % of the events repeat one.
    {.name = "wikipedia",
     .description = "JODIE's 8,227 users and 1,000 pages, 157,474 edits with 172 features",
     .nodes = 9227,
     .sources = 8227,
     .events = 157474,
     .duration = 2678374,
     .features = 172,
     .exponent = 2.2,
     .recurrence = 0.85},
    // The study of 2022: follows, which do not repeat.
    {.name = "twitter",
     .description = "15.5 M users, 261 M follows at 728 times, no features",
     .nodes = 15500000,
     .sources = 0,
     .events = 261000000,
     .distinct_times = 728,
     .duration = 728,
     .features = 0,
     .exponent = 2.3,
     .recurrence = 0},
};

}  // namespace

std::span<const EventShape> event_shapes() { return kShapes; }

const EventShape& event_shape(std::string_view name) {
  std::vector<std::string> names;
  for (const EventShape& shape : kShapes) {
    if (shape.name == name) return shape;
    names.emplace_back(shape.name);
  }
  fail(ExitStatus::usage, "--shape is '", printable(name), "', expected ", joined(names),
       did_you_mean(name, names));
}

}  // namespace frugal::tgn
