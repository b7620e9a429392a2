#pragma once
// Single operations of the plug-in for tests, on arrays of the test.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/device/engine.h"
#include "libcore/kernels/kernels.h"

namespace frugal::device_test {

/// Awkward numbers of elements.
inline constexpr std::size_t kSizes[] = {0, 1, 31, 33, 1000};

/// The operations of the plug-in for tests.
class Suite {
 public:
  Suite() {
    // On a machine with a GPU the real plug-in takes the place of the host's: tests/bench/device.
    const char* other = std::getenv("FRUGAL_TEST_PLUGINS");
    setenv("FRUGAL_PLUGIN_DIR", other == nullptr ? HOST_CUDA : other, 1);
    plugin_ = load_plugin("cuda");
    if (!plugin_.usable) fail(ExitStatus::unavailable, plugin_.reason);
    table_ = suite_of(*plugin_.plugin);
    if (table_ == nullptr) fail(ExitStatus::unavailable, "the plug-in has no suite");
  }
  ~Suite() { unsetenv("FRUGAL_HOST_CUDA_ORDER"); }

  void run(const char* operation, const EngineSettings& settings,
           const std::vector<EngineArray>& in, const std::vector<EngineArray>& out) const {
    std::vector<frugal_setting> raw;
    for (const auto& [name, value] : settings) raw.push_back({name.c_str(), value.c_str()});
    const auto inputs = raw_of(in), outputs = raw_of(out);
    PluginMessage error;
    const int status = table_->run(0, operation, raw.data(), raw.size(), inputs.data(),
                                   inputs.size(), outputs.data(), outputs.size(), error.room());
    if (status != FRUGAL_OK) fail(ExitStatus::internal, operation, ": ", error.text());
  }

 private:
  static std::vector<frugal_array> raw_of(const std::vector<EngineArray>& arrays) {
    std::vector<frugal_array> all;
    for (const EngineArray& a : arrays) {
      frugal_array raw{a.name.c_str(),
                       a.data,
                       static_cast<std::uint32_t>(a.type),
                       static_cast<std::uint32_t>(a.shape.size()),
                       {}};
      std::copy(a.shape.begin(), a.shape.end(), raw.shape);
      all.push_back(raw);
    }
    return all;
  }

  PluginStatus plugin_;
  const frugal_suite_table* table_ = nullptr;
};

template <class T>
EngineArray array(const char* name, std::vector<T>& values) {
  frugal_type type = FRUGAL_F32;
  if constexpr (std::is_same_v<T, std::uint32_t>) type = FRUGAL_U32;
  if constexpr (std::is_same_v<T, std::uint64_t>) type = FRUGAL_U64;
  if constexpr (std::is_same_v<T, BFloat16>) type = FRUGAL_BF16;
  if constexpr (std::is_same_v<T, std::uint8_t>) type = FRUGAL_U8;
  if constexpr (std::is_same_v<T, double>) type = FRUGAL_F64;
  return {name, type, {values.size()}, values.data()};
}

inline std::vector<float> random_floats(std::size_t n, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<float> values(n);
  for (float& v : values) v = static_cast<float>(rng.uniform(-1, 1));
  return values;
}

inline bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

/// The CPU's kernels with a fused multiply-add, whose bits the device's are.
inline bool use_fused_kernels() {
  const auto levels = available_simd_levels();
  const bool has = std::find(levels.begin(), levels.end(), SimdLevel::v3) != levels.end();
  if (has) set_simd("v3");
  return has;
}

}  // namespace frugal::device_test
