#pragma once
#include <array>
#include <span>
#include <string>
#include <vector>

#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/affinity/averages.h"

namespace frugal::tgn {

inline constexpr std::size_t kMixParts = kAverageFamilies;
/// Parts of a mix that are averages over all nodes: the last ones.
inline constexpr std::size_t kSharedParts = 2, kOwnParts = kMixParts - kSharedParts;

/// A node before a period, as a mix sees it.
struct AffinityQuery {
  std::size_t vector = 0;  ///< the vector to forecast
  std::uint32_t period = 0;
  NodeFacts facts = {};
  NodeAverages own;  ///< [classes, kOwnParts]
};

/// Scores of classes as a mean of one average of each family. Gates, a softmax of linear functions
/// of the node's facts, weigh the averages. They are gates as in NAVIS (Node affinity prediction in
/// temporal graphs, arXiv 2510.06940), by facts that do not depend on the number of classes.
class AverageMix {
 public:
  static constexpr std::size_t kGateInputs = kNodeFacts + 1;
  using Shares = std::array<float, kMixParts>;

  std::array<Average, kMixParts> parts = {};  ///< in the order of AverageFamily
  NodeFacts mean = {}, scale = {};            ///< facts minus mean, times scale, enter the gates
  /// [kMixParts, kGateInputs] with a constant as the last input
  std::array<float, kMixParts* kGateInputs> weights = {};

  std::array<float, kGateInputs> inputs(const NodeFacts& facts) const;
  /// Shares of the averages, with the sum 1.
  Shares shares(const NodeFacts& facts) const;
  /// Sets `scores`, [classes]. shared: [kSharedParts, classes].
  void score(const Shares& shares, const NodeAverages& own, std::span<const float> shared,
             std::span<float> scores) const;
  /// Scores of some classes, ascending: `scores` as score() sets them for these.
  void score_some(const Shares& shares, const AffinityQuery& query, std::span<const float> shared,
                  std::span<const std::uint32_t> classes, std::vector<float>& scores) const;
  /// Adds the derivatives of a loss by the weights, from those by the scores of some classes,
  /// ascending.
  void add_gradient(const AffinityQuery& query, std::span<const float> shared,
                    std::span<const std::uint32_t> classes, std::span<const float> slopes,
                    std::span<float> gradient) const;

  /// Adds it to a document (tensors affinity.*, metadata affinity.part_*), or reads it. Reading
  /// fails (bad_input) with `path`.
  void save(Document& document) const;
  static AverageMix load(const Document& document, const std::string& path);

 private:
  using PartValues = std::array<float, kMixParts>;
  /// Calls each(i, values of all parts) for the i-th of `classes`.
  template <class Each>
  static void visit(const AffinityQuery& query, std::span<const float> shared,
                    std::span<const std::uint32_t> classes, const Each& each);
};

/// The average of that name. Fails (bad_input) with `path` if there is none.
Average average_named(const std::string& name, const std::string& path);

}  // namespace frugal::tgn
