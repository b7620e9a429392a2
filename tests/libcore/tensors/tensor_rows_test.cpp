#include <unistd.h>

#include <fstream>
#include <thread>

#include "tests/libcore/tensors/tensor_samples.h"

using namespace frugal;
using namespace samples;

namespace {

bool rows_are(const Tensor& rows, const Tensor& whole, std::uint64_t begin, std::uint64_t end) {
  const std::size_t row = whole.shape[0] == 0 ? 0 : whole.bytes.size() / whole.shape[0];
  return rows.shape[0] == end - begin && rows.bytes.size() == (end - begin) * row &&
         (rows.bytes.empty() ||
          std::memcmp(rows.bytes.data(), whole.bytes.data() + begin * row, rows.bytes.size()) == 0);
}

void check_random_rows(TensorReader& reader, const Document& document, std::uint64_t seed) {
  Rng rng(seed);
  for (int i = 0; i < 20; ++i) {
    for (const char* name : {"weight", "indptr", "mask"}) {
      const Tensor& whole = document.at(name);
      const std::uint64_t begin = rng.below(whole.shape[0] + 1);
      const std::uint64_t end = begin + rng.below(whole.shape[0] - begin + 1);
      CHECK(rows_are(reader.read_rows(name, begin, end), whole, begin, end));
    }
  }
}

}  // namespace

TEST_CASE(
    "rows in any order are those of the whole tensor, packed or not, with or without a table") {
  const ScratchFolder folder;
  const Document document = mixed_document(40);
  for (const bool pack : {false, true}) {
    TensorWriteOptions options;
    options.pack = pack;
    options.frame_size = 64 << 10;
    write_document(folder.file("x.safetensors.zst"), document, options);
    const std::string file = folder.get("x.safetensors.zst");
    folder.put("untabled.zst", file.substr(0, file.rfind(std::string("\x5e\x2a\x4d\x18", 4))));
    write_document(folder.file("x.safetensors"), document, options);
    for (const char* name : {"x.safetensors.zst", "untabled.zst", "x.safetensors"}) {
      TensorReader reader(folder.file(name));
      REQUIRE(reader.next_info());
      check_random_rows(reader, document, 5);
      CHECK(reader.read_rows("step", 0, 1).shape == Shape{});
      CHECK(reader.read_rows("empty", 0, 0).bytes.empty());
      CHECK(!reader.next_info());
    }
  }
}

TEST_CASE("rows that are not there are refused by name and number") {
  const ScratchFolder folder;
  const std::string path = folder.file("x.safetensors.zst");
  write_document(path, mixed_document(1));
  TensorReader reader(path);
  CHECK(error_of([&] { reader.read_rows("weight", 0, 1); }).substr(0, 2) == "70");
  reader.next_info();
  CHECK(error_of([&] { reader.read_rows("wait", 0, 1); }) == "65 " + path + ": no tensor 'wait'");
  CHECK(error_of([&] { reader.read_rows("weight", 3, 65); }) ==
        "65 " + path + ": tensor 'weight' has 64 rows, asked for [3, 65)");
}

TEST_CASE("one row range reads few bytes of the file") {
  const ScratchFolder folder;
  Document document;
  document.tensors.push_back(normal_tensor("weight", {16384, 256}, 1));  // 16 MiB
  write_document(folder.file("x.safetensors.zst"), document);
  // All frames but the header's and the one asked for are made unreadable.
  std::string file = folder.get("x.safetensors.zst");
  TensorReader intact(folder.file("x.safetensors.zst"));
  intact.next_info();
  const Tensor expected = intact.read_rows("weight", 5000, 5010);
  std::size_t at = file.find(std::string("\x28\xb5\x2f\xfd", 4), 4);
  for (std::uint64_t frame = 0; at != std::string::npos; ++frame) {
    if (frame != 5000 / 256 && frame != 5009 / 256) file[at] = 'x';
    at = file.find(std::string("\x28\xb5\x2f\xfd", 4), at + 4);
  }
  folder.put("damaged.zst", file);
  TensorReader reader(folder.file("damaged.zst"));
  reader.next_info();
  CHECK(same(reader.read_rows("weight", 5000, 5010), expected));
}

TEST_CASE("a pipe gives rows in the order of the data and says so when asked for others") {
  const ScratchFolder folder;
  const Document document = mixed_document(40);
  write_document(folder.file("x.safetensors.zst"), document);
  const std::string file = folder.get("x.safetensors.zst");
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::thread feeder([&] {
    std::size_t at = 0;
    while (at < file.size()) {
      const ssize_t n =
          write(ends[1], file.data() + at, std::min<std::size_t>(file.size() - at, 50000));
      if (n <= 0) break;
      at += static_cast<std::size_t>(n);
    }
    close(ends[1]);
  });
  {
    TensorReader reader("/dev/fd/" + std::to_string(ends[0]));
    REQUIRE(reader.next_info());
    CHECK(rows_are(reader.read_rows("indptr", 10, 5000), document.at("indptr"), 10, 5000));
    CHECK(rows_are(reader.read_rows("weight", 10, 900), document.at("weight"), 10, 900));
    CHECK(error_of([&] { reader.read_rows("weight", 5, 6); }).find("behind in a pipe") !=
          std::string::npos);
    CHECK(reader.bytes_total() == 0);
    CHECK(!reader.num_documents());
    CHECK(!reader.next_info());
    CHECK(reader.bytes_read() == file.size());
  }
  feeder.join();
  close(ends[0]);
}

