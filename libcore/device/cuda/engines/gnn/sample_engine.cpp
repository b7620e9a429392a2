/// "gnn.sample": mini-batches of gnn-sample, sampled on the device (engine_kinds.md).
#include <algorithm>
#include <memory>

#include "libcore/device/cuda/engines/gnn/sample_batch.h"
#include "libcore/device/cuda/engines/gnn/sampled_graph.h"

namespace frugal::cuda {
namespace {

/// Blocks that grids have for each multiprocessor.
constexpr int kBlocksPerProcessor = 8;
/// Local ids and offsets have 32 bits.
constexpr std::uint64_t kMaxEdges = 0xffffffffU;

dim3 grid_of_device() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  cudaDeviceProp facts{};
  check(cudaGetDeviceProperties(&facts, device), "cudaGetDeviceProperties");
  return dim3(static_cast<unsigned>(facts.multiProcessorCount * kBlocksPerProcessor));
}

using DrawKernel = void (*)(SampledGraph, SampledBatch, SampleWork, SampleHop);

DrawKernel draw_kernel(DrawMethod method) {
  switch (method) {
    case DrawMethod::repeated: return draw_hop<DrawMethod::repeated>;
    case DrawMethod::last: return draw_hop<DrawMethod::last>;
    case DrawMethod::window: return draw_hop<DrawMethod::window>;
    case DrawMethod::labor: return draw_hop<DrawMethod::labor>;
    case DrawMethod::weighted: return draw_hop<DrawMethod::weighted>;
    case DrawMethod::weighted_repeated: return draw_hop<DrawMethod::weighted_repeated>;
    default: return draw_hop<DrawMethod::uniform>;
  }
}

class SampleEngine final : public Engine {
 public:
  SampleEngine(const Settings& settings, Room& room);
  ~SampleEngine() override {
    for (const Stream* stream : {&copies_, &answers_}) cudaStreamSynchronize(*stream);
    cudaStreamSynchronize(stream_);
  }

  void submit(const double* numbers, std::size_t num_numbers, const frugal_array* batch,
              std::size_t n) override;
  void collect(bool wait, frugal_sums& sums) override { batches_.tell_time(wait, sums); }
  void run(const frugal_array* batch, std::size_t n, const frugal_array* answers,
           std::size_t num_answers) override;

 private:
  std::uint64_t room_bytes() const;
  void make_room();
  void fill(SampleSlot& slot, const frugal_array* batch, std::size_t n);
  void check_given(const SampleSlot& slot) const;
  void sample(SampleSlot& slot);
  void draw(const SampleSlot& slot, std::uint32_t hop);
  void number(const SampleSlot& slot, std::uint32_t stage);
  std::vector<SampleSlot*> waiting();
  SampleSlot& oldest();
  void settle(const SampleSlot& slot);
  void tell_sizes(SampleSlot& slot, const frugal_array& to);
  void tell(SampleSlot& slot, const frugal_array* answers, std::size_t n);

