#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/robe-compress/network/click_network.h"

namespace frugal {
namespace {

std::string sizes_text(const std::vector<std::size_t>& sizes) {
  std::string text;
  for (const std::size_t size : sizes) text += (text.empty() ? "" : "-") + std::to_string(size);
  return text;
}

/// Metadata "network.*" of a document.
class NetworkMetadata {
 public:
  NetworkMetadata(const Document& document, const std::string& path)
      : metadata_(document.metadata), path_(path) {}

  const std::string& text(const std::string& key) const {
    const auto found = metadata_.find("network." + key);
    if (found == metadata_.end()) {
      fail(ExitStatus::bad_input, path_, ": there is no metadata 'network.", key, "'");
    }
    return found->second;
  }
  std::size_t number(const std::string& key) const { return parsed(key, text(key)); }
  bool flag(const std::string& key) const {
    const std::size_t value = number(key);
    if (value > 1) {
      fail(ExitStatus::bad_input, path_, ": metadata 'network.", key, "' is ", value,
           ", expected 0 or 1");
    }
    return value == 1;
  }
  std::vector<std::size_t> sizes(const std::string& key) const {
    std::vector<std::size_t> all;
    if (text(key).empty()) return all;
    for (const std::string_view part : split(text(key), '-')) all.push_back(parsed(key, part));
    return all;
  }

 private:
  std::size_t parsed(const std::string& key, std::string_view value) const {
    const std::optional<std::uint32_t> number = parse_number<std::uint32_t>(value);
    if (!number) {
      fail(ExitStatus::bad_input, path_, ": metadata 'network.", key, "' is '", printable(value),
           "', expected a number below 2^32");
    }
    return *number;
  }

  const Metadata& metadata_;
  const std::string& path_;
};

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
  metadata["network.diagonal"] = options_.diagonal ? "1" : "0";
  metadata["network.cross_layers"] = std::to_string(options_.cross_layers);
  metadata["network.cross_rank"] = std::to_string(options_.cross_rank);
  metadata["network.first_order"] = options_.first_order ? "1" : "0";
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
  const NetworkMetadata metadata(document, path);
  NetworkOptions options;
  options.architecture = metadata.text("architecture");
  options.bottom = metadata.sizes("bottom");
  options.top = metadata.sizes("top");
  options.diagonal = metadata.flag("diagonal");
  options.cross_layers = metadata.number("cross_layers");
  options.cross_rank = metadata.number("cross_rank");
  options.first_order = metadata.flag("first_order");
  options.precision = precision;
  const NetworkShape shape{metadata.number("numbers"), metadata.number("fields"),
                           metadata.number("dim")};
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

}  // namespace frugal
