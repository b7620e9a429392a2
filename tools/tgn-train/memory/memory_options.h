#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "tools/tgn-train/data/event_times.h"

namespace frugal::tgn {

enum class MemoryTier : std::uint8_t { ram, disk };
inline constexpr std::array<std::string_view, 2> kMemoryTierNames = {"ram", "disk"};

/// Where the memory of nodes is kept while a command runs.
struct MemoryPlace {
  MemoryTier tier = MemoryTier::ram;
  std::string file;    ///< disk: a new file, removed when the process ends; "" = unnamed
  std::string folder;  ///< folder of an unnamed file
};

/// Returns `place` with its folder set: the folder of the file or, for an unnamed one, of `output`.
/// If `output` is empty or a pipe, it is the folder for temporary files.
MemoryPlace memory_place(MemoryPlace place, const std::string& output);

/// When the memory is updated, and with which weights.
///
/// window: event by event, as if each were a batch of its own. Every query sees all events before
/// it (Ties decides about its own time), and every update sees the updates before it. The updates
/// are computed in the step that applies the event.
/// exact: batch by batch, as twitter-research/tgn. All queries of a batch see the memory as it was
/// before the batch. Each node's last message is stored. Whenever the node is read, the message is
/// evaluated with the present weights, until the node occurs in another event.
/// read: as exact, but a stored message is the other node's memory and the event, so that its time
/// is encoded anew, too (TGL's mailbox).
enum class MemoryMode : std::uint8_t { window, exact, read };

/// Nodes whose last memory update a training step in window mode repeats with the present weights,
/// so that gradients reach the updater. none: no node. touched: every node that the step reads.
enum class RefreshKind : std::uint8_t { none, touched };

/// Whether the weights change after each step. With fixed weights, repeating an update gives the
/// state that the memory holds already.
enum class Weights : std::uint8_t { learn, fixed };

/// Window mode: which events of the same time an event sees. strict: none of them, because their
/// order says nothing; neighbours and baselines are strict, too. order: the ones before it in the
/// stream.
enum class Ties : std::uint8_t { strict, order };

/// The first event that `event` does not see: it sees all events with smaller numbers.
inline EventId known_before(const EventTimes& times, EventId event, Ties ties) {
  return ties == Ties::strict ? times.first_at_time_of(event) : event;
}

// Names of the values, in order.
inline constexpr std::array<std::string_view, 3> kMemoryModeNames = {"window", "exact", "read"};
inline constexpr std::array<std::string_view, 2> kRefreshNames = {"none", "touched"};
inline constexpr std::array<std::string_view, 2> kTiesNames = {"strict", "order"};

MemoryMode memory_mode_from_name(std::string_view name);
/// Value of --ties for a model; auto is strict. Fails (usage) in batch modes, where it has no
/// effect.
Ties ties_for(std::string_view ties, MemoryMode mode);
std::string_view memory_mode_name(MemoryMode mode);

}  // namespace frugal::tgn
