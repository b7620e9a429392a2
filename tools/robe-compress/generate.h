#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace frugal::robe {

struct GenerateOptions {
  std::string output = "-";
  std::string shape = "kaggle";
  std::uint64_t samples = 1000000;
  std::uint64_t first = 0;  ///< number of the first sample
  double scale = 1;         ///< tables above 20,000 rows are divided by this
  double zipf = 1.1;
  double click_rate = 0.25;
  std::uint64_t seed = 0;
  bool if_changed = false;
};

struct GenerateResult {
  std::vector<std::uint64_t> rows;  ///< of the 26 tables
  std::uint64_t clicks = 0;
  double best_auc = 0;       ///< of the logits that the clicks were drawn by
  double best_log_loss = 0;  ///< of these too
};

/// Writes click data in Criteo's format: label, 13 integers, 26 categories (rows of their tables in
/// hexadecimal) between tabs. Each line is a function of seed, shape and its number alone.
/// progress(samples so far) is called now and then. Fails (usage) for options that make no sense.
GenerateResult generate(const GenerateOptions& options,
                        const std::function<void(std::uint64_t)>& progress);

}  // namespace frugal::robe
