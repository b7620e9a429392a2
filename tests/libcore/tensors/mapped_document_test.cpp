#include "libcore/tensors/mapped_document.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "tests/support/text_file.h"

using namespace frugal;

namespace {

Document numbers() {
  Document document;
  document.metadata["a"] = "b";
  document.tensors.push_back(Tensor::copy_of<double>("d", {2}, std::vector<double>{1.5, 2.5}));
  document.tensors.push_back(
      Tensor::copy_of<std::uint8_t>("u", {3}, std::vector<std::uint8_t>{1, 2, 3}));
  document.tensors.push_back(Tensor::make("none", Dtype::f32, {0, 4}));
  return document;
}

}  // namespace

TEST_CASE("tensors of a plain file lie in its mapping") {
  const TextFile file("", ".safetensors");
  write_document(file.path(), numbers());
  const auto mapped = MappedDocument::open(file.path());
  REQUIRE(mapped != nullptr);
  CHECK(mapped->info().metadata.at("a") == "b");
  const TensorInfo& info = *mapped->info().find("d");
  const Tensor lent = mapped->tensor(info), owned = mapped->load(info);
  CHECK(lent.bytes.empty());
  CHECK(lent.as<double>()[1] == 2.5);
  CHECK(owned.lent.empty());
  CHECK(owned.as<double>()[0] == 1.5);
  CHECK(mapped->tensor(*mapped->info().find("none")).content().empty());
  mapped->expect_random_reads(info);
}

TEST_CASE("an opened document is the file's, mapped or in memory") {
  for (const char* const suffix : {".safetensors", ".zst"}) {
    const TextFile file("", suffix);
    write_document(file.path(), numbers());
    const OpenDocument opened = open_document(file.path());
    CHECK((opened.mapping != nullptr) == (std::string(suffix) == ".safetensors"));
    CHECK(opened.document.metadata.at("a") == "b");
    CHECK(opened.document.at("d").as<double>()[1] == 2.5);
    CHECK(opened.document.at("u").as<std::uint8_t>()[2] == 3);
    CHECK(opened.document.at("none").content().empty());
  }
}

TEST_CASE("a document is one file's while others take its name") {
  const TextFile name("", ".safetensors"), next("", ".safetensors");
  const auto write = [](const std::string& path, std::uint64_t i) {
    Document document;
    const std::vector<std::uint64_t> values(i % 2 == 0 ? 10000 : 10, i);
    document.metadata["n"] = std::to_string(i);
    document.tensors.push_back(Tensor::copy_of<std::uint64_t>("n", {values.size()}, values));
    write_document(path, document);
  };
  write(name.path(), 0);
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (std::uint64_t i = 1; !stop; ++i) {
      write(next.path(), i);
      std::rename(next.path().c_str(), name.path().c_str());
    }
  });
  bool whole = true;
  for (int i = 0; i < 300; ++i) {
    const auto mapped = MappedDocument::open(name.path());
    if (mapped == nullptr) {
      whole = false;
      continue;
    }
    const std::string n = mapped->info().metadata.at("n");
    const TensorInfo& info = *mapped->info().find("n");
    for (const Tensor& tensor : {mapped->tensor(info), mapped->load(info)}) {
      for (const std::uint64_t x : tensor.as<std::uint64_t>()) whole &= std::to_string(x) == n;
    }
  }
  stop = true;
  writer.join();
  CHECK(whole);
}

TEST_CASE("elements at odd addresses are copied") {
  std::string header = R"({"u":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                       R"("f":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}})";
  header.resize(128, ' ');
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size());
  const float value = 0.25F;
  bytes += header + "x" + std::string(reinterpret_cast<const char*>(&value), 4);
  const TextFile file(bytes, ".safetensors");
  const auto mapped = MappedDocument::open(file.path());
  REQUIRE(mapped != nullptr);
  const Tensor tensor = mapped->tensor(*mapped->info().find("f"));
  CHECK(tensor.lent.empty());
  CHECK(tensor.as<float>()[0] == 0.25F);
}

TEST_CASE("what cannot be mapped is left to readers") {
  const TextFile packed("", ".safetensors.zst"), planes("", ".safetensors"),
      cut("", ".safetensors");
  write_document(packed.path(), numbers());
  CHECK(MappedDocument::open(packed.path()) == nullptr);
  CHECK(MappedDocument::open("/nowhere/file.safetensors") == nullptr);
  CHECK(MappedDocument::open("/dev/null") == nullptr);
  Document sorted;
  sorted.tensors.push_back(Tensor::make("ids", Dtype::i64, {4096}));
  for (std::int64_t i = 0; auto& id : sorted.tensors[0].as<std::int64_t>()) id = i++;
  TensorWriteOptions pack;
  pack.pack = true;
  write_document(planes.path(), sorted, pack);
  CHECK(MappedDocument::open(planes.path()) == nullptr);
  write_document(cut.path(), numbers());
  REQUIRE(truncate(cut.path().c_str(), 200) == 0);
  CHECK(MappedDocument::open(cut.path()) == nullptr);
}

TEST_CASE("tensors of whole pieces, and a byte more or less, are loaded to the last byte") {
  constexpr std::uint64_t kPiece = std::uint64_t{16} << 20;
  for (const std::uint64_t size : {kPiece, kPiece - 1, 2 * kPiece, 2 * kPiece + 1}) {
    const TextFile file("", ".safetensors");
    Document document;
    document.tensors.push_back(Tensor::make("x", Dtype::u8, {size}));
    const std::span<std::uint8_t> values = document.tensors[0].as<std::uint8_t>();
    for (const std::uint64_t at : {std::uint64_t{0}, kPiece - 2, size / 2, size - 1}) {
      values[at] = 9;
    }
    write_document(file.path(), document);
    const auto mapped = MappedDocument::open(file.path());
    REQUIRE(mapped != nullptr);
    const Tensor loaded = mapped->load(mapped->info().tensors[0]);
    const auto found = loaded.as<std::uint8_t>();
    CHECK(found.size() == size);
    CHECK(std::equal(values.begin(), values.end(), found.begin(), found.end()));
  }
}
