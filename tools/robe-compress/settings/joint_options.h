#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "libcore/parallel/wire_type.h"

namespace frugal::robe {

/// What a step of the embeddings is: one of each occurrence of a number, or of the sum of a step's
/// gradients. automatic: each, where the optimiser can and a step has one mini-batch.
enum class UpdateKind { automatic, each, summed };
inline constexpr std::array<std::string_view, 3> kUpdateNames = {"auto", "each", "summed"};

/// How ranks share the numbers of embedding tables. owner: each has pages of them, which it steps;
/// numbers go to where they are used, gradients to owners. reduce: all have all of them and add up
/// the gradients of the whole array. automatic: whatever sends fewer bytes.
enum class ArrayExchange { automatic, owner, reduce };
inline constexpr std::array<std::string_view, 3> kExchangeNames = {"auto", "owner", "reduce"};

/// How several mini-batches make a step together.
struct JointOptions {
  std::uint32_t accumulate = 0;  ///< mini-batches of a step, of all ranks; 0 = parts of one
  UpdateKind update = UpdateKind::automatic;
  ArrayExchange exchange = ArrayExchange::automatic;
  WireType wire = WireType::f32;  ///< of gradients
};

}  // namespace frugal::robe
