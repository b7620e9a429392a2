#include "libcore/arrays/npy.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "libcore/arrays/crc32.h"
#include "libcore/base/error.h"
#include "libcore/base/float16.h"

namespace frugal {
namespace {

/// A folder that is gone at the end of the test.
class Scratch {
 public:
  Scratch() {
    char name[] = "/tmp/frugal_npy_XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~Scratch() {
    for (const std::string& path : files_) unlink(path.c_str());
    rmdir(folder_.c_str());
  }
  std::string path(const std::string& name) {
    files_.push_back(folder_ + "/" + name);
    return files_.back();
  }
  std::string holding(const std::string& name, const std::string& bytes) {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return files_.back();
  }

 private:
  std::string folder_;
  std::vector<std::string> files_;
};

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// The file that numpy would write, with the dictionary given.
std::string npy(const std::string& dictionary, const std::string& data, int version = 1) {
  std::string text = dictionary;
  const std::size_t prefix = version == 1 ? 10 : 12;
  while ((prefix + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += {static_cast<char>(version), '\0', static_cast<char>(text.size() & 255),
            static_cast<char>(text.size() >> 8)};
  if (version > 1) bytes.append(2, '\0');
  return bytes + text + data;
}

template <class T>
std::string raw(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(std::data(values)), values.size() * sizeof(T)};
}

template <class Body>
std::string error_of(ExitStatus status, Body body) {
  try {
    body();
  } catch (const Error& error) {
    CHECK(error.status() == status);
    return error.what();
  }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// All arrays of an archive.
Document read_npz(const std::string& path, const TensorLimits& limits = {}) {
  NpzReader reader(path, limits);
  Document document;
  for (const std::string& name : reader.names()) document.tensors.push_back(reader.read(name));
  return document;
}

void check_equal(const Tensor& a, const Tensor& b) {
  CHECK(a.name == npz_name(b.name));
  CHECK(a.dtype == b.dtype);
  CHECK(a.shape == b.shape);
  REQUIRE(a.bytes.size() == b.bytes.size());
  CHECK(std::equal(a.bytes.begin(), a.bytes.end(), b.bytes.begin()));
}

const std::string k2x3 = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }";

Document all_types() {
  Document document;
  for (const Dtype dtype :
       {Dtype::boolean, Dtype::u8, Dtype::i8, Dtype::i16, Dtype::u16, Dtype::f16, Dtype::i32,
        Dtype::u32, Dtype::f32, Dtype::f64, Dtype::i64, Dtype::u64}) {
    Tensor tensor =
        Tensor::make(std::string("layer/") + std::string(dtype_name(dtype)), dtype, {3, 2});
    for (std::size_t i = 0; i < tensor.bytes.size(); ++i) tensor.bytes[i] = std::byte(i % 2);
    document.tensors.push_back(std::move(tensor));
  }
  document.tensors.push_back(Tensor::make("empty", Dtype::f32, {0, 7}));
  document.tensors.push_back(Tensor::copy_of<double>("scalar", {}, std::vector<double>{-1.5}));
  return document;
}

}  // namespace

TEST_CASE("crc32 gives the check value of its standard at any split") {
  const std::string digits = "123456789";
  CHECK(crc32(digits.data(), digits.size()) == 0xcbf43926u);
  CHECK(crc32(nullptr, 0) == 0);
  const std::string text(1000, 'x');
  for (std::size_t i = 0; i < 40; ++i) {
    CHECK(crc32(text.data() + i, text.size() - i, crc32(text.data(), i)) ==
          crc32(text.data(), text.size()));
  }
}

TEST_CASE("npy files of versions 1, 2 and 3 are read") {
  Scratch scratch;
  for (int version = 1; version <= 3; ++version) {
    const auto path =
        scratch.holding("a.npy", npy(k2x3, raw<std::int32_t>({1, 2, 3, 4, 5, 6}), version));
    const Tensor tensor = read_npy(path);
    CHECK(tensor.shape == Shape{2, 3});
    CHECK(tensor.as<std::int32_t>()[5] == 6);
  }
}

TEST_CASE("npy dictionaries are read in any order and with either quote") {
  Scratch scratch;
  const std::string data = raw<float>({1.5f});
  for (const char* dictionary : {"{'shape': (1,), 'fortran_order': False, 'descr': '<f4'}",
                                 "{\"descr\":\"<f4\",\"fortran_order\":True,\"shape\":(1L,)}",
                                 "{'descr': '<f4', 'fortran_order': False, 'shape': (), }"}) {
    CHECK(read_npy(scratch.holding("a.npy", npy(dictionary, data))).as<float>()[0] == 1.5f);
  }
}

TEST_CASE("Fortran order becomes C order for every rank") {
  Scratch scratch;
  const Shape shape{2, 3, 4};
  std::string data;
  std::vector<std::int16_t> expected(24);
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t i = 0; i < 2; ++i) {
        const auto value = static_cast<std::int16_t>(100 * i + 10 * j + k);
        data += raw<std::int16_t>({value});
        expected[(i * 3 + j) * 4 + k] = value;
      }
    }
  }
  const auto path = scratch.holding(
      "a.npy", npy("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3, 4), }", data));
  const Tensor tensor = read_npy(path);
  const auto got = tensor.as<std::int16_t>();
  CHECK(std::vector<std::int16_t>(got.begin(), got.end()) == expected);
  const auto flat = scratch.holding(
      "b.npy", npy("{'descr': '|u1', 'fortran_order': True, 'shape': (0, 3), }", ""));
  CHECK(read_npy(flat).shape == Shape{0, 3});
}

