#include "tools/robe-compress/network/architecture.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/robe-compress/network/cross_interaction.h"
#include "tools/robe-compress/network/dot_interaction.h"
#include "tools/robe-compress/network/fm_interaction.h"
#include "tools/robe-compress/network/linear_interaction.h"
#include "tools/robe-compress/network/wide_interaction.h"

namespace frugal::robe {
namespace {

constexpr std::size_t kMaxUnits = std::size_t{1} << 24;
constexpr std::size_t kMaxLayers = 64;

std::vector<NamedShape> no_layers(const NetworkOptions&, const InteractionShape&) { return {}; }

std::size_t dot_features(const NetworkOptions& o, const InteractionShape& s) {
  return DotInteraction(s, o.diagonal).num_features();
}
std::unique_ptr<Interaction> make_dot(const NetworkOptions& o, const InteractionShape& s) {
  return std::make_unique<DotInteraction>(s, o.diagonal);
}

std::size_t all_numbers(const NetworkOptions&, const InteractionShape& s) {
  return s.num_vectors() * s.dim;
}
CrossOptions cross_options(const NetworkOptions& o) { return {o.cross_layers, o.cross_rank}; }
std::vector<NamedShape> cross_shapes(const NetworkOptions& o, const InteractionShape& s) {
  return CrossInteraction::layer_shapes(s, cross_options(o));
}
std::unique_ptr<Interaction> make_cross(const NetworkOptions& o, const InteractionShape& s) {
  return std::make_unique<CrossInteraction>(s, cross_options(o), o.precision);
}

std::unique_ptr<Interaction> make_fm(const NetworkOptions&, const InteractionShape& s) {
  return std::make_unique<FmInteraction>(s);
}

std::size_t numbers_alone(const NetworkOptions&, const InteractionShape& s) {
  return s.num_numbers;
}
std::unique_ptr<Interaction> make_linear(const NetworkOptions&, const InteractionShape& s) {
  return std::make_unique<LinearInteraction>(s);
}

std::vector<NamedShape> wide_shapes(const NetworkOptions&, const InteractionShape& s) {
  return WideInteraction::layer_shapes(s);
}
std::unique_ptr<Interaction> make_wide(const NetworkOptions& o, const InteractionShape& s) {
  return std::make_unique<WideInteraction>(s, o.diagonal);
}

void check_number(std::string_view what, std::size_t value, std::size_t low, std::size_t high) {
  if (value < low || value > high) {
    fail(ExitStatus::usage, "network: ", value, " ", what, ", expected ", low, " to ", high);
  }
}

/// name.0, name.1 ... from `in` units on.
void append_layers(const std::string& name, std::size_t in, const std::vector<std::size_t>& sizes,
                   std::vector<NamedShape>& layers) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    layers.push_back({name + std::to_string(i), {in, sizes[i]}});
    in = sizes[i];
  }
}

std::vector<std::size_t> with_last(std::vector<std::size_t> sizes, std::size_t last) {
  sizes.push_back(last);
  return sizes;
}

}  // namespace

const std::array<Architecture, 5> kArchitectures = {{
    {"dlrm", "dot products of all pairs of embeddings", dot_features, no_layers, make_dot},
    {"dcn", "cross layers of DCN-v2 on all embeddings", all_numbers, cross_shapes, make_cross},
    {"deepfm", "factorisation machine beside dense layers", all_numbers, no_layers, make_fm},
    {"wide-dlrm", "sum of the logits of dlrm and linear", dot_features, wide_shapes, make_wide},
    {"linear", "logistic regression", numbers_alone, no_layers, make_linear, true},
}};

namespace {

Names architecture_names() {
  Names names;
  for (const Architecture& architecture : kArchitectures) names.emplace_back(architecture.name);
  return names;
}

std::string architecture_help() {
  std::string text = "network architecture";
  for (const Architecture& a : kArchitectures) {
    (((text += ". ") += a.name) += ": ") += a.summary;
  }
  return text;
}

}  // namespace

void describe_network(const OptionFields& fields, NetworkOptions& options) {
  fields.add("--architecture", options.architecture, architecture_help())
      .choices(architecture_names());
  fields
      .add("--bottom", options.bottom,
           "sizes of the dense layers on the numeric columns, in units; a layer of the size of an "
           "embedding follows")
      .range(1, 65536);
  fields.add("--top", options.top, "sizes of the dense layers before the output, in units")
      .range(1, 65536);
  fields.add("--diagonal", options.diagonal,
             "dlrm: also use the dot product of each embedding with itself");
  fields.add("--cross-layers", options.cross_layers, "dcn: number of cross layers").range(1, 64);
  fields
      .add("--cross-rank", options.cross_rank,
           "dcn: rank of the weights of cross layers; 0: full rank")
      .range(0, 65536);
}

const Architecture& find_architecture(std::string_view name) {
  std::vector<std::string> names;
  for (const Architecture& a : kArchitectures) {
    if (a.name == name) return a;
    names.emplace_back(a.name);
  }
  fail(ExitStatus::usage, "unknown architecture '", printable(name), "', expected one of ",
       joined(names));
}

void check_network_options(const NetworkOptions& options, std::size_t dim) {
  find_architecture(options.architecture);
  check_number("dimensions of embeddings", dim, 1, 1U << 16);
  for (const std::vector<std::size_t>* sizes : {&options.bottom, &options.top}) {
    check_number("layers", sizes->size(), 0, kMaxLayers);
    for (const std::size_t units : *sizes) check_number("units in a layer", units, 1, kMaxUnits);
  }
  check_number("cross layers", options.cross_layers, 0, kMaxLayers);
  check_number("as rank of cross layers", options.cross_rank, 0, kMaxUnits);
}

void check_network(const NetworkOptions& options, const NetworkShape& shape) {
  check_network_options(options, shape.dim);
  check_number("numeric columns", shape.num_numbers, 0, kMaxUnits);
  check_number("fields", shape.num_fields, 0, 1U << 16);
  const Architecture& architecture = find_architecture(options.architecture);
  if (architecture.is_linear && shape.dim != 1) {
    fail(ExitStatus::usage, architecture.name, ": rows of ", shape.dim,
         " numbers, expected one weight for each value");
  }
  if (shape.vectors().num_vectors() == 0) {
    fail(ExitStatus::usage, architecture.name, ": ", shape.num_numbers, " numeric columns and ",
         shape.num_fields, " fields have nothing to combine, expected more columns");
  }
  check_number("features for the top layers", architecture.num_features(options, shape.vectors()),
               0, kMaxUnits);
}

std::vector<std::size_t> bottom_sizes(const NetworkOptions& options, const NetworkShape& shape) {
  if (shape.num_numbers == 0 || find_architecture(options.architecture).is_linear) return {};
  return with_last(options.bottom, shape.dim);
}

std::vector<std::size_t> top_sizes(const NetworkOptions& options) {
  if (find_architecture(options.architecture).is_linear) return {1};
  return with_last(options.top, 1);
}

std::vector<NamedShape> network_layers(const NetworkOptions& options, const NetworkShape& shape) {
  const Architecture& architecture = find_architecture(options.architecture);
  std::vector<NamedShape> layers;
  append_layers("bottom.", shape.num_numbers, bottom_sizes(options, shape), layers);
  for (NamedShape& layer : architecture.layers(options, shape.vectors())) {
    layers.push_back(std::move(layer));
  }
  append_layers("top.", architecture.num_features(options, shape.vectors()), top_sizes(options),
                layers);
  return layers;
}

}  // namespace frugal::robe
