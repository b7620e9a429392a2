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

/// Fails (bad_input) with the stream's path where training, validation or test do not have events
/// of both labels.
void check_labels(const LinkData& data);
/// Events of the part with label 1.
std::uint64_t count_labelled(const LinkData& data, EventPart part);

/// What the session's model makes of the source of every event, as it is before the memory knows of
/// the event: [events, memory_dim]. The session begins anew; `batch` events are worked on at once,
/// of one part each. A signal ends it (Error).
Array<float> embed_sources(StreamSession& session, const LinkData& data, std::size_t batch,
                           const std::function<void(double share)>& progress);

/// How well scores tell sources whose state changed from others.
struct LabelMetrics {
  double auc = 0, ap = 0;

  NamedValues values() const { return {{"auc", auc}, {"average_precision", ap}}; }
};
/// What labels are tested on; labelled: those with label 1.
struct LabelTests {
  std::uint64_t valid_events = 0, valid_labelled = 0, test_events = 0, test_labelled = 0;
  LabelMetrics valid, test;
};
/// Of the events of a part. embeddings: of all events, as embed_sources() makes them.
/// tested: is told of every event's logit; null: nobody is.
LabelMetrics test_labels(LabelDecoder& decoder, const LinkData& data, EventPart part,
                         MatrixView<const float> embeddings,
                         const std::function<void(EventId event, float logit)>& tested = nullptr);

}  // namespace frugal::tgn
