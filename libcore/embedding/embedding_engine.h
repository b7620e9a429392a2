#pragma once
#include <cstdint>
#include <vector>

#include "libcore/device/engine.h"
#include "libcore/embedding/embedding.h"

namespace frugal {

/// An embedding as engines of devices know it (engine_kinds.md): settings, constants, numbers.
class EngineEmbedding {
 public:
  /// Fails (unavailable) where engines cannot: method qr, int8 and int4. The embedding must outlive
  /// the object.
  EngineEmbedding(Embedding& embedding, bool training);

  const EngineSettings& settings() const { return settings_; }
  /// Numbers, and in training the optimiser's state, to the engine; back from it.
  void set(DeviceEngine& engine) const;
  void get(DeviceEngine& engine);
  /// The same arrays, for the single operations of tests; good while the object and numbers are.
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
