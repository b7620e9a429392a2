#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/csr.h"
#include "tools/gnn-sample/sampler/fanouts.h"

namespace frugal::gnn {

/// How neighbours were drawn by the weights of edges.
struct WeightedDraws {
  std::uint32_t fanout = kAllNeighbors;
  bool repeats = false;  ///< with replacement
  /// The mean of the shares is 1 over all edges into a node but those from itself, which do not
  /// count (neighbor_counts()); false: over all that may be drawn.
  bool of_degree = false;
  /// The layer sums what is drawn: shares are the expected numbers of draws.
  bool sums = false;
};

/// Weights of edges with which the mean over all in-edges of a node is the expectation of the mean
/// over drawn ones: probabilities to be drawn, scaled to a mean of 1, or with WeightedDraws::sums
/// the same of sums, unscaled. Edges of weight 0 are never
/// drawn. Without replacement, the probability of weight w is estimated
/// as 1 - exp(-w t), with t such that all add up to the fanout (Rosén, "On Sampling with Varying
/// Probabilities", 1997: asymptotic for successive draws). weights: [edges]. Returns [edges].
std::vector<float> draw_shares(const CsrView& graph, std::span<const float> weights,
                               const WeightedDraws& draws);

/// Text of fanouts of one or several relations, as in GnnOptions::weighted_fanouts: "15,10 5,-1".
std::string fanouts_of_relations_text(const std::vector<Fanouts>& fanouts);
/// Parses such text; returns nothing for other text.
std::optional<std::vector<Fanouts>> parse_fanouts_of_relations(const std::string& text);

}  // namespace frugal::gnn
