#include "libcore/io/gzip_decoder.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace frugal {
namespace {

constexpr int kGzipOnly = 15 + 16;  // the largest window, and a header of gzip

uInt clamped(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

}  // namespace

struct GzipDecoder::State {
  z_stream stream{};
};

GzipDecoder::GzipDecoder() : state_(std::make_unique<State>()) {
  if (inflateInit2(&state_->stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
}
GzipDecoder::~GzipDecoder() { inflateEnd(&state_->stream); }

GzipDecoder::Step GzipDecoder::decode(std::span<const char> input, std::span<char> output) {
  Step step;
  if (!inside_member_) {
    while (step.consumed < input.size() && input[step.consumed] == 0) ++step.consumed;
    if (step.consumed == input.size()) return step;
    inside_member_ = true;
  }
  z_stream& z = state_->stream;
  const uInt given = clamped(input.size() - step.consumed), room = clamped(output.size());
  z.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(input.data() + step.consumed));
  z.avail_in = given;
  z.next_out = reinterpret_cast<Bytef*>(output.data());
  z.avail_out = room;
  const int code = inflate(&z, Z_NO_FLUSH);
  step.consumed += given - z.avail_in;
  step.produced = room - z.avail_out;
  if (code == Z_STREAM_END) {
    inside_member_ = false;
    inflateReset(&z);
  } else if (code == Z_MEM_ERROR) {
    throw std::bad_alloc();
  } else if (code != Z_OK && code != Z_BUF_ERROR) {
    step.error = code == Z_NEED_DICT ? "needs a dictionary"
                 : z.msg != nullptr  ? z.msg
                                     : "no valid stream";
  }
  return step;
}

}  // namespace frugal
