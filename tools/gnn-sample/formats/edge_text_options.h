#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "libcore/graph/node_names.h"

namespace frugal::gnn {

inline constexpr std::uint64_t kMostNodes = 0xffffffff;

/// True for names that are read as whole numbers, where 7, 7.0 and 007 are one. A column of names
/// may be so, too, if the nodes of the other column are of the same type.
struct WholeIds {
  bool sources = false, targets = false;
};

/// Names of targets where these are of another type than sources.
struct TargetNames {
  NodeNames* names = nullptr;
  bool new_names = true;
  std::string source;  ///< the file of the names, for messages
};

/// Options for reading a list of edges in text.
struct EdgeTextOptions {
  std::string header = "auto";  ///< yes, no; auto: as guess_header() says
  /// Names or numbers from 1; "": as a header says, else the first two.
  std::string source_column, target_column;
  /// Types of the ends, "" where there is one: columns may have their names.
  std::string source_type, target_type;
  std::string weight_column, time_column;  ///< "" and "none": none
  std::uint64_t num_nodes = kMostNodes;    ///< ids are below it
  std::string num_nodes_source;            ///< the file that says so, for messages; or ""
  /// Where targets are nodes of another type: their ids are below it, and the first line is an
  /// edge like the others.
  std::optional<std::uint64_t> num_targets;
  std::string num_targets_source;
  /// Where not null ids are any text: names get numbers here; with new_names = false they must be
  /// there already.
  NodeNames* names = nullptr;
  bool new_names = true;
  bool undirected = false;        ///< edges will be stored in both directions
  bool names_as_written = false;  ///< 7, 7.0 and 007 are three, also where all are numbers
  std::string names_source = "the list of nodes";  ///< the file of the names, for messages
  std::optional<TargetNames> target_names;         ///< none: the same
  std::optional<WholeIds> whole;                   ///< none: as the first lines say
};

}  // namespace frugal::gnn
