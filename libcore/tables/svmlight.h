#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frugal {

/// First line of a file in the format of the extreme classification repository: "points features
/// labels".
struct XmcHeader {
  std::uint64_t points = 0;
  std::uint32_t features = 0;  ///< feature ids are below this
  std::uint32_t labels = 0;    ///< label ids are below this
};

/// Parses the first line; nothing unless it is three non-negative numbers separated by single
/// spaces.
std::optional<XmcHeader> parse_xmc_header(std::string_view line);

/// A line "labels f:v f:v ...". After parsing, the features ascend and are distinct.
struct SparseLine {
  std::string_view labels;  ///< text before the first feature, a view of the line
  std::vector<std::uint32_t> features;
  std::vector<float> values;
};

/// Parses a line of XMC or svmlight; a comment from '#' on and "qid:n" are ignored. Feature ids
/// must be below `num_features` and distinct, values finite. Fails (bad_input) without a place: the
/// caller adds file and line.
void parse_sparse_line(std::string_view line, std::uint64_t num_features, SparseLine& out);

/// Parses "3,17,4" into `labels`, sorted, without duplicates, each below `num_labels`. Fails
/// (bad_input) without a place.
void parse_label_ids(std::string_view text, std::uint64_t num_labels,
                     std::vector<std::uint32_t>& labels);

}  // namespace frugal
