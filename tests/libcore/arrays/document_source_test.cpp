#include "libcore/arrays/document_source.h"

#include "libcore/arrays/npy.h"
#include "tests/libcore/tensors/tensor_samples.h"

using namespace frugal;
using namespace samples;

TEST_CASE("pieces of a large tensor cover it in order, within a few megabytes") {
  const ScratchFolder folder;
  const std::string path = folder.file("a.safetensors.zst");
  constexpr std::uint64_t kRows = 3 << 20;
  {
    Document document;
    document.tensors.push_back(Tensor::make("x", Dtype::u64, {kRows}));
    const auto values = document.tensors[0].as<std::uint64_t>();
    for (std::uint64_t i = 0; i < kRows; ++i) values[i] = i;
    write_document(path, document);
  }
  const auto source = open_documents(path, {});
  const auto info = source->next_info();
  REQUIRE(info.has_value());
  std::uint64_t next = 5;
  std::size_t largest = 0;
  for_each_piece(*source, info->tensors[0], 5, kRows - 1, [&](const Tensor& piece) {
    largest = std::max(largest, piece.bytes.size());
    for (const std::uint64_t value : piece.as<std::uint64_t>()) REQUIRE(value == next++);
  });
  CHECK(next == kRows - 1);
  CHECK(largest <= std::size_t{8} << 20);
}

TEST_CASE("a tensor without elements has no pieces, however many rows it declares") {
  const ScratchFolder folder;
  const std::string path = folder.file("a.npz");
  Document document;
  document.tensors.push_back(Tensor::make("x", Dtype::f32, {std::uint64_t{1} << 40, 0}));
  write_npz(path, document);
  const auto source = open_documents(path, {});
  const auto info = source->next_info();
  int pieces = 0;
  for_each_piece(*source, info->tensors[0], 0, std::uint64_t{1} << 40,
                 [&](const Tensor&) { ++pieces; });
  CHECK(pieces == 0);
}

TEST_CASE("rows of .npy files are those of the whole array, in C and in Fortran order") {
  const ScratchFolder folder;
  write_npy(folder.file("a.npy"), normal_tensor("", {1000, 3, 5}, 1));
  std::string header = folder.get("a.npy");
  header.replace(header.find("False, "), 7, "True,  ");
  folder.put("f.npy", header);
  for (const char* name : {"a", "f"}) {
    const std::string path = folder.file(name + std::string(".npy"));
    Tensor whole = read_npy(path);
    whole.name = name;
    const auto source = open_documents(path, {});
    const auto info = source->next_info();
    REQUIRE(info);
    CHECK(info->tensors[0].name == name);
    const Tensor first = source->read_rows(name, 0, 300), last = source->read_rows(name, 300, 1000);
    CHECK(first.shape == Shape{300, 3, 5});
    CHECK(std::memcmp(first.bytes.data(), whole.bytes.data(), first.bytes.size()) == 0);
    CHECK(std::memcmp(last.bytes.data(), whole.bytes.data() + first.bytes.size(),
                      last.bytes.size()) == 0);
    CHECK(same(*open_documents(path, {})->next()->find(name), whole));
  }
}

TEST_CASE("a row larger than a piece comes in pieces") {
  const ScratchFolder folder;
  const std::string path = folder.file("a.safetensors");
  constexpr std::uint64_t kRow = (std::uint64_t{8} << 20) + 1;
  Document document;
  document.tensors.push_back(Tensor::make("x", Dtype::u8, {2, kRow}));
  document.tensors[0].as<std::uint8_t>()[kRow] = 7;
  write_document(path, document);
  const auto source = open_documents(path, {});
  const auto info = source->next_info();
  std::uint64_t elements = 0, sevens = 0;
  for_each_piece(*source, info->tensors[0], 0, 2, [&](const Tensor& piece) {
    CHECK(piece.bytes.size() < kRow);
    for (const std::uint8_t value : piece.as<std::uint8_t>()) {
      sevens += value == 7 && elements == kRow;
      ++elements;
    }
  });
  CHECK(elements == 2 * kRow);
  CHECK(sevens == 1);
}

