#include "tools/tgn-train/data/event_generator.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/hash.h"
#include "libcore/base/rng.h"
#include "libcore/threading/parallel.h"

namespace frugal::tgn {
namespace {

enum Stream : std::uint64_t {
  kTimes = 0x74696d65,
  kSources = 0x736f7572,
  kFresh = 0x66726573,
  kRecur = 0x72656375,
  kCenter = 0x63656e74,
  kNoise = 0x6e6f6973,
  kTypes = 0x74797065
};

/// A rank below n with a share of about (rank + 1)^-s, s = 1 / (exponent - 1): degrees then follow
/// a power law with that exponent. The integral of the continuous law, inverted.
std::uint64_t power_rank(double u, std::uint64_t n, double exponent) {
  const double s = 1 / (exponent - 1), end = static_cast<double>(n) + 1;
  const double x = std::abs(s - 1) < 1e-9
                       ? std::pow(end, u)
                       : std::pow(1 + u * (std::pow(end, 1 - s) - 1), 1 / (1 - s));
  return std::min(static_cast<std::uint64_t>(x) - 1, n - 1);
}

std::uint64_t times_ratio(std::uint64_t x, std::uint64_t numerator, std::uint64_t denominator) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(x) * numerator / denominator);
}

}  // namespace

EventGenerator::EventGenerator(const GeneratorOptions& options)
    : options_(options),
      num_sources_(options.sources == 0 ? options.nodes : options.sources),
      num_destinations_(options.nodes - options.sources),
      first_destination_(options.sources),
      source_ids_(num_sources_, hash_combine(options.seed, kSources)),
      destination_ids_(num_destinations_, hash_combine(options.seed, kFresh)) {
  if (options.recurrence > 0) {
    partners_ = Array<Partners>(num_sources_ * std::max<std::uint64_t>(1, options.types));
  }
  centers_ = Array<float>(kCenters * options.features, uninitialized);
  Rng rng(options.seed, kCenter);
  for (float& x : centers_) x = static_cast<float>(rng.normal());
}

void EventGenerator::times(std::uint64_t begin, std::span<std::int64_t> to) const {
  const Rng rng(options_.seed, kTimes);
  const auto time_of = [&](std::uint64_t e) {
    if (options_.distinct_times != 0) {
      const std::uint64_t step = times_ratio(e, options_.distinct_times, options_.events);
      return times_ratio(step, options_.duration, options_.distinct_times);
    }
    // Anywhere in the event's own share of the duration: never before the event before it.
    const auto place = static_cast<unsigned __int128>(e) << 32 | rng.at(e) >> 32;
    return static_cast<std::uint64_t>(place * options_.duration / options_.events >> 32);
  };
  parallel_ranges(to.size(), [&](std::size_t first, std::size_t last, int) {
    for (std::size_t i = first; i < last; ++i)
      to[i] = static_cast<std::int64_t>(time_of(begin + i));
  });
}

void EventGenerator::sources(std::uint64_t begin, std::span<NodeId> to) const {
  parallel_ranges(to.size(), [&](std::size_t first, std::size_t last, int) {
    for (std::size_t i = first; i < last; ++i) {
      Rng rng(options_.seed, kSources, begin + i);
      const std::uint64_t rank = power_rank(rng.uniform(), num_sources_, options_.exponent);
      to[i] = static_cast<NodeId>(source_ids_.forward(rank));
    }
  });
}

std::uint16_t EventGenerator::type_of(std::uint64_t event) const {
  if (options_.types == 0) return 0;
  return static_cast<std::uint16_t>(Rng(options_.seed, kTypes, event).below(options_.types));
}

void EventGenerator::types(std::uint64_t begin, std::span<std::uint16_t> to) const {
  parallel_ranges(to.size(), [&](std::size_t first, std::size_t last, int) {
    for (std::size_t i = first; i < last; ++i) to[i] = type_of(begin + i);
  });
}

/// The destinations of a type have the ranks of those of type 0, shifted by their share of all.
NodeId EventGenerator::fresh_partner(std::uint64_t event, NodeId source) const {
  Rng rng(options_.seed, kFresh, event);
  const std::uint64_t rank = power_rank(rng.uniform(), num_destinations_, options_.exponent);
  const auto id_of = [&](std::uint64_t r) {
    if (options_.types != 0) {
      r = (r + type_of(event) * num_destinations_ / options_.types) % num_destinations_;
    }
    return static_cast<NodeId>(first_destination_ + destination_ids_.forward(r));
  };
  const NodeId id = id_of(rank);
  return id == source ? id_of((rank + 1) % num_destinations_) : id;
}

void EventGenerator::destinations(std::uint64_t begin, std::span<NodeId> to) {
  Array<NodeId> from(to.size(), uninitialized);
  sources(begin, {from.data(), from.size()});
  parallel_ranges(to.size(), [&](std::size_t first, std::size_t last, int) {
    for (std::size_t i = first; i < last; ++i) to[i] = fresh_partner(begin + i, from[i]);
  });
  if (partners_.empty()) return;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::uint64_t types = std::max<std::uint64_t>(1, options_.types);
    Partners& last = partners_[from[i] * types + type_of(begin + i)];
    const std::uint32_t known = std::min<std::uint32_t>(last.count, kPartners);
    Rng rng(options_.seed, kRecur, 2 * (begin + i));
    if (known != 0 && rng.uniform() < options_.recurrence) {
      to[i] = last.nodes[hash_to_range(rng.next(), known)];
      ++recurring_;
      continue;
    }
    const bool again = std::find(last.nodes, last.nodes + known, to[i]) != last.nodes + known;
    recurring_ += again;
    if (!again) last.nodes[last.count++ % kPartners] = to[i];
  }
}

void EventGenerator::features(std::uint64_t begin, std::span<float> to) const {
  const std::uint64_t dim = options_.features;
  const std::size_t rows = to.size() / dim;
  Array<NodeId> from(rows, uninitialized);
  sources(begin, {from.data(), rows});
  parallel_ranges(rows, [&](std::size_t first, std::size_t last, int) {
    for (std::size_t i = first; i < last; ++i) {
      const float* const center = centers_.data() + mix64(from[i]) % kCenters * dim;
      Rng rng(options_.seed, hash_combine(kNoise, begin + i));
      for (std::size_t j = 0; j < dim; ++j) {
        to[i * dim + j] = center[j] + static_cast<float>(rng.normal());
      }
    }
  });
}

}  // namespace frugal::tgn
