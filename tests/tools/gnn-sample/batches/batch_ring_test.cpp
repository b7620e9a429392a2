#include "tools/gnn-sample/batches/batch_ring.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <thread>
#include <vector>

#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

using Message = std::array<std::uint64_t, 4>;

/// The other end of a connection.
struct Reader {
  Reader() { REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0); }
  ~Reader() {
    leave();
    for (const int descriptor : slots) close(descriptor);
  }
  void leave() {
    if (ends[0] >= 0) close(ends[0]);
    ends[0] = -1;
  }

  Message receive() {
    Message message{};
    iovec piece{message.data(), sizeof message};
    std::vector<char> control(CMSG_SPACE(sizeof(int) * BatchRing::kMaxSlots));
    msghdr header{};
    header.msg_iov = &piece;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    REQUIRE(recvmsg(ends[0], &header, MSG_WAITALL) == sizeof message);
    if (const cmsghdr* const passed = CMSG_FIRSTHDR(&header)) {
      slots.resize((passed->cmsg_len - CMSG_LEN(0)) / sizeof(int));
      std::memcpy(slots.data(), CMSG_DATA(passed), slots.size() * sizeof(int));
    }
    return message;
  }
  void give_back() { CHECK(write(ends[0], "", 1) == 1); }
  std::string read(int slot, std::uint64_t begin, std::size_t size) {
    std::string text(size, '\0');
    CHECK(pread(slot, text.data(), size, static_cast<off_t>(begin)) == static_cast<ssize_t>(size));
    return text;
  }

  int ends[2] = {-1, -1};
  std::vector<int> slots;
};

void fill(DocumentArena& slot, const char* name, std::size_t size, std::uint8_t value) {
  Tensor& tensor = slot.add(name, Dtype::u8, {size});
  CHECK(reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % 64 == 0);
  std::memset(tensor.bytes.data(), value, size);
}

}  // namespace

TEST_CASE("documents of any size arrive in the slots of a ring, in order") {
  Reader reader;
  PeerSocket peer(std::to_string(reader.ends[1]), [] {});
  BatchRing ring(peer, 2, {7, {1, 3}});
  CHECK(reader.receive() == Message{1, 2, 7, std::uint64_t{1} << 32 | 3});
  REQUIRE(reader.slots.size() == 2);
  for (std::uint8_t i = 0; i < 6; ++i) {
    if (i >= 2) reader.give_back();
    DocumentArena& slot = ring.next();
    CHECK(slot.document().tensors.empty());
    const std::size_t large = i == 4 ? 3 : 300000 * std::size_t{i};
    fill(slot, "small", 5, i);
    fill(slot, "large", large, static_cast<std::uint8_t>(i + 100));
    fill(slot, "none", 0, 0);
    const std::vector<std::uint8_t> elsewhere = {i, 42};
    slot.document().tensors.push_back(Tensor::lend<std::uint8_t>("elsewhere", {2}, elsewhere));
    slot.document().metadata["number"] = std::to_string(i);
    ring.send(slot);
    const Message message = reader.receive();
    CHECK(message[0] == i % 2);
    const int file = reader.slots[i % 2];
    std::uint64_t length = 0;
    std::memcpy(&length, reader.read(file, message[1], 8).data(), 8);
    const std::string header = reader.read(file, message[1] + 8, length);
    CHECK(header.find("\"number\":\"" + std::to_string(i) + "\"") != std::string::npos);
    const auto content_of = [&](const std::string& name, std::size_t size) {
      const std::string key = "\"data_offsets\":[";
      const std::size_t at = header.find(key, header.find("\"" + name + "\"")) + key.size();
      return reader.read(file, std::stoull(header.substr(at)), size);
    };
    CHECK(content_of("small", 5) == std::string(5, static_cast<char>(i)));
    CHECK(content_of("large", large) == std::string(large, static_cast<char>(i + 100)));
    CHECK(content_of("elsewhere", 2) == std::string{static_cast<char>(i), 42});
    struct stat info {};
    REQUIRE(fstat(file, &info) == 0);
    CHECK(static_cast<std::uint64_t>(info.st_size) == message[2]);
  }
  ring.finish();
  CHECK(reader.receive() == Message{~std::uint64_t{0}, 6, 0, 0});
}

TEST_CASE("the end of the reader is noticed at once, also while a slot is waited for") {
  Reader reader;
  std::promise<void> gone;
  PeerSocket peer(std::to_string(reader.ends[1]), [&] { gone.set_value(); });
  BatchRing ring(peer, 2, {1, {}});
  for (int i = 0; i < 2; ++i) ring.send(ring.next());
  auto waiting = std::async(std::launch::async, [&] { return error_of([&] { ring.next(); }); });
  CHECK(waiting.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
  for (int i = 0; i < 3; ++i) reader.receive();
  reader.leave();
  CHECK(waiting.get().find("the program that reads mini-batches is gone") != std::string::npos);
  CHECK(gone.get_future().wait_for(std::chrono::seconds(5)) == std::future_status::ready);
  CHECK(error_of([&] { ring.finish(); }).find("is gone") != std::string::npos);
}

TEST_CASE("a reader that closes at the end is not gone before its time") {
  Reader reader;
  std::atomic<int> gone = 0;
  PeerSocket peer(std::to_string(reader.ends[1]), [&] { ++gone; });
  BatchRing ring(peer, 2, {1, {}});
  ring.finish();
  reader.leave();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // in which a watcher would tell
  CHECK(gone == 0);
}

TEST_CASE("a reader that is gone is told once, by whichever thread notices") {
  Reader reader;
  std::atomic<int> gone = 0;
  PeerSocket peer(std::to_string(reader.ends[1]), [&] { ++gone; });
  reader.leave();
  for (int i = 0; i < 3; ++i) {
    CHECK(error_of([&] { peer.send("", 1); }).find("is gone") != std::string::npos);
    CHECK(gone == 1);
  }
}

TEST_CASE("a socket of another kind is refused") {
  const auto refused = [](int descriptor) {
    const std::string error =
        error_of([&] { const PeerSocket peer(std::to_string(descriptor), [] {}); });
    close(descriptor);
    return error.find("no connected Unix-domain socket of type SOCK_STREAM") != std::string::npos;
  };
  CHECK(refused(socket(AF_UNIX, SOCK_STREAM, 0)));  // without a peer
  CHECK(refused(socket(AF_INET, SOCK_STREAM, 0)));
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
  CHECK(refused(ends[0]));
  CHECK(refused(ends[1]));
}

TEST_CASE("what is no socket is refused") {
  const TextFile file("");
  const auto error = [](const std::string& name) {
    return error_of([&] { const PeerSocket peer(name, [] {}); });
  };
  CHECK(error("987654").find("no connected Unix-domain socket of type SOCK_STREAM") !=
        std::string::npos);
  CHECK(error(file.path()).find("cannot connect") != std::string::npos);
  CHECK(error(std::string(200, 'x')).find("a path of 200 bytes") != std::string::npos);
}
