#include "tools/gnn-sample/inputs/input_parts.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "libcore/base/text.h"
#include "tools/gnn-sample/inputs/degree_columns.h"

namespace frugal::gnn {
namespace {

struct InputPartName {
  std::string_view name;
  bool InputParts::*part;
};
constexpr std::array<InputPartName, 4> kInputParts = {{{"features", &InputParts::features},
                                                       {"degree", &InputParts::degree},
                                                       {"projection", &InputParts::projection},
                                                       {"embedding", &InputParts::embedding}}};

}  // namespace

std::optional<InputParts> InputParts::parse(const std::string& names) {
  InputParts parts;
  for (const std::string_view name : split(names, ',')) {
    const auto* const part =
        std::find_if(kInputParts.begin(), kInputParts.end(),
                     [&](const InputPartName& p) { return p.name == name && !(parts.*p.part); });
    if (part == kInputParts.end()) return std::nullopt;
    parts.*part->part = true;
  }
  return parts;
}

std::string InputParts::names() const {
  std::string all;
  for (const InputPartName& part : kInputParts) {
    if (this->*part.part) all.append(all.empty() ? "" : ",").append(part.name);
  }
  return all;
}

std::size_t InputSettings::num_computed() const {
  return (parts.degree ? kDegreeColumns : 0) + (parts.projection ? size : 0) +
         (parts.embedding ? size : 0);
}

}  // namespace frugal::gnn
