#pragma once
#include <vector>

#include "libcore/device/engine.h"
#include "tools/tgn-train/memory/node_memory.h"

namespace frugal::tgn {

/// The memory of nodes in the layout of device engines (libcore/device/engine_kinds.md). Records
/// which of the two copies is newer: the engine's while steps run there.
class EngineMemory {
 public:
  /// The memory outlives the object.
  explicit EngineMemory(NodeMemory& memory) : memory_(memory) {}

  /// Copies the memory to the engine, unless the engine's copy is current.
  void bring(DeviceEngine& engine);
  /// Copies the memory back to the host if steps on the engine have changed it.
  void bring_back(DeviceEngine& engine);
  /// Notes that the engine has run steps that change the memory.
  void stored() { is_ahead_ = true; }
  /// Notes that the host's memory has changed. Changes on the engine are discarded.
  void changed() { is_there_ = is_ahead_ = false; }

 private:
  /// One part of all records, state or message, as a dense matrix with a row for each node.
  struct Part {
    EngineArray array;
    std::size_t begin = 0;  ///< offset in a record, in bytes
    std::size_t bytes = 0;  ///< bytes of the part in a record
  };
  std::vector<Part> parts() const;
  template <class Copy>
  void for_each_row(const Part& part, const Copy& copy);

  NodeMemory& memory_;
  Array<std::byte> rows_;  ///< the part that is being copied
  bool is_there_ = false, is_ahead_ = false;
};

}  // namespace frugal::tgn
