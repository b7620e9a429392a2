#include "tools/tgn-train/steps/memory_copies.h"

#include <utility>

#include "libcore/base/error.h"
#include "tools/tgn-train/links/link_evaluation.h"
#include "tools/tgn-train/steps/state_transfer.h"

namespace frugal::tgn {
namespace {

/// Prefix of the names of a copy's tensors in a checkpoint.
std::string copy_prefix(std::size_t copy) { return "copy." + std::to_string(copy) + "."; }

}  // namespace

MemoryCopies::MemoryCopies(const MemoryCopy::Stream& stream, const TimeRanges& ranges,
                           TgnModel& model, const SessionOptions& session, Communicator& ranks)
    : stream_(stream), ranges_(ranges), model_(model), ranks_(ranks), gradient_(ranks) {
  const auto size = static_cast<std::size_t>(ranks.size());
  if (ranges.count() % size != 0) {
    fail(ExitStatus::usage, "--time-ranges ", ranges.count(), " cannot be shared by ", size,
         " ranks: expected a multiple of their number");
  }
  const RankPart part = part_of_rank(ranks, ranges.count());
  first_ = part.begin;
  mine_.resize(part.end - part.begin);
  for (Copy& copy : mine_) {
    copy.session = std::make_unique<StreamSession>(model, stream.data.events(),
                                                   stream.data.training_neighbors(),
                                                   stream.data.features(), session);
    copy.copy = std::make_unique<MemoryCopy>(stream, *copy.session);
  }
}

MemoryCopy* MemoryCopies::find(std::size_t copy) {
  return rank_of(copy) == ranks_.rank() ? mine_[copy - first_].copy.get() : nullptr;
}

void MemoryCopies::begin_epoch(const RunPosition& at) {
  const auto epoch = static_cast<std::size_t>(at.epoch);
  for (std::size_t i = 0; i < mine_.size(); ++i) {
    const std::size_t range = ranges_.of(first_ + i, epoch);
    MemoryCopy& copy = *mine_[i].copy;
    if (!at.began && (range == 0 || epoch == 0)) copy.restart(ranges_.begin(range));
    copy.begin_epoch(epoch, ranges_.end(range));
  }
}

MemoryCopies::Figures MemoryCopies::backward(const RunPosition& at) {
  for (std::size_t i = 0; i < mine_.size(); ++i) {
    MemoryCopy& copy = *mine_[i].copy;
    StepRunner& runner = copy.session().runner();
    const PlannedStep* step = copy.next();
    for (; step != nullptr && step->events.empty(); step = copy.next()) runner.learn(step->plan);
    if (step == nullptr) {
      // A zero gradient in its place keeps the order in which the others are added.
      gradient_.add(std::vector<float>(model_.gradient_size()), {0, 0, 0});
      continue;
    }
    const std::uint64_t number = at.step * ranges_.count() + first_ + i;
    const double loss = runner.backward(step->plan, {true, stream_.seed, number});
    gradient_.add(model_.take_gradient(), {loss, static_cast<double>(step->events.size()), 1});
  }
  const std::vector<double> sums = gradient_.take_figures(3);
  return {sums[0], static_cast<std::uint64_t>(sums[1]), static_cast<std::uint64_t>(sums[2])};
}

void MemoryCopies::step(const Figures& figures, float rate) {
  const std::vector<float> mean = gradient_.take_mean(model_.gradient_size(), figures.batches);
  if (figures.batches != 0) model_.apply_gradient(mean, rate);
}

double MemoryCopies::end_epoch() {
  double waited = 0;
  for (Copy& copy : mine_) waited += copy.copy->end_epoch();
  return waited;
}

Document MemoryCopies::last_state(std::size_t epoch, std::size_t window) {
  const std::size_t last = ranges_.last_copy(epoch);
  Document state;
  if (MemoryCopy* const copy = find(last)) {
    copy->session().settle();
    learn_training(stream_.data, copy->session(), copy->at().window, window);
    copy->session().save(state);
  }
  if (rank_of(last) != 0) send_document(ranks_, state, rank_of(last), 0);
  return state;
}

void MemoryCopies::bring_together() {
  saved_.clear();
  for (std::size_t number = 0; number < ranges_.count(); ++number) {
    Document saved;
    if (MemoryCopy* const copy = find(number)) copy->save(saved);
    if (rank_of(number) != 0) send_document(ranks_, saved, rank_of(number), 0);
    if (ranks_.rank() == 0) saved_.push_back(std::move(saved));
  }
}

void MemoryCopies::save(Document& state) const {
  for (std::size_t copy = 0; copy < saved_.size(); ++copy) {
    add_nested(state, copy_prefix(copy), saved_[copy]);
  }
}

void MemoryCopies::load(const Document& state, const std::string& path) {
  for (std::size_t i = 0; i < mine_.size(); ++i) {
    const std::string prefix = copy_prefix(first_ + i);
    const std::unique_ptr<Document> saved = nested_document(state, prefix);
    if (!saved) {
      fail(ExitStatus::bad_input, path, ": there are no tensors '", prefix, "...'");
    }
    mine_[i].copy->load(*saved, path);
  }
}

}  // namespace frugal::tgn
