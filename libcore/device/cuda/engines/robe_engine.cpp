/// "robe.train" and "robe.predict": whole steps of robe-compress (engine_kinds.md).
#include "libcore/device/cuda/engines/batch_slots.h"
#include "libcore/device/cuda/engines/click_layers.h"
#include "libcore/device/cuda/engines/engine.h"
#include "libcore/device/cuda/engines/robe_embedding.h"

namespace frugal::cuda {
namespace {

/// A batch in pinned memory and on the device.
struct ClickSlot : BatchSlot {
  PinnedArray<StepValues> pinned_values;
  PinnedArray<float> pinned_numbers, pinned_labels;
  PinnedArray<std::uint32_t> pinned_rows;
  DeviceArray<float> numbers, labels;
  DeviceArray<std::uint32_t> rows;
  DeviceArray<StepValues> values;  ///< as they arrive; a step copies them to its own
  StepGraph train, answer;
};

class RobeEngine : public Engine {
 public:
  RobeEngine(const Settings& settings, bool training, Room& room)
      : most_(static_cast<std::uint32_t>(settings.number("batch_size"))),
        num_numbers_(static_cast<std::uint32_t>(settings.number("numbers"))),
        fields_(static_cast<std::uint32_t>(settings.number("fields"))),
        training_(training),
        epsilon_(training ? settings.real("epsilon") : 0),
        library_(ProductLibrary::load(room)),
        values_(room.take<StepValues>(1)),
        embedding_(settings, most_, values_.data(), training, room, arrays_),
        layers_(settings,
                {most_, values_.data(), training, products_from(settings), library_.get()}, room,
                arrays_) {
    for (ClickSlot& slot : slots_) prepare(slot, room);
    if (!training) return;
    losses_ = room.take<double>(most_);
    sums_ = room.take<RunSums>(1);
    if (!room.counts_only()) stream_.zero(sums_.data(), sizeof(RunSums));
  }
  ~RobeEngine() override {
    cudaStreamSynchronize(copies_);
    cudaStreamSynchronize(stream_);
  }

  void submit(const double* numbers, std::size_t num_numbers, const frugal_array* batch,
              std::size_t n) override {
    if (!training_ || num_numbers != 2) {
      throw Failure(FRUGAL_BAD_ARGUMENT, "a step takes the rates of embeddings and of the network");
    }
    ClickSlot& slot = slots_.next();
    const std::uint32_t samples =
        fill(slot, batch, n,
             {0, static_cast<float>(numbers[0]), static_cast<float>(numbers[1]), epsilon_, 0});
    bring(slot.pinned_labels, slot.labels, batch_array(batch, n, "labels", FRUGAL_F32, samples));
    hold_kernels(slot);
    slot.train.launch(stream_, [&] { train_on(slot); });
    if (has_array(batch, n, "refresh")) embedding_.refresh(stream_);
    slots_.submitted(slot, stream_);
  }

  void collect(bool wait, frugal_sums& sums) override { slots_.collect(wait, sums); }

  void run(const frugal_array* batch, std::size_t n, const frugal_array* answers,
           std::size_t num_answers) override {
    ClickSlot& slot = slots_.next();
    const std::uint32_t samples = fill(slot, batch, n, {});
    hold_kernels(slot);
    const frugal_array& logits = batch_array(answers, num_answers, "logits", FRUGAL_F32, samples);
    if (has_array(batch, n, "refresh")) embedding_.refresh(stream_);
    slot.answer.launch(stream_, [&] { forward(slot); });
    stream_.copy(static_cast<float*>(logits.data), layers_.logits(), samples);
    stream_.wait();
  }

 private:
  void took_arrays() override { layers_.round(stream_); }

