#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frugal {

/// First line of the extreme classification repository's format: "points features labels".
struct XmcHeader {
  std::uint64_t points = 0;
  std::uint32_t features = 0;  ///< feature ids are below it
  std::uint32_t labels = 0;    ///< label ids are below it
};

/// Nothing where the line is not three non-negative numbers separated by single spaces.
std::optional<XmcHeader> parse_xmc_header(std::string_view line);

/// One line "labels f:v f:v ...". Features ascend and are distinct after parsing.
struct SparseLine {
  std::string_view labels;  ///< text before the first feature, points into the line
  std::vector<std::uint32_t> features;
  std::vector<float> values;
};

/// Parses a line of XMC or svmlight (a comment from '#' on and "qid:n" are passed over). Every
/// feature id must be below `num_features`, values finite, no feature twice. Fails (bad_input)
/// without the place: the caller puts file and line before it.
void parse_sparse_line(std::string_view line, std::uint64_t num_features, SparseLine& out);

/// Parses "3,17,4" into `labels`, ascending, doubles merged; each below `num_labels`. Fails
/// (bad_input) without the place.
void parse_label_ids(std::string_view text, std::uint64_t num_labels,
                     std::vector<std::uint32_t>& labels);

}  // namespace frugal
