#include "tools/tgn-train/data/live_events.h"

#include <algorithm>
#include <cassert>

#include "libcore/base/error.h"
#include "tools/tgn-train/data/event_file.h"

namespace frugal::tgn {
namespace {

/// Whole numbers below it are doubles, too.
constexpr std::int64_t kExact = std::int64_t{1} << 53;

template <class T>
void move_down(std::vector<T>& values, const std::vector<EventId>& numbers, std::size_t kept,
               std::size_t width = 1) {
  if (values.empty()) return;
  for (std::size_t e = 0; e < numbers.size(); ++e) {
    if (numbers[e] == kNoEvent || numbers[e] == e) continue;
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(e * width), width,
                values.begin() + static_cast<std::ptrdiff_t>(numbers[e] * width));
  }
  values.resize(kept * width);
}

}  // namespace

void LiveEvents::make_times_real() {
  if (!whole_.empty() && whole_.back() > kExact) {
    fail(ExitStatus::bad_input, "a time with a fraction behind ", whole_.back(),
         ", expected whole numbers behind 2^53");
  }
  real_.assign(whole_.begin(), whole_.end());
  whole_.clear();
  has_whole_times_ = false;
}

EventId LiveEvents::add(NodeId source, NodeId destination, EventTime time,
                        std::span<const float> features, std::uint16_t type) {
  assert(features.size() == dim_ && (num_types_ == 0 || type < num_types_));
  if (size() == kMostEvents) {
    fail(ExitStatus::unavailable, "more than ", kMostEvents, " events must be kept");
  }
  sources_.push_back(source);
  destinations_.push_back(destination);
  if (has_whole_times()) {
    whole_.push_back(time.whole);
  } else {
    real_.push_back(time.real);
  }
  features_.insert(features_.end(), features.begin(), features.end());
  if (num_types_ != 0) types_.push_back(type);
  return size() - 1;
}

void LiveEvents::pop_back() {
  sources_.pop_back();
  destinations_.pop_back();
  has_whole_times() ? whole_.pop_back() : real_.pop_back();
  features_.resize(features_.size() - dim_);
  if (num_types_ != 0) types_.pop_back();
}

EventView LiveEvents::view(std::size_t num_nodes) const {
  EventView view{sources_, destinations_, {}, num_nodes};
  view.times = has_whole_times() ? EventTimes(std::span<const std::int64_t>(whole_))
                                 : EventTimes(std::span<const double>(real_));
  view.types = types_;
  return view;
}

FeatureRows LiveEvents::features() const {
  return {Dtype::f32,      reinterpret_cast<const std::byte*>(features_.data()),
          sources_.size(), dim_,
          nullptr,         types_.data(),
          num_types_};
}

std::vector<EventId> LiveEvents::drop(const std::vector<std::uint8_t>& keep) {
  assert(keep.size() == sources_.size() && (keep.empty() || keep[0] != 0));
  std::vector<EventId> numbers(keep.size(), kNoEvent);
  EventId kept = 0;
  for (std::size_t e = 0; e < keep.size(); ++e) {
    if (keep[e] != 0) numbers[e] = kept++;
  }
  move_down(sources_, numbers, kept);
  move_down(destinations_, numbers, kept);
  move_down(whole_, numbers, kept);
  move_down(real_, numbers, kept);
  move_down(types_, numbers, kept);
  if (dim_ != 0) move_down(features_, numbers, kept, dim_);
  return numbers;
}

}  // namespace frugal::tgn