  void prepare(ClickSlot& slot, Room& room) {
    const std::uint64_t numbers = std::uint64_t{most_} * num_numbers_;
    const std::uint64_t rows = std::uint64_t{most_} * fields_;
    slot.numbers = room.take_zeros<float>(numbers);
    slot.rows = room.take<std::uint32_t>(rows);
    slot.labels = room.take<float>(training_ ? most_ : 0);
    slot.values = room.take<StepValues>(1);
    if (room.counts_only()) return;
    slot.pinned_values = PinnedArray<StepValues>(1);
    slot.pinned_numbers = PinnedArray<float>(numbers);
    slot.pinned_rows = PinnedArray<std::uint32_t>(rows);
    slot.pinned_labels = PinnedArray<float>(training_ ? most_ : 0);
    slot.sums = PinnedArray<RunSums>(1);
  }

  /// Copies the batch, labels apart, to the slot and begins to copy it to the device.
  std::uint32_t fill(ClickSlot& slot, const frugal_array* batch, std::size_t n, StepValues values) {
    values.samples = samples_of(batch, n);
    values.rows = library_ == nullptr ? values.samples : most_;
    const std::uint32_t samples = values.samples;
    *slot.pinned_values.data() = values;
    copies_.copy(slot.values.data(), slot.pinned_values.data(), 1);
    bring(slot.pinned_rows, slot.rows,
          batch_array(batch, n, "rows", FRUGAL_U32, std::uint64_t{samples} * fields_));
    bring(slot.pinned_numbers, slot.numbers,
          batch_array(batch, n, "numbers", FRUGAL_F32, std::uint64_t{samples} * num_numbers_));
    return samples;
  }

  /// The kernels wait for the batch.
  void hold_kernels(ClickSlot& slot) {
    slot.copied.record(copies_);
    slot.begin(stream_);
  }

  std::uint32_t samples_of(const frugal_array* batch, std::size_t n) const {
    for (std::size_t i = 0; i < n; ++i) {
      if (std::strcmp(batch[i].name, "rows") != 0 || batch[i].rank != 2) continue;
      const std::uint64_t samples = batch[i].shape[0];
      if (samples == 0 || samples > most_) break;
      return static_cast<std::uint32_t>(samples);
    }
    throw Failure(FRUGAL_BAD_ARGUMENT,
                  "expected an array 'rows' of 1 to " + std::to_string(most_) + " samples");
  }

  template <class T>
  void bring(const PinnedArray<T>& pinned, const DeviceArray<T>& device, const frugal_array& from) {
    const std::uint64_t size = array_size(from);
    if (size == 0) return;
    std::memcpy(pinned.data(), from.data, size * sizeof(T));
    copies_.copy(device.data(), pinned.data(), size);
  }

  void forward(const ClickSlot& slot) {
    stream_.copy(values_.data(), slot.values.data(), 1);
    embedding_.forward(slot.rows.data(), stream_);
    layers_.forward(slot.numbers.data(), embedding_.output(), stream_);
  }

  /// One training step, which is captured as a graph.
  void train_on(const ClickSlot& slot) {
    forward(slot);
    launch(logistic_losses, grid_for(most_), dim3(kThreads), stream_, values_.data(),
           layers_.logits(), slot.labels.data(), losses_.data(), layers_.dlogits());
    launch(add_losses, dim3(1), dim3(kThreads), stream_, values_.data(), losses_.data(),
           sums_.data());
    layers_.backward(slot.numbers.data(), embedding_.output(), embedding_.output_gradient(),
                     stream_);
    layers_.step(stream_);
    embedding_.step(slot.rows.data(), stream_);
    stream_.copy(slot.sums.data(), sums_.data(), 1);
  }

  std::uint32_t most_, num_numbers_, fields_;
  bool training_;
  float epsilon_;
  Stream copies_;
  std::unique_ptr<ProductLibrary> library_;
  DeviceArray<StepValues> values_;
  DeviceEmbedding embedding_;
  ClickLayers layers_;
  DeviceArray<double> losses_;
  DeviceArray<RunSums> sums_;
  BatchSlots<ClickSlot> slots_;
};

}  // namespace

std::unique_ptr<Engine> make_robe_training(const Settings& settings, Room& room) {
  return std::make_unique<RobeEngine>(settings, true, room);
}
std::unique_ptr<Engine> make_robe_prediction(const Settings& settings, Room& room) {
  return std::make_unique<RobeEngine>(settings, false, room);
}

}  // namespace frugal::cuda
