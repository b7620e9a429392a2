#include "tools/robe-compress/data/click_reader.h"

#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/threading/ordered_pipeline.h"

namespace frugal::robe {
namespace {

constexpr std::uint64_t kDecimals = 1'000'000'000;

[[noreturn]] void refuse(std::string_view text) {
  fail(ExitStatus::usage, "--lines is '", printable(text),
       "', expected a range of samples like 0:1000000 or, in shares, 0:6/7");
}

}  // namespace

SampleRange::Fraction SampleRange::fraction(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto up = parse_number<std::uint32_t>(text.substr(0, slash));
    const auto down = parse_number<std::uint32_t>(text.substr(slash + 1));
    if (!up || !down || *down == 0) refuse(text);
    return {*up, *down};
  }
  if (text.find('.') != std::string_view::npos) {
    const auto share = parse_number<double>(text);
    if (!share || !(*share >= 0 && *share <= 1)) refuse(text);
    return {static_cast<std::uint64_t>(std::llround(*share * kDecimals)), kDecimals};
  }
  const auto number = parse_number<std::uint64_t>(text);
  if (!number) refuse(text);
  return {*number, 1};
}

SampleRange::SampleRange(std::string_view text) : is_all_(text.empty()) {
  if (is_all_) return;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) refuse(text);
  const std::string_view from = trim(text.substr(0, colon)), to = trim(text.substr(colon + 1));
  shares_ = text.find_first_of("/.") != std::string_view::npos;
  if (!from.empty()) from_ = fraction(from);
  if (!to.empty()) to_ = fraction(to);
  if (shares_ && to.empty()) to_ = {1, 1};
  const bool beyond = shares_ && (from_.up > from_.down || to_.up > to_.down);
  const auto product = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<unsigned __int128>(a) * b;
  };
  if (beyond || product(from_.up, to_.down) >= product(to_.up, from_.down)) refuse(text);
}

std::uint64_t SampleRange::part(Fraction share, std::uint64_t total) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(total) * share.up / share.down);
}

namespace {

constexpr std::size_t kPieceSize = std::size_t{256} << 10;

std::uint64_t count_samples(const std::string& path, const ClickLayout& layout) {
  PieceReader pieces(path);
  pieces.head();
  if (pieces.bytes_total() == 0) {
    fail(ExitStatus::usage, pieces.name(),
         ": shares in --lines need the number of samples, expected a file, not a pipe");
  }
  pieces.set_style(layout.form.style);
  std::uint64_t samples = 0;
  for (TextPiece piece; pieces.next(piece);) samples += count_samples(layout, piece);
  return samples;
}

}  // namespace

/// State for parsing a piece; reused.
struct ClickReader::Lane {
  Lane(const ClickLayout& layout, const std::string& name) : parser(layout, name) {}
  ClickParser parser;
  TextPiece text;
  SampleSpan wanted;
  ParsedPiece piece;
};

ClickReader::ClickReader(const std::string& path, const ClickOptions& options, Pace pace)
    : path_(path), pieces_(path, kPieceSize), range_(options.lines) {
  pieces_.set_pace(pace);
}
ClickReader::~ClickReader() = default;

std::string_view ClickReader::head(DelimitedStyle style) {
  pieces_.set_style(style);
  return pieces_.head();
}

void ClickReader::start(ClickLayout layout) {
  layout_ = std::move(layout);
  pieces_.set_style(layout_.form.style);
  const std::uint64_t total = range_.needs_total() ? count_samples(path_, layout_) : 0;
  begin_ = range_.begin(total);
  end_ = range_.end(total);
  const auto depth = static_cast<std::size_t>(num_threads()) * 2 + 1;
  for (std::size_t i = 0; i < depth; ++i) {
    lanes_.push_back(std::make_unique<Lane>(layout_, pieces_.name()));
  }
}

/// The next piece with samples that are wanted.
bool ClickReader::next_piece(Lane& lane, bool may_wait) {
  while (next_sample_ < end_ && pieces_.next(lane.text, may_wait)) {
    if (range_.is_all()) return true;
    const std::uint64_t samples = count_samples(layout_, lane.text);
    const std::uint64_t first = next_sample_;
    next_sample_ += samples;
    if (next_sample_ <= begin_) continue;
    lane.wanted = {begin_ > first ? begin_ - first : 0, end_ - first};
    return true;
  }
  at_end_ = next_sample_ >= end_ || pieces_.at_end();
  return false;
}

bool ClickReader::read(std::size_t max_pieces, const Finish& finish, const Consume& consume) {
  std::size_t produced = 0;
  OrderedPipeline<Lane*> pipeline;
  pipeline.produce = [&](Lane*& lane) {
    if (produced == max_pieces) return false;
    lane = lanes_[produced % lanes_.size()].get();
    ++produced;
    return next_piece(*lane, produced == 1);
  };
  pipeline.transform = [&](Lane*& lane) {
    lane->parser.parse(lane->text, lane->wanted, lane->piece);
    finish(lane->parser, lane->text, lane->piece);
  };
  pipeline.consume = [&](Lane*& lane) { consume(lane->piece); };
  pipeline.run(lanes_.size());
  return !at_end_;
}

}  // namespace frugal::robe