TEST_CASE("npy writes the bytes that numpy writes") {
  Scratch scratch;
  const auto path = scratch.path("a.npy");
  const std::vector<std::int32_t> values{1, 2, 3, 4, 5, 6};
  write_npy(path, Tensor::copy_of<std::int32_t>("a", {2, 3}, values));
  CHECK(content(path) == npy(k2x3, raw<std::int32_t>({1, 2, 3, 4, 5, 6})));
  write_npy(path, Tensor::copy_of<std::int32_t>("a", {1}, std::span(values).first(1)));
  CHECK(contains(content(path), "'shape': (1,), }"));
  write_npy(path, Tensor::copy_of<std::int32_t>("a", {}, std::span(values).first(1)));
  CHECK(contains(content(path), "'shape': (), }"));
}

TEST_CASE("bytes of fixed width are numbers with a dimension more") {
  Scratch scratch;
  const auto path = scratch.holding(
      "a.npy",
      npy("{'descr': '|S3', 'fortran_order': False, 'shape': (2,), }", std::string("csrco\0", 6)));
  const Tensor tensor = read_npy(path);
  CHECK(tensor.dtype == Dtype::u8);
  CHECK(tensor.shape == Shape{2, 3});
  CHECK(tensor.as<std::uint8_t>()[4] == 'o');
}

TEST_CASE("hostile npy headers are refused with what was expected") {
  Scratch scratch;
  const auto refused = [&](const std::string& bytes) {
    const auto path = scratch.holding("a.npy", bytes);
    const std::string line = error_of(ExitStatus::bad_input, [&] { read_npy(path); });
    CHECK(line.starts_with(path + ": "));
    return line;
  };
  const auto with = [&](const std::string& dictionary) {
    return refused(npy(dictionary, "12345678"));
  };
  CHECK(contains(refused(""), "no .npy file"));
  CHECK(contains(refused("\x93NUMPY"), "truncated"));
  CHECK(contains(refused(npy(k2x3, "").substr(0, 40)), "truncated"));
  CHECK(contains(refused(npy(k2x3, "", 4)), "version 4"));
  CHECK(contains(refused(npy(k2x3, "short")), "truncated: I32 [2, 3] takes 24 bytes, found 5"));
  CHECK(contains(refused(npy(k2x3, std::string(25, 'x'))), "too long"));
  CHECK(contains(with("{'descr': '>f8', 'fortran_order': False, 'shape': (1,), }"), "big endian"));
  CHECK(contains(with("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"), "pickle"));
  CHECK(contains(with("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }"),
                 "records"));
  CHECK(contains(with("{'descr': '<f8', 'fortran_order': 0, 'shape': (1,), }"), "True or False"));
  CHECK(contains(with("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }"), "dimension"));
  CHECK(
      contains(with("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }"),
               "dimension"));
  CHECK(contains(with("{'descr': '<f8', 'fortran_order': False, 'shape': (16777216, 16777216), }"),
                 "2^47"));
  CHECK(contains(with("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 281474976710656, "
                      "281474976710656), }"),
                 "2^47"));
  CHECK(contains(with("{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }"),
                 "--limit rank"));
  CHECK(contains(with("{'descr': '<f8', 'descr': '<f8', 'shape': (1,), }"), "second key"));
  CHECK(contains(with("{'descr': '<f8', 'shape': (1,), }"), "expected the keys"));
  CHECK(contains(with("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), } x"), "behind"));
  CHECK(contains(with("{'descr': '<f8"), "without end"));
  CHECK(contains(with(""), "expected '{'"));
}

