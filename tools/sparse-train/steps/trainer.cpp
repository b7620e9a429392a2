#include "tools/sparse-train/steps/trainer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/kernels/kernels.h"
#include "libcore/nn/linear.h"
#include "libcore/threading/parallel.h"

namespace frugal::sparse {
namespace {

constexpr std::size_t kUnits = 32;  ///< of a dense layer that are stepped as a unit

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
      batches_(data, setup.batch_size, setup.seed),
      chunk_(std::clamp<std::size_t>(setup.batch_size / 16, 4, 64)),
      dropout_(setup.dropout, setup.seed),
      features_(network.features, data, setup.batch_size, setup.optimizer),
      losses_(setup.batch_size) {
  for (std::size_t i = 0; i < network.num_layers(); ++i) {
    units_.emplace_back(setup.batch_size * network.unit_stride(i));
    gradients_.emplace_back(setup.batch_size * network.unit_stride(i));
  }
}

std::uint64_t Trainer::run(std::uint64_t step, std::uint64_t end,
                           const std::function<bool()>& stop) {
  if (step >= end) return step;
  batches_.shuffle(step);
  step_ = step;
  output_.prepare(step_, batches_.examples_of(step_));
  begin_step();
  barrier_ = std::make_unique<SpinBarrier>(num_threads());
  parallel_threads([&](int thread) { barrier_->guard([&] { train(end, stop, thread == 0); }); });
  if (not_finite_) report_not_finite(batch_.examples);
  return step_;
}

void Trainer::begin_step() {
  batch_.number = step_;
  batch_.examples = batches_.examples_of(step_);
  batch_.hidden = units(network_.layers.size());
  batch_.hidden_gradient = gradients(network_.layers.size());
  batch_.losses = {losses_.data(), batch_.size()};
  batch_.rate =
      static_cast<float>(setup_.schedule.rate(step_)) * rate_factor(setup_.optimizer, step_ + 1);
  output_.advance();
  for (Counter& next : next_) next.value = 0;
  running_ = true;
}

MatrixView<float> Trainer::units(std::size_t layer) {
  return {units_[layer].data(), batch_.size(), network_.num_units(layer) + 1,
          network_.unit_stride(layer)};
}

MatrixView<float> Trainer::gradients(std::size_t layer) {
  return {gradients_[layer].data(), batch_.size(), network_.num_units(layer) + 1,
          network_.unit_stride(layer)};
}

/// Loop of every thread. Between two barriers, no thread writes what another one reads.
void Trainer::train(std::uint64_t end, const std::function<bool()>& stop, bool leader) {
  while (running_) {
    const std::size_t chunks = (batch_.size() + chunk_ - 1) / chunk_;
    take_pieces(next_[kForward].value, chunks, [&](std::size_t c) { forward_chunk(c); });
    barrier_->arrive_and_wait();
    for (std::size_t stage = 0; stage < output_.num_stages(); ++stage) {
      const std::size_t pieces = output_.num_pieces(stage, batch_);
      if (pieces == 0) continue;
      take_pieces(next_[kFirstStage + stage].value, pieces,
                  [&](std::size_t p) { output_.run(stage, p, batch_); });
      barrier_->arrive_and_wait();
      if (!output_.synchronizes_after(stage)) continue;
      if (leader) output_.synchronize(stage, batch_);
      barrier_->arrive_and_wait();
    }
    take_pieces(next_[kBackward].value, chunks, [&](std::size_t c) { backward_chunk(c); });
    barrier_->arrive_and_wait();

    if (leader && step_ + 1 < end) output_.prepare(step_ + 1, batches_.examples_of(step_ + 1));
    take_pieces(next_[kFeatures].value, features_.num_ranges(), [&](std::size_t r) {
      features_.run(r, batch_.examples, gradients(0), batch_.rate);
    });
    take_pieces(next_[kLayers].value, num_layer_pieces(), [&](std::size_t p) { update_layers(p); });
    barrier_->arrive_and_wait();

    if (leader) finish_step(end, stop);
    barrier_->arrive_and_wait();
  }
}

void Trainer::forward_chunk(std::size_t chunk) {
  const std::size_t begin = chunk * chunk_;
  const std::size_t end = std::min(begin + chunk_, batch_.size());
  const std::size_t stride = network_.unit_stride(0);
  for (std::size_t k = begin; k < end; ++k) {
    const Bag bag = bag_of(batch_.examples[k]);
    float* h = units_[0].data() + k * stride;
    std::fill_n(h, network_.num_units(0), 0.0F);
    embedding_bag_forward(network_.features, bag, h);
    features_.split(k, batch_.examples[k]);
  }
  finish_units(0, begin, end);
  for (std::size_t i = 1; i < network_.num_layers(); ++i) {
    const MatrixView<float> y = units(i).rows_between(begin, end);
    linear_forward(units(i - 1).rows_between(begin, end), network_.layers[i - 1].weights(), {},
                   {y.data, y.rows, y.cols - 1, y.stride}, setup_.precision);
    finish_units(i, begin, end);
  }
}

void Trainer::finish_units(std::size_t layer, std::size_t begin, std::size_t end) {
  const MatrixView<float> y = units(layer).rows_between(begin, end);
  network_.activate(layer, y);
  for (std::size_t r = 0; r < y.rows; ++r) {
    dropout_.apply(step_, layer, batch_.examples[begin + r], {y.row(r), y.cols - 1});
  }
}

/// Gradients of the units of all layers from those of the last.
void Trainer::backward_chunk(std::size_t chunk) {
  const std::size_t begin = chunk * chunk_;
  const std::size_t end = std::min(begin + chunk_, batch_.size());
  for (std::size_t i = network_.layers.size() + 1; i-- > 0;) {
    const MatrixView<float> dy = gradients(i).rows_between(begin, end);
    const MatrixView<float> y = units(i).rows_between(begin, end);
    const std::size_t n = network_.num_units(i);
    for (std::size_t r = 0; r < dy.rows; ++r) {
      if (network_.shape.activation == Activation::relu) {
        // Dropped units are 0, so relu_backward() cuts off their gradients, too.
        kernels().relu_backward(y.row(r), dy.row(r), n);
        if (dropout_.active()) kernels().scale(dropout_.scale(), dy.row(r), n);
      } else {
        dropout_.apply(step_, i, batch_.examples[begin + r], {dy.row(r), n});
      }
    }
    if (i == 0) break;
    linear_backward_input({dy.data, dy.rows, n, dy.stride}, network_.layers[i - 1].weights(),
                          gradients(i - 1).rows_between(begin, end), setup_.precision);
  }
}

std::size_t Trainer::num_layer_pieces() const {
  std::size_t pieces = 0;
  for (const RowTable& w : network_.layers) pieces += (w.rows() + kUnits - 1) / kUnits;
  return pieces;
}

/// Steps kUnits rows of a dense layer.
void Trainer::update_layers(std::size_t piece) {
  std::size_t i = 0;
  for (std::size_t n; piece >= (n = (network_.layers[i].rows() + kUnits - 1) / kUnits); ++i) {
    piece -= n;
  }
  RowTable& w = network_.layers[i];
  const std::size_t begin = piece * kUnits;
  const std::size_t rows = std::min(kUnits, w.rows() - begin);
  thread_local Array<float> memory;
  if (memory.size() < kUnits * w.dim()) memory = Array<float>(kUnits * w.dim(), uninitialized);
  const MatrixView<float> dw(memory.data(), rows, w.dim());
  const MatrixView<float> dy = gradients(i + 1);
  linear_backward_weights({dy.data + begin, dy.rows, rows, dy.stride}, units(i), dw, {},
                          setup_.precision);
  for (std::size_t r = 0; r < rows; ++r) {
    step_biased_row(w, begin + r, dw.row(r), batch_.rate, setup_.optimizer);
  }
}

void Trainer::finish_step(std::uint64_t end, const std::function<bool()>& stop) {
  double loss = 0;
  for (const double l : batch_.losses) loss += l;
  progress_.loss += loss;
  progress_.examples += batch_.size();
  progress_.active += output_.active_per_example();
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
    if (!k.all_finite(units_[0].data() + i * network_.unit_stride(0), network_.shape.hidden)) {
      tensor = "features.weight";
    }
  }
  for (std::size_t i = 0; i < network_.layers.size(); ++i) {
    const RowTable& w = network_.layers[i];
    for (std::size_t r = 0; r < w.rows(); ++r) {
      if (!k.all_finite(w.row(r), w.dim())) tensor = "hidden." + std::to_string(i) + ".weight";
    }
  }
  std::vector<float> row(network_.labels.dim());
  for (std::size_t l = 0; l < network_.labels.rows(); ++l) {
    network_.labels.read(l, row.data());
    if (!k.all_finite(row.data(), row.size())) tensor = "labels.weight";
  }
  fail(ExitStatus::bad_input, "step ", step_ + 1, ": the loss is not finite; first found in ",
       tensor, "; try a lower --learning-rate");
}

}  // namespace frugal::sparse
