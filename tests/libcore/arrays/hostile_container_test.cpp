#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include <fstream>

#include "libcore/streams/input_stream.h"
#include "libcore/streams/seek_table.h"
#include "libcore/system/clock.h"
#include "tests/libcore/tensors/tensor_samples.h"
#include "tests/support/sanitized.h"

using namespace frugal;
using namespace samples;

namespace {

std::string u32(std::uint64_t value) {
  std::string out;
  for (int i = 0; i < 4; ++i, value >>= 8) out += static_cast<char>(value & 0xff);
  return out;
}
std::string u64(std::uint64_t value) { return u32(value) + u32(value >> 32); }

std::string frame_of(const std::string& plain) {
  std::string out(ZSTD_compressBound(plain.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), 1));
  return out;
}

/// A frame of n blocks of 128 KiB of one byte each: four bytes of file a block.
std::string run_length_frame(std::uint64_t n, char byte) {
  const std::uint64_t size = n << 17;
  std::string out = u32(0xfd2fb528) + '\xc0' + '\x38' + u64(size);  // a window of 128 KiB
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t header = (i + 1 == n ? 1 : 0) | 1 << 1 | std::uint64_t{1} << 20;
    out += u32(header).substr(0, 3) + byte;
  }
  return out;
}

std::string header_of(const std::string& json) { return u64(json.size()) + json; }

std::string seek_table(const std::string& entries, std::uint64_t count, char descriptor = 0) {
  return u32(0x184d2a5e) + u32(entries.size() + 9) + entries + u32(count) + descriptor +
         u32(0x8f92eab1);
}

constexpr std::uint64_t kMiB = 1 << 20;

/// Peak resident memory of this process, in kB, since it was reset.
long peak_kb() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word == "VmHWM:") {
      long kb = 0;
      status >> kb;
      return kb;
    }
  }
  return 0;
}

struct Verdict {
  std::string error;
  long grown_kb = 0;  ///< peak memory above that before reading
  double seconds = 0;
};

/// Reads the file in a child of its own, so that its peak memory can be seen.
Verdict verdict_of(const std::string& path, const TensorReadOptions& options) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    std::ofstream("/proc/self/clear_refs") << 5;
    const long before = peak_kb();
    const double start = wall_seconds();
    const std::string error = error_of([&] {
      read_all(path, options);
      TensorReader reader(path, options);
      reader.num_documents();
    });
    std::string report = std::to_string(peak_kb() - before) + " " +
                         std::to_string(wall_seconds() - start) + " " + error;
    const ssize_t written = write(ends[1], report.data(), report.size());
    _exit(written == static_cast<ssize_t>(report.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string report(1000, '\0');
  const ssize_t n = read(ends[0], report.data(), report.size());
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(status == 0);
  REQUIRE(n > 0);
  report.resize(static_cast<std::size_t>(n));
  const std::size_t first = report.find(' '), second = report.find(' ', first + 1);
  return {report.substr(second + 1), std::stol(report), std::stod(report.substr(first))};
}

void check_refused(const std::string& name, const std::string& file, const std::string& reason,
                   const TensorReadOptions& options = {}) {
  const ScratchFolder folder;
  folder.put("x", file);
  const Verdict verdict = verdict_of(folder.file("x"), options);
  CAPTURE(name);
  CAPTURE(verdict.error);
  CHECK(verdict.error.find(reason) != std::string::npos);
  CHECK((verdict.error.substr(0, 2) == "65" || verdict.error.substr(0, 2) == "69"));
  CHECK(verdict.seconds < (kSanitized ? 20 : 1));
  if (!kSanitized) CHECK(verdict.grown_kb < 64 * 1024);
}

}  // namespace

