// Files of format version 1 load for ever. They were written by the first release (and by the zstd
// program, and by cat) and are never written again: a change that cannot read them breaks the
// format.
#include <doctest/doctest.h>

#include <cstring>

#include "tests/libcore/tensors/golden_documents.h"

namespace frugal {
namespace {

std::string golden(const std::string& name) { return FRUGAL_SOURCE_DIR "/tests/golden/" + name; }

void check_equal(const Document& found, const Document& expected, const char* sequence) {
  Metadata metadata = expected.metadata;
  metadata["frugal.version"] = "1";
  metadata.try_emplace("frugal.kind", "tensors");
  if (sequence != nullptr) metadata["frugal.seq"] = sequence;
  CHECK(found.metadata == metadata);
  CHECK(found.tensors.size() == expected.tensors.size());
  for (const Tensor& tensor : expected.tensors) {
    CAPTURE(tensor.name);
    const Tensor& other = found.at(tensor.name);
    CHECK(other.dtype == tensor.dtype);
    CHECK(other.shape == tensor.shape);
    REQUIRE(other.bytes.size() == tensor.bytes.size());
    CHECK((tensor.bytes.empty() ||
           std::memcmp(other.bytes.data(), tensor.bytes.data(), tensor.bytes.size()) == 0));
  }
}

void check_stream(const std::string& name, int times) {
  TensorReader reader(golden(name));
  const char* numbers[] = {"0", "1", "2"};
  for (int time = 0; time < times; ++time) {
    for (std::uint64_t i = 0; i < 3; ++i) {
      const auto document = reader.next();
      REQUIRE(document.has_value());
      check_equal(*document, golden_batch(i), numbers[i]);
    }
  }
  CHECK(!reader.next().has_value());
}

}  // namespace

TEST_CASE("version 1: a file loads") {
  check_equal(read_document(golden("v1-file.safetensors.zst")), golden_types(), nullptr);
}

TEST_CASE("version 1: a plain file loads") {
  check_equal(read_document(golden("v1-raw.safetensors")), golden_types(), nullptr);
}

TEST_CASE("version 1: a file that the zstd program compressed loads") {
  check_equal(read_document(golden("v1-by-zstd.safetensors.zst")), golden_types(), nullptr);
}

TEST_CASE("version 1: a packed file loads, whole and by rows") {
  check_equal(read_document(golden("v1-packed.safetensors.zst")), golden_large(), nullptr);
  TensorReader reader(golden("v1-packed.safetensors.zst"));
  const auto info = reader.next_info();
  REQUIRE(info.has_value());
  CHECK(info->find("ids")->packing == Packing::delta_planes);
  CHECK(info->find("weights")->packing == Packing::planes);
  CHECK(reader.read_rows("ids", 2999, 3000).as<std::int64_t>()[0] == 2999 * 2999);
  CHECK(reader.read_rows("weights", 29, 30).as<float>()[99] == 49.0f / 64);
}

TEST_CASE("version 1: streams load, also concatenated and compressed by the zstd program") {
  check_stream("v1-stream.tzs", 1);
  check_stream("v1-stream-by-zstd.tzs", 1);
  check_stream("v1-joined.tzs", 2);
}

TEST_CASE("version 1: documents of a stream load in any order") {
  TensorReader reader(golden("v1-stream.tzs"));
  REQUIRE(reader.num_documents() == 3);
  const char* numbers[] = {"0", "1", "2"};
  for (const std::uint64_t i : {2u, 0u, 1u}) {
    reader.seek_document(i);
    check_equal(*reader.next(), golden_batch(i), numbers[i]);
  }
}

}  // namespace frugal
