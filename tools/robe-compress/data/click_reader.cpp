#include "tools/robe-compress/data/click_reader.h"

#include "libcore/base/error.h"
#include "libcore/threading/ordered_pipeline.h"

namespace frugal::robe {
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

/// What a piece needs on its way; reused.
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
