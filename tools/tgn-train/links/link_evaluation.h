#pragma once
#include <array>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tools/tgn-train/evaluation/link_metrics.h"
#include "tools/tgn-train/links/link_data.h"
#include "tools/tgn-train/memory/stream_session.h"
#include "tools/tgn-train/memory/waiting_events.h"
#include "tools/tgn-train/mix/shortlist.h"
#include "tools/tgn-train/mix/stream_keys.h"

namespace frugal::tgn {

struct TgnModelFile;

/// Called with an event, its logit, its negative destination, and the logit of that pair.
using LinkObserver =
    std::function<void(EventId event, float link, NodeId negative, float negative_logit)>;

/// Called with an event that is ranked and the network's logits of its destination, its negative
/// and the destinations to rank among.
using RankObserver = std::function<void(EventId event, std::span<const float> logits)>;

/// Thrown by an evaluation whose Options::stops returned true.
struct EvaluationStopped {};

/// Scores events and negative destinations, while the memory follows the events.
class LinkEvaluation {
 public:
  struct Options {
    std::size_t batch = 200;   ///< events scored at once
    Ties ties = Ties::strict;  ///< window mode: what events of one time see of each other
    /// Called for every event of runs that are not inductive; may be null.
    LinkObserver observer = nullptr;
    RankObserver ranked = nullptr;  ///< may be null
    /// As `ranked`, with the logits that decide the rank; not called for inductive runs; may be
    /// null.
    RankObserver decided = nullptr;
    const LinkMix* mix = nullptr;  ///< mixes the network's logits with keys; null: none
    /// Number of destinations to rank that the network is asked about, with a mix. Where there are
    /// more, keys choose them.
    std::size_t shortlist = LinkMix::kShortlist;
    /// Asked before each batch: true ends the evaluation with EvaluationStopped; may be null.
    std::function<bool()> stops = nullptr;
  };
  /// All must outlive the evaluation. In batch modes, the memory applies a batch after all of its
  /// events were scored.
  LinkEvaluation(const LinkData& data, const EvaluationNegatives& negatives, StreamSession& session,
                 const Options& options);

  /// Scores the part's events, from a session that is right after the part before. inductive: only
  /// events with new nodes; the others do not update the memory, as in twitter-research/tgn. ranks:
  /// destinations to rank among; null: no ranks.
  LinkMetrics run(EventPart part, bool inductive, const NegativeSampler* ranks);
  /// Metrics of the network's logits in the last run with a mix. They have ranks only if no event
  /// had more destinations to rank than Options::shortlist.
  const LinkMetrics& network() const { return network_; }

 private:
  bool in_turn() const { return session_.options().mode == MemoryMode::window; }
  void draw(std::span<const EventId> events, bool inductive, const NegativeSampler* ranks);
  /// next: the event after them, or kNoEvent.
  void score(std::span<const EventId> events, EventId next, bool inductive,
             const NegativeSampler* ranks, LinkMetrics& metrics);
  /// Adds the logits_ of an event to the metrics.
  void add_logits(LinkMetrics& metrics) const;
  /// Adds an event to mixed_. Keeps the destinations to rank that the network is to be asked about.
  void shorten(EventId event, NodeId negative, std::vector<NodeId>& ranked);
  /// The best of candidates_ by keys. A list of the pass over events with new nodes is used again
  /// in the pass over all events of the part.
  Shortlist shortlist(EventId event);
  /// Mixes the logits_ of the batch's event `number` and adds them to the metrics.
  void add_mixed(std::size_t number, LinkMetrics& metrics);
  /// Events [begin, begin + count) of a batch, scored in one step.
  struct Scored {
    std::span<const EventId> events;  ///< the whole batch
    std::size_t begin = 0, count = 0;
    bool inductive = false, ranked = false;
  };
  void add_scores(const Scored& scored, MatrixView<const float> embeddings, LinkMetrics& metrics);
  void update_in_turn(StepEvents& step, EventId next);

  const LinkData& data_;
  const EvaluationNegatives& negatives_;
  StreamSession& session_;
  Options options_;
  EventTimes times_;
  WaitingEvents waiting_;
  StepPlan plan_;
  /// For each event of the batch its negative and the destinations to rank. In others_, the
  /// negative is repeated up to `per_event_` entries.
  std::vector<NodeId> others_, drawn_;
  std::size_t per_event_ = 1;
  std::vector<std::size_t> num_ranked_;
  /// Keys of an event's candidates, and their order by these.
  struct Mixed {
    Shortlist list;  ///< has no best ones if the network is asked about all
    /// [2 + asked, StreamKeys::width()] of the destination, the negative and those asked about
    std::vector<float> keys;
  };
  std::vector<Mixed> mixed_;                      ///< of the batch's events, with a mix
  std::unordered_map<EventId, Shortlist> lists_;  ///< of events with new nodes
  bool keeps_lists_ = false;
  std::vector<float> logits_;
  std::optional<StreamKeys> keys_;  ///< for the mix
  std::vector<NodeId> candidates_;
  LinkMetrics network_;
};

/// Metrics of a model on the parts of a stream; empty for parts without events. Inductive: events
/// with nodes that training did not see.
struct LinkTests {
  std::optional<LinkMetrics> valid, test, inductive_valid, inductive_test;
  std::optional<LinkMetrics> network_test;  ///< of the network alone, if there is a mix
};

/// Destinations to rank among in validation and test; null: no ranks.
struct LinkRanks {
  const NegativeSampler* valid = nullptr;
  const NegativeSampler* test = nullptr;
};

/// Applies the training events from `from` on to the memory, `batch` at once.
void learn_training(const LinkData& data, StreamSession& session, EventId from, std::size_t batch);

/// Restarts the session with fixed weights and applies all training events, `batch` at once.
void learn_anew(const LinkData& data, StreamSession& session, std::size_t batch);

/// Brings a session of the model to the state after the training events: from the memory in the
/// model file, or, if that is not of this stream, by applying all events. Returns true if it used
/// the file's.
bool begin_behind_training(TgnModelFile& stored, const LinkData& data, StreamSession& session);

/// Tests the session's model as twitter-research/tgn does. The memory goes on from the training
/// events through validation and test. Events with new nodes are tested separately from the same
/// states.
LinkTests test_links(const LinkData& data, const EvaluationNegatives& negatives,
                     StreamSession& session, const LinkRanks& ranks,
                     const LinkEvaluation::Options& options);

}  // namespace frugal::tgn
