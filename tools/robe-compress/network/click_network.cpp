#include "tools/robe-compress/network/click_network.h"

#include <algorithm>
#include <cassert>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"

namespace frugal::robe {
namespace {

constexpr char kPrefix[] = "network.";

/// The metadata network.* of a network.
OptionFields described(NetworkOptions& options, NetworkShape& shape) {
  OptionFields f;
  describe_network(f, options);
  f.add("numbers", shape.num_numbers);
  f.add("fields", shape.num_fields);
  f.add("dim", shape.dim);
  return f;
}

/// "network.top.0" -> "network.state.top.0".
std::string state_name(const std::string& name) {
  return "network.state" + name.substr(std::string_view("network").size());
}

}  // namespace

void ClickNetwork::save(Document& document) const {
  NetworkOptions options = options_;
  NetworkShape shape = shape_;
  write_metadata(described(options, shape), kPrefix, document.metadata);
  for (const Slot& slot : slots_) slot.layer->save(document, slot.name);
}

std::vector<Network::NamedLayer> ClickNetwork::layers() {
  std::vector<NamedLayer> all;
  for (const Slot& slot : slots_) all.push_back({slot.name, slot.layer});
  return all;
}

void ClickNetwork::load(const Document& document, const std::string& path) {
  for (const Slot& slot : slots_) slot.layer->load(document, path, slot.name);
}

void ClickNetwork::save_state(Document& document) const {
  for (const Slot& slot : slots_) slot.layer->save_state(document, state_name(slot.name));
}

void ClickNetwork::load_state(const Document& document, const std::string& path) {
  for (const Slot& slot : slots_) slot.layer->load_state(document, path, state_name(slot.name));
}

std::unique_ptr<Network> make_network(const NetworkOptions& options, const NetworkShape& shape,
                                      std::uint64_t seed) {
  check_network(options, shape);
  auto network = std::make_unique<ClickNetwork>(options, shape);
  if (!find_architecture(options.architecture).is_linear) network->randomize(seed);
  return network;
}

std::unique_ptr<Network> load_network(const Document& document, const std::string& path,
                                      Precision precision) {
  NetworkOptions options;
  options.precision = precision;
  NetworkShape shape;
  read_metadata(described(options, shape), kPrefix, document.metadata, path);
  try {
    check_network(options, shape);
  } catch (const Error& error) {
    fail(ExitStatus::bad_input, path, ": ", error.what());
  }
  for (const NamedShape& layer : network_layers(options, shape)) {
    DenseLayer::check(document, path, "network." + layer.name, layer.shape);
  }
  auto network = std::make_unique<ClickNetwork>(options, shape);
  network->load(document, path);
  return network;
}

namespace {

constexpr std::uint64_t kLayerStream = 0x6c61796572;  // of random numbers: "layer"

}  // namespace

class ClickNetwork::Batch : public NetworkBatch {
 public:
  Batch(const ClickNetwork& of, std::size_t size, bool training)
      : bottom(
            of.bottom_.make_batch(size, training ? Mlp::Passes::backward : Mlp::Passes::forward)),
        top(of.top_.make_batch(size,
                               training ? Mlp::Passes::backward_to_input : Mlp::Passes::forward)),
        interaction(of.interaction_->make_batch(size, training)) {}

  Mlp::Batch bottom, top;
  std::unique_ptr<InteractionBatch> interaction;
};

ClickNetwork::ClickNetwork(const NetworkOptions& options, const NetworkShape& shape)
    : options_(options),
      shape_(shape),
      interaction_(find_architecture(options.architecture).make(options, shape.vectors())),
      bottom_(shape.num_numbers, bottom_sizes(options, shape), Mlp::Last::relu, options.precision),
      top_(interaction_->num_features(), top_sizes(options), Mlp::Last::linear, options.precision) {
  list_slots();
  list_pieces();
}

void ClickNetwork::list_slots() {
  const std::vector<NamedShape> names = network_layers(options_, shape_);
  const auto add = [&](DenseLayer& layer, Part part, std::size_t index) {
    slots_.push_back({"network." + names[slots_.size()].name, &layer, part, index});
  };
  for (std::size_t i = 0; i < bottom_.layers().size(); ++i) {
    add(bottom_.layers()[i], Part::bottom, i);
  }
  const std::vector<DenseLayer*> own = interaction_->layers();
  for (std::size_t i = 0; i < own.size(); ++i) add(*own[i], Part::interaction, i);
  for (std::size_t i = 0; i < top_.layers().size(); ++i) add(top_.layers()[i], Part::top, i);
  assert(slots_.size() == names.size());
}

void ClickNetwork::list_pieces() {
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    for (std::size_t p = 0; p < slots_[s].layer->num_pieces(); ++p) {
      const std::size_t size = slots_[s].layer->gradient_size(p);
      pieces_.push_back({s, p, gradient_size_, size});
      gradient_size_ += size;
    }
  }
  std::stable_sort(pieces_.begin(), pieces_.end(), [&](const Piece& a, const Piece& b) {
    return slots_[a.slot].layer->piece_cost(a.piece) > slots_[b.slot].layer->piece_cost(b.piece);
  });
}

