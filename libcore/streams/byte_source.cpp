#include "libcore/streams/byte_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <string_view>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/streams/zstd_frames.h"
#include "libcore/system/restarted_calls.h"

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

namespace {

constexpr std::uint64_t kLeastInput = 4096, kMostInput = std::uint64_t{1} << 20;

enum class Compression { none, zstd, gzip };

struct Magic {
  std::string_view bytes;
  std::string_view mask;
  Compression compression;
};

// The second line: a zstd file may begin with any of 16 skippable frames (RFC 8878, 3.1.2).
constexpr std::array kMagics{
    Magic{"\x28\xb5\x2f\xfd", "\xff\xff\xff\xff", Compression::zstd},
    Magic{"\x50\x2a\x4d\x18", "\xf0\xff\xff\xff", Compression::zstd},
    Magic{"\x1f\x8b", "\xff\xff", Compression::gzip},
};

/// True if the first bytes of `magic` equal those of `head`, as far as both go.
bool agrees(const Magic& magic, std::string_view head) {
  for (std::size_t i = 0; i < std::min(head.size(), magic.bytes.size()); ++i) {
    if ((head[i] & magic.mask[i]) != magic.bytes[i]) return false;
  }
  return true;
}

struct FreeDecoder {
  void operator()(ZSTD_DStream* decoder) const { ZSTD_freeDStream(decoder); }
};

}  // namespace

struct ByteSource::State {
  std::string name = "stdin";
  int descriptor = STDIN_FILENO;
  bool owns_descriptor = false;
  bool at_end = false;  ///< of the descriptor
  bool knows_packing = false;
  std::uint64_t total = 0;         ///< bytes of a regular file when it was opened; 0: unknown
  std::uint64_t consumed = 0;      ///< bytes read from the descriptor
  std::vector<char> input;         ///< no larger than the file
  std::size_t begin = 0, end = 0;  ///< bytes of input not used yet
  std::unique_ptr<ZSTD_DStream, FreeDecoder> zstd;
  bool inside_frame = false;
  std::optional<GzipDecoder> gzip;

  ~State() {
    if (owns_descriptor) close(descriptor);
  }
  void open_path(const std::string& path);
  void detect_packing();
  std::size_t read_descriptor(char* out, std::size_t size);
  bool refill();
  std::size_t read_plain(char* out, std::size_t size);
  std::size_t read_zstd(char* out, std::size_t size);
  std::size_t read_gzip(char* out, std::size_t size);
  [[noreturn]] void fail_damaged(const char* compression, const char* problem) const;
  [[noreturn]] void fail_truncated(const char* compression, const char* part) const;
};

void ByteSource::State::open_path(const std::string& path) {
  if (path == "-") return;
  name = path;
  descriptor = open_file(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(ExitStatus::cannot_open, path, ": cannot open: ", errno_text(errno));
  owns_descriptor = true;
  struct stat status {};
  if (fstat(descriptor, &status) != 0) {
    fail(ExitStatus::io_error, path, ": cannot read: ", errno_text(errno));
  }
  if (S_ISDIR(status.st_mode)) {
    fail(ExitStatus::cannot_open, path, ": is a directory, expected a file");
  }
  if (S_ISREG(status.st_mode)) total = static_cast<std::uint64_t>(status.st_size);
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);  // advice: pipes refuse it, no harm
}

std::size_t ByteSource::State::read_descriptor(char* out, std::size_t size) {
  const ssize_t got = restarted([&] { return ::read(descriptor, out, size); });
  if (got < 0) fail(ExitStatus::io_error, name, ": cannot read: ", errno_text(errno));
  at_end = got == 0;
  consumed += static_cast<std::uint64_t>(got);
  if (at_end && consumed < total) {
    fail(ExitStatus::io_error, name, ": ends at byte ", consumed, ", expected ", total,
         " bytes: the file became shorter while it was read; run the command again");
  }
  return static_cast<std::size_t>(got);
}

/// Reads more input behind what is there; false at the end.
bool ByteSource::State::refill() {
  if (at_end) return false;
  if (input.empty())
    input.resize(total == 0 ? kMostInput : std::clamp(total, kLeastInput, kMostInput));
  if (begin == end) begin = end = 0;
  end += read_descriptor(input.data() + end, input.size() - end);
  return !at_end;
}

