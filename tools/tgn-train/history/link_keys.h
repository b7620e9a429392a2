#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/csr.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/history/co_occurrence.h"

namespace frugal::tgn {

/// Exact facts about a source and a candidate for its next destination, as numbers on a logarithmic
/// scale. Times and ages are ln(1 + x) of the time, in LinkKeys' unit, or of the number of events
/// since.
enum class LinkKey : std::uint8_t {
  link_age,           ///< events of the source since its last event with the candidate
  link_time,          ///< time since that event
  link_count,         ///< number of the source's events with the candidate
  reply_time,         ///< time since the candidate's last event with the source as destination
  destination_time,   ///< time since the candidate's last event as a destination
  destination_age,    ///< events of the stream since that event
  destination_count,  ///< number of the candidate's events as a destination
  popularity_100,     ///< log2 of that number, decayed with a half-life of 100 events
  popularity_1000,
  popularity_10000,
  activity_time,  ///< time since the candidate's last event in either role
  next,           ///< CoOccurrenceScore::next
  cooccurrence,   ///< CoOccurrenceScore::recent
  lasting,        ///< CoOccurrenceScore::lasting
  repeat,         ///< log odds that the source returns to a former destination, for such candidates
  again,          ///< log odds that it returns to its last destination, for that candidate
};
inline constexpr std::size_t kNumLinkKeys = 16;
/// Keys of the candidate alone, from destination_time to activity_time, and keys of co-occurrence,
/// from next to lasting. The others say how the source and the candidate met.
inline constexpr std::size_t kFirstNodeKey = 4, kNumNodeKeys = 7;
inline constexpr std::size_t kFirstNearKey = 11, kNumNearKeys = 3;
inline constexpr std::array<LinkKey, 6> kMeetingKeys = {LinkKey::link_age,   LinkKey::link_time,
                                                        LinkKey::link_count, LinkKey::reply_time,
                                                        LinkKey::repeat,     LinkKey::again};
/// Names of the keys, in order.
extern const std::array<const char*, kNumLinkKeys> kLinkKeyNames;
/// Value of a key about an event that never happened.
inline constexpr float kNever = -std::numeric_limits<float>::infinity();

/// Follows a stream and gives the keys of pairs. They depend on the events strictly before the time
/// they are asked for. The state is bounded for each node: its last 64 destinations (24 bytes each,
/// and at most 16 in the lists of the nodes that sent to these), about 170 bytes, and those of
/// CoOccurrence, at most 11 KB in all. Events of the last time wait until a later one; their number
/// is not bounded.
class LinkKeys {
 public:
  /// Destinations of a source that are remembered.
  static constexpr std::size_t kPartners = 64;
  /// Most candidates that likely() gives.
  static constexpr std::size_t kMostLikely = 110;

  /// Bytes that a node takes at most that is the source of `sent` events and the destination of
  /// `received` ones.
  static std::uint64_t most_bytes(std::uint64_t sent, std::uint64_t received);

  /// time_unit: scale of times, say the mean gap between events.
  explicit LinkKeys(double time_unit = 1, std::size_t num_nodes = 0) : per_unit_(1 / time_unit) {
    grow(num_nodes);
  }
  /// Raises the number of nodes to `num_nodes`.
  void grow(std::size_t num_nodes);

  /// Adds an event. time: since the first event of the stream; never falls.
  void add(NodeId source, NodeId destination, double time);
  /// Sets `keys` to [candidates, kNumLinkKeys] at a time that is not before the last event.
  void keys(NodeId source, std::span<const NodeId> candidates, double time,
            std::vector<float>& keys);
  /// The following functions give the same keys in parts, for many candidates, most of which never
  /// had an event with the source. This one sets `columns` to the candidates' node keys,
  /// [kNumNodeKeys, candidates].
  void node_columns(std::span<const NodeId> candidates, double time, std::vector<float>& columns);
  /// Sets `nodes` to those with a key of co-occurrence, in no order, and `columns` to these keys,
  /// [kNumNearKeys, nodes].
  void near_columns(NodeId source, double time, std::vector<NodeId>& nodes,
                    std::vector<float>& columns);
  /// Sets `nodes` to those that the source or that met the source, without duplicates, and `rows`
  /// to [nodes, kNumLinkKeys], of which only kMeetingKeys are set.
  void meeting_rows(NodeId source, double time, std::vector<NodeId>& nodes,
                    std::vector<float>& rows);

  /// Sets `nodes` to candidates that are likely at that time: the source's last destinations, those
  /// that belong to them most closely, and the most popular ones. Ascending, without duplicates.
  /// among: the only nodes to choose from, ascending; null: all.
  void likely(NodeId source, double time, std::vector<NodeId>& nodes,
              const std::span<const NodeId>* among = nullptr);

  /// Adds the state of the first `num_nodes` nodes to a document, or loads it for as many nodes.
  /// Loading fails (bad_input) with `path`.
  void save(Document& document, std::size_t num_nodes);
  void load(const Document& document, const std::string& path, std::size_t num_nodes);

 private:
  static constexpr std::size_t kHalfLives = 3;
  static constexpr double kNoTime = -std::numeric_limits<double>::infinity();
  struct Node {
    double destination_time = kNoTime, activity_time = kNoTime;
    std::uint64_t destination_event = 0;
    /// log2 of the decayed counts as of the stream's first event
    std::array<double, kHalfLives> popularity = {kNoTime, kNoTime, kNoTime};
    std::uint32_t source_events = 0;
    /// decayed numbers of its events that went to a former, and to the last destination, and of all
    float repeats = 0, agains = 0, events = 0;
  };
  struct Partner {
    double time = 0;
    NodeId node = 0;
    std::uint32_t count = 0, source_event = 0;
    std::uint32_t sender_place = 0;  ///< of the source in the senders of the node
  };
  struct Event {
    NodeId source = 0, destination = 0;
    double time = 0;
  };
  void catch_up(double time);
  void apply(const Event& event);
  void count_return(Node& source, bool repeats, bool again);
  void add_sender(NodeId source, Partner& partner);
  void remove_sender(const Partner& partner);
  void add_popular(const std::span<const NodeId>* among, std::vector<NodeId>& nodes) const;
  float since(double then, double now) const;
  static const Partner* find(const std::vector<Partner>& partners, NodeId node);
  void pair_keys(NodeId source, NodeId candidate, const Partner* link, double time,
                 float* out) const;

  double per_unit_;
  std::vector<Node> nodes_;
  std::vector<std::vector<Partner>> partners_;  ///< [nodes] the one of the last event at the end
  std::vector<std::vector<NodeId>> senders_;    ///< [nodes] those that have it among their partners
  CoOccurrence co_occurrence_;
  std::vector<Event> now_;  ///< all events at the last time, not applied yet
  std::uint64_t events_ = 0;
  double repeats_ = 0, agains_ = 0, returns_ = 0;  ///< of all sources
  std::vector<CoOccurrenceScore> scores_;          ///< working memory
  std::vector<float> columns_;                     ///< working memory
};

}  // namespace frugal::tgn
