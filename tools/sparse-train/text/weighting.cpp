#include "tools/sparse-train/text/weighting.h"

#include <array>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/threading/parallel.h"

namespace frugal::sparse {
namespace {

/// ln(1 + tf); nearly all counts are small.
float log_of_count(float count) {
  static const std::array<float, 32> small = [] {
    std::array<float, 32> table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
      table[i] = std::log1p(static_cast<float>(i));
    }
    return table;
  }();
  const auto whole = count < 32.0f ? static_cast<std::size_t>(count) : small.size();
  if (whole < small.size() && static_cast<float>(whole) == count) return small[whole];
  return std::log1p(count);
}

}  // namespace

Weighting::Weighting(const std::string& name) {
  if (name == "none") {
    kind_ = Kind::none;
  } else if (name == "count") {
    kind_ = Kind::count;
  } else if (name == "log") {
    kind_ = Kind::log;
  } else if (name == "tfidf") {
    kind_ = Kind::tfidf;
  } else {
    fail(ExitStatus::usage, "--weighting is '", printable(name),
         "', expected none, count, log or tfidf");
  }
}

void Weighting::add_idf(std::span<const std::uint32_t> counts, std::size_t num_examples) {
  const auto all = static_cast<double>(num_examples);
  for (const std::uint32_t count : counts) {
    idf_.push_back(static_cast<float>(1 + std::log((1 + all) / (1 + static_cast<double>(count)))));
  }
}

void Weighting::apply(Dataset& data, std::size_t begin, const std::string& name) const {
  if (kind_ == Kind::none || kind_ == Kind::count) return;
  float* const values = data.values.data();
  const std::span<const float> idf = this->idf();
  const Column<std::uint32_t>& features = data.features;
  const Column<std::uint64_t>& feature_begin = data.feature_begin;
  parallel_for(data.size() - begin, 64, [&](std::size_t i) {
    const std::size_t first = feature_begin[begin + i];
    const std::size_t last = feature_begin[begin + i + 1];
    double squares = 0;
    for (std::size_t k = first; k < last; ++k) {
      float& value = values[k];
      if (value < 0) {
        fail(ExitStatus::bad_input, name, ": example ", begin + i + 1, " has the value ", value,
             ", expected none below 0 with --weighting ", needs_idf() ? "tfidf" : "log");
      }
      value = log_of_count(value);
      if (needs_idf()) value *= idf[features[k]];
      squares += static_cast<double>(value) * static_cast<double>(value);
    }
    if (!needs_idf() || squares == 0) return;
    const auto scale = static_cast<float>(1 / std::sqrt(squares));
    for (std::size_t k = first; k < last; ++k) values[k] *= scale;
  });
}

}  // namespace frugal::sparse
