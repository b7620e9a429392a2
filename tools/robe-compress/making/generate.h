#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace frugal::robe {

/// One generated sample, as far as it can be missing: -1.
struct GeneratedSample {
  static constexpr std::size_t kNumbers = 13;
  static constexpr std::size_t kFields = 26;
  bool click = false;
  double logit = 0;  ///< what the click was drawn by
  std::array<std::int64_t, kNumbers> numbers{};
  std::array<bool, kNumbers> has_number{};
  std::array<std::int64_t, kFields> rows{};
};

struct ClickGeneratorOptions {
  std::uint64_t seed = 0;
  std::vector<std::uint64_t> rows;  ///< of the 26 tables
  double zipf = 1.1;                ///< the r-th most frequent row is drawn about r^-zipf as often
  double click_rate = 0.25;
};

/// Samples of Criteo's shape with a planted signal, each a function of the seed and its number
/// alone. A click's logit is a factorisation machine's (Rendle, ICDM 2010, equation 1): a weight
/// and a vector of four numbers for each row of each table, made by hashing, so that no table is
/// kept, and a weight for each number.
class ClickGenerator {
 public:
  explicit ClickGenerator(const ClickGeneratorOptions& options);
  GeneratedSample sample(std::uint64_t number) const;

 private:
  struct Field {
    std::uint64_t rows = 1;
    std::uint64_t stride = 1, offset = 0;  ///< the row of rank r: (r * stride + offset) % rows
    double tail = 0;                       ///< 1 - (rows + 1)^(1 - zipf)
    std::uint64_t salt = 0;
    double weight_scale = 0, vector_scale = 0;
    unsigned missing = 0;  ///< of 65536 samples
  };
  struct Number {
    double mean = 0, deviation = 1, weight = 0;
    unsigned missing = 0;
  };

  std::uint64_t draw_row(const Field& field, double uniform) const;
  void calibrate(double click_rate);

  std::uint64_t seed_;
  double exponent_;
  std::array<Field, GeneratedSample::kFields> fields_;
  std::array<Number, GeneratedSample::kNumbers> numbers_;
  double bias_ = 0;
};

struct GenerateOptions {
  std::string output = "-";
  std::string shape = "kaggle";
  std::uint64_t samples = 1000000;
  std::uint64_t first = 0;  ///< number of the first sample
  double scale = 1;         ///< tables above 20,000 rows are divided by this
  double zipf = 1.1;
  double click_rate = 0.25;
  std::uint64_t seed = 0;
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
