#include "libcore/tensors/tensor_file.h"

#include <zstd.h>

#include <map>

#include "tests/libcore/tensors/tensor_samples.h"
#include "tests/support/left_equal_files.h"

using namespace frugal;
using namespace samples;

namespace {

constexpr std::uint64_t kKiB = 1024;

std::string plain_bytes(const std::string& compressed) {
  std::string plain;
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  std::string block(1 << 16, '\0');
  ZSTD_inBuffer in{compressed.data(), compressed.size(), 0};
  while (in.pos < in.size) {
    ZSTD_outBuffer out{block.data(), block.size(), 0};
    REQUIRE(!ZSTD_isError(ZSTD_decompressStream(context, &out, &in)));
    plain.append(block.data(), out.pos);
  }
  ZSTD_freeDCtx(context);
  return plain;
}

/// Plain sizes of the frames, as zstd's own functions see them.
std::vector<std::uint64_t> frame_sizes(const std::string& file) {
  std::vector<std::uint64_t> sizes;
  for (std::size_t at = 0; at < file.size();) {
    const char* const from = file.data() + at;
    const std::size_t size = ZSTD_findFrameCompressedSize(from, file.size() - at);
    REQUIRE(!ZSTD_isError(size));
    const bool skippable = static_cast<unsigned char>(from[3]) == 0x18;
    if (!skippable) sizes.push_back(ZSTD_getFrameContentSize(from, file.size() - at));
    at += size;
  }
  return sizes;
}

std::string header_in(const std::string& plain) {
  std::uint64_t length = 0;
  std::memcpy(&length, plain.data(), 8);
  return plain.substr(8, length);
}

}  // namespace

TEST_CASE("every element type and shape comes back as it was") {
  const ScratchFolder folder;
  const std::vector<Shape> shapes{{},        {0},     {1},    {7},        {3, 0, 5},
                                  {2, 3, 4}, {70000}, {1, 1}, {300, 301}, {2, 1, 2, 1, 2, 1, 2, 1}};
  for (const std::string name : {"x.safetensors.zst", "x.safetensors", "x.tzs"}) {
    for (const bool pack : {false, true}) {
      Document document;
      for (int d = 0; d <= static_cast<int>(Dtype::f4); ++d) {
        for (const Shape& shape : shapes) {
          const auto dtype = static_cast<Dtype>(d);
          if (num_elements(shape) * item_bits(dtype) % 8 != 0) continue;
          const std::string tensor = std::string(dtype_name(dtype)) + shape_text(shape);
          document.tensors.push_back(random_tensor(tensor, dtype, shape, document.tensors.size()));
        }
      }
      TensorWriteOptions options;
      options.pack = pack;
      write_document(folder.file(name), document, options);
      CHECK(same(document, read_document(folder.file(name))));
      Document lent;
      for (const Tensor& t : document.tensors) {
        lent.tensors.push_back({t.name, t.dtype, t.shape, {}, t.content()});
      }
      write_document(folder.file("lent-" + name), lent, options);
      CHECK(folder.get("lent-" + name) == folder.get(name));
      CHECK(same(document, lent.clone()));
    }
  }
}

TEST_CASE("a tensor gives its memory away, or a copy of what it was lent") {
  const std::vector<float> values = {1, 2, 3};
  Tensor owned = Tensor::copy_of<float>("t", {3}, values);
  Tensor lent = Tensor::lend<float>("t", {3}, values);
  const void* const memory = owned.bytes.data();
  const Array<float> moved = owned.take<float>(), copied = lent.take<float>();
  CHECK(static_cast<const void*>(moved.data()) == memory);
  CHECK(owned.bytes.empty());
  CHECK(copied.data() != values.data());
  CHECK(std::vector<float>(moved.begin(), moved.end()) == values);
  CHECK(std::vector<float>(copied.begin(), copied.end()) == values);
  CHECK_THROWS_AS(lent.take<double>(), Error);
}

TEST_CASE("a tensor whose bytes cannot be counted is refused") {
  CHECK_THROWS_WITH_AS(Tensor::make("x", Dtype::f32, {4, std::uint64_t{1} << 60}),
                       "tensor 'x' of F32 [4, 1152921504606846976] is larger than any memory",
                       Error);
  const std::uint64_t large = std::uint64_t{1} << 40;
  CHECK(Tensor::make("none", Dtype::f32, {large, large, 0}).bytes.empty());
}

