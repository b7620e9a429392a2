#pragma once
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/kernels/gemm.h"
#include "libcore/options/option_fields.h"
#include "tools/robe-compress/network/interaction.h"
#include "tools/robe-compress/network/network.h"

namespace frugal::robe {

/// Layers of a click model. Where there are numbers, the bottom layers make of them a vector like
/// those of the fields; the interaction, which gives the architecture its name, makes features of
/// all vectors; the top layers make of these one logit. ReLU stands behind every layer but the
/// last. The defaults are DLRM's for Criteo Kaggle (its MLPerf setting: dim 128, bottom 512, 256,
/// top 1024, 1024, 512, 256).
struct NetworkOptions {
  std::string architecture = "dlrm";                 ///< a row of kArchitectures
  std::vector<std::size_t> bottom = {512, 256, 64};  ///< units, before a last layer of dim units
  std::vector<std::size_t> top = {512, 256};         ///< units, before the logit
  bool diagonal = false;                             ///< dlrm: each vector's dot with itself, too
  std::size_t cross_layers = 3;                      ///< dcn
  std::size_t cross_rank = 0;                        ///< dcn: W = U V of this rank; 0: full
  Precision precision = Precision::f32;              ///< of products; no part of a file
};

/// What a sample brings: numbers and, for each field, a row of `dim`.
struct NetworkShape {
  std::size_t num_numbers = 0, num_fields = 0, dim = 0;

  InteractionShape vectors() const { return {num_fields, dim, num_numbers != 0, num_numbers}; }
};

struct Architecture {
  std::string_view name, summary;
  std::size_t (*num_features)(const NetworkOptions& options, const InteractionShape& shape);
  std::vector<NamedShape> (*layers)(const NetworkOptions& options, const InteractionShape& shape);
  std::unique_ptr<Interaction> (*make)(const NetworkOptions& options,
                                       const InteractionShape& shape);
  /// linear: no bottom layers, no units before the logit, whatever the options; all weights begin
  /// at 0.
  bool is_linear = false;
};

/// What a user may say of a network and its model's file keeps.
void describe_network(const OptionFields& fields, NetworkOptions& options);

extern const std::array<Architecture, 5> kArchitectures;

/// The row of that name; fails (usage) naming the others.
const Architecture& find_architecture(std::string_view name);

/// Fails (usage) on what is wrong whatever the columns of the data: an unknown architecture, too
/// many or empty layers.
void check_network_options(const NetworkOptions& options, std::size_t dim);
/// Fails (usage) where no network can be made of these.
void check_network(const NetworkOptions& options, const NetworkShape& shape);
/// Units of the bottom layers, and of the top layers with the logit.
std::vector<std::size_t> bottom_sizes(const NetworkOptions& options, const NetworkShape& shape);
std::vector<std::size_t> top_sizes(const NetworkOptions& options);
/// All layers with the names of their tensors, bottom first.
std::vector<NamedShape> network_layers(const NetworkOptions& options, const NetworkShape& shape);

/// A network with weights drawn at random. Fails (usage) as check_network().
std::unique_ptr<Network> make_network(const NetworkOptions& options, const NetworkShape& shape,
                                      std::uint64_t seed);

/// The network that Network::save() wrote. Fails (bad_input) with `path` on anything else, before
/// memory is taken that the file's size does not bear out.
std::unique_ptr<Network> load_network(const Document& document, const std::string& path,
                                      Precision precision = Precision::f32);

}  // namespace frugal::robe
