#include "tools/gnn-sample/network/gnn_options.h"

#include <algorithm>

#include "libcore/base/error.h"

namespace frugal::gnn {
namespace {

/// The place of `name` among names, or usage.
template <class Kind, std::size_t N>
Kind kind_named(const std::array<std::string_view, N>& names, std::string_view what,
                std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<Kind>(found - names.begin());
  std::string expected(names.front());
  for (std::size_t i = 1; i < N; ++i) {
    expected += (i + 1 < N ? ", " : " or ") + std::string(names.at(i));
  }
  fail(ExitStatus::usage, "unknown ", what, " '", name, "', expected ", expected);
}

}  // namespace

GnnKind gnn_kind_from_name(std::string_view name) {
  return kind_named<GnnKind>(kGnnKindNames, "model", name);
}
std::string_view gnn_kind_name(GnnKind kind) {
  return kGnnKindNames.at(static_cast<std::size_t>(kind));
}

SageAggregate sage_aggregate_from_name(std::string_view name) {
  return kind_named<SageAggregate>(kSageAggregateNames, "aggregation", name);
}
std::string_view sage_aggregate_name(SageAggregate kind) {
  return kSageAggregateNames.at(static_cast<std::size_t>(kind));
}

ActivationKind activation_from_name(std::string_view name) {
  return kind_named<ActivationKind>(kActivationNames, "activation", name);
}
std::string_view activation_name(ActivationKind kind) {
  return kActivationNames.at(static_cast<std::size_t>(kind));
}

}  // namespace frugal::gnn