TEST_CASE("every truncation of npy and npz files is refused") {
  Scratch scratch;
  const auto whole = scratch.path("whole.npz");
  write_npz(whole, all_types());
  const std::string bytes = content(whole);
  for (std::size_t size = 0; size < bytes.size(); size += size < 200 ? 1 : 13) {
    const auto path = scratch.holding("cut.npz", bytes.substr(0, size));
    CHECK(error_of(ExitStatus::bad_input, [&] { read_npz(path); }) != "no error");
  }
  const std::string one = npy(k2x3, std::string(24, 'x'));
  for (std::size_t size = 0; size < one.size(); ++size) {
    const auto path = scratch.holding("cut.npy", one.substr(0, size));
    CHECK(error_of(ExitStatus::bad_input, [&] { read_npy(path); }) != "no error");
  }
}

TEST_CASE("an npz archive round trips names, types, shapes and bytes") {
  Scratch scratch;
  const auto path = scratch.path("a.npz");
  const Document before = all_types();
  write_npz(path, before);
  const Document after = read_npz(path);
  REQUIRE(after.tensors.size() == before.tensors.size());
  for (std::size_t i = 0; i < before.tensors.size(); ++i)
    check_equal(after.tensors[i], before.tensors[i]);
  const auto again = scratch.path("b.npz");
  write_npz(again, after);
  CHECK(content(path) == content(again));
}

TEST_CASE("every flipped bit of an npz archive is noticed or harmless") {
  Scratch scratch;
  const auto path = scratch.path("a.npz");
  Document before;
  before.tensors.push_back(Tensor::copy_of<float>("w", {2}, std::vector<float>{1, 2}));
  write_npz(path, before);
  const std::string bytes = content(path);
  int refused = 0;
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    try {
      const Document after = read_npz(scratch.holding("flip.npz", damaged));
      REQUIRE(after.tensors.size() == 1);
      check_equal(after.tensors[0], before.tensors[0]);
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::bad_input);
      ++refused;
    }
  }
  CHECK(refused > static_cast<int>(bytes.size()) * 4);
}

TEST_CASE("hostile npz archives are refused with a way out") {
  Scratch scratch;
  const auto path = scratch.path("a.npz");
  Document document;
  document.tensors.push_back(Tensor::copy_of<float>("w", {1}, std::vector<float>{1}));
  document.tensors.push_back(Tensor::copy_of<float>("v", {1}, std::vector<float>{2}));
  write_npz(path, document);
  const std::string bytes = content(path);
  const std::size_t directory = bytes.find("PK\1\2");
  const std::size_t second = bytes.find("PK\1\2", directory + 1);
  const auto changed = [&](std::size_t at, const std::string& to,
                           ExitStatus status = ExitStatus::bad_input) {
    std::string other = bytes;
    other.replace(at, to.size(), to);
    const auto bad = scratch.holding("bad.npz", other);
    return error_of(status, [&] { read_npz(bad); });
  };
  CHECK(contains(changed(directory + 10, "\x0c"), "compressed by method 12"));
  CHECK(contains(changed(directory + 10, "\x08"), "damaged"));
  CHECK(contains(changed(directory + 8, "\x01"), "encrypted"));
  CHECK(contains(changed(directory + 16, "\x01\x02\x03\x04"), "wrong checksum"));
  CHECK(contains(changed(directory + 20, "\x01\x02"), "two sizes"));
  CHECK(contains(changed(directory + 42, "\xff\xff"), "outside"));
  CHECK(contains(changed(directory + 46, "\x01"), "control characters"));
  CHECK(contains(changed(directory + 46, "x"), "different names"));
  CHECK(contains(changed(second + 42, std::string(4, '\0')), "different names"));
  CHECK(contains(changed(bytes.size() - 12, "\x01\x01\x01"), "zip"));
  TensorLimits limits;
  limits.max_tensors = 1;
  CHECK(contains(error_of(ExitStatus::bad_input, [&] { read_npz(path, limits); }),
                 "--limit tensors"));
  limits = {};
  limits.max_memory = 4;
  CHECK(
      contains(error_of(ExitStatus::unavailable, [&] { read_npz(path, limits); }), "--max-memory"));
}

TEST_CASE("what numpy cannot hold is refused before the file is made") {
  Scratch scratch;
  const auto path = scratch.path("a.npy");
  const Tensor tensor = Tensor::make("w", Dtype::bf16, {2});
  CHECK(contains(error_of(ExitStatus::usage, [&] { write_npy(path, tensor); }), "'w' is BF16"));
  Document document;
  document.tensors.push_back(tensor.clone());
  CHECK(contains(error_of(ExitStatus::usage, [&] { write_npz(path, document); }), "'w' is BF16"));
  CHECK(access(path.c_str(), F_OK) != 0);
}

