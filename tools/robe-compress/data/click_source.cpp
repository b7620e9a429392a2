#include "tools/robe-compress/data/click_source.h"

#include <algorithm>
#include <deque>

#include "libcore/base/error.h"
#include "libcore/threading/parallel.h"
#include "tools/robe-compress/data/click_fit.h"
#include "tools/robe-compress/data/click_reader.h"
#include "tools/robe-compress/data/number_sums.h"

namespace frugal::robe {
namespace {

/// Scales of numbers from the whole records in the first part of a text.
void fit_scales(const ClickLayout& layout, ClickReader& reader, ClickEncoder& encoder) {
  TextPiece beginning;
  const std::string_view head = reader.head();
  beginning.memory.assign(head.begin(), head.end());
  beginning.size = RecordScanner(layout.form.style).scan(head);
  ParsedPiece piece;
  ClickParser(layout, reader.name()).parse(beginning, {}, piece);
  const std::size_t numbers = encoder.num_numbers();
  for (std::size_t n = 0; n < numbers; ++n) {
    NumberSums sums;
    for (std::size_t i = 0; i < piece.size; ++i) sums.add(piece.numbers[i * numbers + n]);
    encoder.set_scale(n, sums.scale());
  }
}

}  // namespace

struct ClickSource::State {
  State(const std::string& path, const ClickOptions& click_options, Pace reading_pace)
      : options(click_options), pace(reading_pace), reader(path, options, pace) {}

  /// The encoder of an input that is trained on as it comes.
  void make_encoder() {
    own.emplace(make_schema(options, reader.name(), reader.head()));
    const ClickSchema& schema = own->schema();
    const bool unknown_rows = schema.ids == IdKind::count || schema.rows.empty();
    if (unknown_rows && !schema.categories.empty()) {
      fail(ExitStatus::usage, reader.name(),
           ": streaming takes no first look at the categories, expected --ids hash, or --ids "
           "number with --rows");
    }
    if (!options.held_out.empty()) {
      fail(ExitStatus::usage, reader.name(), ": streaming holds no samples out (--held-out)");
    }
    const ClickLayout layout =
        find_layout(schema, options, reader.name(), reader.head(), Labels::required);
    if (schema.scale_numbers) fit_scales(layout, reader, *own);
    encoder = &*own;
  }

  void start(Labels labels) {
    const ClickSchema& schema = encoder->schema();
    const std::string_view begin = reader.head();
    const std::string_view head =
        reader.head(input_style(find_format(schema, options, begin), options, begin));
    reader.start(find_layout(schema, options, reader.name(), head, labels));
  }

  /// Reads until a sample is there; false at the end.
  bool refill() {
    while (pieces.empty() && !at_end) {
      at_end = !reader.read(
          static_cast<std::size_t>(num_threads()) * 2,
          [&](ClickParser& parser, const TextPiece& text, ParsedPiece& piece) {
            encoder->encode_rows(piece);
            encoder->scale_numbers(piece.numbers.data(), piece.size, encoder->num_numbers());
            check_unknown(options, *encoder, parser, text, piece);
          },
          [&](ParsedPiece& piece) {
            add_unknown(piece, unknown);
            if (piece.size > 0) pieces.push_back(std::move(piece));
          });
    }
    return !pieces.empty();
  }

  ClickOptions options;
  Pace pace;
  ClickReader reader;
  std::optional<ClickEncoder> own;
  const ClickEncoder* encoder = nullptr;
  UnknownCounts unknown;
  std::deque<ParsedPiece> pieces;
  std::size_t used = 0;  ///< samples of the first piece that were given out
  bool at_end = false;
};

ClickSource::ClickSource(const std::string& path, const ClickOptions& options,
                         const ClickEncoder& encoder, Labels labels, Pace pace) {
  check_click_options(options);
  state_ = std::make_unique<State>(path, options, pace);
  state_->encoder = &encoder;
  state_->start(labels);
}

ClickSource::ClickSource(const std::string& path, const ClickOptions& options) {
  check_click_options(options);
  state_ = std::make_unique<State>(path, options, Pace::steady);
  state_->make_encoder();
  state_->start(Labels::required);
}
ClickSource::~ClickSource() = default;

const ClickEncoder& ClickSource::encoder() const { return *state_->encoder; }
const std::string& ClickSource::name() const { return state_->reader.name(); }
std::vector<UnknownValues> ClickSource::unknown_values() const {
  return robe::unknown_values(encoder(), state_->unknown);
}

/// Calls body(piece, first sample, number of samples) for up to max_size samples; when prompt, for
/// those that were read already, if any.
template <class Body>
std::uint64_t ClickSource::take(std::uint64_t max_size, Pace pace, const Body& body) {
  State& s = *state_;
  std::uint64_t taken = 0;
  while (taken < max_size && s.refill()) {
    const ParsedPiece& piece = s.pieces.front();
    const std::size_t n = std::min<std::uint64_t>(max_size - taken, piece.size - s.used);
    body(piece, s.used, n);
    taken += n;
    s.used += n;
    if (s.used < piece.size) continue;
    s.pieces.pop_front();
    s.used = 0;
    if (pace == Pace::prompt && s.pieces.empty()) break;
  }
  return taken;
}

bool ClickSource::next(ClickBatch& batch, std::size_t max_size) {
  batch.num_fields = encoder().num_fields();
  batch.num_numbers = encoder().num_numbers();
  batch.rows.clear();
  batch.numbers.clear();
  batch.labels.clear();
  const bool has_labels = state_->reader.layout().reads_labels;
  const auto append = [](auto& to, const auto& from, std::size_t first, std::size_t n,
                         std::size_t width) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first * width);
    to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(n * width));
  };
  batch.size =
      take(max_size, state_->pace, [&](const ParsedPiece& piece, std::size_t first, std::size_t n) {
        append(batch.rows, piece.rows, first, n, batch.num_fields);
        append(batch.numbers, piece.numbers, first, n, batch.num_numbers);
        if (has_labels) append(batch.labels, piece.labels, first, n, 1);
      });
  return batch.size > 0;
}

std::uint64_t ClickSource::skip(std::uint64_t samples) {
  return take(samples, Pace::steady, [](const ParsedPiece&, std::size_t, std::size_t) {});
}

}  // namespace frugal::robe
