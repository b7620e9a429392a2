#include "tools/tgn-train/memory/pair_stream.h"

#include <algorithm>
#include <cassert>
#include <functional>

#include "libcore/base/error.h"
#include "libcore/kernels/kernels.h"
#include "libcore/nn/state_tensors.h"
#include "tools/tgn-train/network/link_decoder.h"

namespace frugal::tgn {
namespace {

const std::string kPairPrefix = "pairs.";
const std::string kNow = kPairPrefix + "now";

}  // namespace

std::vector<std::pair<std::string, std::size_t>> PairStream::bytes_per_node(
    const PairHistoryOptions& options) {
  PairHistory one(options, {}, 1);
  std::vector<std::pair<std::string, std::size_t>> sizes;
  for (const PairHistory::Piece& piece : one.pieces()) {
    sizes.emplace_back(kPairPrefix + piece.name, piece.bytes.size());
  }
  return sizes;
}

PairStream::PairStream(const PairHistoryOptions& options, const EventView& events)
    : events_(events),
      history_(options, events.times, events.num_nodes, events.keys, events.types) {}

void PairStream::use(const EventView& events) {
  events_ = events;
  history_.use(events);
}

void PairStream::mark_needed(std::vector<std::uint8_t>& keep) {
  history_.mark_needed(keep);
  for (const EventId event : now_) keep[event] = 1;
  if (passed_ != kNoEvent) keep[passed_] = 1;
}

void PairStream::renumber(std::span<const EventId> numbers) {
  history_.renumber(numbers);
  for (EventId& event : now_) event = numbers[event];
  if (passed_ != kNoEvent) passed_ = numbers[passed_];
}

void PairStream::restart() {
  history_.reset();
  now_.clear();
  passed_ = kNoEvent;
}

/// Adds the waiting events to the history if they are strictly before the event.
void PairStream::catch_up(EventId event) {
  if (now_.empty() || events_.at_same_time(now_.front(), event)) return;
  for (const EventId earlier : now_) {
    history_.add(events_.sources[earlier], events_.destinations[earlier], earlier);
  }
  now_.clear();
}

void PairStream::pass(EventId event) {
  if (passed_ != kNoEvent && event <= passed_) return;
  catch_up(event);
  now_.push_back(event);
  passed_ = event;
}

void PairStream::features(EventId event, std::span<const NodeId> candidates, float* out) {
  assert(passed_ == kNoEvent || event > passed_);
  catch_up(event);
  history_.features(events_.sources[event], candidates, event, out);
  kernels().scale(kPairScale, out, candidates.size() * dim());
}

const WalkProjections& PairStream::walks_before(EventId event) {
  assert(passed_ == kNoEvent || event > passed_);
  catch_up(event);
  return history_.walks();
}

PairStream::Snapshot PairStream::snapshot() {
  Snapshot snapshot{{}, now_, passed_};
  for (const PairHistory::Piece& piece : history_.pieces()) {
    snapshot.pieces.push_back(Array<std::byte>::copy_of(piece.bytes));
  }
  return snapshot;
}

void PairStream::restore(const Snapshot& snapshot) {
  now_ = snapshot.now;
  passed_ = snapshot.passed;
  const std::vector<PairHistory::Piece> pieces = history_.pieces();
  assert(snapshot.pieces.size() == pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::copy(snapshot.pieces[i].begin(), snapshot.pieces[i].end(), pieces[i].bytes.begin());
  }
}

void PairStream::save(Document& document, std::size_t num_nodes) {
  for (const PairHistory::Piece& piece : history_.pieces()) {
    const std::size_t bytes =
        num_nodes == 0 ? 0 : piece.bytes.size() / events_.num_nodes * num_nodes;
    document.tensors.push_back(Tensor::lend<std::uint8_t>(
        kPairPrefix + piece.name, {bytes},
        {reinterpret_cast<const std::uint8_t*>(piece.bytes.data()), bytes}));
  }
  document.tensors.push_back(Tensor::copy_of<EventId>(kNow, {now_.size()}, now_));
}

void PairStream::load(const Document& document, const std::string& path, EventId end) {
  for (const PairHistory::Piece& piece : history_.pieces()) {
    const std::string name = kPairPrefix + piece.name;
    const auto from =
        shaped_tensor(document, path, name, {piece.bytes.size()}, Dtype::u8).content();
    std::copy(from.begin(), from.end(), piece.bytes.begin());
  }
  const Tensor* const tensor = document.find(kNow);
  const std::uint64_t size = tensor == nullptr || tensor->shape.empty() ? 0 : tensor->shape[0];
  const auto now = shaped_tensor(document, path, kNow, {size}, dtype_of<EventId>()).as<EventId>();
  const bool ascends =
      std::adjacent_find(now.begin(), now.end(), std::greater_equal<>()) == now.end();
  if (!ascends || (!now.empty() && now.back() >= end) || !history_.is_whole()) {
    fail(
        ExitStatus::bad_input, path,
        ": its history of pairs has nodes or events that the stream does not have, or numbers that "
        "are not finite");
  }
  now_.assign(now.begin(), now.end());
  passed_ = now_.empty() ? kNoEvent : now_.back();
}

}  // namespace frugal::tgn
