#include <atomic>
#include <cstdlib>
#include <string>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/kernels/kernels.h"

namespace frugal {

#if defined(__x86_64__)
// NOLINTNEXTLINE(readability-identifier-naming): kernels_ and the instruction set, as in the build
extern const Kernels kernels_v2, kernels_v3, kernels_v4, kernels_v4bf16, kernels_amx;
#else
extern const Kernels kernels_neon, kernels_sve;
#endif

namespace {

#if defined(__x86_64__)
constexpr const Kernels* kTables[] = {&kernels_v2, &kernels_v3, &kernels_v4, &kernels_v4bf16,
                                      &kernels_amx};
#else
constexpr const Kernels* kTables[] = {&kernels_neon, &kernels_sve};
#endif

std::atomic<const Kernels*> chosen = nullptr;

const Kernels& best_table() {
  const Kernels* best = kTables[0];
  for (const Kernels* table : kTables) {
    if (simd_usable(table->level)) best = table;
  }
  return *best;
}

/// The level that a name of x86-64's instructions stands for, else the name itself.
std::string level_of(const std::string& name) {
  return name == "sse4.2" ? "v2" : name == "avx2" ? "v3" : name == "avx512" ? "v4" : name;
}

/// `where` says in an error line where the name came from.
const Kernels& table_named(const std::string& given, const char* where) {
  const std::string name = level_of(given);
  if (name == "auto") return best_table();
  std::vector<std::string> names = {"auto"};
  for (const Kernels* table : kTables) names.emplace_back(table->name);
  for (const SimdSupport& support : simd_support()) {
    if (name != simd_name(support.level)) continue;
    if (const Kernels* table = kernels_for(support.level)) return *table;
    fail(ExitStatus::unavailable, where, name, ": this machine cannot run it: ", support.reason);
  }
  if (simd_from_name(name)) {
    fail(ExitStatus::unavailable, where, name,
         ": this machine cannot run it: another architecture");
  }
  std::string expected;
  for (const std::string& known : names) expected += (expected.empty() ? "" : ", ") + known;
  fail(ExitStatus::usage, where, printable(name), ": unknown SIMD level, expected ", expected,
       did_you_mean(name, names));
}

const Kernels& default_table() {
  const char* wanted = std::getenv("FRUGAL_SIMD");
  if (wanted == nullptr || *wanted == '\0') return best_table();
  return table_named(wanted, "FRUGAL_SIMD=");
}

}  // namespace

const Kernels& kernels() {
  const Kernels* table = chosen.load(std::memory_order_acquire);
  if (table == nullptr) {
    table = &default_table();
    chosen.store(table, std::memory_order_release);
  }
  return *table;
}

const Kernels* kernels_for(SimdLevel level) {
  for (const Kernels* table : kTables) {
    if (table->level == level) return simd_usable(level) ? table : nullptr;
  }
  return nullptr;
}

std::vector<SimdLevel> available_simd_levels() {
  std::vector<SimdLevel> levels;
  for (const Kernels* table : kTables) {
    if (simd_usable(table->level)) levels.push_back(table->level);
  }
  return levels;
}

void set_simd(const char* name) {
  const std::string wanted = name;
  chosen = wanted == "auto" ? &default_table() : &table_named(wanted, "--simd ");
}

}  // namespace frugal
