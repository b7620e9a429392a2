#include "tools/tgn-train/steps/epoch_validation.h"

#include <algorithm>

#include "libcore/nn/state_tensors.h"
#include "libcore/train/checkpoint.h"

namespace frugal::tgn {
namespace {

const std::string kCopyPrefix = "best_state.";  ///< prefix of the tensors' names in a checkpoint

}  // namespace

StateCopy::StateCopy(const StreamSession& session) : session_(session) {
  if (session_.memory() == nullptr) return;
  NodeMemoryShape shape = session_.memory()->shape();
  if (session_.options().mode == MemoryMode::window) shape.message_dim = 0;
  MemoryPlace place = session_.options().place;
  place.file.clear();
  room_ = std::make_unique<NodeMemory>(shape, place);
}

/// Copies the tensor; the memory into room_.
Tensor StateCopy::keep(const Tensor& tensor) {
  if (tensor.name != kMemoryTensor || !room_) return tensor.clone();
  const std::span<const std::byte> from = tensor.content();
  const std::span<std::byte> to = room_->bytes();
  if (from.data() != to.data()) std::copy(from.begin(), from.end(), to.begin());
  return {kMemoryTensor, tensor.dtype, tensor.shape, {}, to};
}

void StateCopy::take() {
  Document state;
  session_.save(state);
  state_ = {};
  for (const Tensor& tensor : state.tensors) state_.tensors.push_back(keep(tensor));
}

void StateCopy::save(Document& checkpoint) const { add_nested(checkpoint, kCopyPrefix, state_); }

void StateCopy::load(const Document& checkpoint, const std::string& path) {
  state_ = {};
  if (checkpoint.find(kBestMemoryTensor) != nullptr) {
    const NodeMemoryShape shape = room_ ? room_->shape() : NodeMemoryShape();
    const std::size_t numbers = room_ ? room_->record_bytes() / item_size(shape.dtype) : 0;
    shaped_tensor(checkpoint, path, kBestMemoryTensor, {shape.nodes, numbers}, shape.dtype);
  }
  for (const Tensor& nested : checkpoint.tensors) {
    if (!nested.name.starts_with(kCopyPrefix)) continue;
    Tensor tensor{
        nested.name.substr(kCopyPrefix.size()), nested.dtype, nested.shape, {}, nested.content()};
    state_.tensors.push_back(keep(tensor));
  }
}

TensorPlaces StateCopy::places() {
  if (!room_) return {};
  return {{kBestMemoryTensor, room_->bytes()}};
}

EpochValidation::EpochValidation(const LinkData& data, const EvaluationNegatives& negatives,
                                 StreamSession& session, const Options& options)
    : data_(data),
      negatives_(negatives),
      session_(session),
      options_(options),
      best_(options.weights_only ? nullptr : std::make_unique<StateCopy>(session)) {}

void EpochValidation::make_memory(EventId from) {
  if (options_.weights_only) return make_memory_anew();
  session_.settle();
  learn_training(data_, session_, from, options_.window);
}

LinkMetrics EpochValidation::validate(const NegativeSampler* ranks) {
  session_.keep_state();
  LinkEvaluation evaluation(data_, negatives_, session_, {.batch = options_.batch});
  LinkMetrics metrics = evaluation.run(EventPart::valid, false, ranks);
  session_.restore();
  return metrics;
}

void EpochValidation::make_memory_anew() { learn_anew(data_, session_, options_.window); }

void EpochValidation::keep_best() {
  if (best_) best_->take();
}

void EpochValidation::take_best() {
  if (!best_) return make_memory_anew();
  session_.restart(Weights::fixed);
  session_.load(best_->state(), "the best epoch");
}

void EpochValidation::save(Document& checkpoint) const {
  if (best_) best_->save(checkpoint);
}

void EpochValidation::load(const Document& checkpoint, const std::string& path) {
  if (best_) best_->load(checkpoint, path);
}

TensorPlaces EpochValidation::places() { return best_ ? best_->places() : TensorPlaces(); }

}  // namespace frugal::tgn
