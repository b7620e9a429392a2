#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace frugal::gnn {

/// Parts of a node's input row, side by side in this order. features: those of the graph. degree:
/// DegreeColumns. projection: random projection of the adjacency matrix. embedding: trained numbers
/// of the node's own.
struct InputParts {
  bool features = false, degree = false, projection = false, embedding = false;

  /// Parses names separated by commas; nothing if one is unknown or repeated.
  static std::optional<InputParts> parse(const std::string& names);
  /// The names of the parts, separated by commas.
  std::string names() const;
  bool only_features() const { return features && !degree && !projection && !embedding; }
};

/// Input rows of a model.
struct InputSettings {
  InputParts parts = {.features = true};
  std::size_t size = 128;  ///< columns of the embedding, and of the projection
  std::uint64_t seed = 0;  ///< of the projection's signs and the initial embedding
  bool by_name = false;    ///< nodes had names in training, else ids or numbers

  /// Number of columns that are computed or trained, after those of the graph.
  std::size_t num_computed() const;
  /// Names of the parts; "" for the features of the graph alone.
  std::string note() const { return parts.only_features() ? "" : parts.names(); }
};

}  // namespace frugal::gnn
