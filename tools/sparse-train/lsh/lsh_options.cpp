#include "tools/sparse-train/lsh/lsh_options.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "libcore/base/error.h"

namespace frugal::sparse {

RebuildSchedule::Position RebuildSchedule::at(std::uint64_t step) const {
  Position position;
  if (first == 0) return position;
  if (growth <= 1) {
    position.rebuilds = step / first;
    position.last = position.rebuilds * first;
    return position;
  }
  auto period = static_cast<double>(first);
  for (auto next = first; next <= step;) {
    ++position.rebuilds;
    position.last = next;
    period *= growth;
    next += static_cast<std::uint64_t>(period);
  }
  return position;
}

namespace {

constexpr std::uint32_t kLabelsPerBucket = 4;
constexpr std::uint32_t kMostFunctions = 16;

/// As many functions as make buckets of about kLabelsPerBucket labels. A value of SimHash is one
/// bit, of the others three.
std::uint32_t choose_functions(HashKind kind, std::uint32_t num_labels) {
  const std::uint32_t bits = kind == HashKind::simhash || kind == HashKind::simhash_dense ? 1U : 3U;
  const auto wanted = static_cast<std::uint32_t>(std::bit_width(num_labels / kLabelsPerBucket));
  return std::clamp((wanted + bits / 2) / bits, 1U, kMostFunctions);
}

// SLIDE's.
constexpr std::uint32_t kTables = 50, kRange = 18, kBucket = 128, kTablesOfLabel = 2,
                        kNewHashes = 20;

constexpr double kActiveShare = 0.15;
constexpr std::uint32_t kFirstLabels = 2000;
constexpr double kFurtherShare = 0.005;

bool is_sign_hash(std::string_view name) { return name == "simhash" || name == "simhash-dense"; }

/// The smaller of the numbers that were asked for, else the default.
std::uint32_t choose_active(const LshSettings& s, std::uint32_t num_labels) {
  const std::uint32_t most = s.active == 0 ? LshSettings::kAuto : s.active;
  const std::uint32_t asked = std::min(most, s.min_active);
  return std::min(asked != LshSettings::kAuto ? asked : default_active(num_labels), num_labels);
}

QueryOptions choose_query(const LshSettings& s, std::uint32_t outputs) {
  QueryOptions query;
  query.mode = s.mode != "auto"  ? query_mode_from_name(s.mode)
               : s.uses_tables() ? QueryMode::top_k
                                 : QueryMode::agreement;
  query.threshold = s.threshold != 0 ? s.threshold : kTablesOfLabel;
  const auto looked_up = static_cast<std::uint32_t>(std::lround((1 - s.random) * outputs));
  query.wanted = s.active == 0 ? 0 : std::max(1U, looked_up);
  if (query.mode != QueryMode::agreement) return query;
  if (s.hash != "auto" && !is_sign_hash(s.hash)) {
    fail(ExitStatus::usage, "--lsh-mode agreement compares signs: expected --lsh-hash simhash or ",
         "simhash-dense, found ", s.hash);
  }
  if (s.active == 0) {
    fail(ExitStatus::usage,
         "--lsh-active 0 takes all labels that tables find: expected --lsh-mode ",
         "vanilla, top-k or threshold, or a number of labels");
  }
  return query;
}

}  // namespace

bool LshSettings::uses_tables() const {
  if (mode != "auto") return mode != "agreement";
  return (hash != "auto" && !is_sign_hash(hash)) || functions != 0 || tables != 0 || range != 0 ||
         bucket != 0 || bucket_policy != "auto" || threshold != 0 || new_hashes != kAuto ||
         freeze_after != 0 || active == 0;
}

std::uint32_t default_active(std::uint32_t num_labels) {
  const std::uint32_t few = std::min(num_labels, kFirstLabels);
  return static_cast<std::uint32_t>(
      std::ceil(kActiveShare * few + kFurtherShare * (num_labels - few)));
}

LshOptions choose_lsh(const LshSettings& settings, std::uint32_t num_labels) {
  if (settings.rebuild_steps > std::max(settings.rebuild, 1U)) {
    fail(ExitStatus::usage, "--lsh-rebuild-steps ", settings.rebuild_steps,
         " is more than --lsh-rebuild ", settings.rebuild,
         ": expected a rebuild to end before the next begins");
  }
  LshOptions options;
  LshSettings& s = options.settings = settings;
  s.min_active = choose_active(settings, num_labels);
  options.query = choose_query(settings, s.min_active);
  if (s.active != 0) s.active = s.min_active;
  s.mode = query_mode_name(options.query.mode);
  s.threshold = options.query.threshold;
  if (s.hash == "auto") s.hash = options.uses_tables() ? "dwta" : "simhash";
  options.hash.kind = hash_from_name(s.hash);
  const auto decide = [](std::uint32_t& value, std::uint32_t unset, std::uint32_t otherwise) {
    if (value == unset) value = otherwise;
  };
  decide(s.functions, 0, choose_functions(options.hash.kind, num_labels));
  decide(s.tables, 0, kTables);
  decide(s.range, 0, kRange);
  decide(s.bucket, 0, kBucket);
  decide(s.new_hashes, LshSettings::kAuto, kNewHashes);
  if (s.bucket_policy == "auto") s.bucket_policy = "fifo";
  options.hash.functions = s.functions;
  options.hash.tables = s.tables;
  options.tables = {s.tables, s.range, s.bucket, bucket_policy_from_name(s.bucket_policy), 0};
  if (s.correct_sampling) {
    options.least_drawn = static_cast<std::uint32_t>(std::ceil(s.random * s.min_active / 2));
  }
  options.schedule = {s.rebuild, s.rebuild_growth};
  return options;
}

}  // namespace frugal::sparse
