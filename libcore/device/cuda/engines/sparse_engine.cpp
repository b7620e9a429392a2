/// "sparse.train" and "sparse.predict": whole steps of sparse-train's networks (engine_kinds.md).
#include "libcore/device/cuda/engines/batch_slots.h"
#include "libcore/device/cuda/engines/engine.h"
#include "libcore/device/cuda/engines/sparse_features.h"
#include "libcore/device/cuda/engines/sparse_labels.h"

namespace frugal::cuda {
namespace {

/// A batch of training in pinned memory and on the device.
struct SparseSlot : BatchSlot {
  PinnedArray<SparseValues> pinned_values;
  PinnedArray<std::uint32_t> pinned_examples, pinned_entries, pinned_own_begin, pinned_own,
      pinned_labels;
  PinnedArray<float> pinned_inclusion;
  DeviceArray<SparseValues> values;  ///< as they arrive; a step copies them to its own
  DeviceArray<std::uint32_t> examples, entries, own_begin, own, labels;
  DeviceArray<float> inclusion;
  BatchOutputs outputs;
  StepGraph whole, part;  ///< of a batch that is as large as it may be, or is not
};

class SparseEngine : public Engine {
 public:
  SparseEngine(const Settings& settings, bool training, Room& room)
      : most_(number(settings, "batch_size")),
        most_ranks_(number(settings, "ranks")),
        training_(training),
        library_(ProductLibrary::load(room)),
        values_(room.take<SparseValues>(1)),
        features_(settings, training, room, arrays_),
        labels_(settings, features_.width(), training, room, arrays_) {
    given_offsets_ = room.take<std::uint64_t>(std::uint64_t{most_} + 1);
    given_features_ = room.take<std::uint32_t>(settings.number("answer_entries"));
    given_values_ = room.take<float>(settings.number("answer_entries"));
    if (training) take_training(settings, room);
  }
  ~SparseEngine() override {
    cudaStreamSynchronize(copies_);
    cudaStreamSynchronize(stream_);
  }

  void submit(const double* numbers, std::size_t num_numbers, const frugal_array* batch,
              std::size_t n) override {
    if (!training_ || num_numbers != 1) {
      throw Failure(FRUGAL_BAD_ARGUMENT, "a step takes the rate");
    }
    SparseSlot& slot = slots_.next();
    const std::uint32_t examples = fill(slot, static_cast<float>(numbers[0]), batch, n);
    slot.copied.record(copies_);
    slot.begin(stream_);
    const bool whole = examples == most_;
    const auto train = [&] { train_on(slot, whole); };
    if (most_outputs_ != 0) {
      train();  // how many outputs there are differs from batch to batch
    } else {
      (whole ? slot.whole : slot.part).launch(stream_, train);
    }
    slots_.submitted(slot, stream_);
  }

  void collect(bool wait, frugal_sums& sums) override { slots_.collect(wait, sums); }

  void run(const frugal_array* batch, std::size_t n, const frugal_array* answers,
           std::size_t num_answers) override {
    const std::uint32_t examples = rows_of(batch, n, "offsets", 1) - 1;
    const std::uint32_t ranks = ranks_of(answers, num_answers, examples);
    const SparseExamples x = given_examples(batch, n, examples);
    SparseValues values{};
    values.step.samples = examples;
    stream_.copy(values_.data(), &values, 1);
    features_.forward(values_.data(), x, false, stream_);
    labels_.rank(
        {&values_.data()->step.samples, features_.hidden(), {}, library_for(examples == most_)},
        ranks, stream_);
    const std::uint64_t size = std::uint64_t{examples} * ranks;
    const frugal_array& labels = batch_array(answers, num_answers, "labels", FRUGAL_U32, size);
    const frugal_array& scores = batch_array(answers, num_answers, "scores", FRUGAL_F32, size);
    stream_.copy(static_cast<std::uint32_t*>(labels.data), labels_.ranks().labels(), size);
    stream_.copy(static_cast<float*>(scores.data), labels_.ranks().scores(), size);
    stream_.wait();
  }

 private:
  static std::uint32_t number(const Settings& settings, const char* name) {
    return static_cast<std::uint32_t>(settings.number(name));
  }

