#pragma once
/// Call of a single operation, for tests.
#include <map>
#include <string>

#include "libcore/device/cuda/engines/engine.h"

namespace frugal::cuda {

/// Arrays and settings of an operation's call. Outputs start with the host's content.
class Call {
 public:
  Call(const frugal_setting* named, std::size_t num_settings, const frugal_array* inputs,
       std::size_t num_inputs, const frugal_array* outputs, std::size_t num_outputs)
      : settings(named, num_settings), outputs_(outputs), num_outputs_(num_outputs) {
    for (std::size_t i = 0; i < num_inputs; ++i) bring(inputs[i]);
    for (std::size_t i = 0; i < num_outputs; ++i) bring(outputs[i]);
    stream.wait();
  }
  void finish() {
    for (std::size_t i = 0; i < num_outputs_; ++i) {
      stream.copy(static_cast<char*>(outputs_[i].data),
                  static_cast<const char*>(arrays_.at(outputs_[i].name).memory.data()),
                  array_size(outputs_[i]) * type_bytes(outputs_[i].type));
    }
    stream.wait();
  }

  /// An array on the device; null if there is none of that name.
  template <class T>
  T* find(const char* name) const {
    const auto found = arrays_.find(name);
    return found == arrays_.end() ? nullptr : static_cast<T*>(found->second.memory.data());
  }
  template <class T>
  T* at(const char* name) const {
    if (arrays_.count(name) == 0) {
      throw Failure(FRUGAL_BAD_ARGUMENT, std::string("no array ") + name);
    }
    return find<T>(name);
  }
  std::uint64_t size(const char* name) const { return arrays_.at(name).size; }
  std::uint64_t bytes(const char* name) const { return arrays_.at(name).memory.bytes(); }
  /// Copies an array to or from the array of the same name that a part of an engine has.
  void exchange(const NamedArrays& parts, const frugal_array& array, bool back) const {
    const NamedArrays::Place& place = parts.find(array);
    char* mine = static_cast<char*>(arrays_.at(array.name).memory.data());
    char* other = static_cast<char*>(place.data);
    stream.copy(back ? mine : other, back ? other : mine, place.size * type_bytes(array.type));
  }

  /// Runs an operation once. If the caller requests the output "seconds" [1], also runs a graph of
  /// "rounds" operations: twice to warm up, then once between two events of the stream. The mean
  /// time so excludes launches by the host and a library's choice of an algorithm.
  template <class Work>
  void work(const Work& run) const {
    run();
    stream.wait();
    if (find<double>("seconds") == nullptr) return;
    const std::uint64_t rounds = settings.number("rounds");
    const auto all = [&] {
      for (std::uint64_t i = 0; i < rounds; ++i) run();
    };
    StepGraph graph;
    TimedEvent begin, end;
    for (int warm = 0; warm < 2; ++warm) graph.launch(stream, all);
    begin.record(stream);
    graph.launch(stream, all);
    end.record(stream);
    end.wait();
    const double mean = end.seconds_since(begin) / static_cast<double>(rounds);
    stream.copy(find<double>("seconds"), &mean, 1);
    stream.wait();
  }

  Settings settings;
  Stream stream;

 private:
  struct Held {
    DeviceMemory memory;
    std::uint64_t size;
  };
  void bring(const frugal_array& array) {
    const std::uint64_t bytes = array_size(array) * type_bytes(array.type);
    Held held{DeviceMemory(bytes), array_size(array)};
    stream.copy(static_cast<char*>(held.memory.data()), static_cast<const char*>(array.data),
                bytes);
    arrays_[array.name] = std::move(held);
  }

  const frugal_array* outputs_;
  std::size_t num_outputs_;
  std::map<std::string, Held> arrays_;
};

struct Arguments {
  Call& call;
  const frugal_array *inputs, *outputs;
  std::size_t num_inputs, num_outputs;
};

struct Operation {
  const char* name;
  void (*run)(const Arguments& arguments);
};

/// Operations of temporal graph networks and of networks with many labels; the last one has no
/// name.
const Operation* temporal_operations();
const Operation* label_operations();

}  // namespace frugal::cuda