TEST_CASE("a document of very many tensors comes back") {
  const ScratchFolder folder;
  Document document;
  for (int i = 0; i < 20000; ++i) {
    const std::int32_t value = i;
    document.tensors.push_back(
        Tensor::copy_of<std::int32_t>("t" + std::to_string(i), {1}, std::span(&value, 1)));
  }
  write_document(folder.file("x.safetensors.zst"), document);
  const Document read = read_document(folder.file("x.safetensors.zst"));
  REQUIRE(read.tensors.size() == 20000);
  std::map<std::string, std::int32_t> values;
  for (const Tensor& tensor : read.tensors) values[tensor.name] = tensor.as<std::int32_t>()[0];
  CHECK(values["t0"] == 0);
  CHECK(values["t19999"] == 19999);
}

TEST_CASE("the bytes of a small file are those of the specification") {
  const ScratchFolder folder;
  Document document;
  const float values[] = {1.0f, -2.0f};
  const std::int64_t step = 3;
  document.tensors.push_back(Tensor::copy_of<float>("a", {2}, std::span<const float>(values)));
  document.tensors.push_back(Tensor::copy_of<std::int64_t>("s", {}, std::span(&step, 1)));
  write_document(folder.file("x.safetensors.zst"), document);
  const std::string header = R"({"__metadata__":{"frugal.kind":"tensors","frugal.version":"1"},)"
                             R"("s":{"dtype":"I64","shape":[],"data_offsets":[0,8]},)"
                             R"("a":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})";
  REQUIRE(header.size() == 169);
  std::string expected("\xb8\0\0\0\0\0\0\0", 8);
  expected += header + std::string(15, ' ');
  expected += std::string("\3\0\0\0\0\0\0\0\0\0\x80\x3f\0\0\0\xc0", 16);
  const std::string file = folder.get("x.safetensors.zst");
  CHECK(plain_bytes(file) == expected);

  // One frame with content size and checksum, then the seek table of one entry.
  const std::size_t frame = file.size() - 29;
  const auto u32 = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, file.data() + at, 4);
    return value;
  };
  CHECK(u32(0) == 0xfd2fb528);
  CHECK((file[4] & 0x07) == 0x04);
  CHECK(frame_sizes(file) == std::vector<std::uint64_t>{expected.size()});
  CHECK(u32(frame) == 0x184d2a5e);
  CHECK(u32(frame + 4) == 21);
  CHECK(u32(frame + 8) == frame);
  CHECK(u32(frame + 12) == expected.size());
  CHECK(u32(frame + 16) == u32(frame - 4));
  CHECK(u32(frame + 20) == 1);
  CHECK(static_cast<unsigned char>(file[frame + 24]) == 0x80);
  CHECK(u32(frame + 25) == 0x8f92eab1);
}

TEST_CASE("a plain .safetensors is what a compressed one decompresses to") {
  const ScratchFolder folder;
  const Document document = mixed_document(8);
  write_document(folder.file("x.safetensors.zst"), document);
  write_document(folder.file("x.safetensors"), document);
  CHECK(plain_bytes(folder.get("x.safetensors.zst")) == folder.get("x.safetensors"));
}

TEST_CASE("the bytes do not depend on threads, on the order of tensors or on earlier documents") {
  const ScratchFolder folder;
  for (const bool pack : {false, true}) {
    const Document document = mixed_document(32);
    std::vector<std::string> files;
    for (const int threads : {1, 2, 4}) {
      const Threads scope(threads);
      TensorWriteOptions options;
      options.pack = pack;
      write_document(folder.file("x.safetensors.zst"), document, options);
      files.push_back(folder.get("x.safetensors.zst"));
    }
    CHECK(files[0] == files[1]);
    CHECK(files[0] == files[2]);
    Document reversed;
    reversed.metadata = document.metadata;
    for (auto t = document.tensors.rbegin(); t != document.tensors.rend(); ++t) {
      reversed.tensors.push_back(t->clone());
    }
    TensorWriteOptions options;
    options.pack = pack;
    write_document(folder.file("y.safetensors.zst"), reversed, options);
    CHECK(folder.get("y.safetensors.zst") == files[0]);
  }
}

