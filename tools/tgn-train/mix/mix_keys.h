#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/tgn-train/history/link_keys.h"
#include "tools/tgn-train/history/typed_nodes.h"
#include "tools/tgn-train/mix/shortlist.h"

namespace frugal::tgn {

/// A possible or past event of a stream.
struct MixEvent {
  NodeId source = 0, destination = 0;
  std::uint16_t type = 0;  ///< 0 if events have no types
  double time = 0;
};

/// The keys that a mix reads: LinkKeys of the nodes and, if events have edge types, LinkKeys within
/// types. These count only the destination's events of the type that is asked about.
class MixKeys {
 public:
  /// time_unit: scale of times, as in LinkKeys. typed: events have types.
  explicit MixKeys(double time_unit = 1, bool typed = false, std::size_t num_nodes = 0);

  /// Numbers of a candidate that keys() writes.
  std::size_t width() const { return typed_ ? 2 * kNumLinkKeys : kNumLinkKeys; }
  void grow(std::size_t num_nodes) { keys_.grow(num_nodes); }
  /// Adds an event; times never fall.
  void add(const MixEvent& event);
  /// Sets `keys` to [candidates, width()] for events as `asked` with each candidate as destination.
  void keys(const MixEvent& asked, std::span<const NodeId> candidates, std::vector<float>& keys);
  /// Sets `nodes` to likely destinations: LinkKeys::likely() among all nodes and, if events have
  /// types, among the destinations of the type.
  void likely(const MixEvent& asked, std::vector<NodeId>& nodes);
  /// The best candidates by keys alone, after the first one: KeyOrder::shortlist().
  Shortlist shortlist(const KeyMix& mix, const MixEvent& asked, std::span<const NodeId> candidates,
                      std::size_t count);

  /// Saves and loads like LinkKeys. Keys within types are the tensors typed.*.
  void save(Document& document, std::size_t num_nodes);
  void load(const Document& document, const std::string& path, std::size_t num_nodes);

 private:
  struct Typed {
    TypedNodes nodes;
    LinkKeys keys;
  };
  void find_typed(const MixEvent& asked, std::span<const NodeId> candidates);

  LinkKeys keys_;
  std::optional<Typed> typed_;
  KeyOrder order_;
  std::vector<NodeId> typed_nodes_;  ///< working memory
  std::vector<float> plain_rows_, typed_rows_;
};

}  // namespace frugal::tgn
