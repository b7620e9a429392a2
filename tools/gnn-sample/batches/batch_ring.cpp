#include "tools/gnn-sample/batches/batch_ring.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/limits.h"
#include "libcore/system/restarted_calls.h"
#include "libcore/system/signals.h"
#include "libcore/tensors/document_keys.h"
#include "libcore/tensors/safetensors_header.h"

namespace frugal::gnn {

static_assert(std::endian::native == std::endian::little, "messages are little endian");

/// An arena in a file without a name. A slot that grows is mapped piece by piece, so that tensors
/// stay in place.
class BatchRing::Slot : public DocumentArena {
 public:
  Slot() : descriptor_(memfd_create("gnn-sample", MFD_CLOEXEC)) {
    if (descriptor_ < 0) {
      const int error = errno;
      fail(ExitStatus::unavailable, "--shared: no shared memory: ", errno_text(error),
           error == EMFILE ? "; raise the limit of descriptors (ulimit -n), or take fewer --slots"
                           : "");
    }
  }
  ~Slot() override {
    Slot::drop_blocks();
    close(descriptor_);
  }

  int descriptor() const { return descriptor_; }
  using DocumentArena::size;
  /// Place of a tensor in the file; copies one that lies elsewhere.
  std::uint64_t place_of(const Tensor& tensor) {
    const std::span<const std::byte> content = tensor.content();
    if (content.empty()) return 0;
    if (const auto place = find(content.data())) return *place;
    return copy(content);
  }
  std::uint64_t copy(std::span<const std::byte> content) {
    std::byte* const to = take(content.size());
    std::memcpy(to, content.data(), content.size());
    return find(to).value();
  }

 private:
  struct Block {
    std::byte* data = nullptr;
    std::size_t offset = 0, size = 0;
  };
  std::optional<std::uint64_t> find(const std::byte* data) const {
    for (const Block& block : blocks_) {
      const auto at = reinterpret_cast<std::uintptr_t>(data);
      const auto begin = reinterpret_cast<std::uintptr_t>(block.data);
      if (at >= begin && at < begin + block.size) return block.offset + (at - begin);
    }
    return std::nullopt;
  }

  std::byte* add_block(std::size_t offset, std::size_t size) override {
    ignore_file_size_signal();
    // Takes the memory now: a page that is missing later would end both programs by SIGBUS.
    const int done = restarted([&] {
      return fallocate(descriptor_, 0, static_cast<off_t>(offset), static_cast<off_t>(size));
    });
    void* const data = done != 0
                           ? MAP_FAILED
                           : mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                                  descriptor_, static_cast<off_t>(offset));
    if (data == MAP_FAILED) {
      const int error = errno;
      fail(ExitStatus::unavailable, "--shared: no room for a mini-batch of more than ",
           format_bytes(offset), " in shared memory: ", errno_text(error), "; ", format_bytes(size),
           " more wanted, ", format_bytes(memory_available()),
           " of memory left; take a smaller --batch-size, or fewer --slots");
    }
    blocks_.push_back({static_cast<std::byte*>(data), offset, size});
    return blocks_.back().data;
  }
  void drop_blocks() override {
    for (const Block& block : blocks_) munmap(block.data, block.size);
    blocks_.clear();
  }

  int descriptor_;
  std::vector<Block> blocks_;
};

BatchRing::BatchRing(PeerSocket& peer, std::size_t slots, const Run& run) : peer_(peer) {
  std::vector<int> descriptors;
  for (std::size_t i = 0; i < slots; ++i) {
    slots_.push_back(std::make_unique<Slot>());
    descriptors.push_back(slots_.back()->descriptor());
  }
  const auto index = static_cast<std::uint64_t>(run.shard.index);
  const auto count = static_cast<std::uint64_t>(run.shard.count);
  send_message(kVersion, slots, run.per_epoch, index << 32 | count, descriptors);
}

BatchRing::~BatchRing() = default;

void BatchRing::send_message(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d,
                             std::span<const int> descriptors) {
  const std::array<std::uint64_t, 4> message = {a, b, c, d};
  peer_.send(message.data(), sizeof message, descriptors);
}

DocumentArena& BatchRing::next() {
  Slot& slot = *slots_[begun_ % slots_.size()];
  if (begun_++ >= slots_.size()) peer_.receive_byte();
  slot.clear();
  return slot;
}

void BatchRing::send(DocumentArena& slot) {
  Slot& expected = *slots_[sent_ % slots_.size()];
  if (&expected != &slot) fail(ExitStatus::internal, "documents of a ring are out of order");
  DocumentInfo info;
  info.metadata = std::move(slot.document().metadata);
  info.metadata[kVersionKey] = "1";
  for (const Tensor& tensor : slot.document().tensors) {
    const std::uint64_t begin = expected.place_of(tensor);
    info.tensors.push_back(
        {tensor.name, tensor.dtype, tensor.shape, begin, begin + tensor.content().size()});
  }
  const std::string header = format_header(info);
  const std::uint64_t place = expected.copy(std::as_bytes(std::span(header)));
  send_message(sent_++ % slots_.size(), place, expected.size(), 0);
}

void BatchRing::finish() {
  peer_.allow_close();
  send_message(std::numeric_limits<std::uint64_t>::max(), sent_, 0, 0);
}

}  // namespace frugal::gnn
