#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tables/piece_reader.h"
#include "tools/robe-compress/columns/click_layout.h"
#include "tools/robe-compress/columns/libfm_pairs.h"

namespace frugal::robe {

/// Samples of a piece of the text, in order.
struct ParsedPiece {
  struct Place {
    std::size_t sample = 0;
    std::size_t field = 0;
  };
  std::size_t size = 0;
  std::vector<float> numbers;          ///< [size, numbers], NaN if missing, until encoded
  std::vector<std::uint64_t> keys;     ///< [size, fields]: rows, or hashes of categories (count)
  std::vector<std::uint64_t> values;   ///< values before they became keys, if requested
  std::vector<std::uint32_t> rows;     ///< [size, fields], once encoded
  std::vector<float> labels;           ///< [size]; empty without labels
  std::vector<std::uint32_t> offsets;  ///< [size], offset of each record in the text
  /// for each field: fractions where integers were expected; or empty
  std::vector<bool> fractions;
  std::optional<Place> unknown;  ///< the first category without a row
  /// number of such categories in each field, once encoded
  std::vector<std::uint64_t> num_unknown;

  void clear();
};

/// Counts of values that have no rows in a model.
struct UnknownCounts {
  std::uint64_t samples = 0;
  std::vector<std::uint64_t> by_field;
};
void add_unknown(const ParsedPiece& piece, UnknownCounts& counts);

/// Samples [begin, end) of a piece, numbered from its first.
struct SampleSpan {
  std::uint64_t begin = 0;
  std::uint64_t end = ~std::uint64_t{0};
};

/// Converts records to numbers and keys. Each thread needs its own object.
class ClickParser {
 public:
  /// layout: must outlive the object.
  ClickParser(const ClickLayout& layout, const std::string& name);

  /// Parses the wanted samples of a piece that are in the layout's days. Fails (bad_input) with
  /// file and line, what was found and what was expected.
  void parse(const TextPiece& piece, SampleSpan wanted, ParsedPiece& out);
  /// The text of a category, for messages: "column 'C3' is 'abc'" with the place before it.
  std::string describe(const TextPiece& text, const ParsedPiece& piece, ParsedPiece::Place place);
  /// Key of a category of a field, as in ParsedPiece::keys.
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
  void split_pairs();
  std::size_t place_of(const ClickPair& pair, std::size_t place) const;

  const ClickLayout& layout_;
  TableRows rows_;
  std::vector<std::string_view> words_;
  std::vector<std::string_view> pairs_;  ///< ids of words_, and the label, by column
};

/// Number of samples of a piece.
std::uint64_t count_samples(const ClickLayout& layout, const TextPiece& piece);

}  // namespace frugal::robe