TEST_CASE("what was written with any number of threads reads with any other") {
  const ScratchFolder folder;
  const Document document = mixed_document(64);
  for (const std::uint64_t frame_size : {64 * kKiB, 256 * kKiB, 16384 * kKiB}) {
    TensorWriteOptions options;
    options.frame_size = frame_size;
    write_document(folder.file("x.safetensors.zst"), document, options);
    for (const int threads : {1, 2, 4}) {
      const Threads scope(threads);
      CHECK(same(document, read_document(folder.file("x.safetensors.zst"))));
    }
  }
}

TEST_CASE("frames begin at documents and at tensors of 64 KiB or more") {
  const ScratchFolder folder;
  Document document;
  document.tensors.push_back(normal_tensor("big", {100000}, 1));    // 400,000 bytes
  document.tensors.push_back(normal_tensor("small", {1000}, 2));    // 4,000 bytes
  document.tensors.push_back(normal_tensor("medium", {16384}, 3));  // 65,536 bytes
  write_document(folder.file("x.safetensors.zst"), document);
  const std::string file = folder.get("x.safetensors.zst");
  const std::uint64_t header = 8 + header_in(plain_bytes(file)).size();
  CHECK(header % 64 == 0);
  CHECK(frame_sizes(file) ==
        std::vector<std::uint64_t>{header, 256 * kKiB, 400000 - 256 * kKiB, 65536 + 4000});

  Document little;
  little.tensors.push_back(normal_tensor("a", {20000}, 1));
  little.tensors.push_back(normal_tensor("b", {20000}, 1));
  write_document(folder.file("y.safetensors.zst"), little);
  CHECK(frame_sizes(folder.get("y.safetensors.zst")).size() == 1);
}

TEST_CASE("a stream gives its documents in order and ends with an end document") {
  const ScratchFolder folder;
  TensorWriter writer(folder.file("x.tzs"));
  std::vector<Document> documents;
  for (std::uint64_t i = 0; i < 5; ++i) {
    documents.push_back(mixed_document(1 + i * 3, i));
    writer.write(documents.back());
  }
  CHECK(folder.names().empty());
  writer.finish();
  const auto read = read_all(folder.file("x.tzs"));
  REQUIRE(read.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(same(documents[i], read[i]));
    CHECK(read[i].metadata.at("frugal.seq") == std::to_string(i));
  }
  const std::string plain = plain_bytes(folder.get("x.tzs"));
  const std::string end = R"({"__metadata__":{"frugal.documents":"5","frugal.kind":"end",)";
  CHECK(plain.find(end) != std::string::npos);
}

TEST_CASE("an empty stream is an end document alone") {
  const ScratchFolder folder;
  TensorWriter(folder.file("x.tzs")).finish();
  CHECK(read_all(folder.file("x.tzs")).empty());
  CHECK(error_of([&] { read_document(folder.file("x.tzs")); }) ==
        "65 " + folder.file("x.tzs") + ": holds no document, expected one");
}

TEST_CASE("concatenated streams and files read as one") {
  const ScratchFolder folder;
  for (const char* name : {"a.tzs", "b.tzs"}) {
    TensorWriter writer(folder.file(name));
    writer.write(mixed_document(1));
    writer.write(mixed_document(9));
    writer.finish();
  }
  write_document(folder.file("c.safetensors.zst"), mixed_document(2));
  folder.put("ab.tzs", folder.get("a.tzs") + folder.get("b.tzs"));
  CHECK(read_all(folder.file("ab.tzs")).size() == 4);
  folder.put("abc.tzs", folder.get("ab.tzs") + folder.get("c.safetensors.zst"));
  CHECK(read_all(folder.file("abc.tzs")).size() == 5);
  folder.put("plain", plain_bytes(folder.get("ab.tzs")));
  CHECK(read_all(folder.file("plain")).size() == 4);
}

