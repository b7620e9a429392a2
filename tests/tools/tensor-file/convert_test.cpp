#include "tools/tensor-file/convert.h"

#include <sys/stat.h>

#include <thread>

#include "libcore/arrays/npy.h"
#include "tests/libcore/tensors/tensor_samples.h"

namespace frugal::tensor_file {
namespace {

using namespace samples;

constexpr std::uint64_t kNoDocument = 0, kAnyDocument = std::uint64_t{1} << 40;

ConvertResult run(const std::string& input, const std::string& output, std::uint64_t whole_up_to,
                  std::optional<Dtype> dtype = {}) {
  ConvertOptions options;
  options.input = input;
  options.output = output;
  options.dtype = dtype;
  options.whole_up_to = whole_up_to;
  options.history_entry = "{}";
  return convert(options, [](double) {});
}

/// Several pieces of doubles, and elements whose rows end within a byte.
Document large_document() {
  Document document = mixed_document(30);
  document.metadata.clear();
  Tensor wide = Tensor::make("wide", Dtype::f64, {1, 3'000'000});
  const auto values = wide.as<double>();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1 + static_cast<double>(i) * 0x1p-40;
  values[2'500'000] = 1e300;
  document.tensors.push_back(std::move(wide));
  return document;
}

}  // namespace

TEST_CASE("pieces of a document become the bytes of the whole, in every format") {
  const ScratchFolder folder;
  Document document = large_document();
  for (const char* name : {"in.safetensors", "in.safetensors.zst", "in.tzs", "in.npz"}) {
    const std::string input = folder.file(name);
    if (input.ends_with(".npz")) {
      write_npz(input, document);
    } else {
      document.tensors.resize(6);
      document.tensors.push_back(random_tensor("nibbles", Dtype::f4, {20'002, 3}, 7));
      document.tensors.push_back(random_tensor("sixes", Dtype::f6_e3m2, {4'000'004, 1}, 8));
      TensorWriteOptions packed;
      packed.pack = input.ends_with(".tzs");
      write_document(input, document, packed);
      document.tensors.resize(6);
    }
    for (const std::string suffix : {".safetensors", ".safetensors.zst", ".tzs", ".npz"}) {
      if (suffix == ".npz" && !input.ends_with(".npz")) continue;
      CAPTURE(input + suffix);
      run(input, folder.file("whole" + suffix), kAnyDocument);
      run(input, folder.file("pieces" + suffix), kNoDocument);
      CHECK(folder.get("pieces" + suffix) == folder.get("whole" + suffix));
    }
  }
}

TEST_CASE("rounding by pieces is rounding of the whole, and counts what becomes infinite once") {
  const ScratchFolder folder;
  write_document(folder.file("in.safetensors"), large_document());
  for (const std::string suffix : {".safetensors", ".npz"}) {
    std::vector<std::string> losses;
    for (const std::uint64_t limit : {kAnyDocument, kNoDocument}) {
      const std::string output = folder.file(std::to_string(limit) + suffix);
      const auto result = run(folder.file("in.safetensors"), output, limit, Dtype::f16);
      if (limit == kAnyDocument) losses = result.losses;
      CHECK(result.losses == losses);
      CHECK(result.losses.at(0).find("'wide': 1 number is too large for F16") != std::string::npos);
    }
    CHECK(folder.get(std::to_string(kNoDocument) + suffix) ==
          folder.get(std::to_string(kAnyDocument) + suffix));
  }
}

TEST_CASE("a pipe in another order than the output's is read whole, in the output's by pieces") {
  const ScratchFolder folder;
  Document document = mixed_document(30);
  write_document(folder.file("sorted.safetensors"), document);
  std::string header = R"({"b":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                       R"("a":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})";
  folder.put("other.safetensors", std::string(1, static_cast<char>(header.size())) +
                                      std::string(7, '\0') + header + "bbaaaa");
  document = large_document();
  document.tensors.erase(document.tensors.begin(), document.tensors.end() - 1);
  TensorWriteOptions packing;
  packing.pack = true;
  write_document(folder.file("packed.tzs"), document, packing);
  for (const char* name : {"sorted.safetensors", "other.safetensors", "packed.tzs"}) {
    const std::string pipe = folder.file("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    std::thread writer([&] {
      const std::string bytes = folder.get(name);
      std::ofstream(pipe, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
    });
    run(pipe, folder.file("out.safetensors"), kNoDocument);
    writer.join();
    run(folder.file(name), folder.file("file.safetensors"), kNoDocument);
    CHECK(folder.get("out.safetensors") == folder.get("file.safetensors"));
    std::filesystem::remove(pipe);
  }
}

TEST_CASE("only names that say a format are written to") {
  const ScratchFolder folder;
  write_document(folder.file("in.safetensors"), mixed_document(1));
  for (const char* name : {"out", "out.pt", "out.safetensor", "out.SAFETENSORS", "out.npz.zst"}) {
    const std::string error =
        error_of([&] { run(folder.file("in.safetensors"), folder.file(name), 0); });
    CHECK(error.starts_with("2 "));
    CHECK(error.find(".tzs (a stream") != std::string::npos);
  }
  CHECK(folder.names() == std::vector<std::string>{"in.safetensors"});
}

}  // namespace frugal::tensor_file
