#pragma once
/// Parameter vectors on the device, and the time encoder that consists of two of them.
#include <string>

#include "libcore/device/cuda/engines/late_gradients.h"
#include "libcore/device/cuda/kernels/graph/time_encoding.h"

namespace frugal::cuda {

/// A parameter vector. Arrays: `name` [size] and `name`.state [states, size].
class DeviceVector {
 public:
  DeviceVector() = default;
  DeviceVector(std::uint32_t size, Room& room) : values_(room.take<float>(size)), size_(size) {}
  /// parts: partial sums of the gradient; all of them must be written before a step.
  void prepare_training(const RuleChoice& rule, std::uint32_t parts, Room& room) {
    rule_ = rule;
    parts_ = parts;
    state_ = room.take<float>(std::uint64_t{rule.num_states()} * size_);
    partial_ = room.take<float>(std::uint64_t{parts} * size_);
  }
  void name(const std::string& name, NamedArrays& arrays) const {
    arrays.add(name, values_);
    if (state_.size() != 0) arrays.add(name + ".state", state_);
  }
  /// Registers the state as separate arrays `name`.first and .second.
  void name_apart(const std::string& name, NamedArrays& arrays) const {
    arrays.add(name, values_);
    const char* const parts[] = {".first", ".second"};
    for (std::uint64_t k = 0; k * size_ < state_.size(); ++k) {
      arrays.add(name + parts[k], {state_.data() + k * size_, FRUGAL_F32, size_});
    }
  }

  std::uint32_t size() const { return size_; }
  const float* values() const { return values_.data(); }
  float* part(std::uint32_t p) const { return partial_.data() + std::uint64_t{p} * size_; }
  void step(const StepValues* values, StepList& list) const {
    float* first = rule_.num_states() > 0 ? state_.data() : nullptr;
    float* second = rule_.num_states() > 1 ? first + size_ : nullptr;
    list.add({values, values_.data(), first, second, partial_.data(), nullptr, parts_, size_, 0, 0,
              rule_.numbers.decay, 0});
  }

 private:
  DeviceArray<float> values_, state_, partial_;
  std::uint32_t size_ = 0, parts_ = 0;
  RuleChoice rule_;
};

/// The time encoder cos(w dt + b). Arrays: `name`.weight and `name`.bias.
class DeviceTime {
 public:
  DeviceTime(std::uint32_t dim, Room& room) : w_(dim, room), b_(dim, room) {}
  /// sources: number of places in the network whose gradients a step adds up.
  void prepare_training(const RuleChoice& rule, std::uint32_t sources, bool learns, Room& room) {
    learns_ = learns;
    if (!learns) return;
    w_.prepare_training(rule, sources * kLateParts, room);
    b_.prepare_training(rule, sources * kLateParts, room);
  }
  void name(const std::string& name, NamedArrays& arrays) const {
    w_.name(name + ".weight", arrays);
    b_.name(name + ".bias", arrays);
  }

  TimeWeights weights() const { return {w_.values(), b_.values(), w_.size()}; }
  /// Adds the gradient of one source; every step must call it for every source. The encodings are
  /// those of dt, or of 0 if dt is null. more: a second gradient of the encodings, added to the
  /// first; or null.
  void add_gradient(std::uint32_t source, const double* dt, const std::uint32_t* rows,
                    const RowsIn& gradient, const float* more, LateGradients& late) const {
    if (!learns_) return;
    late.add({rows, gradient.data, more, gradient.stride, w_.size(), nullptr, 1, weights(), dt,
              w_.part(source * kLateParts), b_.part(source * kLateParts)});
  }
  void step(const StepValues* values, StepList& list) const {
    if (!learns_) return;
    w_.step(values, list);
    b_.step(values, list);
  }

 private:
  DeviceVector w_, b_;
  bool learns_ = false;
};

}  // namespace frugal::cuda
