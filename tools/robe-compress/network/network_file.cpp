#include "libcore/base/error.h"
#include "libcore/io/metadata_reader.h"
#include "tools/robe-compress/network/click_network.h"

namespace frugal::robe {
namespace {

std::string sizes_text(const std::vector<std::size_t>& sizes) {
  std::string text;
  for (const std::size_t size : sizes) text += (text.empty() ? "" : "-") + std::to_string(size);
  return text;
}

void read_options(const Document& document, NetworkOptions& options, NetworkShape& shape) {
  const MetadataReader read(document);
  options.architecture = read.text("network.architecture");
  options.bottom = read.sizes("network.bottom");
  options.top = read.sizes("network.top");
  options.diagonal = read.flag("network.diagonal");
  options.cross_layers = read.number("network.cross_layers");
  options.cross_rank = read.number("network.cross_rank");
  shape = {read.number("network.numbers"), read.number("network.fields"),
           read.number("network.dim")};
}

/// "network.top.0" -> "network.state.top.0".
std::string state_name(const std::string& name) {
  return "network.state" + name.substr(std::string_view("network").size());
}

}  // namespace

void ClickNetwork::save(Document& document) const {
  Metadata& metadata = document.metadata;
  metadata["network.architecture"] = options_.architecture;
  metadata["network.numbers"] = std::to_string(shape_.num_numbers);
  metadata["network.fields"] = std::to_string(shape_.num_fields);
  metadata["network.dim"] = std::to_string(shape_.dim);
  metadata["network.bottom"] = sizes_text(options_.bottom);
  metadata["network.top"] = sizes_text(options_.top);
  metadata["network.diagonal"] = options_.diagonal ? "true" : "false";
  metadata["network.cross_layers"] = std::to_string(options_.cross_layers);
  metadata["network.cross_rank"] = std::to_string(options_.cross_rank);
  for (const Slot& slot : slots_) slot.layer->save(document, slot.name);
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
  network->randomize(seed);
  return network;
}

std::unique_ptr<Network> load_network(const Document& document, const std::string& path,
                                      Precision precision) {
  NetworkOptions options;
  options.precision = precision;
  NetworkShape shape;
  try {
    read_options(document, options, shape);
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

}  // namespace frugal::robe