TEST_CASE("a stored stream gives any document by its number") {
  const ScratchFolder folder;
  std::vector<Document> documents;
  TensorWriter writer(folder.file("x.tzs"));
  for (std::uint64_t i = 0; i < 30; ++i) {
    documents.push_back(mixed_document(1 + i % 5 * 2, i));
    writer.write(documents.back());
  }
  writer.finish();
  TensorReader reader(folder.file("x.tzs"));
  CHECK(same(documents[0], *reader.next()));
  CHECK(reader.num_documents() == 30);
  CHECK(same(documents[1], *reader.next()));
  Rng rng(2);
  for (int i = 0; i < 40; ++i) {
    const std::uint64_t d = rng.below(30);
    reader.seek_document(d);
    if (i % 2 == 0) {
      CHECK(same(documents[d], *reader.next()));
    } else {
      REQUIRE(reader.next_info());
      check_random_rows(reader, documents[d], d);
    }
  }
  reader.seek_document(29);
  CHECK(same(documents[29], *reader.next()));
  CHECK(!reader.next());
  reader.seek_document(3);
  CHECK(same(documents[3], *reader.next()));
  CHECK(error_of([&] { reader.seek_document(30); }) ==
        "65 " + folder.file("x.tzs") + ": document 30 asked for, but there are 30");

  folder.put("two.tzs", folder.get("x.tzs") + folder.get("x.tzs"));
  TensorReader two(folder.file("two.tzs"));
  CHECK(!two.num_documents());
  REQUIRE(two.next_info());
  check_random_rows(two, documents[0], 1);
}

TEST_CASE("a stream of very many documents lists them all") {
  const ScratchFolder folder;
  constexpr std::uint64_t kDocuments = 10000;  // the list is longer than 64 KiB
  TensorWriter writer(folder.file("x.tzs"));
  Document document;
  document.tensors.push_back(Tensor::make("i", Dtype::u64, {}));
  for (std::uint64_t i = 0; i < kDocuments; ++i) {
    document.tensors[0].as<std::uint64_t>()[0] = i;
    writer.write(document);
  }
  writer.finish();
  TensorReader reader(folder.file("x.tzs"));
  CHECK(reader.num_documents() == kDocuments);
  for (const std::uint64_t i : {9999, 0, 5000}) {
    reader.seek_document(i);
    CHECK(reader.next()->at("i").as<std::uint64_t>()[0] == i);
  }
}

TEST_CASE("a file cut right before its seek table is whole but told apart") {
  const ScratchFolder folder;
  write_document(folder.file("x.safetensors.zst"), mixed_document(1));
  write_document(folder.file("x.tzs"), mixed_document(1));
  write_document(folder.file("x.safetensors"), mixed_document(1));
  const auto lacks = [&](const std::string& name) {
    TensorReader reader(folder.file(name));
    while (reader.next()) {
    }
    return reader.lacks_seek_table();
  };
  for (const char* name : {"x.safetensors.zst", "x.tzs"}) {
    const std::string file = folder.get(name);
    folder.put("cut", file.substr(0, file.rfind(std::string("\x5e\x2a\x4d\x18", 4))));
    CHECK(!lacks(name));
    CHECK(lacks("cut"));
  }
  CHECK(!lacks("x.safetensors"));
}

TEST_CASE("a seek table with a wrong plain size is not used") {
  const ScratchFolder folder;
  const Document document = mixed_document(40);
  TensorWriteOptions options;
  options.frame_size = 64 << 10;
  write_document(folder.file("x.safetensors.zst"), document, options);
  TensorWriter writer(folder.file("x.tzs"), options);
  writer.write(document);
  writer.write(document);
  writer.finish();
  for (const char* name : {"x.safetensors.zst", "x.tzs"}) {
    const std::string file = folder.get(name);
    const std::size_t table = file.rfind(std::string("\x5e\x2a\x4d\x18", 4));
    for (const int bit : {0, 3, 16, 17}) {
      std::string damaged = file;
      const std::size_t byte = table + 8 + 12 * 3 + 4 + static_cast<std::size_t>(bit / 8);
      damaged[byte] = static_cast<char>(damaged[byte] ^ 1 << bit % 8);
      folder.put("damaged", damaged);
      TensorReader reader(folder.file("damaged"));
      REQUIRE(reader.next_info());
      check_random_rows(reader, document, 7);
    }
  }
}