  void take_training(const Settings& settings, Room& room) {
    most_entries_ = settings.number("batch_entries");
    most_own_ = settings.number("batch_labels");
    most_outputs_ = number(settings, "outputs");
    const std::uint64_t entries = settings.number("entries");
    offsets_ = room.take<std::uint64_t>(settings.number("examples") + 1);
    data_features_ = room.take<std::uint32_t>(entries);
    data_values_ = room.take<float>(settings.flag("values") ? entries : 0);
    arrays_.add("data.offsets", offsets_);
    arrays_.add("data.features", data_features_);
    arrays_.add("data.values", data_values_);
    losses_ = room.take<double>(most_);
    sums_ = room.take<RunSums>(1);
    if (!room.counts_only()) stream_.zero(sums_.data(), sizeof(RunSums));
    for (SparseSlot& slot : slots_) prepare(slot, room);
  }

  void prepare(SparseSlot& slot, Room& room) const {
    const auto take = [&](auto& pinned, auto& device, std::uint64_t size) {
      using T = std::remove_pointer_t<decltype(device.data())>;
      device = room.take<T>(size);
      if (!room.counts_only()) pinned = PinnedArray<T>(size);
    };
    const std::uint64_t examples = most_;
    take(slot.pinned_values, slot.values, 1);
    take(slot.pinned_examples, slot.examples, examples);
    take(slot.pinned_entries, slot.entries, examples + 1);
    take(slot.pinned_own_begin, slot.own_begin, examples + 1);
    take(slot.pinned_own, slot.own, most_own_);
    take(slot.pinned_labels, slot.labels, most_outputs_);
    take(slot.pinned_inclusion, slot.inclusion, most_outputs_);
    if (!room.counts_only()) slot.sums = PinnedArray<RunSums>(1);
  }

  /// Copies the batch to the slot and begins to copy it to the device; its examples.
  std::uint32_t fill(SparseSlot& slot, float rate, const frugal_array* batch, std::size_t n) {
    const std::uint32_t examples = rows_of(batch, n, "examples", 0);
    const auto* keys =
        static_cast<const std::uint64_t*>(batch_array(batch, n, "keys", FRUGAL_U64, 3).data);
    *slot.pinned_values.data() = {{examples, rate, rate, 0, 0}, keys[0], keys[1], keys[2]};
    copies_.copy(slot.values.data(), slot.pinned_values.data(), 1);
    const auto offsets_of = [&](const char* name, std::uint64_t most) -> const frugal_array& {
      const std::uint64_t size = std::uint64_t{examples} + 1;
      const frugal_array& offsets = batch_array(batch, n, name, FRUGAL_U32, size);
      check_room(name, static_cast<const std::uint32_t*>(offsets.data)[examples], most);
      return offsets;
    };
    bring(find_array(batch, n, "examples"), slot.pinned_examples, slot.examples);
    bring(offsets_of("entries", most_entries_), slot.pinned_entries, slot.entries);
    bring(offsets_of("own.begin", most_own_), slot.pinned_own_begin, slot.own_begin);
    bring(find_array(batch, n, "own"), slot.pinned_own, slot.own);
    slot.outputs = {};
    if (most_outputs_ == 0) return examples;
    const frugal_array& labels = find_array(batch, n, "labels");
    bring(labels, slot.pinned_labels, slot.labels);
    slot.outputs = {slot.labels.data(), nullptr, static_cast<std::uint32_t>(array_size(labels))};
    if (!has_array(batch, n, "log_inclusion")) return examples;
    bring(batch_array(batch, n, "log_inclusion", FRUGAL_F32, slot.outputs.count),
          slot.pinned_inclusion, slot.inclusion);
    slot.outputs.log_inclusion = slot.inclusion.data();
    return examples;
  }

  /// Rows of an array that stand for the batch's examples, and `more`.
  std::uint32_t rows_of(const frugal_array* batch, std::size_t n, const char* name,
                        std::uint32_t more) const {
    const std::uint64_t rows = array_size(find_array(batch, n, name));
    if (rows > more && rows - more <= most_) return static_cast<std::uint32_t>(rows);
    throw Failure(FRUGAL_BAD_ARGUMENT, std::string("array '") + name + "' has " +
                                           std::to_string(rows) + " numbers, expected " +
                                           std::to_string(1 + more) + " to " +
                                           std::to_string(most_ + more));
  }

