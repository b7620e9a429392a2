#include "libcore/tensors/safetensors_header.h"

#include <utility>

#include "tests/libcore/tensors/tensor_samples.h"

using namespace frugal;
using namespace samples;

namespace {

constexpr char kValid[] = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";

std::string raw(const std::string& header, const std::string& data = std::string(8, '\0')) {
  std::string out;
  for (int i = 0; i < 8; ++i) out += static_cast<char>(header.size() >> 8 * i & 0xff);
  return out + header + data;
}

/// A header with one tensor "a" of 8 bytes whose shape or name is replaced.
std::string with_shape(const std::string& shape) {
  return R"({"a":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":[0,8]}})";
}
std::string with_name(const std::string& name) {
  return R"({")" + name + R"(":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
}
std::string with_metadata(const std::string& metadata) {
  return R"({"__metadata__":)" + metadata +
         R"(,"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
}
std::string with_dtype(const std::string& dtype, const std::string& shape) {
  return R"({"a":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":[0,8]}})";
}
std::string tensor(const std::string& name, const std::string& shape, int begin, int end) {
  return "\"" + name + R"(":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":[)" +
         std::to_string(begin) + "," + std::to_string(end) + "]}";
}
std::string repeated(const std::string& text, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += text;
  return out;
}

struct Case {
  const char* name;
  std::string file;
  const char* verdict;  ///< part of the error, "" for a file that is accepted
};

