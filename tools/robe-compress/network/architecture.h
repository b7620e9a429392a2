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

/// Options of a click model's layers. If there are numbers, the bottom layers convert them to a
/// vector of the fields' size. The interaction, which gives the architecture its name, computes
/// features of all vectors. The top layers compute one logit from these. ReLU follows every layer
/// except the last. Defaults are DLRM's for Criteo Kaggle (in MLPerf: dim 128, bottom 512, 256, top
/// 1024, 1024, 512, 256).
struct NetworkOptions {
  std::string architecture = "dlrm";                 ///< name of an entry of kArchitectures
  std::vector<std::size_t> bottom = {512, 256, 64};  ///< units, before a last layer of dim units
  std::vector<std::size_t> top = {512, 256};         ///< units, before the logit
  bool diagonal = false;                 ///< dlrm: also takes each vector's dot product with itself
  std::size_t cross_layers = 3;          ///< dcn: number of cross layers
  std::size_t cross_rank = 0;            ///< dcn: W = U V of this rank; 0: full
  Precision precision = Precision::f32;  ///< of products; not stored in files
};

/// Input of a network: numbers and, for each field, a row of `dim` numbers.
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
  /// True for linear: no bottom layers and no hidden units, whatever the options; all weights start
  /// at 0.
  bool is_linear = false;
};

/// Describes the options of a network, which the command line sets and the model file stores.
void describe_network(const OptionFields& fields, NetworkOptions& options);

extern const std::array<Architecture, 5> kArchitectures;

/// The architecture of that name. Fails (usage), with the known names, on an unknown one.
const Architecture& find_architecture(std::string_view name);

/// Fails (usage) on options that are wrong for all data: an unknown architecture, too many or empty
/// layers.
void check_network_options(const NetworkOptions& options, std::size_t dim);
/// Fails (usage) if no network can be made of these.
void check_network(const NetworkOptions& options, const NetworkShape& shape);
/// Units of the bottom layers; and of the top layers, including the logit.
std::vector<std::size_t> bottom_sizes(const NetworkOptions& options, const NetworkShape& shape);
std::vector<std::size_t> top_sizes(const NetworkOptions& options);
/// All layers with the names of their tensors; bottom layers come first.
std::vector<NamedShape> network_layers(const NetworkOptions& options, const NetworkShape& shape);

/// Makes a network with random weights. Fails (usage) as check_network().
std::unique_ptr<Network> make_network(const NetworkOptions& options, const NetworkShape& shape,
                                      std::uint64_t seed);

/// Reads a network that Network::save() wrote. Fails (bad_input) with `path` on anything else,
/// before it allocates memory that the file's size does not justify.
std::unique_ptr<Network> load_network(const Document& document, const std::string& path,
                                      Precision precision = Precision::f32);

}  // namespace frugal::robe
