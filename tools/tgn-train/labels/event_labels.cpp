#include "tools/tgn-train/labels/event_labels.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::tgn {
namespace {

LabelType type_of(const EventStream& stream) {
  if (stream.targets().empty()) return LabelType::binary;
  return stream.class_names().empty() ? LabelType::numbers : LabelType::classes;
}

}  // namespace

EventLabels::EventLabels(const EventStream& stream, const EventSplit* split)
    : stream_(stream), split_(split), type_(type_of(stream)), classes_(stream.class_names()) {}

float EventLabels::at(EventId event) const {
  if (type_ == LabelType::binary) return stream_.labels()[event];
  const float target = stream_.targets()[event];
  if (number_of_.empty() || std::isnan(target)) return target;
  return number_of_[static_cast<std::size_t>(target)];
}

std::vector<EventId> EventLabels::events(EventPart part) const {
  std::vector<EventId> events;
  for (EventId e = split_->begin(part); e < split_->end(part); ++e) {
    if (!std::isnan(at(e))) events.push_back(e);
  }
  return events;
}

std::uint64_t EventLabels::count(EventPart part) const {
  const std::vector<EventId> labelled = events(part);
  if (type_ != LabelType::binary) return labelled.size();
  return static_cast<std::uint64_t>(
      std::count_if(labelled.begin(), labelled.end(), [this](EventId e) { return at(e) == 1; }));
}

void EventLabels::check(bool of_training) const {
  if (stream_.labels().empty() && stream_.targets().empty()) {
    fail(ExitStatus::bad_input, stream_.path(),
         ": events have no labels, or all have 0; import takes them from a column label or "
         "state_label, or --columns NAME:label");
  }
  constexpr const char* kNames[] = {"training", "validation", "the test"};
  for (const EventPart part : kEventParts) {
    if (part == EventPart::train && !of_training) continue;
    const EventId begin = split_->begin(part), end = split_->end(part);
    const std::uint64_t labels = count(part);
    const auto name = [&] { return kNames[static_cast<std::size_t>(part)]; };
    if (type_ == LabelType::binary && (labels == 0 || labels == end - begin)) {
      fail(ExitStatus::bad_input, stream_.path(), ": ", labels, " of the ",
           format_count(std::size_t{end - begin}, "event"), " of ", name(),
           " have label 1, expected some with and some without");
    }
    if (labels == 0) {
      fail(ExitStatus::bad_input, stream_.path(), ": none of the ",
           format_count(std::size_t{end - begin}, "event"), " of ", name(), " has a label");
    }
  }
  if (!of_training) return;
  const std::vector<EventId> training = events(EventPart::train);
  const auto differs = [&](EventId e) { return at(e) != at(training.front()); };
  if (std::any_of(training.begin(), training.end(), differs)) return;
  fail(ExitStatus::bad_input, stream_.path(),
       ": all events of training have the same label, expected several");
}

void EventLabels::fit(const LabelTask& task, const std::string& model) {
  const std::string& path = stream_.path();
  if (type_ != task.type) {
    const auto name = [](LabelType type) {
      return kLabelTypeNames[static_cast<std::size_t>(type)];
    };
    fail(ExitStatus::bad_input, path, ": labels are of type ", name(type_), ", the model ", model,
         " predicts type ", name(task.type), " (import --label-type)");
  }
  number_of_.clear();
  for (const std::string& name : classes_) {
    number_of_.push_back(task.number_of(name, path + ": ", model + ' '));
  }
  classes_ = task.classes;
  check_range(task);
}

void EventLabels::check_range(const LabelTask& task) const {
  if (type_ != LabelType::numbers) return;
  for (EventId e = 0; e < stream_.num_events(); ++e) {
    task.check_range(at(e), stream_.path() + ": event " + std::to_string(e) + ": ");
  }
}

ValueScale EventLabels::scale() const {
  double count = 0, mean = 0, deviations = 0;
  for (const EventId e : events(EventPart::train)) {
    const double from_mean = at(e) - mean;
    mean += from_mean / ++count;
    deviations += from_mean * (at(e) - mean);
  }
  return {mean, deviations == 0 ? 1 : std::sqrt(deviations / count)};
}

}  // namespace frugal::tgn
