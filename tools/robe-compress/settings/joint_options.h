#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "libcore/parallel/wire_type.h"

namespace frugal::robe {

/// How a stored number that occurs several times in a step is updated. each: every occurrence
/// updates it separately. summed: the sum of its gradients updates it once. automatic: each, if the
/// optimiser supports it and a step has one mini-batch, else summed.
enum class UpdateKind { automatic, each, summed };
inline constexpr std::array<std::string_view, 3> kUpdateNames = {"auto", "each", "summed"};

/// How ranks share the numbers of embedding tables. owner: each rank owns some pages of numbers and
/// updates them; it sends numbers to the ranks that use them and receives their gradients. reduce:
/// every rank has all numbers, and the gradients of the whole array are summed over all ranks.
/// automatic: whichever sends fewer bytes.
enum class ArrayExchange { automatic, owner, reduce };
inline constexpr std::array<std::string_view, 3> kExchangeNames = {"auto", "owner", "reduce"};

/// Options of an optimiser step that several mini-batches or ranks share.
struct JointOptions {
  /// Number of mini-batches in a step, over all ranks; 0: one mini-batch, divided among the ranks.
  std::uint32_t accumulate = 0;
  UpdateKind update = UpdateKind::automatic;
  ArrayExchange exchange = ArrayExchange::automatic;
  WireType wire = WireType::f32;  ///< type of gradients in messages
};

}  // namespace frugal::robe
