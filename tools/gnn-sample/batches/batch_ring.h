#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "libcore/parallel/shard.h"
#include "tools/gnn-sample/batches/document_arena.h"
#include "tools/gnn-sample/batches/peer_socket.h"

namespace frugal::gnn {

/// Documents for another program, made in shared memory that it maps. The memory is a ring of slots
/// without names, so that nothing is left when both programs have ended, however they end.
///
///     this program                        the other
///     next()   waits for the slot  <----  a byte for each document that it has finished with
///     send()   slot, header        ---->  reads the tensors in place
///
/// gnn-sample-sample(1) describes the messages.
class BatchRing {
 public:
  static constexpr std::uint64_t kVersion = 1;
  /// The most descriptors that Linux passes in one message.
  static constexpr std::size_t kMaxSlots = 253;

  /// Describes the run to the other program.
  struct Run {
    std::uint64_t per_epoch = 0;  ///< documents of an epoch, of all shards
    Shard shard;
  };
  /// Makes 2 to kMaxSlots slots, without memory as yet, and sends their descriptors. Borrows the
  /// peer. Fails (unavailable) if the system has no shared memory.
  BatchRing(PeerSocket& peer, std::size_t slots, const Run& run);
  ~BatchRing();

  /// The next slot, empty; waits until the other program has finished with it. To be called in the
  /// order in which the documents are sent.
  DocumentArena& next();
  /// Sends the document of the slot. Tensors that lie elsewhere are copied to it.
  void send(DocumentArena& slot);
  /// Sends the end. Call it once, last.
  void finish();

 private:
  class Slot;
  void send_message(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d,
                    std::span<const int> descriptors = {});

  PeerSocket& peer_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::uint64_t begun_ = 0;  ///< documents
  std::uint64_t sent_ = 0;
};

}  // namespace frugal::gnn
