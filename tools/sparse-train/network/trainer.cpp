#include "tools/sparse-train/network/trainer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/kernels/kernels.h"
#include "libcore/threading/parallel.h"
#include "tools/sparse-train/data/shuffle.h"

namespace frugal {
namespace {

constexpr std::uint64_t kOrderStream = 4;

/// Ranges of features per thread: more than one, so that a thread with cheap rows takes another
/// range.
constexpr std::size_t kRangesPerThread = 4;
/// Rows that stay in a core's cache, and what another row costs compared with one of them.
constexpr std::size_t kCachedBytes = std::size_t{1} << 20;
constexpr std::uint64_t kColdCost = 3;

/// Takes pieces 0, 1, ... until there are `count`.
template <class Body>
void take_pieces(std::atomic<std::size_t>& next, std::size_t count, const Body& body) {
  for (std::size_t piece; (piece = next.fetch_add(1, std::memory_order_relaxed)) < count;)
    body(piece);
}

}  // namespace

Trainer::Trainer(Network& network, OutputLayer& output, const Dataset& data,
                 const TrainerSetup& setup)
    : network_(network),
      output_(output),
      data_(data),
      setup_(setup),
      batches_per_epoch_((data.size() + setup.batch_size - 1) / setup.batch_size),
      chunk_(std::clamp<std::size_t>(setup.batch_size / 16, 4, 64)),
      num_ranges_(num_threads() == 1 ? 1
                                     : kRangesPerThread * static_cast<std::size_t>(num_threads())),
      order_(data.size()),
      splits_(setup.batch_size * (num_ranges_ + 1)),
      hidden_(setup.batch_size * network.hidden_stride()),
      dhidden_(setup.batch_size * network.hidden_stride()),
      losses_(setup.batch_size) {
  share_out_features();
}

/// Cuts the features into ranges of about equal work, from a sample of the examples.
void Trainer::share_out_features() {
  const std::size_t cached = kCachedBytes / (network_.features.stride() * sizeof(float));
  std::vector<std::uint64_t> cost(data_.num_features, 0);
  const std::size_t every = std::max<std::size_t>(1, data_.size() / 2000);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < data_.size(); i += every) {
    for (const std::uint32_t f : data_.features_of(i)) {
      const std::uint64_t c = f < cached ? 1 : kColdCost;
      cost[f] += c;
      total += c;
    }
  }
  range_begin_.assign(1, 0);
  std::uint64_t sum = 0;
  for (std::uint32_t f = 0; f < data_.num_features && range_begin_.size() < num_ranges_; ++f) {
    sum += cost[f];
    if (sum * num_ranges_ >= total * range_begin_.size()) range_begin_.push_back(f + 1);
  }
  range_begin_.resize(num_ranges_ + 1, data_.num_features);
}

std::span<const std::uint32_t> Trainer::examples_of(std::uint64_t step) const {
  const std::size_t begin = (step % batches_per_epoch_) * setup_.batch_size;
  const std::size_t end = std::min<std::size_t>(begin + setup_.batch_size, order_.size());
  return {order_.data() + begin, end - begin};
}

void Trainer::shuffle_epoch(std::uint64_t epoch) {
  order_ = epoch_order(data_.size(), data_.shuffle_block, setup_.seed,
                       hash_combine(kOrderStream, epoch));
}

std::uint64_t Trainer::run(std::uint64_t step, std::uint64_t end,
                           const std::function<bool()>& stop) {
  if (step >= end) return step;
  shuffle_epoch(step / batches_per_epoch_);
  step_ = step;
  output_.prepare(step_, examples_of(step_));
  begin_step();
  barrier_ = std::make_unique<SpinBarrier>(num_threads());
  parallel_threads([&](int thread) { train(end, stop, thread == 0); });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  if (not_finite_) report_not_finite(examples_);
  return step_;
}

void Trainer::begin_step() {
  examples_ = examples_of(step_);
  rate_ = static_cast<float>(setup_.schedule.rate(step_));
  output_.advance();
  next_gather_ = 0;
  next_chunk_ = 0;
  running_ = true;
}

