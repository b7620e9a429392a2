#pragma once
#include <cstdint>
#include <vector>

#include "libcore/device/engine.h"
#include "libcore/embedding/embedding.h"

namespace frugal {

/// An embedding in the form of device engines (engine_kinds.md): settings, constants, numbers.
class EngineEmbedding {
 public:
  /// Fails (unavailable) for methods that engines do not support: qr, int8 and int4. The embedding
  /// must outlive the object.
  EngineEmbedding(Embedding& embedding, bool training);

  const EngineSettings& settings() const { return settings_; }
  /// Copies the numbers, and in training the optimiser's state, to the engine or back from it.
  void set(DeviceEngine& engine) const;
  void get(DeviceEngine& engine);
  /// The arrays that set() copies, for single operations in tests. Valid as long as the object and
  /// the embedding's numbers.
  std::vector<EngineArray> arrays() const;

 private:
  void describe(const class BlockEmbedding& blocks);
  void describe_tables();
  std::vector<EngineArray> trained() const;

  Embedding& embedding_;
  bool training_;
  EngineSettings settings_;
  std::vector<std::uint64_t> first_row_, hash_, hot_keys_;
  std::vector<std::uint32_t> hot_runs_, hot_numbers_;
};

}  // namespace frugal
