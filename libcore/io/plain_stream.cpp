#include "libcore/io/plain_stream.h"

#include "libcore/io/zstd_frames.h"
#include "libcore/io/zstd_stream.h"

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

}  // namespace frugal
