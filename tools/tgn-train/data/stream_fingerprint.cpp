#include "tools/tgn-train/data/stream_fingerprint.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "libcore/base/hash.h"
#include "tools/tgn-train/data/live_nodes.h"

namespace frugal::tgn {
namespace {

template <class T>
std::uint64_t hash_array(std::span<const T> values, std::uint64_t hash) {
  return hash_bytes(values.data(), values.size_bytes(), hash + values.size());
}

std::uint64_t hash_rows(const FeatureRows& rows, std::uint64_t hash) {
  return hash_array(std::span(rows.data, rows.rows * rows.row_bytes()), hash);
}

/// A whole number of seconds is the same as a double.
std::uint64_t time_bits(const EventTimes& times, EventId event) {
  const EventTime time = times.at(event);
  if (times.is_whole()) return static_cast<std::uint64_t>(time.whole);
  const bool whole = time.real == std::floor(time.real) && std::abs(time.real) < 0x1p53;
  return whole ? static_cast<std::uint64_t>(static_cast<std::int64_t>(time.real))
               : std::bit_cast<std::uint64_t>(time.real);
}

/// Features of the nodes of an event that were not in one before.
std::uint64_t hash_new_nodes(const EventStream& stream, EventId event,
                             std::vector<std::uint8_t>& seen, std::uint64_t hash) {
  const FeatureRows& rows = stream.node_features();
  for (const NodeId node : {stream.sources()[event], stream.destinations()[event]}) {
    if (std::exchange(seen[node], std::uint8_t{1}) != 0) continue;
    hash = hash_bytes(rows.data + node * rows.row_bytes(), rows.row_bytes(), hash);
  }
  return hash;
}

/// Hashes of the names of the stream's edge types.
std::vector<std::uint64_t> hashed_types(const EventStream& stream) {
  std::vector<std::uint64_t> hashes;
  for (const std::string& name : stream.type_names()) hashes.push_back(hash_bytes(name));
  return hashes;
}

}  // namespace

std::string prefix_fingerprint(const EventStream& stream, EventId events) {
  constexpr EventId kAtOnce = 4096;
  const NodeKeys keys = keys_of(stream);
  const FeatureRows& edges = stream.edge_features();
  const std::vector<std::uint64_t> types = hashed_types(stream);
  std::vector<std::uint8_t> seen(stream.node_features().empty() ? 0 : stream.num_nodes());
  std::vector<std::uint64_t> numbers;
  std::uint64_t hash = events;
  for (EventId begin = 0; begin < events;) {
    const EventId end = begin + std::min(kAtOnce, events - begin);
    numbers.clear();
    for (EventId e = begin; e < end; ++e) {
      numbers.insert(numbers.end(),
                     {keys.of(stream.sources()[e]), keys.of(stream.destinations()[e]),
                      time_bits(stream.times(), e)});
      if (!types.empty()) numbers.push_back(types[stream.types()[e]]);
      if (!seen.empty()) hash = hash_new_nodes(stream, e, seen, hash);
    }
    hash = hash_array(std::span<const std::uint64_t>(numbers), hash);
    if (edges.dim != 0) {
      hash = hash_array(
          std::span(edges.data + begin * edges.row_bytes(), (end - begin) * edges.row_bytes()),
          hash);
    }
    begin = end;
  }
  return std::to_string(hash);
}

std::string stream_fingerprint(const EventStream& stream) {
  std::uint64_t hash = stream.num_nodes();
  hash = hash_array(stream.sources(), hash);
  hash = hash_array(stream.destinations(), hash);
  hash = hash_array(stream.times().whole(), hash);
  hash = hash_array(stream.times().real(), hash);
  hash = hash_rows(stream.edge_features(), hash);
  hash = hash_rows(stream.node_features(), hash);
  if (stream.types().empty()) return std::to_string(hash);
  hash = hash_array(stream.types(), hash);
  hash = hash_array(std::span<const std::uint64_t>(hashed_types(stream)), hash);
  return std::to_string(hash);
}

}  // namespace frugal::tgn
