#pragma once
#include <cstddef>
#include <span>

namespace frugal {

/// Normalised discounted cumulative gain at k (Järvelin, Kekäläinen, 2002) of one ranking: the sum
/// of gain / log2(1 + rank) over the k highest scores, divided by that of the best order. Equal
/// scores share the mean of their gains (McSherry, Najork, 2008), as in scikit-learn's ndcg_score.
/// gains: one for each score, none negative. 0 if all gains are 0.
double ndcg_at(std::size_t k, std::span<const float> scores, std::span<const float> gains);

/// Discounted cumulative gain at k of the best order: the number that ndcg_at() divides by.
double best_dcg_at(std::size_t k, std::span<const float> gains);

}  // namespace frugal