/// What every thread does. Between two barriers nothing is written that another thread reads.
void Trainer::train(std::uint64_t end, const std::function<bool()>& stop, bool leader) {
  while (running_) {
    if (output_.num_gather_pieces() != 0) {
      take_pieces(next_gather_, output_.num_gather_pieces(),
                  [&](std::size_t p) { output_.gather(p); });
      barrier_->arrive_and_wait();
    }
    if (leader) {
      next_range_ = 0;
      next_label_piece_ = 0;
    }
    const std::size_t n = examples_.size();
    take_pieces(next_chunk_, (n + chunk_ - 1) / chunk_, [&](std::size_t c) { forward_chunk(c); });
    barrier_->arrive_and_wait();

    if (leader) {
      guard([&] {
        if (step_ + 1 < end) output_.prepare(step_ + 1, examples_of(step_ + 1));
      });
    }
    take_pieces(next_range_, num_ranges_, [&](std::size_t r) { update_features(r); });
    const MatrixView<const float> h(hidden_.data(), n, network_.labels.dim(),
                                    network_.hidden_stride());
    take_pieces(next_label_piece_, output_.num_update_pieces(),
                [&](std::size_t p) { output_.update(p, h, rate_); });
    barrier_->arrive_and_wait();

    if (leader) guard([&] { finish_step(end, stop); });
    barrier_->arrive_and_wait();
  }
}

void Trainer::guard(const std::function<void()>& body) {
  try {
    if (!error_) body();
  } catch (...) {
    error_ = std::current_exception();
  }
  if (error_) running_ = false;
}

void Trainer::forward_chunk(std::size_t chunk) {
  const std::size_t begin = chunk * chunk_;
  const std::size_t end = std::min(begin + chunk_, examples_.size());
  const std::size_t stride = network_.hidden_stride();
  for (std::size_t k = begin; k < end; ++k) {
    const Bag bag = bag_of(examples_[k]);
    network_.hidden_units(bag, hidden_.data() + k * stride);
    split_example(k, bag.rows);
  }
  const std::size_t dim = network_.labels.dim();
  const MatrixView<const float> h(hidden_.data() + begin * stride, end - begin, dim, stride);
  const MatrixView<float> dh(dhidden_.data() + begin * stride, end - begin, dim, stride);
  output_.forward_backward(begin, h, dh, {losses_.data() + begin, end - begin});
  for (std::size_t r = 0; r < dh.rows; ++r) {
    if (network_.shape.activation == Activation::relu) {
      kernels().relu_backward(h.row(r), dh.row(r), network_.shape.hidden);
    }
  }
}

void Trainer::split_example(std::size_t k, std::span<const std::uint32_t> features) {
  std::uint32_t* split = splits_.data() + k * (num_ranges_ + 1);
  auto position = features.begin();
  for (std::size_t r = 0; r <= num_ranges_; ++r) {
    position = std::lower_bound(position, features.end(), range_begin_[r]);
    split[r] = static_cast<std::uint32_t>(position - features.begin());
  }
}

void Trainer::update_features(std::size_t range) {
  const std::size_t stride = network_.hidden_stride();
  for (std::size_t k = 0; k < examples_.size(); ++k) {
    const std::uint32_t* split = splits_.data() + k * (num_ranges_ + 1) + range;
    if (split[0] == split[1]) continue;
    const Bag part = bag_of(examples_[k]).part(split[0], split[1]);
    embedding_bag_step(network_.features, part, dhidden_.data() + k * stride, rate_,
                       setup_.optimizer);
  }
}

void Trainer::finish_step(std::uint64_t end, const std::function<bool()>& stop) {
  double loss = 0;
  for (std::size_t k = 0; k < examples_.size(); ++k) loss += losses_[k];
  progress_.loss += loss;
  progress_.examples += examples_.size();
  progress_.active += output_.num_active();
  ++progress_.batches;
  not_finite_ = !std::isfinite(loss);
  running_ = !not_finite_;
  if (!running_) return;
  ++step_;
  running_ = step_ < end && !stop();
  if (running_) begin_step();
}

Trainer::Progress Trainer::take_progress() { return std::exchange(progress_, Progress{}); }

void Trainer::report_not_finite(std::span<const std::uint32_t> examples) const {
  const Kernels& k = kernels();
  std::string tensor = "the gradient of the logits";
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const Bag bag = bag_of(examples[i]);
    if (!k.all_finite(bag.weights.data(), bag.weights.size())) {
      fail(ExitStatus::bad_input, "step ", step_ + 1, ": the features of training example ",
           examples[i] + 1, " are not finite");
    }
    if (!k.all_finite(hidden_.data() + i * network_.hidden_stride(), network_.shape.hidden)) {
      tensor = "features.weight";
    }
  }
  for (std::size_t l = 0; l < network_.labels.rows(); ++l) {
    if (!k.all_finite(network_.labels.row(l), network_.labels.dim())) tensor = "labels.weight";
  }
  fail(ExitStatus::bad_input, "step ", step_ + 1, ": the loss is not finite; first found in ",
       tensor, "; try a lower --learning-rate");
}

}  // namespace frugal
