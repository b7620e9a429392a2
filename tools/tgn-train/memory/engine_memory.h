#pragma once
#include <vector>

#include "libcore/device/engine.h"
#include "tools/tgn-train/memory/node_memory.h"

namespace frugal::tgn {

/// The memory of nodes as engines of devices know it (libcore/device/engine_kinds.md), and which of
/// both copies is the newer one: the engine's while steps run there.
class EngineMemory {
 public:
  /// The memory outlives the object.
  explicit EngineMemory(NodeMemory& memory) : memory_(memory) {}

  /// To the engine, unless it has it.
  void bring(DeviceEngine& engine);
  /// Back, where steps have changed it.
  void bring_back(DeviceEngine& engine);
  /// Steps that store have run.
  void stored() { is_ahead_ = true; }
  /// The memory has other numbers than the engine, whose own are forgotten.
  void changed() { is_there_ = is_ahead_ = false; }

 private:
  /// A part of all records, row by row without gaps.
  struct Part {
    EngineArray array;
    std::size_t begin = 0;  ///< bytes before it in a record
    std::size_t bytes = 0;  ///< of a record
  };
  std::vector<Part> parts() const;
  template <class Copy>
  void for_each_row(const Part& part, const Copy& copy);

  NodeMemory& memory_;
  Array<std::byte> rows_;  ///< of a part, while it is moved
  bool is_there_ = false, is_ahead_ = false;
};

}  // namespace frugal::tgn