TEST_CASE("a stream without its end is truncated, unless that is allowed") {
  const ScratchFolder folder;
  TensorWriter writer(folder.file("x.tzs"));
  for (std::uint64_t i = 0; i < 3; ++i) writer.write(mixed_document(1, i));
  writer.finish();
  const std::string file = folder.get("x.tzs");
  std::vector<std::size_t> ends;  // of the documents, each one frame
  for (std::size_t at = 0; ends.size() < 3; ends.push_back(at)) {
    at += ZSTD_findFrameCompressedSize(file.data() + at, file.size() - at);
  }
  TensorReadOptions lenient;
  lenient.allow_truncated = true;
  for (std::size_t n = 1; n <= 3; ++n) {
    const std::string path = folder.file("cut");
    for (const std::size_t more : {0, 1, 50}) {
      folder.put("cut", file.substr(0, ends[n - 1] + more));
      CHECK(error_of([&] { read_all(path); }) == "65 " + path + ": stream truncated after " +
                                                     std::to_string(n) +
                                                     (n == 1 ? " document" : " documents"));
      CHECK(read_all(path, lenient).size() == n);
    }
  }
}

TEST_CASE("a document lost from a stream is noticed") {
  const ScratchFolder folder;
  TensorWriter writer(folder.file("x.tzs"));
  for (std::uint64_t i = 0; i < 3; ++i) writer.write(mixed_document(1, i));
  writer.finish();
  const std::string file = folder.get("x.tzs");
  const std::size_t first = ZSTD_findFrameCompressedSize(file.data(), file.size());
  folder.put("x.tzs", file.substr(first));
  CHECK(error_of([&] { read_all(folder.file("x.tzs")); }) ==
        "65 " + folder.file("x.tzs") + ": the end document counts 3 documents, found 2");
}

TEST_CASE("files that zstd itself wrote are read: one frame, unknown size, no checksum") {
  const ScratchFolder folder;
  const Document document = mixed_document(200);  // 20 MB: more than a frame decompressed at once
  write_document(folder.file("x.safetensors"), document);
  const std::string plain = folder.get("x.safetensors");
  for (const bool checksum : {true, false}) {
    for (const bool known : {true, false}) {
      ZSTD_CCtx* const context = ZSTD_createCCtx();
      ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum);
      if (known) ZSTD_CCtx_setPledgedSrcSize(context, plain.size());
      std::string file(ZSTD_compressBound(plain.size()), '\0');
      ZSTD_outBuffer out{file.data(), file.size(), 0};
      ZSTD_inBuffer in{plain.data(), plain.size(), 0};
      if (!known) {
        ZSTD_inBuffer first{plain.data(), 1000, 0};
        ZSTD_compressStream2(context, &out, &first, ZSTD_e_flush);
        in.pos = 1000;
      }
      REQUIRE(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end) == 0);
      ZSTD_freeCCtx(context);
      file.resize(out.pos);
      folder.put("x.zst", file);
      CHECK(same(document, read_document(folder.file("x.zst"))));
      TensorReader reader(folder.file("x.zst"));
      reader.next_info();
      const Tensor rows = reader.read_rows("weight", 12000, 12002);
      CHECK(std::memcmp(rows.bytes.data(), document.at("weight").bytes.data() + 12000 * 1024,
                        2048) == 0);
      const Tensor earlier = reader.read_rows("weight", 5, 6);
      CHECK(std::memcmp(earlier.bytes.data(), document.at("weight").bytes.data() + 5 * 1024,
                        1024) == 0);
    }
  }
}

TEST_CASE("history is a JSON array that grows by one entry a tool") {
  Metadata metadata;
  append_history(metadata, R"({"argv":["a"]})");
  CHECK(metadata["frugal.history"] == R"([{"argv":["a"]}])");
  append_history(metadata, R"({"argv":["b"]})");
  CHECK(metadata["frugal.history"] == R"([{"argv":["a"]},{"argv":["b"]}])");
  metadata["frugal.history"] = "no array";
  append_history(metadata, "{}");
  CHECK(metadata["frugal.history"] == "[{}]");
  metadata["frugal.history"] = " [ ] ";
  append_history(metadata, "{}");
  CHECK(metadata["frugal.history"] == "[{}]");
}

TEST_CASE("a tensor that is not there or of another type is named in the error") {
  Document document;
  document.tensors.push_back(random_tensor("a", Dtype::i32, {2}, 1));
  CHECK(error_of([&] { document.at("b"); }) == "65 no tensor 'b' among the 1: a");
  CHECK(error_of([&] { document.at("a").as<float>(); }) == "65 tensor 'a' is I32, expected F32");
}