TEST_CASE("missing files and folders have their own statuses") {
  error_of(ExitStatus::cannot_open, [] { read_npy("/no/such/file.npy"); });
  CHECK(
      contains(error_of(ExitStatus::bad_input, [] { read_npy("/"); }), "expected a regular file"));
}

TEST_CASE("Python's zipfile reads our archives and we read its" *
          doctest::skip(std::system("command -v python3 >/dev/null 2>&1") != 0)) {
  Scratch scratch;
  const auto ours = scratch.path("ours.npz");
  const auto theirs = scratch.path("theirs.npz");
  write_npz(ours, all_types());
  // Python's own directory for the same members, with the local zip64 fields that numpy.savez
  // forces.
  const std::string program =
      "import sys, zipfile\n"
      "z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None\n"
      "w = zipfile.ZipFile(sys.argv[2], 'w', zipfile.ZIP_STORED)\n"
      "for i in z.infolist():\n"
      "  f = w.open(i.filename, 'w', force_zip64=True); f.write(z.read(i)); f.close()\n"
      "w.close()\n";
  const std::string command = "python3 -c \"" + program + "\" " + ours + " " + theirs;
  REQUIRE(std::system(command.c_str()) == 0);
  const Document expected = all_types();
  const Document got = read_npz(theirs);
  REQUIRE(got.tensors.size() == expected.tensors.size());
  for (std::size_t i = 0; i < got.tensors.size(); ++i)
    check_equal(got.tensors[i], expected.tensors[i]);
}

TEST_CASE("deflated members are read, objects of Python are refused by name") {
  Scratch scratch;
  const auto path = scratch.path("a.npz");
  const std::string program =
      "import io, pickle, struct, sys, zipfile\n"
      "def npy(kind, shape, data, fortran=False):\n"
      "  h = \"{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\" % (kind, fortran, shape)\n"
      "  h += ' ' * (118 - len(h))\n"
      "  return b'\\x93NUMPY\\x01\\x00' + struct.pack('<H', len(h)) + h.encode() + data\n"
      "z = zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED)\n"
      "z.writestr('i.npy', npy('<i4', (1000,), b''.join(struct.pack('<i', i) for i in "
      "range(1000))))\n"
      "z.writestr('o.npy', npy('|O', (1,), pickle.dumps([1])))\n"
      "z.writestr('f.npy', npy('<i4', (2, 500), bytes(4000), True))\n"
      "z.close()\n";
  const auto script = scratch.holding("make.py", program);
  REQUIRE(std::system(("python3 " + script + " " + path).c_str()) == 0);
  NpzReader reader(path);
  CHECK(reader.names() == std::vector<std::string>{"i", "o", "f"});
  CHECK(reader.read("i").as<std::int32_t>()[999] == 999);
  CHECK(contains(error_of(ExitStatus::bad_input, [&] { reader.read("o"); }), "objects of Python"));
  CHECK(contains(error_of(ExitStatus::bad_input, [&] { reader.read("x"); }), "no array 'x'"));
  TensorLimits limits;
  limits.max_memory = 3999;
  NpzReader small(path, limits);
  error_of(ExitStatus::unavailable, [&] { small.read("i"); });
  // Plain and in order of C: twice at once.
  limits.max_memory = 7999;
  error_of(ExitStatus::unavailable, [&] { NpzReader(path, limits).read("f"); });
  limits.max_memory = 8000;
  CHECK(NpzReader(path, limits).read("f").shape == Shape{2, 500});
  const std::string bytes = content(path);
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const auto bad = scratch.holding("bad.npz", damaged);
    try {
      NpzReader(bad).read("i");
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::bad_input);
    }
  }
}

TEST_CASE("numpy reads our files and we read its" *
          doctest::skip(std::system("python3 -c 'import numpy' >/dev/null 2>&1") != 0)) {
  Scratch scratch;
  const auto ours = scratch.path("ours.npz");
  const auto theirs = scratch.path("theirs.npz");
  write_npz(ours, all_types());
  const std::string program =
      "import sys, numpy\n"
      "a = dict(numpy.load(sys.argv[1]))\n"
      "numpy.savez(sys.argv[2], **{k: numpy.asfortranarray(v) if v.ndim > 1 else v for k, v in "
      "a.items()})\n";
  const std::string command = "python3 -c \"" + program + "\" " + ours + " " + theirs;
  REQUIRE(std::system(command.c_str()) == 0);
  const Document expected = all_types();
  const Document got = read_npz(theirs);
  for (const Tensor& tensor : got.tensors) check_equal(tensor, expected.at(tensor.name));
  CHECK(got.tensors.size() == expected.tensors.size());
}

}  // namespace frugal
