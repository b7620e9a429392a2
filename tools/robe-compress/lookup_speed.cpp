#include "tools/robe-compress/lookup_speed.h"

#include <algorithm>
#include <vector>

#include "libcore/base/rng.h"
#include "libcore/embedding/embedding.h"
#include "libcore/system/clock.h"

namespace frugal::robe {
namespace {

constexpr std::size_t kTimedSamples = 16384;
constexpr std::size_t kLookupBatch = 64;
constexpr double kSeconds = 0.1;

}  // namespace

double measure_lookups(const Embedding& embedding) {
  const TableSet& tables = embedding.tables();
  const std::size_t fields = tables.size();
  if (fields == 0) return 0;
  std::vector<std::uint32_t> rows(kTimedSamples * fields);
  Rng rng(1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<std::uint32_t>(rng.below(tables.table(i % fields).rows));
  }
  std::vector<float> out(kLookupBatch * fields * tables.dim());
  const auto look_up = [&](std::size_t begin) {
    embedding.lookup({rows.data() + begin * fields, kLookupBatch, fields},
                     {out.data(), kLookupBatch, fields * tables.dim()});
  };
  for (std::size_t begin = 0; begin < kTimedSamples; begin += kLookupBatch) look_up(begin);
  std::size_t samples = 0;
  const double began = wall_seconds();
  double seconds = 0;
  while ((seconds = wall_seconds() - began) < kSeconds) {
    look_up(samples % kTimedSamples);
    samples += kLookupBatch;
  }
  return static_cast<double>(samples * fields) / seconds;
}

}  // namespace frugal::robe
