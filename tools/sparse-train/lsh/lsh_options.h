#pragma once
#include <cstdint>
#include <string>

#include "tools/sparse-train/lsh/hash_family.h"
#include "tools/sparse-train/lsh/hash_tables.h"
#include "tools/sparse-train/lsh/retrieval.h"

namespace frugal::sparse {

/// When hash tables are built anew: the t-th time, t = 1, 2, ..., at step sum_{i < t} first *
/// growth^i (SLIDE, Chen et al., MLSys 2020, section 4.2, with growth = e^lambda): often while the
/// weights move fast, ever more rarely later. growth 1 is a fixed period.
struct RebuildSchedule {
  std::uint64_t first = 50;  ///< steps; 0 = never
  double growth = 1;         ///< at least 1

  struct Position {
    std::uint64_t rebuilds = 0;  ///< up to this step, this one included
    std::uint64_t last = 0;      ///< step of the last of them; 0 where there was none
  };
  Position at(std::uint64_t step) const;
};

/// Settings of sparse outputs. As the user gives them, "auto", 0 or kAuto leave a choice open;
/// choose_lsh() decides.
struct LshSettings {
  static constexpr std::uint32_t kAuto = 0xffffffff;

  std::string hash = "auto";
  std::string mode = "auto";
  bool center = true;
  std::uint32_t bits = 320;  ///< agreement
  // Tables. What is left to the default is SLIDE's (paper and its code for Amazon-670K).
  std::uint32_t functions = 0;         ///< K; 0 = by the number of labels
  std::uint32_t tables = 0;            ///< L; 0 = 50
  std::uint32_t range = 0;             ///< at most 2^range buckets a table; 0 = 18
  std::uint32_t bucket = 0;            ///< labels of a bucket; 0 = 128
  std::string bucket_policy = "auto";  ///< fifo
  std::uint32_t threshold = 0;         ///< tables; 0 = 2
  std::uint32_t new_hashes = kAuto;    ///< rebuilds; 0 = never, kAuto = 20
  std::uint32_t freeze_after = 0;      ///< epochs; 0 = never
  // Outputs of an example.
  std::uint32_t active = kAuto;  ///< 0 = all that tables find, filled up to min_active
  std::uint32_t min_active = kAuto;
  double random = 0.75;      ///< share of them that is drawn at random
  bool share_random = true;  ///< examples side by side share the labels drawn
  bool correct_sampling = true;
  // When codes are made anew.
  std::uint32_t rebuild = 50;  ///< steps to the first
  double rebuild_growth = 1.1;
  std::uint32_t rebuild_steps = 1;  ///< steps over which a rebuild is spread
  std::uint32_t hard = 0;           ///< shared: labels looked up for an example

  /// True if labels are looked up in tables: by the mode or, where it is auto, because a hash or
  /// another setting is given that only tables have.
  bool uses_tables() const;
};

/// Settings of sparse outputs after all choices, and what follows from them.
struct LshOptions {
  LshSettings settings;  ///< min_active: outputs of an example that labels drawn fill up to
  HashOptions hash;
  TableOptions tables;
  QueryOptions query;
  /// Labels drawn for an example at least, however many it has itself: without any, nothing would
  /// lower the scores of the labels that are not looked up.
  std::uint32_t least_drawn = 0;
  RebuildSchedule schedule;

  bool uses_tables() const { return query.mode != QueryMode::agreement; }
  void set_seed(std::uint64_t seed) { hash.seed = tables.seed = seed; }
};

/// Outputs of an example where the user names no number: measured on held-out parts of training
/// data (tests/bench/sparse-train/sparse_outputs.py) as the fewest that are within half a point of
/// all labels.
std::uint32_t default_active(std::uint32_t num_labels);

/// Decides what the settings leave open; decided settings stay as they are. Fails (usage) on an
/// unknown name or numbers that make no sense together.
LshOptions choose_lsh(const LshSettings& settings, std::uint32_t num_labels);

}  // namespace frugal::sparse