TEST_CASE("what the format cannot hold is refused when writing") {
  const ScratchFolder folder;
  const auto refusal = [&](Document document) {
    return error_of([&] { write_document(folder.file("x.tzs"), document); });
  };
  const auto with = [](Tensor tensor) {
    Document document;
    document.tensors.push_back(std::move(tensor));
    return document;
  };
  CHECK(refusal(with(random_tensor("", Dtype::u8, {1}, 1))).find("needs a name") !=
        std::string::npos);
  CHECK(refusal(with(random_tensor("a\n", Dtype::u8, {1}, 1))).find("needs a name") !=
        std::string::npos);
  CHECK(refusal(with(random_tensor("__metadata__", Dtype::u8, {1}, 1))).find("needs a name") !=
        std::string::npos);
  CHECK(refusal(with(random_tensor("a", Dtype::f6_e2m3, {2}, 1))).find("ends within a byte") !=
        std::string::npos);
  CHECK(refusal(with(random_tensor("a", Dtype::u8, {1, 1, 1, 1, 1, 1, 1, 1, 1}, 1)))
            .find("more than 8 axes") != std::string::npos);
  Document twice = with(random_tensor("a", Dtype::u8, {1}, 1));
  twice.tensors.push_back(random_tensor("a", Dtype::u8, {1}, 1));
  CHECK(refusal(std::move(twice)).find("appears twice") != std::string::npos);
  Document wrong = with(random_tensor("a", Dtype::u8, {4}, 1));
  wrong.tensors[0].shape = {5};
  CHECK(refusal(std::move(wrong)).find("but 4 bytes") != std::string::npos);
  Document end;
  end.metadata["frugal.kind"] = "end";
  CHECK(refusal(std::move(end)).find("marks the end") != std::string::npos);
  Document large;
  large.metadata["x"] = std::string(2 << 20, 'x');
  CHECK(refusal(std::move(large)).find("bytes of metadata") != std::string::npos);
  CHECK(folder.names().empty());
}

TEST_CASE("options out of range and a second document in a file are usage errors") {
  const ScratchFolder folder;
  TensorWriteOptions options;
  options.level = 20;
  CHECK(error_of([&] { TensorWriter(folder.file("x.tzs"), options); }) ==
        "2 compression level 20, expected -7 to 19");
  options = {};
  options.frame_size = 1000;
  CHECK(error_of([&] { TensorWriter(folder.file("x.tzs"), options); }).substr(0, 2) == "2 ");
  TensorWriter writer(folder.file("x.safetensors.zst"));
  writer.write(mixed_document(1));
  CHECK(error_of([&] { writer.write(mixed_document(1)); }).substr(0, 2) == "2 ");
}

TEST_CASE("all levels give files that come back") {
  const ScratchFolder folder;
  const Document document = mixed_document(4);
  for (const int level : {-7, -5, 1, 9, 19}) {
    TensorWriteOptions options;
    options.level = level;
    write_document(folder.file("x.safetensors.zst"), document, options);
    CHECK(same(document, read_document(folder.file("x.safetensors.zst"))));
  }
}

TEST_CASE("without compression a stream is plain documents one behind the other") {
  const ScratchFolder folder;
  TensorWriteOptions options;
  options.level = TensorWriteOptions::kPlain;
  TensorWriter plain(folder.file("plain.tzs"), options), packed(folder.file("packed.tzs"));
  for (std::uint64_t i = 0; i < 3; ++i) {
    plain.write(mixed_document(2 + i, i));
    packed.write(mixed_document(2 + i, i));
  }
  plain.finish();
  packed.finish();
  CHECK(folder.get("plain.tzs") == plain_bytes(folder.get("packed.tzs")));
  const auto read = read_all(folder.file("plain.tzs"));
  REQUIRE(read.size() == 3);
  CHECK(same(mixed_document(3, 1), read[1]));
}

TEST_CASE("an equal file is left untouched if asked") {
  const ScratchFolder folder;
  const std::string path = folder.file("x.safetensors.zst");
  const LeftEqualFiles left;
  write_document(path, mixed_document(1));
  const auto before = std::filesystem::last_write_time(path);
  write_document(path, mixed_document(1));
  CHECK(std::filesystem::last_write_time(path) == before);
}
