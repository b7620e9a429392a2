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

/// What the user may set. Defaults are those of SLIDE (paper and its code for Amazon-670K) where it
/// has one.
struct LshSettings {
  std::string hash = "dwta";
  std::uint32_t functions = 0;  ///< K; 0 = by the number of labels
  std::uint32_t tables = 50;    ///< L
  std::uint32_t range = 18;     ///< at most 2^range buckets a table
  std::uint32_t bucket = 128;
  std::string bucket_policy = "fifo";
  std::string mode = "vanilla";
  std::uint32_t active = 0;  ///< vanilla, top-k: labels looked up for an example; 0 = all found
  std::uint32_t threshold = 2;
  std::uint32_t min_active = 1000;  ///< filled up with labels drawn at random
  bool correct_sampling = false;
  std::uint32_t rebuild = 50;  ///< steps to the first
  double rebuild_growth = 1.1;
  std::uint32_t rebuild_steps = 1;  ///< steps over which a rebuild is spread
  std::uint32_t new_hashes = 20;    ///< rebuilds; 0 = never
  std::uint32_t freeze_after = 0;   ///< epochs; 0 = never
  std::uint32_t hard = 0;           ///< shared: labels looked up for an example, top-k
};

/// The same, chosen.
struct LshOptions {
  HashOptions hash;
  TableOptions tables;
  QueryOptions query;
  std::uint32_t min_active = 1000;
  bool correct_sampling = false;  ///< labels drawn at random stand for all that were not looked up
  RebuildSchedule schedule;
  std::uint32_t rebuild_steps = 1;
  std::uint32_t new_hashes = 20;
  std::uint32_t freeze_after = 0;
  std::uint32_t hard = 0;

  void set_seed(std::uint64_t seed) { hash.seed = tables.seed = seed; }
};

/// Fails (usage) on an unknown name or numbers that make no sense together.
LshOptions choose_lsh(const LshSettings& settings, std::uint32_t num_labels);

/// As "name=value" on one line: equal lines mean equal training.
std::string lsh_text(const LshOptions& options);

}  // namespace frugal::sparse
