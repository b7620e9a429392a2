#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tools/robe-compress/columns/click_options.h"
#include "tools/robe-compress/data/click_encoder.h"
#include "tools/robe-compress/data/click_parser.h"
#include "tools/robe-compress/data/distinct_count.h"
#include "tools/robe-compress/data/held_out.h"
#include "tools/robe-compress/data/sample_store.h"

namespace frugal::robe {

/// Samples with the encoder that made them.
struct FittedSamples {
  std::unique_ptr<ClickEncoder> encoder;  ///< where none was given, or the given one has grown
  SampleStore store;                      ///< finished, all samples, those held out too
  std::uint64_t positives = 0;            ///< of those that are not held out
  UnknownCounts unknown;                  ///< to the encoder that was given
};

/// Reads an input once. Without `encoder`, one is fitted to the samples that `held_out` leaves for
/// training: each field's categories are numbered by first appearance while they are read, and
/// renumbered by rank in the end. Errors: as ClickData.
FittedSamples read_samples(const std::string& path, const ClickOptions& options,
                           const HeldOut& held_out, const ClickEncoder* encoder);

/// Fails (bad_input) where a piece has a category that options or the table's size refuse.
void check_unknown(const ClickOptions& options, const ClickEncoder& encoder, ClickParser& parser,
                   const TextPiece& text, const ParsedPiece& piece);

}  // namespace frugal::robe
