#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/robe-compress/data/click_parser.h"

namespace frugal::robe {

/// Samples "A:B" of an input: from number A (from 0) up to, without, number B; with a "/" or "." in
/// either, shares of all samples, "6/7:13/14". An end may be missing.
class SampleRange {
 public:
  SampleRange() = default;                      ///< all
  explicit SampleRange(std::string_view text);  ///< fails (usage), naming --lines

  bool is_all() const { return is_all_; }
  /// The number of samples must be known.
  bool needs_total() const { return shares_; }
  std::uint64_t begin(std::uint64_t total) const { return shares_ ? part(from_, total) : from_.up; }
  std::uint64_t end(std::uint64_t total) const { return shares_ ? part(to_, total) : to_.up; }

 private:
  struct Fraction {
    std::uint64_t up = 0, down = 1;
  };
  static Fraction fraction(std::string_view text);
  static std::uint64_t part(Fraction share, std::uint64_t total);

  bool is_all_ = true;
  bool shares_ = false;
  Fraction from_;
  Fraction to_{~std::uint64_t{0}, 1};
};

/// Reads the samples of an input that options.lines and options.days select, with all threads.
class ClickReader {
 public:
  /// Called on several threads at once, with the text that the piece was parsed from.
  using Finish = std::function<void(ClickParser&, const TextPiece&, ParsedPiece&)>;
  /// Called in the order of the input.
  using Consume = std::function<void(ParsedPiece&)>;

  ClickReader(const std::string& path, const ClickOptions& options, Pace pace = Pace::steady);
  ~ClickReader();

  const std::string& name() const { return pieces_.name(); }
  /// The beginning of the text, with a line or a record of `style` in it.
  std::string_view head() { return pieces_.head(); }
  std::string_view head(DelimitedStyle style);
  const ClickLayout& layout() const { return layout_; }

  /// Says what the columns are; call before read(). Shares of the samples make it count the records
  /// of the file first; fails (usage) where that is a pipe.
  void start(ClickLayout layout);
  /// Reads up to max_pieces pieces of the text, when prompt only those that are there behind the
  /// first; false at the end. Fails as ClickParser.
  bool read(std::size_t max_pieces, const Finish& finish, const Consume& consume);

 private:
  struct Lane;
  bool next_piece(Lane& lane, bool may_wait);

  std::string path_;
  PieceReader pieces_;
  SampleRange range_;
  ClickLayout layout_;
  std::uint64_t begin_ = 0, end_ = ~std::uint64_t{0};  ///< of the samples selected
  std::uint64_t next_sample_ = 0;
  bool at_end_ = false;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace frugal::robe
