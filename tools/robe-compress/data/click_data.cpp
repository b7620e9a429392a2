#include "tools/robe-compress/data/click_data.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "libcore/base/hash.h"
#include "libcore/base/rng.h"
#include "libcore/threading/parallel.h"
#include "tools/robe-compress/data/click_fit.h"

namespace frugal::robe {
namespace {

constexpr std::size_t kAhead = 8;  ///< samples whose cache lines are asked for
constexpr std::uint64_t kOrderStream = 0x636c69636b73;
constexpr std::uint64_t kHeldBackEpoch = 1000000;  ///< beyond the epochs of a training
/// Samples that an epoch mixes at a time: they fit into memory where all do not. Used wherever the
/// samples lie, so that the order does not depend on that.
constexpr std::uint64_t kBlock = std::uint64_t{1} << 20;

}  // namespace

struct ClickData::State {
  enum class Part { training, held_out, held_back };

  State(const std::string& path, const ClickOptions& click_options, const ClickEncoder* given)
      : options(click_options),
        held_out(options.held_out),
        samples(read_samples(path, options, held_out, given)),
        encoder(samples.encoder ? samples.encoder.get() : given),
        num_held_out(held_out.count(samples.store.size())) {}

  /// Not held out: trained on or held back.
  std::uint64_t kept_size() const { return samples.store.size() - num_held_out; }
  std::uint64_t num_held_back() const { return held_back.count(kept_size()); }
  std::uint64_t training_size() const { return kept_size() - num_held_back(); }
  /// The i-th sample of what next() goes through.
  const std::uint32_t* at(std::uint64_t i) const {
    const SampleStore& store = samples.store;
    if (part == Part::held_out) return store.sample(held_out.held_out_sample(i, store.size()));
    const std::uint64_t kept =
        part == Part::held_back
            ? held_back.held_out_sample(order.empty() ? i : order[i], kept_size())
            : held_back.training_sample(order.empty() ? i : order[i], kept_size());
    return store.sample(held_out.training_sample(kept, store.size()));
  }
  void start(Part which, std::uint64_t size) {
    part = which;
    position = 0;
    end = size;
  }

  ClickOptions options;
  HeldOut held_out;
  HeldOut held_back;  ///< of the samples that are not held out
  FittedSamples samples;
  const ClickEncoder* encoder;
  std::uint64_t num_held_out;
  std::vector<std::uint32_t> order;  ///< empty: as they are
  std::uint64_t position = 0, end = 0;
  Part part = Part::training;
};

ClickData::ClickData(const std::string& path, const ClickOptions& options) {
  check_click_options(options);
  state_ = std::make_unique<State>(path, options, nullptr);
}
ClickData::ClickData(const std::string& path, const ClickOptions& options,
                     const ClickEncoder& encoder) {
  check_click_options(options);
  state_ = std::make_unique<State>(path, options, &encoder);
}
ClickData::~ClickData() = default;
ClickData::ClickData(ClickData&&) noexcept = default;

const ClickEncoder& ClickData::encoder() const { return *state_->encoder; }
std::uint64_t ClickData::size() const { return state_->training_size(); }
std::uint64_t ClickData::num_held_out() const { return state_->num_held_out; }
std::uint64_t ClickData::num_positives() const { return state_->samples.positives; }

std::vector<UnknownValues> ClickData::unknown_values() const {
  if (state_->samples.encoder) return {};
  return robe::unknown_values(encoder(), state_->samples.unknown);
}

std::string ClickData::fingerprint() const {
  const SampleStore& store = state_->samples.store;
  std::vector<std::uint64_t> hashes(store.num_chunks());
  parallel_for(store.num_chunks(), 1, [&](std::size_t chunk) {
    const std::uint64_t begin = chunk * SampleStore::kChunk;
    const std::size_t bytes = (store.chunk_end(chunk) - begin) * store.sample_words() * 4;
    hashes[chunk] = hash_bytes(store.sample(begin), bytes);
  });
  std::array<char, 17> text{};
  const auto hash = hash_bytes(hashes.data(), hashes.size() * sizeof hashes[0], num_held_out());
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return std::to_string(store.size()) + "-" + text.data();
}

void ClickData::start_epoch(std::uint64_t seed, std::uint64_t epoch) {
  State& s = *state_;
  s.start(State::Part::training, s.training_size());
  if (!s.options.shuffle) return s.order.clear();
  s.order = epoch_order(s.end, kBlock, seed, hash_combine(kOrderStream, epoch));
}

std::uint64_t ClickData::skip(std::uint64_t samples) {
  State& s = *state_;
  const std::uint64_t skipped = std::min(samples, s.end - s.position);
  s.position += skipped;
  return skipped;
}

void ClickData::start_held_out() { state_->start(State::Part::held_out, num_held_out()); }

void ClickData::hold_back(std::uint64_t every) {
  state_->held_back = every == 0 ? HeldOut() : HeldOut::one_of(every);
}

std::uint64_t ClickData::num_held_back() const { return state_->num_held_back(); }

void ClickData::start_held_back() {
  state_->start(State::Part::held_back, num_held_back());
  state_->order.clear();
}

void ClickData::start_held_back_epoch(std::uint64_t seed) {
  start_held_back();
  State& s = *state_;
  if (s.options.shuffle)
    s.order = epoch_order(s.end, kBlock, seed, hash_combine(kOrderStream, kHeldBackEpoch));
}

bool ClickData::next(ClickBatch& batch, std::size_t max_size) {
  State& s = *state_;
  const SampleStore& store = s.samples.store;
  const std::size_t fields = store.num_fields(), numbers = store.num_numbers();
  batch.size = std::min<std::uint64_t>(max_size, s.end - s.position);
  batch.num_fields = fields;
  batch.num_numbers = numbers;
  batch.rows.resize(batch.size * fields);
  batch.numbers.resize(batch.size * numbers);
  batch.labels.resize(batch.size);
  for (std::size_t i = 0; i < batch.size; ++i) {
    if (i + kAhead < batch.size) {
      const auto* const ahead = reinterpret_cast<const char*>(s.at(s.position + i + kAhead));
      for (std::size_t at = 0; at < store.sample_words() * 4; at += 64)
        __builtin_prefetch(ahead + at);
    }
    const std::uint32_t* const sample = s.at(s.position + i);
    std::copy_n(sample, fields, batch.rows.data() + i * fields);
    std::copy_n(store.numbers(sample), numbers, batch.numbers.data() + i * numbers);
    batch.labels[i] = store.label(sample);
  }
  s.position += batch.size;
  return batch.size > 0;
}

}  // namespace frugal::robe
