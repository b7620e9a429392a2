#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "tools/tgn-train/data/event_times.h"

namespace frugal::tgn {

enum class MemoryTier : std::uint8_t { ram, disk };
inline constexpr std::array<std::string_view, 2> kMemoryTierNames = {"ram", "disk"};

/// Where the memory of nodes lies while a command works.
struct MemoryPlace {
  MemoryTier tier = MemoryTier::ram;
  std::string file;    ///< on disk: a new file, which is gone with the process; "" = unnamed
  std::string folder;  ///< of an unnamed file
};

/// With its folder: the file lies beside `output`, else, where that is none or a pipe, in the
/// folder for temporary files.
MemoryPlace memory_place(MemoryPlace place, const std::string& output);

/// When memory is updated, and with which weights.
///
/// window: by every event in turn, as if each were a batch of its own: a step knows all events
/// before it, and so do its own events of those before them. Updates are made in the step that has
/// the event.
/// exact: as twitter-research/tgn does. A batch sees the memory as it was before it; a node's last
/// message is kept and, whenever the node is looked at, evaluated anew with the weights of that
/// moment, until the node is in an event again.
/// read: as exact, but what is kept of a message is the other node's memory and the event, so that
/// its time is encoded anew, too (TGL's mailbox).
enum class MemoryMode : std::uint8_t { window, exact, read };

/// Of which nodes' memory a training in window mode makes the last update again with the weights of
/// the step, so that gradients reach the updater through it: none; all that a step looks at.
enum class RefreshKind : std::uint8_t { none, touched };

/// Whether a network's weights change behind each step. Where they do not, an update that is made
/// again is what memory has.
enum class Weights : std::uint8_t { learn, fixed };

/// What a memory of events in turn lets events of one time know of each other. strict: nothing, as
/// their neighbours and predictions without learning have it: which of them is first says nothing.
/// order: each knows those before it in the stream.
enum class Ties : std::uint8_t { strict, order };

/// The first event that `event` does not see: it sees all events with smaller numbers.
inline EventId known_before(const EventTimes& times, EventId event, Ties ties) {
  return ties == Ties::strict ? times.first_at_time_of(event) : event;
}

// Their names, in order.
inline constexpr std::array<std::string_view, 3> kMemoryModeNames = {"window", "exact", "read"};
inline constexpr std::array<std::string_view, 2> kRefreshNames = {"none", "touched"};
inline constexpr std::array<std::string_view, 2> kTiesNames = {"strict", "order"};

MemoryMode memory_mode_from_name(std::string_view name);
/// What --ties asks for of a model; auto: strict. Fails (usage) where it would change nothing.
Ties ties_for(std::string_view ties, MemoryMode mode);
std::string_view memory_mode_name(MemoryMode mode);

}  // namespace frugal::tgn