  std::uint32_t ranks_of(const frugal_array* answers, std::size_t n, std::uint32_t examples) const {
    const std::uint64_t ranks = array_size(find_array(answers, n, "labels")) / examples;
    if (ranks != 0 && ranks <= most_ranks_) return static_cast<std::uint32_t>(ranks);
    throw Failure(FRUGAL_BAD_ARGUMENT, "answers of " + std::to_string(ranks) + " ranks, expected " +
                                           "1 to " + std::to_string(most_ranks_));
  }

  static void check_room(const char* name, std::uint64_t size, std::uint64_t room) {
    if (size <= room) return;
    throw Failure(FRUGAL_BAD_ARGUMENT, std::string("array '") + name + "' stands for " +
                                           std::to_string(size) + " numbers, room is for " +
                                           std::to_string(room));
  }

  template <class T>
  void bring(const frugal_array& from, const PinnedArray<T>& pinned, const DeviceArray<T>& device) {
    const std::uint64_t size = array_size(from);
    check_room(from.name, size, pinned.size());
    if (size == 0) return;
    std::memcpy(pinned.data(), from.data, size * sizeof(T));
    copies_.copy(device.data(), pinned.data(), size);
  }

  /// Examples that are to be answered, on the device.
  SparseExamples given_examples(const frugal_array* batch, std::size_t n,
                                std::uint32_t examples) const {
    const frugal_array& offsets =
        batch_array(batch, n, "offsets", FRUGAL_U64, std::uint64_t{examples} + 1);
    const std::uint64_t entries = static_cast<const std::uint64_t*>(offsets.data)[examples];
    check_room("features", entries, given_features_.size());
    const frugal_array& features = batch_array(batch, n, "features", FRUGAL_U32, entries);
    stream_.copy(given_offsets_.data(), static_cast<const std::uint64_t*>(offsets.data),
                 std::size_t{examples} + 1);
    stream_.copy(given_features_.data(), static_cast<const std::uint32_t*>(features.data), entries);
    SparseExamples x{given_offsets_.data(), given_features_.data(), nullptr, nullptr};
    if (!has_array(batch, n, "values")) return x;
    const frugal_array& values = batch_array(batch, n, "values", FRUGAL_F32, entries);
    stream_.copy(given_values_.data(), static_cast<const float*>(values.data), entries);
    x.values = given_values_.data();
    return x;
  }

  const ProductLibrary* library_for(bool whole) const { return whole ? library_.get() : nullptr; }

  /// One training step, which is captured as a graph.
  void train_on(const SparseSlot& slot, bool whole) {
    stream_.copy(values_.data(), slot.values.data(), 1);
    const SparseExamples x{offsets_.data(), data_features_.data(),
                           data_values_.size() == 0 ? nullptr : data_values_.data(),
                           slot.examples.data()};
    features_.forward(values_.data(), x, true, stream_);
    const StepValues* step = &values_.data()->step;
    labels_.train(values_.data(), slot.outputs,
                  {&step->samples,
                   features_.hidden(),
                   {slot.own_begin.data(), slot.own.data()},
                   library_for(whole)},
                  losses_.data(), features_.gradient(), stream_);
    launch(add_losses, dim3(1), dim3(kThreads), stream_, step,
           static_cast<const double*>(losses_.data()), sums_.data());
    features_.step(values_.data(), x, slot.entries.data(), stream_);
    stream_.copy(slot.sums.data(), sums_.data(), 1);
  }

  std::uint32_t most_;
  std::uint64_t most_entries_ = 0, most_own_ = 0;
  std::uint32_t most_ranks_, most_outputs_ = 0;  ///< most_outputs_ 0: all labels
  bool training_;
  Stream copies_;
  std::unique_ptr<ProductLibrary> library_;
  DeviceArray<SparseValues> values_;
  DeviceFeatures features_;
  DeviceLabels labels_;
  DeviceArray<std::uint64_t> offsets_, given_offsets_;
  DeviceArray<std::uint32_t> data_features_, given_features_;
  DeviceArray<float> data_values_, given_values_;
  DeviceArray<double> losses_;
  DeviceArray<RunSums> sums_;
  BatchSlots<SparseSlot> slots_;
};

}  // namespace

std::unique_ptr<Engine> make_sparse_training(const Settings& settings, Room& room) {
  return std::make_unique<SparseEngine>(settings, true, room);
}
std::unique_ptr<Engine> make_sparse_prediction(const Settings& settings, Room& room) {
  return std::make_unique<SparseEngine>(settings, false, room);
}

}  // namespace frugal::cuda
