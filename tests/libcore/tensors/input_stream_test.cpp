#include "libcore/streams/input_stream.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <thread>

#include "libcore/system/limits.h"
#include "tests/libcore/tensors/tensor_samples.h"

using namespace frugal;
using namespace samples;

namespace {

std::string random_bytes(std::size_t size, std::uint64_t seed) {
  Rng rng(seed);
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>(rng.below(256));
  return out;
}

/// A pipe that delivers the content in pieces of random size from 1 to max_piece bytes.
class SlowPipe {
 public:
  SlowPipe(std::string content, std::size_t max_piece) {
    REQUIRE(pipe(ends_) == 0);
    feeder_ = std::thread([this, content = std::move(content), max_piece] {
      Rng rng(9);
      for (std::size_t at = 0; at < content.size();) {
        const std::size_t n = std::min(content.size() - at, 1 + rng.below(max_piece));
        const ssize_t written = write(ends_[1], content.data() + at, n);
        if (written < 0 && errno != EINTR) break;
        if (written > 0) at += static_cast<std::size_t>(written);
      }
      close(ends_[1]);
    });
  }
  ~SlowPipe() {
    close(ends_[0]);
    feeder_.join();
  }
  SlowPipe(const SlowPipe&) = delete;
  SlowPipe& operator=(const SlowPipe&) = delete;
  std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }

 private:
  int ends_[2] = {-1, -1};
  std::thread feeder_;
};

void ignore_signal(int) {}

/// Interrupts system calls a thousand times a second while it lives.
class Interruptions {
 public:
  Interruptions() {
    struct sigaction action {};
    action.sa_handler = ignore_signal;  // without SA_RESTART calls end with EINTR
    sigaction(SIGALRM, &action, &before_);
    const itimerval every{{0, 1000}, {0, 1000}};
    setitimer(ITIMER_REAL, &every, nullptr);
  }
  ~Interruptions() {
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    sigaction(SIGALRM, &before_, nullptr);
  }
  Interruptions(const Interruptions&) = delete;
  Interruptions& operator=(const Interruptions&) = delete;

 private:
  struct sigaction before_ {};
};

}  // namespace

TEST_CASE("reads, peeks and skips of any size see the bytes in order, in files and pipes") {
  const ScratchFolder folder;
  const std::string content = random_bytes(300000, 1);
  folder.put("x", content);
  for (const bool piped : {false, true}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::optional<SlowPipe> slow;
      if (piped) slow.emplace(content, 5000);
      InputStream input(piped ? slow->path() : folder.file("x"));
      CHECK(input.is_regular() == !piped);
      CHECK(input.size() == (piped ? 0 : content.size()));
      Rng rng(seed);
      std::size_t at = 0;
      while (at < content.size()) {
        const std::size_t wanted = 1 + rng.below(rng.below(2) == 0 ? 40 : 40000);
        const std::size_t n = std::min(wanted, content.size() - at);
        if (rng.below(3) == 0) {
          REQUIRE(input.skip(wanted) == n);
        } else if (rng.below(2) == 0) {
          std::string got(wanted, '\0');
          REQUIRE(input.read(got.data(), wanted) == n);
          REQUIRE(content.compare(at, n, got, 0, n) == 0);
        } else {
          const std::size_t few = std::min<std::size_t>(n, 50);
          const auto ready = input.peek(few);
          REQUIRE(ready.size() >= few);
          REQUIRE(std::memcmp(ready.data(), content.data() + at, ready.size()) == 0);
          input.consume(few);
          at += few;
          continue;
        }
        at += n;
        REQUIRE(input.position() == at);
      }
      char more;
      CHECK(input.read(&more, 1) == 0);
      CHECK(input.skip(1) == 0);
      CHECK(input.peek().empty());
    }
  }
}

TEST_CASE("a tensor file arrives whole through a pipe of short pieces and interrupted calls") {
  const ScratchFolder folder;
  const Document document = mixed_document(8);
  for (const char* name : {"x.safetensors.zst", "x.safetensors", "x.tzs"}) {
    write_document(folder.file(name), document);
    const SlowPipe slow(folder.get(name), 700);
    const Interruptions interruptions;
    CHECK(same(document, read_document(slow.path())));
  }
}

TEST_CASE("a pipe that delivers one byte at a time is recognised all the same") {
  const ScratchFolder folder;
  Document document;
  document.tensors.push_back(random_tensor("a", Dtype::u8, {10}, 1));
  write_document(folder.file("x.tzs"), document);
  const SlowPipe slow(folder.get("x.tzs"), 1);
  CHECK(same(document, read_document(slow.path())));
}

TEST_CASE("more than four fifths of the free memory is refused by default") {
  const std::uint64_t bytes = memory_available() / 5 * 4 + (std::uint64_t{1} << 30);
  const std::string size = std::to_string(bytes);
  std::string header =
      R"({"x":{"dtype":"U8","shape":[)" + size + R"(],"data_offsets":[0,)" + size + "]}}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = header.size();
  const SlowPipe pipe(std::string(reinterpret_cast<const char*>(&length), 8) + header, 1000);
  const std::string error = error_of([&] { read_document(pipe.path()); });
  CHECK(error.find(": document 1 needs ") != std::string::npos);
}

TEST_CASE("inputs that cannot be opened or read say why") {
  const ScratchFolder folder;
  const std::string missing = folder.file("none");
  CHECK(error_of([&] { InputStream input(missing); }) ==
        "66 " + missing + ": cannot open: No such file or directory");
  CHECK(error_of([&] { InputStream input(folder.path()); }) ==
        "66 " + folder.path() + ": cannot open: is a folder");
  CHECK(error_of([] {
          InputStream input("/proc/self/mem");  // byte 0 is mapped nowhere
          input.peek();
        }) == "74 /proc/self/mem: cannot read: Input/output error");
}

TEST_CASE("a whole input is read, whatever it is") {
  const ScratchFolder folder;
  const std::string bytes = random_bytes(100000, 3);
  folder.put("file", bytes);
  folder.put("empty", "");
  CHECK(read_whole(folder.file("file")) == bytes);
  CHECK(read_whole(folder.file("empty")).empty());
  CHECK(read_whole(SlowPipe(bytes, 1000).path()) == bytes);
  CHECK(error_of([] { read_whole("/proc/self/mem"); }) ==
        "74 /proc/self/mem: cannot read: Input/output error");
}