/// Looks at no more bytes than the decision needs: somebody may be typing.
void ByteSource::State::detect_packing() {
  knows_packing = true;
  Compression compression = Compression::none;
  for (bool undecided = true; undecided;) {
    undecided = false;
    const std::string_view head(input.data(), end);
    for (const Magic& magic : kMagics) {
      if (!agrees(magic, head)) continue;
      if (head.size() >= magic.bytes.size()) compression = magic.compression;
      undecided |= head.size() < magic.bytes.size();
    }
    undecided = undecided && compression == Compression::none && refill();
  }
  if (compression == Compression::gzip) gzip.emplace();
  if (compression != Compression::zstd) return;
  zstd.reset(ZSTD_createDStream());
  if (!zstd) throw std::bad_alloc();
}

std::size_t ByteSource::State::read_plain(char* out, std::size_t size) {
  if (begin == end) return at_end ? 0 : read_descriptor(out, size);
  const std::size_t n = std::min(size, end - begin);
  std::memcpy(out, input.data() + begin, n);
  begin += n;
  return n;
}

void ByteSource::State::fail_damaged(const char* compression, const char* problem) const {
  fail(ExitStatus::bad_input, name, ": damaged ", compression, " data near byte ",
       consumed - (end - begin), ": ", problem);
}

void ByteSource::State::fail_truncated(const char* compression, const char* part) const {
  fail(ExitStatus::bad_input, name, ": ", compression, " data ends inside a ", part, " at byte ",
       consumed, ", expected more: the file is truncated");
}

// NOLINTNEXTLINE(readability-non-const-parameter): zstd writes there
std::size_t ByteSource::State::read_zstd(char* out, std::size_t size) {
  for (;;) {
    if (begin == end && !refill()) {
      if (!inside_frame) return 0;
      fail_truncated("zstd", "frame");
    }
    ZSTD_inBuffer in{input.data(), end, begin};
    ZSTD_outBuffer to{out, size, 0};
    const std::size_t code = ZSTD_decompressStream(zstd.get(), &to, &in);
    check_zstd_memory(code);
    if (ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge) {
      fail(ExitStatus::bad_input, name,
           ": was compressed with a window above 128 MiB; compress it again without --long or "
           "--ultra");
    }
    if (ZSTD_isError(code)) fail_damaged("zstd", ZSTD_getErrorName(code));
    begin = in.pos;
    inside_frame = code != 0;
    if (to.pos > 0) return to.pos;
  }
}

std::size_t ByteSource::State::read_gzip(char* out, std::size_t size) {
  for (;;) {
    if (begin == end && !refill()) {
      if (!gzip->inside_member()) return 0;
      fail_truncated("gzip", "member");
    }
    const auto step = gzip->decode({input.data() + begin, end - begin}, {out, size});
    begin += step.consumed;
    if (step.error != nullptr) fail_damaged("gzip", step.error);
    if (step.produced > 0) return step.produced;
  }
}

ByteSource::ByteSource(const std::string& path) : state_(std::make_unique<State>()) {
  state_->open_path(path);
}
ByteSource::~ByteSource() = default;

std::size_t ByteSource::read(char* out, std::size_t size) {
  if (!state_->knows_packing) state_->detect_packing();
  return state_->zstd   ? state_->read_zstd(out, size)
         : state_->gzip ? state_->read_gzip(out, size)
                        : state_->read_plain(out, size);
}

bool ByteSource::wait(double seconds) const {
  const State& s = *state_;
  pollfd wanted{s.descriptor, POLLIN, 0};
  if (s.begin != s.end || s.at_end) return true;
  const int ready = poll(&wanted, 1, static_cast<int>(1000 * seconds));
  return ready > 0 || (ready < 0 && errno != EINTR);
}

const std::string& ByteSource::name() const { return state_->name; }
std::uint64_t ByteSource::bytes_read() const { return state_->consumed; }
std::uint64_t ByteSource::bytes_total() const { return state_->total; }

}  // namespace frugal
