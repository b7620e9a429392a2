#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "libcore/metrics/named_values.h"
#include "tools/tgn-train/links/link_data.h"
#include "tools/tgn-train/memory/stream_session.h"
#include "tools/tgn-train/network/label_decoder.h"

namespace frugal::tgn {

/// Fails (bad_input) with the stream's path if training, validation or test lacks events of either
/// label.
void check_labels(const LinkData& data);
/// Number of events of the part with label 1.
std::uint64_t count_labelled(const LinkData& data, EventPart part);

/// Embeds the source of every event before the memory applies the event: [events, memory_dim]. The
/// session restarts. `batch` events of one part are computed at once. Fails (Error) if a signal
/// stops it.
Array<float> embed_sources(StreamSession& session, const LinkData& data, std::size_t batch,
                           const std::function<void(double share)>& progress);

/// Metrics of how well scores separate events with label 1 from the others.
struct LabelMetrics {
  double auc = 0, ap = 0;

  NamedValues values() const { return {{"auc", auc}, {"average_precision", ap}}; }
};
/// Numbers of tested events and metrics of the labels; labelled: events with label 1.
struct LabelTests {
  std::uint64_t valid_events = 0, valid_labelled = 0, test_events = 0, test_labelled = 0;
  LabelMetrics valid, test;
};
/// Metrics of a part's events. embeddings: of all events, from embed_sources(). tested: called with
/// every event's logit; may be null.
LabelMetrics test_labels(LabelDecoder& decoder, const LinkData& data, EventPart part,
                         MatrixView<const float> embeddings,
                         const std::function<void(EventId event, float logit)>& tested = nullptr);

}  // namespace frugal::tgn