TEST_CASE("hostile containers are refused within a second and 64 MiB") {
  const Threads one(1);  // a child of a process with worker threads must not use them
  const std::string document =
      header_of(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})") + "1234";
  const std::string good = frame_of(document);

  check_refused("seek table of 17 bytes", seek_table("", 0), "empty");
  check_refused("seek table that claims 2^27 frames", seek_table("", 1 << 27), "empty");
  check_refused("seek table that claims 2^32-1 frames", seek_table("", 0xffffffff, '\x80'),
                "empty");
  check_refused("zeros decompressing 32768 to 1", run_length_frame(8192, '\0'), "begins with '{'");
  check_refused("spaces decompressing 32768 to 1", run_length_frame(8192, ' '),
                "is text, expected");
  check_refused("a header of 100 MB", header_of(std::string(100'000'000, ' ')), "a header of");
  check_refused("a compressed header of 100 MB", frame_of(header_of(std::string(100'000'000, ' '))),
                "a header of");
  check_refused("a header length of 2^63", frame_of(u64(std::uint64_t{1} << 63) + "{}"),
                "a header of");
  const std::string huge = header_of(
      R"({"a":{"dtype":"U8","shape":[140737488355328],"data_offsets":[0,140737488355328]}})");
  check_refused("2^47 bytes declared by a small file", frame_of(huge), "can hold");
  check_refused("2^47 bytes declared by a plain file", huge, "can hold");

  TensorReadOptions little;
  little.limits.max_memory = 32 * kMiB;
  check_refused("a tensor of 1 GiB of zeros in 33 kB",
                frame_of(header_of(R"({"a":{"dtype":"U8","shape":[1073741824],)"
                                   R"("data_offsets":[0,1073741824]}})")) +
                    run_length_frame(8192, '\0'),
                "may be used", little);
  check_refused("a frame that needs a dictionary",
                u32(0xfd2fb528) + '\x21' + "\x05" + "\x04" + std::string("\x21\0\0", 3) + "1234",
                "needs a dictionary");
  check_refused("a window of 2 GiB", u32(0xfd2fb528) + '\x00' + '\xa8' + std::string("\1\0\0", 3),
                "more than 128 MiB");
  check_refused("a window of 128 MiB and little content",
                u32(0xfd2fb528) + '\x00' + '\x88' + std::string("\1\0\0", 3), "empty");
  check_refused(
      "a content size of 2^63",
      u32(0xfd2fb528) + '\xc0' + '\x38' + u64(std::uint64_t{1} << 63) + std::string("\1\0\0", 3),
      "damaged");
  check_refused("a reserved block type",
                u32(0xfd2fb528) + '\x20' + '\x04' + std::string("\7\0\0", 3),
                "reserved block type");
  check_refused("a reserved bit in the header", u32(0xfd2fb528) + '\x28' + '\x04', "reserved bit");
  std::string empty_blocks = u32(0xfd2fb528) + '\x20' + '\x04';
  for (int i = 0; i < 1000000; ++i) empty_blocks += std::string(3, '\0');
  check_refused("a million empty blocks", empty_blocks, "much longer than its content");
  std::string empty_frames;
  for (int i = 0; i < 100000; ++i) empty_frames += frame_of("");
  check_refused("a hundred thousand empty frames", empty_frames, "empty");
  check_refused("bytes behind the last frame", good + "garbage", "other bytes");
  check_refused("one byte behind the last frame", good + "g", "other bytes");
  check_refused("less than a magic behind the last frame", good + "\x28\xb5",
                "stream truncated after 1");
  check_refused("a skippable frame longer than the file", good + u32(0x184d2a50) + u32(0xffffffff),
                "stream truncated after 1");
  check_refused("more content than the header says", frame_of(document + "5"),
                "bytes behind the last tensor");
  check_refused("less content than the header says",
                frame_of(document.substr(0, document.size() - 1)), "stream truncated");
  check_refused("an end document that counts wrongly",
                good + frame_of(header_of(R"({"__metadata__":{"frugal.documents":"7",)"
                                          R"("frugal.kind":"end","frugal.status":"complete"}})")),
                "counts 7 documents, found 1");
  check_refused("an end document that is not complete",
                good + frame_of(header_of(R"({"__metadata__":{"frugal.documents":"1",)"
                                          R"("frugal.kind":"end","frugal.status":"aborted"}})")),
                "not complete");
  std::string many = "{";
  for (int i = 0; i < 100000; ++i) {
    many += (i == 0 ? "\"" : ",\"") + std::to_string(i) +
            R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  }
  check_refused("100,000 tensors", frame_of(header_of(many + "}")), "more than 65536 tensors");
}

TEST_CASE("seek tables that lie do not stop a file from being read in order") {
  const ScratchFolder folder;
  const Document document = mixed_document(1);
  write_document(folder.file("x.safetensors.zst"), document);
  const std::string file = folder.get("x.safetensors.zst");
  const std::string frame = file.substr(0, file.rfind(std::string("\x5e\x2a\x4d\x18", 4)));
  const std::string tables[] = {
      seek_table("", 0),
      seek_table("", 0xffffffff),
      seek_table(u32(frame.size()) + u32(0xffffffff), 1),
      seek_table(u32(frame.size()) + u32(0), 1),
      seek_table(u32(frame.size() - 1) + u32(5) + u32(1) + u32(1), 2),
      seek_table(u32(0xffffffff) + u32(0xffffffff), 1),
      seek_table(u32(frame.size()) + u32(100), 1, '\x04'),
      std::string(u32(0x184d2a5e) + u32(0)),
  };
  for (const std::string& table : tables) {
    folder.put("x", frame + table);
    CHECK(same(document, read_document(folder.file("x"))));
    TensorReader reader(folder.file("x"));
    REQUIRE(reader.next_info());
    const Tensor rows = reader.read_rows("weight", 7, 9);
    CHECK(std::memcmp(rows.bytes.data(), document.at("weight").bytes.data() + 7 * 1024, 2048) == 0);
    CHECK(!reader.num_documents());
  }
}

TEST_CASE("a walk over frames ends without an index where it meets damage") {
  const ScratchFolder folder;
  write_document(folder.file("x.safetensors.zst"), mixed_document(1));
  const std::string frame = folder.get("x.safetensors.zst");
  folder.put("x", frame + frame + "no frame begins so");
  InputStream input(folder.file("x"));
  CHECK(!FrameIndex::from_scan(input));
}

TEST_CASE("a row range of a large file needs little memory") {
  if (kSanitized) return;
  const Threads one(1);
  // 2 GiB of plain bytes in 64 KiB of run lengths; the memory does not depend on the size.
  const ScratchFolder folder;
  const std::uint64_t size = std::uint64_t{2} << 30;
  const std::string json =
      R"({"a":{"dtype":"U8","shape":[2147483648],"data_offsets":[0,2147483648]}})";
  std::string file = frame_of(header_of(json));
  for (int i = 0; i < 128; ++i) file += run_length_frame(128, static_cast<char>(i));
  folder.put("x.safetensors.zst", file);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    std::ofstream("/proc/self/clear_refs") << 5;
    const long before = peak_kb();
    TensorReader reader(folder.file("x.safetensors.zst"));
    reader.next_info();
    const Tensor rows = reader.read_rows("a", size - 1000, size);
    const bool right = static_cast<int>(rows.bytes[999]) == 127;
    _exit(right && peak_kb() - before < 64 * 1024 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}
