#include "libcore/tensors/document_gate.h"

#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "libcore/streams/strict_json.h"
#include "tests/support/refusal.h"

using namespace frugal;

namespace {

std::string refusal_of(const Metadata& metadata, const DocumentGate& gate) {
  return frugal::refusal_of([&] { check_document(metadata, "f", gate); });
}

}  // namespace

TEST_CASE("a document of another version of the format is refused, one without version is not") {
  const auto refusal = [](const std::string& version) {
    return refusal_of([&] { check_version({{"frugal.version", version}}, "f"); });
  };
  CHECK(refusal("1").empty());
  CHECK(refusal_of([] { check_version({}, "f"); }).empty());
  CHECK(refusal("2") == "f: is of version '2' of the format, expected 1: a newer program wrote it");
  for (const char* damaged : {"0", "-1", "gin", "", "1.0", " 1", "01", "99999999999999999999"}) {
    CHECK(refusal(damaged) == "f: is of version '" + std::string(damaged) +
                                  "' of the format, expected 1: the metadata are damaged");
  }
}

TEST_CASE("a reader takes its kinds, and documents of no kind only where they are welcome") {
  const DocumentGate strict{"a graph", {"graph", "tree"}};
  CHECK(refusal_of({{"frugal.kind", "graph"}}, strict).empty());
  CHECK(refusal_of({{"frugal.kind", "tree"}, {"frugal.tool", "any"}}, strict).empty());
  CHECK(refusal_of({{"frugal.kind", "events"}, {"frugal.tool", "t\x1b"}}, strict) ==
        "f: found a file of kind 'events' of t\\x1b, expected a graph");
  CHECK(refusal_of(Metadata{}, strict) == "f: found a tensor file of no kind, expected a graph");
  CHECK(refusal_of({{"frugal.kind", "tensors"}}, strict) ==
        "f: found a file of kind 'tensors', expected a graph");
  CHECK(refusal_of({{"frugal.kind", "graph"}, {"frugal.version", "2"}}, strict) != "");

  const DocumentGate welcoming{"rows", {"data"}, {}, ForeignDocuments::welcome};
  CHECK(refusal_of(Metadata{}, welcoming).empty());
  CHECK(refusal_of({{"frugal.kind", "tensors"}}, welcoming).empty());
  CHECK(refusal_of({{"frugal.kind", "data"}}, welcoming).empty());
  CHECK(refusal_of({{"frugal.kind", "model"}}, welcoming) ==
        "f: found a file of kind 'model', expected rows");
}

TEST_CASE("a model of another tool is refused") {
  const DocumentGate gate{"a model of a", {"model"}, "a"};
  CHECK(refusal_of({{"frugal.kind", "model"}, {"frugal.tool", "a"}}, gate).empty());
  CHECK(refusal_of({{"frugal.kind", "model"}}, gate).empty());
  CHECK(refusal_of({{"frugal.kind", "model"}, {"frugal.tool", "b"}}, gate) ==
        "f: found a file of kind 'model' of b, expected a model of a");
}

TEST_CASE("whole numbers of JSON are not converted in silence") {
  const auto json = nlohmann::json::parse(
      R"({"n":7,"m":-1,"x":1.5,"t":true,"s":"7","big":4294967296,"max":18446744073709551615})");
  CHECK(whole_number<std::size_t>(json, "n") == 7);
  CHECK(whole_number<int>(json, "m") == -1);
  CHECK(whole_number<std::uint64_t>(json, "max") == std::numeric_limits<std::uint64_t>::max());
  for (const char* key : {"m", "x", "t", "s", "big"}) {
    CHECK(refusal_of([&] { whole_number<std::uint32_t>(json, key); }) ==
          "'" + std::string(key) + "' is " +
              (std::string(key) == "s" ? "\"7\"" : json.at(key).dump()) +
              ", expected a whole number from 0");
  }
  CHECK(refusal_of([&] { whole_number<int>(json, "big"); }) != "");
  CHECK(refusal_of([&] { whole_number<int>(json, "max"); }) != "");
  CHECK_THROWS_AS(whole_number<int>(json, "none"), nlohmann::json::exception);
}

TEST_CASE("a NaN or an infinite number anywhere in floating-point tensors is found") {
  Document document;
  std::vector<float> values(200000, 1.0F);
  document.tensors.push_back(Tensor::copy_of<float>("a", {values.size()}, values));
  const std::vector<std::uint16_t> halves{0x3c00, 0x7bff};
  document.tensors.push_back(Tensor::make("h", Dtype::f16, {2}));
  std::memcpy(document.tensors[1].bytes.data(), halves.data(), 4);
  document.tensors.push_back(Tensor::make("b", Dtype::bf16, {2}));
  std::memset(document.tensors[2].bytes.data(), 0, 4);
  const std::vector<std::uint8_t> bytes{255, 255};
  document.tensors.push_back(Tensor::copy_of<std::uint8_t>("u", {2}, bytes));
  const auto refusal = [&] { return refusal_of([&] { check_finite(document, "m"); }); };
  CHECK(refusal().empty());
  document.tensors[0].as<float>()[199999] = std::numeric_limits<float>::quiet_NaN();
  CHECK(refusal() == "m: tensor 'a' has a nan, expected finite numbers");
  document.tensors[0].as<float>()[199999] = -std::numeric_limits<float>::infinity();
  CHECK(refusal() == "m: tensor 'a' has a -inf, expected finite numbers");
  document.tensors[0].as<float>()[199999] = 0;
  const std::uint16_t infinite_half = 0x7c00, nan_brain = 0x7fc0;
  std::memcpy(document.tensors[1].bytes.data() + 2, &infinite_half, 2);
  CHECK(refusal() == "m: tensor 'h' has a inf, expected finite numbers");
  std::memcpy(document.tensors[1].bytes.data() + 2, halves.data(), 2);
  std::memcpy(document.tensors[2].bytes.data(), &nan_brain, 2);
  CHECK(refusal() == "m: tensor 'b' has a nan, expected finite numbers");
}