std::vector<Case> cases() {
  const std::string none;
  return {
      {"valid", raw(kValid), ""},
      {"trailing spaces", raw(std::string(kValid) + "   "), ""},
      {"space between tokens",
       raw(R"({ "a" : {"dtype":"F32", "shape":[ 2 ],)"
           "\n\t\"data_offsets\":[0, 8] } }"),
       ""},
      {"leading space", raw(" " + std::string(kValid)), "begins with '{'"},
      {"leading newline", raw("\n\t" + std::string(kValid)), "begins with '{'"},
      {"trailing newline", raw(std::string(kValid) + "\n"), "only spaces"},
      {"trailing NUL", raw(kValid + std::string(1, '\0')), "only spaces"},
      {"byte order mark", raw("\xef\xbb\xbf" + std::string(kValid)), "begins with '{'"},
      {"empty header", raw("", none), "begins with '{'"},
      {"unfinished", raw(R"({"a":{"dtype":"F32")"), "found the end"},
      {"duplicate tensor",
       raw("{" + tensor("a", "[2]", 0, 8) + "," + tensor("a", "[0]", 8, 8) + "}"),
       "'a' appears twice"},
      {"duplicate field",
       raw(R"({"a":{"dtype":"F32","dtype":"I32","shape":[2],"data_offsets":[0,8]}})"),
       "field 'dtype' appears twice"},
      {"missing field", raw(R"({"a":{"dtype":"F32","shape":[2]}})"), "needs dtype, shape"},
      {"duplicate __metadata__",
       raw(R"({"__metadata__":{"x":"1"},"__metadata__":{"x":"2"},)" + tensor("a", "[2]", 0, 8) +
           "}"),
       "second __metadata__"},
      {"duplicate metadata key", raw(with_metadata(R"({"x":"1","x":"2"})")), "appears twice"},
      {"metadata number", raw(with_metadata(R"({"x":1})")), "expected '\"'"},
      {"metadata null", raw(with_metadata("null")), ""},
      {"metadata nul", raw(with_metadata("nul")), "expected '{'"},
      {"metadata empty", raw(with_metadata("{}")), ""},
      {"metadata key empty", raw(with_metadata(R"({"":"1"})")), "metadata key is empty"},
      {"extra field", raw(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"zzz":1}})"),
       "unknown field 'zzz'"},
      {"tensor as array", raw(R"({"a":["F32",[2],[0,8]]})"), "expected '{'"},
      {"keys in another order than offsets",
       raw("{" + tensor("b", "[1]", 4, 8) + "," + tensor("a", "[1]", 0, 4) + "}"), ""},
      {"overlap", raw("{" + tensor("b", "[2]", 0, 8) + "," + tensor("a", "[2]", 0, 8) + "}"),
       "overlaps"},
      {"hole", raw("{" + tensor("b", "[1]", 4, 8) + "}"), "hole"},
      {"bytes behind the data", raw(kValid, std::string(9, '\0')), "1 byte behind the last tensor"},
      {"data too short", raw(kValid, std::string(7, '\0')), "stream truncated"},
      {"shape overflow 2^32*2^32", raw(with_shape("[4294967296,4294967296]")), "more than 2^47"},
      {"overflow behind a zero axis",
       raw(R"({"a":{"dtype":"F32","shape":[0,281474976710656,281474976710656],)"
           R"("data_offsets":[0,0]}})",
           none),
       "more than 2^47"},
      {"axis of 2^64-1",
       raw(R"({"a":{"dtype":"F32","shape":[0,18446744073709551615],"data_offsets":[0,0]}})", none),
       "above 2^48"},
      {"overflow before a zero axis",
       raw(R"({"a":{"dtype":"F32","shape":[18446744073709551615,0],"data_offsets":[0,0]}})", none),
       "above 2^48"},
      {"negative axis", raw(with_shape("[-2]")), "digits only"},
      {"axis 2.0", raw(with_shape("[2.0]")), "digits only"},
      {"axis 2e0", raw(with_shape("[2e0]")), "digits only"},
      {"axis 02", raw(with_shape("[02]")), "leading zero"},
      {"axis above 2^64", raw(with_shape("[18446744073709551616]")), "above 2^48"},
      {"axis of a thousand digits", raw(with_shape("[" + repeated("9", 1000) + "]")), "above 2^48"},
      {"rank 9", raw(with_shape("[1,1,1,1,1,1,1,1,2]")), "more than 8 axes"},
      {"rank 100,000", raw(with_shape("[" + repeated("1,", 100000) + "2]")), "more than 8 axes"},
      {"unknown dtype", raw(with_dtype("F33", "[2]")), "dtype 'F33'"},
      {"BOOL", raw(with_dtype("BOOL", "[8]")), ""},
      {"BOOL that is 2", raw(with_dtype("BOOL", "[8]"), std::string(8, '\2')), "is BOOL"},
      {"F4", raw(with_dtype("F4", "[16]")), ""},
      {"F4 without a last byte", raw(with_dtype("F4", "[15]")), "ends within a byte"},
      {"F6 of 24 bytes", raw(with_dtype("F6_E3M2", "[2,16]")), "do not fit"},
      {"F2", raw(with_dtype("F2", "[32]")), "dtype 'F2'"},
      {"C64", raw(with_dtype("C64", "[1]")), ""},
      {"F8", raw(with_dtype("F8_E4M3", "[8]")), ""},
      {"offsets reversed", raw("{" + tensor("a", "[2]", 8, 0) + "}"), "do not fit"},
      {"three offsets", raw(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8,8]}})"),
       "expected ']'"},
      {"nested metadata", raw(with_metadata(repeated("[", 200000) + repeated("]", 200000))),
       "expected '{'"},
      {"nested unknown field",
       raw(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"z":)" + repeated("[", 100000) +
           repeated("]", 100000) + "}}"),
       "unknown field"},
      {"invalid UTF-8", raw(with_name("a\xff")), "not UTF-8"},
      {"surrogate in UTF-8", raw(with_name("\xed\xa0\x80")), "not UTF-8"},
      {"raw control character", raw(with_name("a\1")), "control character"},
      {"NUL in a name", raw(with_name("a\\u0000b")), "control characters"},
      {"DEL in a name", raw(with_name("a\x7f")), "control characters"},
      {"C1 control in a name", raw(with_name("\\u0085")), "control characters"},
      {"path as a name", raw(with_name("../../etc/passwd")), ""},
      {"empty name", raw(with_name("")), "empty"},
      {"name of 1025 bytes", raw(with_name(repeated("x", 1025))), "longer than 1024"},
      {"name of 1024 bytes", raw(with_name(repeated("x", 1024))), ""},
      {"escaped name", raw(with_name(R"(\"\\\/\u00e9\ud83d\ude00)")), ""},
      {"first half of a surrogate pair", raw(with_name("\\ud800")), "surrogate"},
      {"second half of a surrogate pair", raw(with_name("\\udc00")), "surrogate"},
      {"two first halves", raw(with_name("\\ud800\\ud800")), "surrogate"},
      {"short \\u", raw(with_name("\\u12")), "four hexadecimal"},
      {"unknown escape", raw(with_name("\\x")), "unknown escape"},
      {"escape at the end", raw("{\"\\", none), "escape"},
      {"no tensors", raw("{}", none), ""},
      {"no tensors, but data", raw("{}"), "8 bytes behind the last tensor, from byte 10 on"},
      {"zero-size tensor alone", raw("{" + tensor("a", "[0]", 0, 0) + "}", none), ""},
      {"zero-size tensors around one",
       raw("{" + tensor("z1", "[0]", 0, 0) + "," + tensor("a", "[2]", 0, 8) + "," +
           tensor("z2", "[0,3]", 8, 8) + "}"),
       ""},
      {"zero-size tensor named late",
       raw("{" + tensor("a", "[2]", 0, 8) + "," + tensor("z2", "[0,3]", 0, 0) + "}"), ""},
      {"zero-size tensor inside another",
       raw("{" + tensor("a", "[2]", 0, 8) + "," + tensor("z", "[0]", 4, 4) + "}"), "overlaps"},
      {"comment", raw("{/*x*/}", none), "expected '\"'"},
      {"NaN", raw(R"({"a":NaN})", none), "expected '{'"},
      {"trailing comma", raw("{" + tensor("a", "[2]", 0, 8) + ",}"), "expected '\"'"},
      {"length 2^63", std::string("\0\0\0\0\0\0\0\x80", 8) + kValid, "a header of"},
      {"length 2^64-1", std::string(8, '\xff') + kValid, "a header of"},
      {"length beyond the file", std::string("\0\1\0\0\0\0\0\0", 8) + kValid, "stream truncated"},
      {"length cut", std::string("\1\0\0", 3), "stream truncated after 0 documents"},
      {"empty file", "", "empty"},
      {"text", "label text of some kind\n", "is text, expected a tensor file"},
      {"frugal.enc without its tensor",
       raw(with_metadata(R"({"frugal.enc":"{\"b\":{\"dtype\":\"F32\",\"shape\":[2],)"
                         R"(\"steps\":[\"planes\"]}}"})")),
       "does not fit tensor 'b'"},
      {"frugal.enc of a tensor that is not U8",
       raw(with_metadata(R"({"frugal.enc":"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],)"
                         R"(\"steps\":[\"planes\"]}}"})")),
       "does not fit tensor 'a'"},
      {"frugal.enc is no JSON", raw(with_metadata(R"({"frugal.enc":"x"})")), "frugal.enc: byte 0"},
  };
}

}  // namespace

