#include <fcntl.h>
#include <unistd.h>

#include "tests/libcore/tensors/tensor_samples.h"

using namespace frugal;
using namespace samples;

namespace {

/// About 3 kB.
Document small_document(std::uint64_t seed) {
  Document document;
  document.metadata["frugal.kind"] = "model";
  document.tensors.push_back(normal_tensor("weight", {10, 50}, seed));
  document.tensors.push_back(sorted_tensor("ids", 60, seed));
  document.tensors.push_back(random_tensor("mask", Dtype::boolean, {40}, seed));
  return document;
}

struct Outcome {
  int right = 0;
  int refused = 0;
  int wrong = 0;
};

/// Reads the file in every way there is and counts what came out.
Outcome outcome(const std::string& path, const std::vector<Document>& expected) {
  Outcome result;
  const auto count = [&](const std::function<bool()>& is_right) {
    try {
      ++(is_right() ? result.right : result.wrong);
    } catch (const Error& error) {
      const bool honest =
          error.status() == ExitStatus::bad_input || error.status() == ExitStatus::unavailable;
      ++(honest ? result.refused : result.wrong);
    }
  };
  count([&] {
    const auto read = read_all(path);
    if (read.size() != expected.size()) return false;
    for (std::size_t i = 0; i < read.size(); ++i) {
      if (!same(expected[i], read[i])) return false;
    }
    return true;
  });
  count([&] {
    TensorReader reader(path);
    const auto info = reader.next_info();
    if (!info) return false;
    const Tensor& whole = expected[0].at("weight");
    const Tensor rows = reader.read_rows("weight", 3, 5);
    return rows.bytes.size() == 400 &&
           std::memcmp(rows.bytes.data(), whole.bytes.data() + 600, 400) == 0;
  });
  return result;
}

void check_every_flip_and_cut(const ScratchFolder& folder, const std::string& name,
                              const std::vector<Document>& expected) {
  const std::string file = folder.get(name);
  const std::string path = folder.file("damaged");
  CHECK(file.size() > 2000);
  CHECK(file.size() < 6000);
  int wrong = 0, refused = 0;
  // Changed in place: some file systems write a file that is replaced to the disk at once.
  folder.put("damaged", file);
  const int descriptor = open(path.c_str(), O_WRONLY);
  REQUIRE(descriptor >= 0);
  for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
    const char flipped = static_cast<char>(file[bit / 8] ^ 1 << bit % 8);
    REQUIRE(pwrite(descriptor, &flipped, 1, static_cast<off_t>(bit / 8)) == 1);
    const Outcome o = outcome(path, expected);
    if (o.wrong != 0) MESSAGE("bit ", bit % 8, " of byte ", bit / 8);
    wrong += o.wrong;
    refused += o.refused;
    REQUIRE(pwrite(descriptor, &file[bit / 8], 1, static_cast<off_t>(bit / 8)) == 1);
  }
  CHECK(wrong == 0);
  CHECK(static_cast<std::size_t>(refused) > file.size() * 8);
  for (std::size_t size = file.size(); size-- > 0;) {
    REQUIRE(ftruncate(descriptor, static_cast<off_t>(size)) == 0);
    const Outcome o = outcome(path, expected);
    if (o.wrong != 0) MESSAGE("cut at ", size);
    wrong += o.wrong;
  }
  close(descriptor);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("no flipped bit and no cut of a file gives a wrong result") {
  const ScratchFolder folder;
  const Threads one(1);
  std::vector<Document> documents;
  documents.push_back(small_document(1));
  write_document(folder.file("x.safetensors.zst"), documents[0]);
  check_every_flip_and_cut(folder, "x.safetensors.zst", documents);
}

TEST_CASE("no flipped bit and no cut of a stream gives a wrong result") {
  const ScratchFolder folder;
  const Threads one(1);
  std::vector<Document> documents;
  TensorWriter writer(folder.file("x.tzs"));
  documents.push_back(small_document(2));
  writer.write(documents.back());
  documents.emplace_back().tensors.push_back(random_tensor("a", Dtype::u8, {30}, 3));
  writer.write(documents.back());
  writer.finish();
  check_every_flip_and_cut(folder, "x.tzs", documents);
}

TEST_CASE("no flipped bit in a file of several frames gives a wrong result") {
  const ScratchFolder folder;
  const Document document = mixed_document(8);
  TensorWriteOptions options;
  options.frame_size = 64 << 10;
  write_document(folder.file("x.safetensors.zst"), document, options);
  const std::string file = folder.get("x.safetensors.zst");
  Rng rng(11);
  for (int i = 0; i < 200; ++i) {
    std::string damaged = file;
    const std::size_t at = rng.below(damaged.size());
    damaged[at] = static_cast<char>(damaged[at] ^ 1 << rng.below(8));
    folder.put("damaged", damaged);
    bool right = false;
    const std::string error =
        error_of([&] { right = same(document, read_document(folder.file("damaged"))); });
    CHECK((right || error.substr(0, 2) == "65"));
  }
}
