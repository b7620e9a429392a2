// Throughput of tensor files against libzstd alone: the same bytes, level, checksums and thread.
// One JSON object a line; rates are plain bytes per CPU second (one thread) or wall second
// (several).
//   bench_io [--megabytes N] [--repeat N] [--threads N]
#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/system/clock.h"
#include "libcore/tensors/tensor_file.h"
#include "libcore/threading/parallel.h"

namespace frugal::bench {
namespace {

struct Settings {
  std::uint64_t megabytes = 64;
  int repeat = 5;
  int threads = 2;
};

struct Data {
  const char* name;
  Document document;
  std::string plain;  ///< the bytes of the document
};

void check(bool good, const char* what) {
  if (!good) throw std::runtime_error(what);
}

Data normal_weights(std::uint64_t bytes) {
  const std::uint64_t rows = std::max<std::uint64_t>(1, bytes / 1024);
  Tensor tensor = Tensor::make("weight", Dtype::f32, {rows, 256});
  Rng rng(1);
  for (float& x : tensor.as<float>()) x = static_cast<float>(rng.normal() * 0.02);
  Data data{"f32 normal", {}, {}};
  data.document.tensors.push_back(std::move(tensor));
  return data;
}

Data sparse_columns(std::uint64_t bytes) {
  Tensor tensor = Tensor::make("columns", Dtype::i32, {bytes / 4});
  Rng rng(2);
  std::int32_t at = 0;
  for (auto& x : tensor.as<std::int32_t>()) {
    at = rng.below(16) == 0 ? 0 : at + static_cast<std::int32_t>(rng.below(5000));
    x = at;
  }
  Data data{"i32 sparse columns", {}, {}};
  data.document.tensors.push_back(std::move(tensor));
  return data;
}

/// Best of several runs of two contestants in turn.
struct Pair {
  double ours = 1e300;
  double rival = 1e300;
};
Pair race(int repeat, const std::function<double()>& clock, const std::function<void()>& ours,
          const std::function<void()>& rival) {
  Pair best;
  const auto timed = [&](const std::function<void()>& body, double& to) {
    const double start = clock();
    body();
    to = std::min(to, clock() - start);
  };
  for (int i = 0; i < repeat; ++i) {
    timed(ours, best.ours);
    timed(rival, best.rival);
  }
  return best;
}

void print(const char* what, const Data& data, int level, int threads, const char* rival,
           const Pair& best) {
  const double megabytes = static_cast<double>(data.plain.size()) / 1e6;
  std::printf(R"({"case":"%s","data":"%s","level":%d,"threads":%d,"rival":"%s",)"
              R"("mb_per_s":%.4g,"rival_mb_per_s":%.4g,"ratio":%.3f})"
              "\n",
              what, data.name, level, threads, rival, megabytes / best.ours, megabytes / best.rival,
              best.rival / best.ours);
  std::fflush(stdout);
}

/// libzstd alone.
class Zstd {
 public:
  explicit Zstd(int level) {
    ZSTD_CCtx_setParameter(compressor_, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(compressor_, ZSTD_c_checksumFlag, 1);
  }
  ~Zstd() {
    ZSTD_freeCCtx(compressor_);
    ZSTD_freeDCtx(decompressor_);
  }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  /// Compresses in frames of frame_size and writes each.
  void write(const std::string& plain, std::size_t frame_size, int descriptor) {
    frame_.resize(ZSTD_compressBound(std::min(frame_size, plain.size())));
    for (std::size_t at = 0; at < plain.size(); at += frame_size) {
      const std::size_t n = std::min(frame_size, plain.size() - at);
      const std::size_t size =
          ZSTD_compress2(compressor_, frame_.data(), frame_.size(), plain.data() + at, n);
      check(!ZSTD_isError(size), "zstd does not compress");
      check(::write(descriptor, frame_.data(), size) == static_cast<ssize_t>(size), "no write");
    }
  }

  /// Reads a file into fresh memory and decompresses it into fresh memory.
  void read(const std::string& path, std::size_t plain_size) {
    const int descriptor = open(path.c_str(), O_RDONLY);
    check(descriptor >= 0, "no file");
    const auto size = static_cast<std::size_t>(lseek(descriptor, 0, SEEK_END));
    Array<char> file(size, uninitialized);
    check(pread(descriptor, file.data(), size, 0) == static_cast<ssize_t>(size), "no read");
    close(descriptor);
    Array<char> plain(plain_size, uninitialized);
    const std::size_t n =
        ZSTD_decompressDCtx(decompressor_, plain.data(), plain_size, file.data(), size);
    check(n == plain_size, "zstd does not decompress");
  }

 private:
  ZSTD_CCtx* compressor_ = ZSTD_createCCtx();
  ZSTD_DCtx* decompressor_ = ZSTD_createDCtx();
  std::vector<char> frame_;
};

class Bench {
 public:
  Bench(const Settings& settings, std::string folder)
      : settings_(settings),
        folder_(std::move(folder)),
        sink_(open("/dev/null", O_WRONLY | O_CLOEXEC)) {}
  ~Bench() { close(sink_); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void run(Data data) {
    const std::string plain_path = folder_ + "/x.safetensors";
    write_document(plain_path, data.document);
    std::ifstream in(plain_path, std::ios::binary);
    data.plain.assign(std::istreambuf_iterator<char>(in), {});
    std::remove(plain_path.c_str());
    for (const int level : {-5, 1}) run_level(data, level);
  }

 private:
  void run_level(const Data& data, int level) {
    TensorWriteOptions options;
    options.level = level;
    Zstd zstd(level);
    const auto write = [&] { write_document("/dev/null", data.document, options); };
    set_num_threads(1);
    for (const std::size_t frame_size : {std::size_t{256} << 10, std::size_t{1} << 30}) {
      print("write", data, level, 1, frame_size < data.plain.size() ? "frames" : "one frame",
            race(settings_.repeat, cpu_seconds, write,
                 [&] { zstd.write(data.plain, frame_size, sink_); }));
    }

    const std::string path = folder_ + "/x.safetensors.zst";
    write_document(path, data.document, options);
    const auto read = [&] { check(!read_document(path).tensors.empty(), "no tensors"); };
    print("read", data, level, 1, "frames",
          race(settings_.repeat, cpu_seconds, read, [&] { zstd.read(path, data.plain.size()); }));

    const auto alone = [](const std::function<void()>& body) {
      return [&body] {
        set_num_threads(1);
        body();
      };
    };
    const auto together = [this](const std::function<void()>& body) {
      return [this, &body] {
        set_num_threads(settings_.threads);
        body();
      };
    };
    const std::function<void()> writing = write, reading = read;
    print("write", data, level, settings_.threads, "ours on one thread",
          race(settings_.repeat, wall_seconds, together(writing), alone(writing)));
    print("read", data, level, settings_.threads, "ours on one thread",
          race(settings_.repeat, wall_seconds, together(reading), alone(reading)));
    std::remove(path.c_str());
  }

  Settings settings_;
  std::string folder_;
  int sink_;
};

Settings parse(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i + 1 < argc; i += 2) {
    const auto value = parse_number<std::uint64_t>(argv[i + 1]);
    check(value && *value > 0, "usage: bench_io [--megabytes N] [--repeat N] [--threads N]");
    if (std::strcmp(argv[i], "--megabytes") == 0) settings.megabytes = *value;
    if (std::strcmp(argv[i], "--repeat") == 0) settings.repeat = static_cast<int>(*value);
    if (std::strcmp(argv[i], "--threads") == 0) settings.threads = static_cast<int>(*value);
  }
  return settings;
}

int run(int argc, char** argv) {
  const Settings settings = parse(argc, argv);
  const char* const base = std::getenv("TMPDIR");
  std::string folder = std::string(base != nullptr ? base : "/tmp") + "/frugal-bench-XXXXXX";
  check(mkdtemp(folder.data()) != nullptr, "no folder for temporary files");
  {
    Bench bench(settings, folder);
    bench.run(normal_weights(settings.megabytes << 20));
    bench.run(sparse_columns(settings.megabytes << 20));
  }
  rmdir(folder.c_str());
  return 0;
}

}  // namespace
}  // namespace frugal::bench

int main(int argc, char** argv) {
  try {
    return frugal::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_io: %s\n", error.what());
    return 1;
  }
}
