#include "tools/tgn-train/evaluation/recency_popularity.h"

#include <bit>
#include <cmath>

namespace frugal::tgn {
namespace {

/// Never is 0; moments are below kNoEvent, so that nothing overflows.
std::uint32_t recency_key(EventId moment) { return moment == kNoEvent ? 0 : moment + 1; }

/// Floats in their order.
std::uint32_t float_key(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return bits >> 31 != 0 ? ~bits : bits | 0x80000000U;
}

/// The later of two moments.
EventId later(EventId a, EventId b) {
  if (a == kNoEvent || b == kNoEvent) return a == kNoEvent ? b : a;
  return a < b ? b : a;
}

std::uint32_t local_key(const PairFacts& facts, LocalSignal signal) {
  switch (signal) {
    case LocalSignal::link_recency: return recency_key(facts.link);
    case LocalSignal::pair_recency: return recency_key(later(facts.link, facts.reply));
    case LocalSignal::link_count: return facts.link_count;
    case LocalSignal::none: break;
  }
  return 0;
}

std::uint32_t global_key(const PairFacts& facts, const RecencyPopularity::Order& order) {
  switch (order.global) {
    case GlobalSignal::destination_recency: return recency_key(facts.destination);
    case GlobalSignal::activity_recency: return recency_key(facts.activity);
    case GlobalSignal::destination_count: return facts.destination_count;
    case GlobalSignal::popularity: return float_key(facts.popularity[order.half_life]);
    case GlobalSignal::none: break;
  }
  return 0;
}

/// Of a count below 2^32 to [0, 1]; floats tell neighbouring counts apart up to a quarter of a
/// million.
float share_of(double count) { return static_cast<float>(std::log2(count + 1) / 32); }

/// Of a fading count, given its binary logarithm, to [0, 1]: half for one, however small it is more
/// than nothing.
float share_of_power(float exponent) {
  return exponent > 0 ? 0.5F + exponent / 64 : 0.5F / (1 - exponent);
}

const char* name_of(LocalSignal signal) {
  switch (signal) {
    case LocalSignal::link_recency: return "link_recency";
    case LocalSignal::pair_recency: return "pair_recency";
    case LocalSignal::link_count: return "link_count";
    case LocalSignal::none: break;
  }
  return "";
}

const char* name_of(GlobalSignal signal) {
  switch (signal) {
    case GlobalSignal::destination_recency: return "destination_recency";
    case GlobalSignal::activity_recency: return "activity_recency";
    case GlobalSignal::destination_count: return "destination_count";
    case GlobalSignal::popularity: return "popularity";
    case GlobalSignal::none: break;
  }
  return "";
}

}  // namespace

std::uint64_t RecencyPopularity::key(const PairFacts& facts, EventId /*event*/) const {
  return std::uint64_t{local_key(facts, order_.local)} << 32 | global_key(facts, order_);
}

float RecencyPopularity::closeness(EventId moment, EventId event) const {
  if (moment == kNoEvent) return 0;
  return static_cast<float>(1 / (1 + std::log2(1 + times_.between(moment, event) / time_unit_)));
}

float RecencyPopularity::score(const PairFacts& facts, EventId event) const {
  float local = 0;
  switch (order_.local) {
    case LocalSignal::link_recency: local = closeness(facts.link, event); break;
    case LocalSignal::pair_recency: local = closeness(later(facts.link, facts.reply), event); break;
    case LocalSignal::link_count: local = share_of(facts.link_count); break;
    case LocalSignal::none: break;
  }
  if (local > 0) return 1 + local;
  switch (order_.global) {
    case GlobalSignal::destination_recency: return closeness(facts.destination, event);
    case GlobalSignal::activity_recency: return closeness(facts.activity, event);
    case GlobalSignal::destination_count: return share_of(facts.destination_count);
    case GlobalSignal::popularity: return share_of_power(facts.popularity[order_.half_life]);
    case GlobalSignal::none: break;
  }
  return 0;
}

std::string order_text(const RecencyPopularity::Order& order) {
  std::string text = name_of(order.local);
  const std::string global = name_of(order.global);
  if (!text.empty() && !global.empty()) text += ',';
  return text + global;
}

}  // namespace frugal::tgn