TEST_CASE("hostile headers are refused with the reason, odd but valid ones are read") {
  const ScratchFolder folder;
  for (const Case& c : cases()) {
    CAPTURE(std::string(c.name));
    folder.put("x", c.file);
    const std::string error = error_of([&] { read_all(folder.file("x")); });
    CAPTURE(error);
    if (*c.verdict == '\0') {
      CHECK(error == "no error");
    } else {
      CHECK(error.substr(0, 3) == "65 ");
      CHECK(error.find(c.verdict) != std::string::npos);
      CHECK(error.find('\n') == std::string::npos);
      CHECK(error.size() < 300);
    }
  }
}

TEST_CASE("every limit is enforced at its value") {
  const std::string place = "x";
  const auto error = [&](const std::string& json, const TensorLimits& limits) {
    return error_of([&] { parse_header(json, limits, place); });
  };
  TensorLimits limits;
  limits.max_name = 1;
  CHECK(error(with_name("a"), limits) == "no error");
  CHECK(error(with_name("ab"), limits).find("longer than 1 bytes") != std::string::npos);
  CHECK(error(with_name("\\u00e9"), limits).find("longer than 1 bytes") != std::string::npos);
  limits = {};
  limits.max_tensors = 1;
  CHECK(error(kValid, limits) == "no error");
  CHECK(error("{" + tensor("a", "[2]", 0, 8) + "," + tensor("b", "[0]", 8, 8) + "}", limits)
            .find("more than 1 tensors") != std::string::npos);
  limits = {};
  limits.max_metadata = 3;
  CHECK(error(with_metadata(R"({"x":"12"})"), limits) == "no error");
  CHECK(error(with_metadata(R"({"x":"123"})"), limits).find("more than 3 bytes") !=
        std::string::npos);
  CHECK(error(with_metadata(R"({"x":"1","y":"2"})"), limits).find("more than 3 bytes") !=
        std::string::npos);
  limits = {};
  limits.max_rank = 0;
  CHECK(error(with_shape("[2]"), limits).find("more than 0 axes") != std::string::npos);
}

