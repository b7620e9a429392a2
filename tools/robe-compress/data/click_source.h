#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "libcore/tables/piece_reader.h"
#include "tools/robe-compress/columns/click_batch.h"
#include "tools/robe-compress/columns/click_layout.h"
#include "tools/robe-compress/columns/click_options.h"
#include "tools/robe-compress/data/click_encoder.h"
#include "tools/robe-compress/data/unknown_values.h"

namespace frugal::robe {

/// Streams the samples of a path or "-" in the order of the input, in constant memory. Records are
/// parsed on all threads. Errors: as ClickData.
class ClickSource : public ClickBatches {
 public:
  /// options: only format, header and the selection of samples are used; the rest is from the
  /// encoder's schema. encoder: must outlive the object. With Pace::prompt, next() returns the
  /// samples that a pipe has ready, at least one, as soon as their records are complete.
  ClickSource(const std::string& path, const ClickOptions& options, const ClickEncoder& encoder,
              Labels labels, Pace pace = Pace::steady);
  /// For streaming training: makes the encoder from options and the beginning of the input, which
  /// also determines the scale of numbers. Fails (usage) if ids must be counted first.
  ClickSource(const std::string& path, const ClickOptions& options);
  ~ClickSource() override;

  const ClickEncoder& encoder() const;
  /// Unknown values in the samples read so far.
  std::vector<UnknownValues> unknown_values() const;
  /// Name of the input, for messages.
  const std::string& name() const;
  bool next(ClickBatch& batch, std::size_t max_size) override;
  /// Skips samples; returns how many there were.
  std::uint64_t skip(std::uint64_t samples);

 private:
  struct State;
  template <class Body>
  std::uint64_t take(std::uint64_t max_size, Pace pace, const Body& body);
  std::unique_ptr<State> state_;
};

}  // namespace frugal::robe
