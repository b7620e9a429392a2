#include "libcore/tensors/tensor_pack.h"

#include "tests/libcore/tensors/tensor_samples.h"

using namespace frugal;
using namespace samples;

namespace {

Tensor unpacked(const Tensor& like, Packing packing, const std::vector<std::byte>& packed) {
  Tensor tensor = Tensor::make(like.name, like.dtype, like.shape);
  const std::size_t size = item_size(like.dtype);
  merge_planes(size, tensor.bytes.size() / size, packed.data(), tensor.bytes.data());
  if (packing == Packing::delta_planes) {
    sum_differences(size, tensor.bytes.size() / size, tensor.bytes.data());
  }
  return tensor;
}

}  // namespace

TEST_CASE("packing in any pieces and unpacking gives the tensor back") {
  Rng rng(3);
  for (const Dtype dtype : {Dtype::bf16, Dtype::i16, Dtype::f32, Dtype::u32, Dtype::i64}) {
    for (const Packing packing : {Packing::planes, Packing::delta_planes}) {
      for (const std::uint64_t n : {1, 2, 15, 16, 17, 33, 1000, 300001}) {
        const Tensor tensor = random_tensor("x", dtype, {n}, rng.next());
        std::vector<std::byte> packed(tensor.bytes.size());
        for (std::size_t at = 0; at < packed.size();) {
          const std::size_t size = std::min<std::size_t>(packed.size() - at, 1 + rng.below(n));
          pack_range(tensor, packing, at, {packed.data() + at, size});
          at += size;
        }
        CHECK(same(tensor, unpacked(tensor, packing, packed)));
      }
    }
  }
}

TEST_CASE("plane j holds byte j, after differences if so chosen") {
  const std::uint16_t values[] = {0x0102, 0x0104, 0x0203};
  const Tensor tensor =
      Tensor::copy_of<std::uint16_t>("x", {3}, std::span<const std::uint16_t>(values));
  std::byte packed[6];
  pack_range(tensor, Packing::planes, 0, packed);
  CHECK(std::memcmp(packed, "\x02\x04\x03\x01\x01\x02", 6) == 0);
  pack_range(tensor, Packing::delta_planes, 0, packed);
  CHECK(std::memcmp(packed, "\x02\x02\xff\x01\x00\x00", 6) == 0);
}

TEST_CASE("differences are for ascending integers, planes for other numbers") {
  CHECK(choose_packing(sorted_tensor("x", 1000, 1)) == Packing::delta_planes);
  CHECK(choose_packing(random_tensor("x", Dtype::i64, {1000}, 1)) == Packing::planes);
  CHECK(choose_packing(normal_tensor("x", {2000}, 1)) == Packing::planes);
  CHECK(choose_packing(normal_tensor("x", {20}, 1)) == Packing::none);
  CHECK(choose_packing(random_tensor("x", Dtype::u8, {100000}, 1)) == Packing::none);
  CHECK(choose_packing(normal_tensor("x", {1, 1, 1, 1, 1, 1, 1, 9000}, 1)) == Packing::none);
}

TEST_CASE("packed documents are smaller, show what they unpack to, and are plain U8 to others") {
  const ScratchFolder folder;
  const Document document = mixed_document(16);
  write_document(folder.file("plain.safetensors.zst"), document);
  TensorWriteOptions options;
  options.pack = true;
  write_document(folder.file("packed.safetensors.zst"), document, options);
  const auto size = [&](const char* name) { return folder.get(name).size(); };
  CHECK(size("packed.safetensors.zst") < 0.92 * size("plain.safetensors.zst"));
  TensorReader reader(folder.file("packed.safetensors.zst"));
  const auto info = reader.next_info();
  REQUIRE(info);
  CHECK(info->find("weight")->shape == Shape{1024, 256});
  CHECK(info->find("weight")->packing == Packing::planes);
  CHECK(info->find("indptr")->packing == Packing::delta_planes);
  CHECK(info->find("mask")->packing == Packing::none);
  CHECK(!info->metadata.contains("frugal.enc"));
  write_document(folder.file("raw.safetensors"), document, options);
  const std::string raw = folder.get("raw.safetensors");
  CHECK(raw.find(R"("weight":{"dtype":"U8","shape":[4,1024,256])") != std::string::npos);
}

TEST_CASE("an encoding that was written is applied to the same tensors") {
  DocumentInfo info;
  info.tensors.push_back({"a", Dtype::f32, {2, 3}, 0, 24, Packing::planes});
  info.tensors.push_back({"b \"q\"", Dtype::i64, {4}, 24, 56, Packing::delta_planes});
  info.tensors.push_back({"c", Dtype::u8, {1}, 56, 57, Packing::none});
  const std::string text = encoding_text(info);
  CHECK(text == R"({"a":{"dtype":"F32","shape":[2,3],"steps":["planes"]},)"
                R"("b \"q\"":{"dtype":"I64","shape":[4],"steps":["delta","planes"]}})");
  DocumentInfo stored;
  stored.metadata["frugal.enc"] = text;
  stored.tensors.push_back({"a", Dtype::u8, {4, 2, 3}, 0, 24});
  stored.tensors.push_back({"b \"q\"", Dtype::u8, {8, 4}, 24, 56});
  stored.tensors.push_back({"c", Dtype::u8, {1}, 56, 57});
  apply_encoding(stored, {}, "x");
  CHECK(stored.metadata.empty());
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(stored.tensors[i].dtype == info.tensors[i].dtype);
    CHECK(stored.tensors[i].shape == info.tensors[i].shape);
    CHECK(stored.tensors[i].packing == info.tensors[i].packing);
  }
}

TEST_CASE("an encoding that makes no sense is refused") {
  const auto error = [](const std::string& text) {
    DocumentInfo stored;
    stored.metadata["frugal.enc"] = text;
    stored.tensors.push_back({"a", Dtype::u8, {4, 2}, 0, 8});
    return error_of([&] { apply_encoding(stored, {}, "x"); });
  };
  const std::string good = R"("a":{"dtype":"F32","shape":[2],"steps":["planes"]})";
  CHECK(error("{" + good + "}") == "no error");
  CHECK(error("{" + good + "," + good + "}").find("does not fit") != std::string::npos);
  CHECK(error("{" + good + "}x").find("only spaces") != std::string::npos);
  CHECK(error(R"({"a":{"dtype":"F32","shape":[2],"steps":["delta","planes"]}})")
            .find("not an integer") != std::string::npos);
  CHECK(
      error(R"({"a":{"dtype":"U8","shape":[2],"steps":["planes"]}})").find("more than one byte") !=
      std::string::npos);
  CHECK(error(R"({"a":{"dtype":"F32","shape":[3],"steps":["planes"]}})").find("does not fit") !=
        std::string::npos);
  CHECK(error(R"({"a":{"dtype":"F32","shape":[2],"steps":["zip"]}})").find("unknown step 'zip'") !=
        std::string::npos);
  CHECK(error(R"({"a":{"shape":[2]}})").find("expected field 'dtype'") != std::string::npos);
  CHECK(error("{}").find("expected '\"'") != std::string::npos);
}
