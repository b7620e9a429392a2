#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/node_names.h"
#include "tools/gnn-sample/data/node_data.h"

namespace frugal::gnn {

inline constexpr std::int64_t kMostClasses = 0x7ffffffe;

/// Meaning of labels. automatic: values if all are numbers and one of them is not whole, else
/// classes.
enum class LabelType { automatic, classes, values };
inline constexpr std::array<std::string_view, 3> kLabelTypes = {"auto", "class", "number"};

/// Takes texts as numbers to predict if `type` says so; missing values are none. separator: that of
/// the fields, as for parse_number_between(). False: they are classes. Fails (bad_input) with
/// `path` for a text that is no number, with LabelType::automatic if most texts are fractions.
bool take_value_texts(const NodeNames& texts, const std::vector<NodeId>& text_of, LabelType type,
                      char separator, const std::string& path, NodeLabels& labels);

/// Takes classes by number, -1 for none. Beside 1 alone -1 is a class, as svmlight has it: both
/// then have names.
void take_class_numbers(std::vector<std::int32_t> classes, NodeLabels& labels);

/// Takes what texts say of the class of each node. `text_of` has a number of `texts` for each.
/// Where all are numbers, classes are these, but for codes like 01, which are names, and for
/// "unknown", which is none; else they are names, numbered in their order. Missing values and -1
/// are none, but for -1 beside 1 alone. Fails (bad_input) with `path`.
void take_class_texts(const NodeNames& texts, const std::vector<NodeId>& text_of,
                      const std::string& path, NodeLabels& labels);

}  // namespace frugal::gnn
