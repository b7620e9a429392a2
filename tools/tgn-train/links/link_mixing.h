#pragma once
#include "tools/tgn-train/links/link_data.h"
#include "tools/tgn-train/links/link_evaluation.h"
#include "tools/tgn-train/mix/mix_fit.h"

namespace frugal::tgn {

/// Bytes that choose_link_mix() takes at most with steps of `batch` events, or the tests of its mix
/// after it. The copy of the nodes' memory is not in them.
std::uint64_t most_bytes_of_link_mix(const LinkData& data, std::size_t batch);

/// Chooses what the session's model answers with. From a session right after the training events,
/// which is left there: the first two thirds of validation fit a mix, its last third decides. At
/// most 6,000 events are used, in blocks in equal distances. Candidates are LinkKeys::likely() and
/// 50 others, drawn uniformly, which stand for all the rest. No mix if validation has fewer than
/// 300 events.
MixChoice choose_link_mix(const LinkData& data, const EvaluationNegatives& negatives,
                          StreamSession& session, const LinkEvaluation::Options& options,
                          std::uint64_t seed);

}  // namespace frugal::tgn
