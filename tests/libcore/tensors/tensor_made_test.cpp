#include <sys/stat.h>

#include <thread>

#include "libcore/tensors/tensor_file.h"
#include "tests/libcore/tensors/tensor_samples.h"

using namespace frugal;
using namespace samples;

namespace {

/// Copies rows of the document's tensors.
RowFiller rows_of(const Document& document) {
  return [&](const TensorInfo& tensor, std::uint64_t begin, std::uint64_t end,
             std::span<std::byte> to) {
    const Tensor& whole = document.at(tensor.name);
    const std::size_t row = whole.bytes.size() / num_rows(whole.shape);
    REQUIRE(to.size() == (end - begin) * row);
    std::memcpy(to.data(), whole.bytes.data() + begin * row, to.size());
  };
}

std::string written(const ScratchFolder& folder, const std::string& name,
                    const std::function<void(TensorWriter&)>& write,
                    const TensorWriteOptions& options = {}) {
  TensorWriter writer(folder.file(name), options);
  write(writer);
  writer.finish();
  return std::filesystem::is_fifo(folder.file(name)) ? "" : folder.get(name);
}

}  // namespace

TEST_CASE("documents written row by row have the bytes of those written whole") {
  const ScratchFolder folder;
  std::vector<Document> documents;
  for (const std::uint64_t scale : {1, 3, 30}) documents.push_back(mixed_document(scale));
  documents.push_back({});
  documents.push_back({});
  documents.back().tensors.push_back(normal_tensor("one long row", {1, 300'000}, 3));
  documents.back().tensors.push_back(normal_tensor("odd rows", {700, 333}, 4));
  for (const int threads : {1, 3}) {
    const Threads scope(threads);
    for (const Document& document : documents) {
      const auto whole = [&](TensorWriter& w) { w.write(document); };
      const auto rows = [&](TensorWriter& w) { w.write(document.describe(), rows_of(document)); };
      for (const char* name : {"x.safetensors", "x.safetensors.zst", "x.tzs"}) {
        TensorWriteOptions options;
        options.frame_size = 100'000;
        CHECK(written(folder, name, whole, options) == written(folder, name, rows, options));
      }
    }
  }
}

TEST_CASE("a stream mixes documents written whole and row by row, in a pipe too") {
  const ScratchFolder folder;
  const Document document = mixed_document(9);
  const auto mixed = [&](TensorWriter& w) {
    w.write(document);
    w.write(document.describe(), rows_of(document));
    w.write(document);
  };
  const std::string file = written(folder, "a.tzs", mixed);
  CHECK(file == written(folder, "b.tzs", [&](TensorWriter& w) {
          for (int i = 0; i < 3; ++i) w.write(document);
        }));
  const std::string fifo = folder.file("pipe");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  std::vector<Document> read;
  std::thread reader([&] { read = read_all(fifo); });
  written(folder, "pipe", mixed);
  reader.join();
  REQUIRE(read.size() == 3);
  for (const Document& copy : read) CHECK(same(document, copy));
}

TEST_CASE("rows are made once, in the order of the data, and few are in memory") {
  const ScratchFolder folder;
  DocumentInfo info;
  info.tensors = {{"b", Dtype::f32, {40'000, 64}},
                  {"a", Dtype::f32, {1000, 64}},
                  {"wide", Dtype::f64, {500}},
                  {"nothing", Dtype::f32, {1 << 30, 0}}};
  std::vector<std::string> order;
  std::uint64_t next = 0, most = 0;
  TensorWriter writer(folder.file("x.safetensors"));
  writer.write(info, [&](const TensorInfo& tensor, std::uint64_t begin, std::uint64_t end,
                         std::span<std::byte> to) {
    if (order.empty() || order.back() != tensor.name) {
      order.push_back(tensor.name);
      next = 0;
    }
    CHECK(begin == std::exchange(next, end));
    most = std::max<std::uint64_t>(most, to.size());
    std::memset(to.data(), 0, to.size());
  });
  writer.finish();
  CHECK(order == std::vector<std::string>{"wide", "a", "b"});
  CHECK(next == 40'000);
  CHECK(most <= std::uint64_t{256} << 10);
}

TEST_CASE("what cannot be written row by row is refused, and a failure leaves no file") {
  const ScratchFolder folder;
  const auto refusal = [&](const DocumentInfo& info, bool pack = false) {
    TensorWriteOptions options;
    options.pack = pack;
    return error_of([&] {
      written(
          folder, "x.safetensors",
          [&](TensorWriter& w) {
            w.write(info,
                    [](const TensorInfo&, std::uint64_t, std::uint64_t, std::span<std::byte>) {
                      fail(ExitStatus::io_error, "the rows end here");
                    });
          },
          options);
    });
  };
  const auto with = [](TensorInfo tensor) {
    DocumentInfo info;
    info.tensors = {tensor, {"b", Dtype::u8, {1}}};
    return info;
  };
  CHECK(refusal(with({"a", Dtype::u8, {4}})) == "74 the rows end here");
  CHECK(refusal(with({"a", Dtype::u8, {4}}), true).find("convert --pack") != std::string::npos);
  CHECK(refusal(with({"b", Dtype::u8, {4}})).find("appears twice") != std::string::npos);
  CHECK(refusal(with({"a", Dtype::f4, {3}})).find("ends within a byte") != std::string::npos);
  const std::uint64_t large = std::uint64_t{1} << 40;
  CHECK(refusal(with({"a", Dtype::f32, {large, large}})).find("more than 2^47 bytes") !=
        std::string::npos);
  CHECK(folder.names().empty());
}
