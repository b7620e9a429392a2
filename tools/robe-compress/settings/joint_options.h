#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "libcore/parallel/wire_type.h"

namespace frugal::robe {

/// Unit of an embedding step. each: every occurrence of a number is stepped. summed: the sum of a
/// step's gradients is. automatic: each, if the optimiser supports it and a step has one
/// mini-batch.
enum class UpdateKind { automatic, each, summed };
inline constexpr std::array<std::string_view, 3> kUpdateNames = {"auto", "each", "summed"};

/// How ranks share the numbers of embedding tables. owner: each rank owns pages of them, which it
/// steps; numbers are sent to where they are used, and gradients to owners. reduce: every rank has
/// all numbers, and the gradients of the whole array are added up. automatic: whichever sends fewer
/// bytes.
enum class ArrayExchange { automatic, owner, reduce };
inline constexpr std::array<std::string_view, 3> kExchangeNames = {"auto", "owner", "reduce"};

/// Options of steps over several mini-batches.
struct JointOptions {
  /// mini-batches in a step, of all ranks; 0 = one mini-batch, divided among ranks
  std::uint32_t accumulate = 0;
  UpdateKind update = UpdateKind::automatic;
  ArrayExchange exchange = ArrayExchange::automatic;
  WireType wire = WireType::f32;  ///< type of gradients in messages
};

}  // namespace frugal::robe
