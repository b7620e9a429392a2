#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tools/sparse-train/data/dataset.h"

namespace frugal::sparse {

/// FeatureOptions::weighting as an action on datasets.
class Weighting {
 public:
  Weighting() = default;
  /// Fails (usage) for an unknown name.
  explicit Weighting(const std::string& name);

  bool needs_idf() const { return kind_ == Kind::tfidf; }
  /// tfidf: takes the idf of the next features from the number of examples that have each.
  void add_idf(std::span<const std::uint32_t> counts, std::size_t num_examples);
  void set_idf(std::span<const float> idf) { idf_.assign(idf.begin(), idf.end()); }
  /// As set_idf(), but the weights stay where they are, and must outlive the object.
  void lend_idf(std::span<const float> idf) { lent_idf_ = idf; }
  std::span<const float> idf() const { return lent_idf_.empty() ? idf_ : lent_idf_; }

  /// Turns the counts in data.values, from example `begin` on, into weights. Fails (bad_input) with
  /// `name` and the example for a negative value.
  void apply(Dataset& data, std::size_t begin, const std::string& name) const;

 private:
  enum class Kind { none, count, log, tfidf };
  Kind kind_ = Kind::none;
  std::vector<float> idf_;  ///< by feature
  std::span<const float> lent_idf_;
};

}  // namespace frugal::sparse
