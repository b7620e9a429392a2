#include "libcore/streams/plain_stream.h"

#include <algorithm>
#include <cstring>

#include "libcore/base/error.h"
#include "libcore/streams/zstd_frames.h"
#include "libcore/threading/ordered_pipeline.h"

namespace frugal {
namespace {

class RawStream : public PlainStream {
 public:
  explicit RawStream(std::unique_ptr<InputStream> input) : input_(std::move(input)) {}

  std::size_t read(std::byte* to, std::size_t size) override {
    const std::size_t n = input_->read(to, size);
    position_ += n;
    return n;
  }
  std::uint64_t skip(std::uint64_t n) override {
    const std::uint64_t skipped = input_->skip(n);
    position_ += skipped;
    return skipped;
  }
  bool seek(std::uint64_t position) override {
    if (position >= position_) {
      const std::uint64_t distance = position - position_;
      return skip(distance) == distance;
    }
    if (!input_->is_regular()) return false;
    input_->seek(position);
    position_ = position;
    return true;
  }
  const InputStream& input() const override { return *input_; }

 private:
  std::unique_ptr<InputStream> input_;
};

}  // namespace

std::unique_ptr<PlainStream> open_plain_stream(const std::string& path, bool parallel) {
  auto input = std::make_unique<InputStream>(path);
  // Unambiguous: as the length of a header both magics are far above its limit.
  const auto first = input->peek(4);
  const bool compressed = first.size() >= 4 && (load_u32(first.data()) == kZstdMagic ||
                                                is_skippable_magic(load_u32(first.data())));
  if (compressed) return std::make_unique<ZstdStream>(std::move(input), parallel);
  return std::make_unique<RawStream>(std::move(input));
}

namespace {

/// Below, starting threads costs more than they win.
constexpr std::size_t kParallelReadFrom = std::size_t{512} << 10;

}  // namespace

ZstdStream::ZstdStream(std::unique_ptr<InputStream> input, bool parallel)
    : input_(std::move(input)), frames_(*input_), parallel_(parallel), lanes_(1) {}

void ZstdStream::check(const char* error, std::uint64_t frame_begin) const {
  if (error == nullptr) return;
  fail(ExitStatus::bad_input, input_->path(), ": damaged: frame at byte ", frame_begin, ": ",
       error);
}

/// Finds the next frame; false at the end.
bool ZstdStream::next_header() {
  if (has_header_) return true;
  if (ended_) return false;
  const auto found = frames_.next(header_);
  ended_ = found != FrameReader::Found::frame;
  cut_ = found == FrameReader::Found::truncated;
  if (ended_) return false;
  if (expected_size_ && header_.content_size != expected_size_) {
    check("its size differs from the seek table's", frames_.frame_begin());
  }
  expected_size_.reset();
  return has_header_ = true;
}

/// True if the next frame can be decompressed in one call into that many bytes.
bool ZstdStream::fits(std::size_t room) const {
  return header_.content_size && *header_.content_size <= std::min<std::uint64_t>(room, kMaxFrame);
}

std::size_t ZstdStream::take_leftover(std::byte* to, std::size_t size) {
  const std::size_t n = std::min(size, leftover_.size() - leftover_begin_);
  if (to != nullptr && n != 0) std::memcpy(to, leftover_.data() + leftover_begin_, n);
  leftover_begin_ += n;
  return n;
}

/// Decompresses the frames that fit completely, several at a time.
void ZstdStream::read_frames(std::byte* to, std::size_t size, std::size_t& done) {
  struct Item {
    std::size_t lane = 0;
    std::uint64_t frame_begin = 0;
    std::span<std::byte> to;
  };
  const std::size_t depth = static_cast<std::size_t>(num_threads()) + 2;
  if (lanes_.size() < depth) lanes_ = std::vector<Lane>(depth);
  std::size_t sequence = 0;
  OrderedPipeline<Item> pipeline;
  pipeline.produce = [&](Item& item) {
    if (done == size || !next_header() || !fits(size - done)) return false;
    item.lane = sequence++ % depth;
    item.frame_begin = frames_.frame_begin();
    item.to = {to + done, static_cast<std::size_t>(*header_.content_size)};
    has_header_ = false;
    ended_ = cut_ = !frames_.read_frame(lanes_[item.lane].frame);
    if (cut_) return false;
    done += item.to.size();
    return true;
  };
  pipeline.transform = [&](Item& item) {
    Lane& lane = lanes_[item.lane];
    check(lane.decompressor.decompress(lane.frame.bytes(), item.to), item.frame_begin);
  };
  pipeline.consume = [](Item&) {};
  pipeline.run(depth);
}

/// The next frame, all of it, to `to`; false if the input ends inside it.
bool ZstdStream::decode_frame(std::byte* to) {
  Lane& lane = lanes_.front();
  has_header_ = false;
  ended_ = cut_ = !frames_.read_frame(lane.frame);
  if (cut_) return false;
  const auto size = static_cast<std::size_t>(*header_.content_size);
  check(lane.decompressor.decompress(lane.frame.bytes(), {to, size}), frames_.frame_begin());
  return true;
}

/// The next frame to the leftover, or the begin of streaming it.
bool ZstdStream::decode_partly_wanted_frame() {
  if (!fits(kMaxFrame)) {
    has_header_ = false;
    streaming_ = true;
    header_fed_ = 0;
    streamed_ = 0;
    lanes_.front().decompressor.begin();
    return true;
  }
  leftover_.clear();
  leftover_begin_ = 0;
  std::byte* const to = leftover_.extend(static_cast<std::size_t>(*header_.content_size));
  if (decode_frame(to)) return true;
  leftover_.clear();
  return false;
}

/// One step of decompressing in pieces; returns the bytes produced.
std::size_t ZstdStream::stream_step(std::byte* to, std::size_t size) {
  const auto header = frames_.header_bytes().subspan(header_fed_);
  const auto from = header.empty() ? input_->peek() : header;
  const auto step = lanes_.front().decompressor.step(from, {to, size});
  check(step.error, frames_.frame_begin());
  if (header.empty()) {
    input_->consume(step.consumed);
  } else {
    header_fed_ += step.consumed;
  }
  streamed_ += step.produced;
  if (step.frame_done) {
    streaming_ = false;
    const bool all = !header_.content_size || *header_.content_size == streamed_;
    if (!all) check("its content is shorter than declared", frames_.frame_begin());
  }
  if (from.empty() && step.produced == 0 && !step.frame_done) {
    streaming_ = false;
    ended_ = cut_ = true;
  }
  return step.produced;
}

/// With its last plain byte a frame's checksum is due.
void ZstdStream::finish_streamed_frame() {
  while (streaming_ && header_.content_size && streamed_ >= *header_.content_size) {
    stream_step(leftover_.data(), 0);
  }
}

std::size_t ZstdStream::read(std::byte* to, std::size_t size) {
  std::size_t done = take_leftover(to, size);
  while (done < size) {
    if (streaming_) {
      done += stream_step(to + done, size - done);
      finish_streamed_frame();
      continue;
    }
    if (parallel_ && size - done >= kParallelReadFrom) read_frames(to, size, done);
    if (done == size || !next_header()) break;
    if (fits(size - done)) {
      const auto content = static_cast<std::size_t>(*header_.content_size);
      if (!decode_frame(to + done)) break;
      done += content;
    } else {
      if (!decode_partly_wanted_frame()) break;
      done += take_leftover(to + done, size - done);
    }
  }
  position_ += done;
  return done;
}

std::uint64_t ZstdStream::skip(std::uint64_t n) {
  constexpr std::size_t kStep = std::size_t{128} << 10;
  const auto at_most = [&n](std::uint64_t done, std::size_t limit) {
    return static_cast<std::size_t>(std::min<std::uint64_t>(n - done, limit));
  };
  Array<std::byte> scratch;
  std::uint64_t done = take_leftover(nullptr, at_most(0, leftover_.size()));
  while (done < n) {
    if (streaming_) {
      if (scratch.empty()) scratch = Array<std::byte>(kStep, uninitialized);
      done += stream_step(scratch.data(), at_most(done, kStep));
      finish_streamed_frame();
      continue;
    }
    if (!next_header()) break;
    if (header_.content_size && *header_.content_size <= n - done) {
      has_header_ = false;
      ended_ = cut_ = !frames_.skip_frame();
      if (cut_) break;
      done += *header_.content_size;
    } else {
      if (!decode_partly_wanted_frame()) break;
      done += take_leftover(nullptr, at_most(done, leftover_.size()));
    }
  }
  position_ += done;
  return done;
}

void ZstdStream::restart(std::uint64_t file_position, std::uint64_t plain_position) {
  input_->seek(file_position);
  position_ = plain_position;
  leftover_.clear();
  leftover_begin_ = 0;
  has_header_ = streaming_ = ended_ = cut_ = false;
  expected_size_.reset();
}

bool ZstdStream::seek(std::uint64_t position) {
  // Rows that follow each other often lie in the frame at hand.
  const std::uint64_t in_hand = leftover_.size() - leftover_begin_;
  const bool near = position >= position_ && position - position_ <= in_hand;
  if (!near && index_ && position < index_->plain_size()) {
    const std::size_t frame = index_->find(position);
    restart((*index_)[frame].file_begin, (*index_)[frame].plain_begin);
    expected_size_ = index_->plain_size_of(frame);
  } else if (position < position_) {
    if (!input_->is_regular()) return false;
    restart(0, 0);
  }
  const std::uint64_t distance = position - position_;
  return skip(distance) == distance;
}

const FrameIndex* ZstdStream::use_table() {
  if (!input_->is_regular()) return nullptr;
  auto index = FrameIndex::from_table(*input_);
  restart(0, 0);
  index_ = std::move(index);
  return index_ ? &*index_ : nullptr;
}

const FrameIndex* ZstdStream::use_scan() {
  if (!input_->is_regular()) return nullptr;
  auto index = FrameIndex::from_scan(*input_);
  restart(0, 0);
  index_ = std::move(index);
  return index_ ? &*index_ : nullptr;
}

}  // namespace frugal