  SampleShape shape_;
  DeviceGraph graph_;
  dim3 grid_;
  SampleRoom room_;
  DeviceArray<char> block_;
  SampleWork work_{};
  Stream copies_, answers_;
  BatchSlots<SampleSlot> batches_;
};

SampleEngine::SampleEngine(const Settings& settings, Room& room)
    : shape_(settings),
      graph_(settings, shape_.method, room, arrays_),
      grid_(grid_of_device()),
      room_(shape_.expected(settings.number("expected_edges"))) {
  for (SampleSlot& slot : batches_) slot.prepare(shape_, settings.flag("times"), room);
  if (room.counts_only()) {
    room.take<char>(room_bytes());
  } else {
    make_room();
  }
}

/// Bytes of the workspace and of three batches in flight.
std::uint64_t SampleEngine::room_bytes() const {
  Workspace work(nullptr), batch(nullptr);
  SampleWork w{};
  SampledBatch b{};
  lay_out_work(work, room_, shape_, w);
  lay_out_batch(batch, room_, shape_, true, b);
  return work.bytes() + 3 * batch.bytes();
}

void SampleEngine::make_room() {
  Workspace counted(nullptr);
  lay_out_work(counted, room_, shape_, work_);
  block_ = {};
  block_ = DeviceArray<char>(counted.bytes());
  Workspace work(block_.data());
  lay_out_work(work, room_, shape_, work_);
  for (SampleSlot& slot : batches_) slot.make_room(room_, shape_);
}

void SampleEngine::fill(SampleSlot& slot, const frugal_array* batch, std::size_t n) {
  const frugal_array& seeds = find_array(batch, n, "seeds");
  const std::uint64_t num_seeds = array_size(seeds);
  if (num_seeds == 0 || num_seeds > shape_.batch_size) {
    throw Failure(FRUGAL_BAD_ARGUMENT, "the batch has " + std::to_string(num_seeds) +
                                           " seeds, expected 1 to " +
                                           std::to_string(shape_.batch_size));
  }
  const auto bring = [&](const char* name, frugal_type type, void* to, std::uint64_t size) {
    std::memcpy(to, batch_array(batch, n, name, type, size).data, size * type_bytes(type));
  };
  bring("seeds", FRUGAL_U32, slot.given_seeds.data(), num_seeds);
  slot.keys.resize(shape_.hops());
  bring("keys", FRUGAL_U64, slot.keys.data(), shape_.hops());
  if (shape_.method == DrawMethod::window) bring("shuffle", FRUGAL_U64, slot.shuffle, 3);
  if (graph_.has_times()) bring("times", FRUGAL_F64, slot.given_times.data(), num_seeds);
  std::uint64_t hidden = 0;
  if (has_array(batch, n, "hidden")) hidden = array_size(find_array(batch, n, "hidden"));
  slot.make_room_for_hidden(hidden);
  if (hidden != 0) bring("hidden", FRUGAL_U64, slot.given_hidden.data(), hidden);
  slot.device.num_seeds = static_cast<std::uint32_t>(num_seeds);
  slot.device.num_hidden = static_cast<std::uint32_t>(hidden);
  check_given(slot);
}

/// Kernels read where these say.
void SampleEngine::check_given(const SampleSlot& slot) const {
  bool sound = true;
  for (std::uint32_t i = 0; i < slot.device.num_seeds; ++i) {
    sound = sound && slot.given_seeds.data()[i] < graph_.num_nodes();
  }
  const std::uint64_t* hidden = slot.given_hidden.data();
  for (std::uint32_t i = 0; i < slot.device.num_hidden; ++i) {
    sound = sound && hidden[i] < graph_.num_edges() && (i == 0 || hidden[i - 1] < hidden[i]);
  }
  if (!sound) throw Failure(FRUGAL_BAD_ARGUMENT, "seeds or hidden edges are none of the graph");
}

void SampleEngine::submit(const double*, std::size_t, const frugal_array* batch, std::size_t n) {
  SampleSlot& slot = batches_.next();
  if (slot.waits) {
    throw Failure(FRUGAL_BAD_ARGUMENT, "three batches are on their way; fetch the oldest first");
  }
  fill(slot, batch, n);
  slot.device.seeds = slot.seeds.data();
  slot.device.seed_times = graph_.has_times() ? slot.times.data() : nullptr;
  slot.device.hidden = slot.hidden.data();
  slot.device.counts = slot.device_counts.data();
  copies_.copy(slot.seeds.data(), slot.given_seeds.data(), slot.device.num_seeds);
  if (graph_.has_times()) {
    copies_.copy(slot.times.data(), slot.given_times.data(), slot.device.num_seeds);
  }
  copies_.copy(slot.hidden.data(), slot.given_hidden.data(), slot.device.num_hidden);
  slot.copied.record(copies_);
  slot.begin(stream_);
  sample(slot);
  batches_.submitted(slot, stream_);
  slot.waits = true;
  slot.coming = false;
}

void SampleEngine::sample(SampleSlot& slot) {
  if (shape_.method == DrawMethod::window) {
    graph_.shuffle(slot.shuffle[0], slot.shuffle[1], slot.shuffle[2], grid_, stream_);
  }
  stream_.zero(slot.device_counts.data(), sizeof(SampleCounts));
  const std::uint64_t slots = std::uint64_t{work_.table.mask} + 1;
  stream_.fill_ones(work_.table.keys, slots * sizeof(std::uint64_t));
  stream_.fill_ones(work_.table.numbers, slots * sizeof(std::uint32_t));
  launch(enter_seeds, grid_, dim3(kThreads), stream_, slot.device, work_);
  number(slot, 0);
  for (std::uint32_t h = 0; h < shape_.hops(); ++h) {
    draw(slot, h);
    number(slot, h + 1);
  }
  stream_.copy(slot.counts.data(), slot.device_counts.data(), 1);
}

void SampleEngine::draw(const SampleSlot& slot, std::uint32_t h) {
  const SampleHop hop{h, shape_.fanouts[h], shape_.anew, slot.keys[h]};
  const HopTakes takes{slot.device, work_, room_, hop, shape_.most_nodes};
  launch(count_takes, grid_, dim3(kThreads), stream_, graph_.view(), takes, shape_.method);
  launch(sum_chunks<HopTakes>, grid_, dim3(kThreads), stream_, takes, work_.within, work_.sums);
  launch(sum_sums<HopTakes>, dim3(1), dim3(kThreads), stream_, takes, work_.sums);
  launch(draw_kernel(shape_.method), grid_, dim3(kThreads), stream_, graph_.view(), slot.device,
         work_, hop);
}

/// Local ids of what a stage met.
void SampleEngine::number(const SampleSlot& slot, std::uint32_t stage) {
  const FirstMet met{slot.device, work_, stage};
  launch(sum_chunks<FirstMet>, grid_, dim3(kThreads), stream_, met, work_.within, work_.sums);
  launch(sum_sums<FirstMet>, dim3(1), dim3(kThreads), stream_, met, work_.sums);
  launch(number_new, grid_, dim3(kThreads), stream_, met);
  launch(list_numbers, grid_, dim3(kThreads), stream_, met);
}

/// Batches that were not fetched, the oldest first.
std::vector<SampleSlot*> SampleEngine::waiting() {
  std::vector<SampleSlot*> slots;
  for (SampleSlot& slot : batches_) {
    if (slot.waits) slots.push_back(&slot);
  }
  std::sort(slots.begin(), slots.end(),
            [](const SampleSlot* a, const SampleSlot* b) { return a->step < b->step; });
  return slots;
}

SampleSlot& SampleEngine::oldest() {
  const std::vector<SampleSlot*> slots = waiting();
  if (slots.empty()) throw Failure(FRUGAL_BAD_ARGUMENT, "no batch is on its way");
  return *slots.front();
}

/// Samples all that wait again, with more room, until the oldest finds enough.
void SampleEngine::settle(const SampleSlot& slot) {
  slot.done.wait();
  while (slot.counts.data()->stopped != 0) {
    const SampleRoom& needs = slot.counts.data()->needs;
    if (std::max(needs.edges, needs.nodes) >= kMaxEdges) {
      throw Failure(FRUGAL_NO_MEMORY,
                    "a mini-batch has more than " + std::to_string(kMaxEdges) + " edges");
    }
    constexpr std::uint64_t kSpare = 8;  // an eighth
    const auto grow = [](std::uint64_t& room, std::uint64_t need) {
      if (need > room) room = std::min(need + need / kSpare, kMaxEdges);
    };
    grow(room_.nodes, needs.nodes);
    grow(room_.offsets, needs.offsets);
    grow(room_.edges, needs.edges);
    answers_.wait();
    stream_.wait();
    make_room();
    for (SampleSlot* again : waiting()) {
      sample(*again);
      again->done.record(stream_);
      again->coming = false;
    }
    slot.done.wait();
  }
}

void SampleEngine::run(const frugal_array*, std::size_t, const frugal_array* answers,
                       std::size_t num_answers) {
  SampleSlot& slot = oldest();
  if (has_array(answers, num_answers, "sizes")) {
    settle(slot);
    return tell_sizes(slot, batch_array(answers, num_answers, "sizes", FRUGAL_U64,
                                        2 * std::uint64_t{shape_.hops()} + 3));
  }
  tell(slot, answers, num_answers);
}

/// Known nodes and edges behind each stage, and whether draws are in doubt. The copies of the
/// batch, and of what else is done, begin.
void SampleEngine::tell_sizes(SampleSlot& slot, const frugal_array& to) {
  for (SampleSlot* done : waiting()) {
    if (done->coming) continue;
    if (done != &slot && (!done->done.is_done() || done->counts.data()->stopped != 0)) break;
    done->bring_back(shape_, answers_);
  }
  const SampleCounts& counts = *slot.counts.data();
  const std::uint32_t stages = shape_.hops() + 1;
  auto* sizes = static_cast<std::uint64_t*>(to.data);
  std::copy_n(counts.known, stages, sizes);
  std::copy_n(counts.edges, stages, sizes + stages);
  sizes[2 * stages] = counts.doubtful;
}

void SampleEngine::tell(SampleSlot& slot, const frugal_array* answers, std::size_t n) {
  if (!slot.coming) throw Failure(FRUGAL_BAD_ARGUMENT, "sizes are asked for first");
  slot.fetched.wait();
  const SampleCounts& c = *slot.counts.data();
  const std::uint64_t nodes = c.known[shape_.hops()], edges = c.edges[shape_.hops()];
  const auto bring = [&](const char* name, frugal_type type, const void* from, std::uint64_t size) {
    if (size == 0 || !has_array(answers, n, name)) return;
    std::memcpy(batch_array(answers, n, name, type, size).data, from, size * type_bytes(type));
  };
  bring("nodes", FRUGAL_U32, slot.host.nodes, nodes);
  if (shape_.trees) bring("roots", FRUGAL_U32, slot.host.roots, nodes);
  bring("offsets", FRUGAL_U32, slot.host.offsets, shape_.num_offsets(c));
  bring("neighbors", FRUGAL_U32, slot.host.neighbors, edges);
  if (shape_.positions) bring("positions", FRUGAL_U64, slot.host.picks, edges);
  bring("places", FRUGAL_U32, slot.host.places, slot.device.num_seeds);
  slot.waits = false;
}

}  // namespace

std::unique_ptr<Engine> make_gnn_sampling(const Settings& settings, Room& room) {
  return std::make_unique<SampleEngine>(settings, room);
}

}  // namespace frugal::cuda
