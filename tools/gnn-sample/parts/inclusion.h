#pragma once
#include <vector>

#include "libcore/graph/csr.h"
#include "tools/gnn-sample/sampler/fanouts.h"
#include "tools/gnn-sample/sampler/neighbor_sampler.h"

namespace frugal::gnn {

/// How probable it is that a mini-batch has each node: the vertex-wise inclusion probabilities
/// (VIP) of SALIENT++ (Kaler et al., "Communication-Efficient Graph Neural Networks with
/// Probabilistic Neighborhood Expansion Analysis and Caching", MLSys 2023, section 3):
///   p_h(u) = 1 - product over edges u -> v of (1 - min(1, f_h / d(v)) q_h(v))
///   p(u)   = 1 - product over h = 0 .. hops of (1 - p_h(u))
/// p_0 is `seeds`, f_h the fanout of hop h, d(v) the in-degree. q_h(v) is the probability that hop
/// h draws for v: p_{h-1}(v) with Semantics::frontier; with mfg, which draws anew for all nodes
/// known, the p(v) of the hops before. Draws count as uniform, without repetition and independent,
/// so the values are estimates: with mfg, where a node draws in several hops, too high.
std::vector<float> inclusion_probabilities(const CsrView& graph, const std::vector<float>& seeds,
                                           const Fanouts& fanouts, Semantics semantics);

}  // namespace frugal::gnn
