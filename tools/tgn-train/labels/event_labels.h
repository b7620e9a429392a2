#pragma once
#include <string>
#include <vector>

#include "tools/tgn-train/links/link_data.h"
#include "tools/tgn-train/model/label_task.h"

namespace frugal::tgn {

inline constexpr EventPart kEventParts[] = {EventPart::train, EventPart::valid, EventPart::test};

/// The labels of a stream's events, one of three types.
class EventLabels {
 public:
  /// Both must outlive the object. split: for what asks for parts; null: none of it is called.
  explicit EventLabels(const EventStream& stream, const EventSplit* split = nullptr);
  explicit EventLabels(const LinkData& data) : EventLabels(data.stream(), &data.split()) {}

  LabelType type() const { return type_; }
  const HeaderNames& classes() const { return classes_; }
  /// 0 or 1, the number of a class, or a number; NaN: none.
  float at(EventId event) const;
  /// Events of the part that have a label, in order.
  std::vector<EventId> events(EventPart part) const;
  /// Number of events of the part with label 1 or, of classes and numbers, with a label.
  std::uint64_t count(EventPart part) const;
  /// Fails (bad_input) with the stream's path if training, validation or test lacks events of
  /// either label or, for classes and numbers, if training has a single one. of_training: false
  /// leaves out the training part.
  void check(bool of_training = true) const;
  /// Fails (bad_input) with the stream's path and the event, as LabelTask::check_range().
  void check_range(const LabelTask& task) const;
  /// Takes over the classes of a model, whatever their order here. Fails (bad_input) with both
  /// files if labels are of another type, have a class that the model does not know, or are out of
  /// its range.
  void fit(const LabelTask& task, const std::string& model);
  /// Mean and deviation of the training part.
  ValueScale scale() const;

 private:
  const EventStream& stream_;
  const EventSplit* split_;
  LabelType type_;
  HeaderNames classes_;
  std::vector<float> number_of_;  ///< of each class of the stream the model's; empty: the same
};

}  // namespace frugal::tgn
