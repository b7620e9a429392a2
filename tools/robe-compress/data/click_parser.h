#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tables/piece_reader.h"
#include "tools/robe-compress/columns/click_layout.h"

namespace frugal::robe {

/// Samples of a piece of the text, in order.
struct ParsedPiece {
  struct Place {
    std::size_t sample = 0;
    std::size_t field = 0;
  };
  std::size_t size = 0;
  std::vector<float> numbers;          ///< [size, numbers], NaN where missing until encoded
  std::vector<std::uint64_t> keys;     ///< [size, fields]: rows, or hashes of categories (count)
  std::vector<std::uint64_t> values;   ///< the same before they became rows, where they are wanted
  std::vector<std::uint32_t> rows;     ///< [size, fields], once encoded
  std::vector<float> labels;           ///< [size]; empty without labels
  std::vector<std::uint32_t> offsets;  ///< [size], where the records begin in the text
  std::vector<bool> fractions;         ///< by field: numbers where whole ones were told; or empty
  std::optional<Place> unknown;        ///< the first category that the encoder has no row for
  std::vector<std::uint64_t> num_unknown;  ///< of them, by field, once encoded

  void clear();
};

/// Values of an input that a model has no rows for.
struct UnknownCounts {
  std::uint64_t samples = 0;
  std::vector<std::uint64_t> by_field;
};
void add_unknown(const ParsedPiece& piece, UnknownCounts& counts);

/// Samples [begin, end) of a piece, by number from its first.
struct SampleSpan {
  std::uint64_t begin = 0;
  std::uint64_t end = ~std::uint64_t{0};
};

/// Turns records into numbers and keys. One a thread.
class ClickParser {
 public:
  /// layout must outlive the object.
  ClickParser(const ClickLayout& layout, const std::string& name);

  /// The samples of a piece that are wanted and lie in the layout's days. Fails (bad_input) with
  /// file and line, finding and expectation.
  void parse(const TextPiece& piece, SampleSpan wanted, ParsedPiece& out);
  /// The text of a category, for messages: "column 'C3' is 'abc'" with the place before it.
  std::string describe(const TextPiece& text, const ParsedPiece& piece, ParsedPiece::Place place);
  /// What stands for a category of a field in ParsedPiece::keys.
  std::uint64_t key_of(std::size_t field, std::string_view text) const;

 private:
  std::span<const std::string_view> fields() const {
    return layout_.pairs ? pairs_ : rows_.fields();
  }
  bool is_in_days() const;
  void add_sample(std::size_t at, ParsedPiece& out) const;
  std::uint64_t value_of(std::size_t field, std::string_view text) const;
  std::uint64_t key_of_value(std::size_t field, std::uint64_t value) const;
  void split_row();

  const ClickLayout& layout_;
  TableRows rows_;
  std::vector<std::string_view> pairs_;
};

/// Number of samples of a piece.
std::uint64_t count_samples(const ClickLayout& layout, const TextPiece& piece);

}  // namespace frugal::robe