TEST_CASE("metadata are written up to their limit and no further") {
  DocumentInfo info;
  info.metadata["key"] = std::string(TensorLimits().max_metadata - 3, 'x');
  CHECK_NOTHROW(check_writable(info, {}, "x"));
  info.metadata["key"] += "x";
  CHECK(error_of([&] {
          check_writable(info, {}, "x");
        }).find("1048577 bytes of metadata, at most 1048576") != std::string::npos);
}

TEST_CASE("a header that was written is parsed to the same") {
  DocumentInfo info;
  info.metadata["frugal.kind"] = "tensors";
  info.metadata["text"] =
      "tab\t, quote\", backslash\\, \xf0\x9f\x98\x80, NUL" + std::string(1, '\0');
  info.tensors.push_back({"a \"b\" \xc3\xa9", Dtype::f64, {2, 3}, 0, 48});
  info.tensors.push_back({"empty", Dtype::u16, {0}, 48, 48});
  const std::string text = format_header(info);
  CHECK(text.size() % 64 == 0);
  const DocumentInfo parsed = parse_header(text.substr(8), {}, "x");
  CHECK(parsed.metadata == info.metadata);
  REQUIRE(parsed.tensors.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(parsed.tensors[i].name == info.tensors[i].name);
    CHECK(parsed.tensors[i].shape == info.tensors[i].shape);
    CHECK(parsed.tensors[i].dtype == info.tensors[i].dtype);
    CHECK(parsed.tensors[i].end == info.tensors[i].end);
  }
}

TEST_CASE("mutated headers never give a document that breaks the rules") {
  DocumentInfo info;
  info.metadata["frugal.kind"] = "tensors";
  info.tensors.push_back({"weight", Dtype::f32, {10, 3}, 0, 120});
  info.tensors.push_back({"bias", Dtype::f32, {3}, 120, 132});
  info.tensors.push_back({"mask", Dtype::boolean, {7}, 132, 139});
  const std::string valid = format_header(info).substr(8);
  constexpr char kAlphabet[] = "{}[]\",:\\0123456789abF u\xc3\xff\1";
  Rng rng(17);
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = valid;
    for (std::uint64_t edits = 1 + rng.below(3); edits > 0; --edits) {
      const std::size_t at = rng.below(text.size());
      const char c = kAlphabet[rng.below(sizeof kAlphabet - 1)];
      switch (rng.below(3)) {
        case 0: text[at] = c; break;
        case 1: text.insert(at, 1, c); break;
        default: text.erase(at, 1);
      }
    }
    try {
      const DocumentInfo parsed = parse_header(text, {}, "x");
      ++accepted;
      std::uint64_t at = 0;
      for (const TensorInfo& t : parsed.tensors) {
        REQUIRE(t.begin == at);
        REQUIRE(t.end - t.begin == num_elements(t.shape) * item_size(t.dtype));
        at = t.end;
      }
    } catch (const Error& error) {
      REQUIRE(error.status() == ExitStatus::bad_input);
    }
  }
  CHECK(accepted > 100);
}