TEST_CASE("rows of .npz members are read in pieces, deflated or not, in any order of asking") {
  const ScratchFolder folder;
  folder.put("make.py",
             "import struct, sys, zipfile\n"
             "def npy(shape, data, fortran=False):\n"
             "  h = \"{'descr': '<i4', 'fortran_order': %s, 'shape': %s, }\" % (fortran, shape)\n"
             "  h += ' ' * (118 - len(h))\n"
             "  return b'\\x93NUMPY\\x01\\x00' + struct.pack('<H', len(h)) + h.encode() + data\n"
             "z = zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED)\n"
             "n = 3000000\n"
             "z.writestr('big.npy', npy((n,), struct.pack('<%di' % n, *range(n))))\n"
             "z.writestr('flat.npy', npy((n,), bytes(4 * n)))\n"
             "z.writestr('none.npy', npy((0, 3), b''))\n"
             "z.writestr('f.npy', npy((2, 3), struct.pack('<6i', *range(6)), True))\n"
             "z.writestr('s.npy', npy((4,), struct.pack('<4i', *range(4))), zipfile.ZIP_STORED)\n"
             "z.close()\n");
  const std::string path = folder.file("a.npz");
  REQUIRE(std::system(("python3 " + folder.file("make.py") + " " + path).c_str()) == 0);
  const auto source = open_documents(path, {});
  const auto info = source->next_info();
  REQUIRE(info);
  REQUIRE(info->tensors.size() == 5);
  CHECK(info->tensors[0].shape == Shape{3000000});
  CHECK(info->tensors[0].end - info->tensors[0].begin == 12000000);
  CHECK(info->tensors[1].begin == 12000000);
  // Little input is left when much output is still to come.
  CHECK(source->read_rows("flat", 2000000, 3000000).as<std::int32_t>()[999999] == 0);
  std::int32_t next = 0;
  std::size_t largest = 0;
  for_each_piece(*source, info->tensors[0], 0, 3000000, [&](const Tensor& piece) {
    largest = std::max(largest, piece.bytes.size());
    for (const std::int32_t value : piece.as<std::int32_t>()) REQUIRE(value == next++);
  });
  CHECK(next == 3000000);
  CHECK(largest <= std::size_t{8} << 20);
  CHECK(source->read_rows("f", 1, 2).as<std::int32_t>()[2] == 5);  // element [1, 2]
  CHECK(source->read_rows("s", 2, 4).as<std::int32_t>()[1] == 3);
  CHECK(source->read_rows("big", 2999999, 3000000).as<std::int32_t>()[0] == 2999999);
  CHECK(source->read_rows("big", 5, 7).as<std::int32_t>()[1] == 6);
  CHECK(source->read_rows("none", 0, 0).bytes.empty());
}

TEST_CASE("no row of a damaged .npz member is given out, wherever it is damaged") {
  const ScratchFolder folder;
  Document document;
  document.tensors.push_back(normal_tensor("x", {300, 7}, 1));
  write_npz(folder.file("a.npz"), document);
  const std::string bytes = folder.get("a.npz");
  for (std::size_t at = 200; at < 8500; at += 97) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    folder.put("bad.npz", damaged);
    const auto source = open_documents(folder.file("bad.npz"), {});
    REQUIRE(source->next_info());
    CHECK_THROWS_WITH_AS(source->read_rows("x", 0, 1), doctest::Contains("checksum"), Error);
  }
}

TEST_CASE("members of an archive are never called as a path is, and tell tensors apart") {
  CHECK(npz_name("a.b") == "a.b");
  CHECK(npz_name("../../etc/x") == "%2E%2E%2F%2E%2E%2Fetc%2Fx");
  CHECK(npz_name("/a\\b...") == "%2Fa%5Cb%2E%2E.");
  const ScratchFolder folder;
  Document document;
  document.tensors.push_back(normal_tensor("../a/b", {2}, 1));
  write_npz(folder.file("a.npz"), document);
  CHECK(NpzReader(folder.file("a.npz")).names() == std::vector<std::string>{"%2E%2E%2Fa%2Fb"});
  CHECK(folder.get("a.npz").find("..") == std::string::npos);
  document.tensors.push_back(normal_tensor("../a%2Fb", {2}, 1));
  CHECK_THROWS_WITH_AS(write_npz(folder.file("a.npz"), document),
                       doctest::Contains("different names"), Error);
}

TEST_CASE("NumPy's files are told by their first bytes, however they are called") {
  const ScratchFolder folder;
  write_npy(folder.file("a.npy"), normal_tensor("", {3}, 1));
  Document document;
  document.tensors.push_back(normal_tensor("x", {3}, 1));
  write_npz(folder.file("a.npz"), document);
  write_document(folder.file("t.safetensors.zst"), document);
  for (const char* name : {"array", "a.NPY", "a.dat"}) {
    folder.put(name, folder.get("a.npy"));
    CHECK(input_format(folder.file(name)) == FileFormat::npy);
    CHECK(open_documents(folder.file(name), {})->next_info()->tensors[0].shape == Shape{3});
  }
  folder.put("a.NPZ", folder.get("a.npz"));
  CHECK(input_format(folder.file("a.NPZ")) == FileFormat::npz);
  CHECK(open_documents(folder.file("a.NPZ"), {})->next_info()->tensors[0].name == "x");
  folder.put("other.zip", "PK\3\4 of texts");
  folder.put("short", "\x93");
  for (const char* name : {"t.safetensors.zst", "other.zip", "short", "missing"}) {
    CHECK(input_format(folder.file(name)) == FileFormat::tensors);
  }
  folder.put("wrong.npy", "text");
  CHECK(input_format(folder.file("wrong.npy")) == FileFormat::npy);
  CHECK(input_format("-") == FileFormat::tensors);
}