void ClickNetwork::randomize(std::uint64_t seed) {
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    slots_[s].layer->randomize(seed, hash_combine(kLayerStream, s));
  }
}

std::uint64_t ClickNetwork::num_parameters() const {
  std::uint64_t sum = 0;
  for (const Slot& slot : slots_) sum += slot.layer->shape().num_parameters();
  return sum;
}

std::unique_ptr<NetworkBatch> ClickNetwork::make_batch(std::size_t size, bool training) const {
  return std::make_unique<Batch>(*this, size, training);
}

InteractionInput ClickNetwork::vectors(const NetworkInput& input, Batch& batch) const {
  return {batch.bottom.output().values(), input.embeddings, input.begin, input.end, input.numbers};
}

void ClickNetwork::forward(const NetworkInput& input, NetworkBatch& batch,
                           std::span<float> logits) const {
  auto& b = static_cast<Batch&>(batch);
  for (std::size_t r = input.begin; r < input.end && shape_.num_numbers != 0; ++r) {
    std::copy_n(input.numbers.row(r), shape_.num_numbers, b.bottom.input().values().row(r));
  }
  bottom_.forward(b.bottom, input.begin, input.end);
  std::fill(logits.begin() + static_cast<std::ptrdiff_t>(input.begin),
            logits.begin() + static_cast<std::ptrdiff_t>(input.end), 0.0F);
  interaction_->forward(vectors(input, b), *b.interaction, b.top.input().values(), logits);
  top_.forward(b.top, input.begin, input.end);
  for (std::size_t r = input.begin; r < input.end; ++r) logits[r] += b.top.output().values()(r, 0);
}

void ClickNetwork::backward(const NetworkInput& input, NetworkBatch& batch,
                            std::span<const float> gradient, MatrixView<float> dembeddings) const {
  auto& b = static_cast<Batch&>(batch);
  for (std::size_t r = input.begin; r < input.end; ++r) {
    b.top.gradients.back().values()(r, 0) = gradient[r];
  }
  top_.backward(b.top, input.begin, input.end);
  interaction_->backward(vectors(input, b), *b.interaction, b.top.gradients.front().values(),
                         gradient, {b.bottom.gradients.back().values(), dembeddings});
  bottom_.backward(b.bottom, input.begin, input.end);
}

void ClickNetwork::prepare_training(const OptimizerOptions& optimizer) {
  for (const Slot& slot : slots_) slot.layer->prepare_training(optimizer);
}

LayerRows ClickNetwork::rows_of(const Slot& slot, const NetworkInput& input,
                                NetworkBatch& batch) const {
  auto& b = static_cast<Batch&>(batch);
  switch (slot.part) {
    case Part::bottom: return bottom_.rows_of(slot.index, b.bottom, input.end);
    case Part::top: return top_.rows_of(slot.index, b.top, input.end);
    case Part::interaction: break;
  }
  return interaction_->rows_of(slot.index, *b.interaction, input.end);
}

void ClickNetwork::step_piece(std::size_t piece, const NetworkInput& input, NetworkBatch& batch,
                              float rate) {
  const Piece& p = pieces_[piece];
  const LayerRows rows = rows_of(slots_[p.slot], input, batch);
  slots_[p.slot].layer->step_piece(p.piece, rows.x, rows.dy, rate);
}

void ClickNetwork::piece_gradient(std::size_t piece, const NetworkInput& input, NetworkBatch& batch,
                                  std::span<float> gradients) const {
  const Piece& p = pieces_[piece];
  const LayerRows rows = rows_of(slots_[p.slot], input, batch);
  slots_[p.slot].layer->piece_gradient(p.piece, rows.x, rows.dy,
                                       gradients.subspan(p.begin, p.size));
}

void ClickNetwork::apply_gradient(std::size_t piece, std::span<const float> gradients, float rate) {
  const Piece& p = pieces_[piece];
  slots_[p.slot].layer->apply_gradient(p.piece, gradients.subspan(p.begin, p.size), rate);
}

}  // namespace frugal::robe
