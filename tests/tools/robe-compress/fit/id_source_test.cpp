#include "tools/robe-compress/fit/id_source.h"

#include <doctest/doctest.h>

#include "libcore/arrays/npy.h"
#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "tests/libcore/system/scratch_folder.h"

using namespace frugal;
using namespace frugal::robe;

namespace {

constexpr std::uint64_t kRows = 4'000'000'000;

std::vector<std::uint32_t> all_ids(const std::string& path, const std::string& form = "auto",
                                   std::uint64_t rows = kRows) {
  const auto source = open_ids(path, form, rows);
  std::vector<std::uint32_t> all, some;
  while (source->next(some)) {
    CHECK(!some.empty());
    all.insert(all.end(), some.begin(), some.end());
  }
  CHECK(!source->next(some));
  return all;
}

std::string id_refusal(const std::string& text) {
  const ScratchFolder folder;
  folder.put("ids", text);
  try {
    all_ids(folder.file("ids"), "text", 100);
  } catch (const Error& error) {
    const std::string message = error.what();
    return message.substr(folder.path().size() + 1);
  }
  return "";
}

}  // namespace

TEST_CASE("ids are the same from text and from tensors of any size, however they are cut") {
  const ScratchFolder folder;
  Rng rng(1);
  std::vector<std::uint32_t> ids(200'000);
  std::string text;
  for (std::uint32_t& id : ids) {
    id = static_cast<std::uint32_t>(rng.below(kRows) >> rng.below(32));
    text += std::to_string(id) + (rng.below(5) == 0 ? "\r\n" : "\n");
  }
  folder.put("ids.txt", text);
  CHECK(all_ids(folder.file("ids.txt")) == ids);
  text.pop_back();
  folder.put("ids.txt", text);
  CHECK(all_ids(folder.file("ids.txt")) == ids);
  write_npy(folder.file("ids.npy"), Tensor::copy_of<std::uint32_t>("", {ids.size()}, ids));
  CHECK(all_ids(folder.file("ids.npy")) == ids);
  TensorWriter writer(folder.file("ids.tzs"));
  for (const std::size_t begin : {0, 70'000, 140'000}) {
    const std::vector<std::int64_t> part(
        ids.begin() + static_cast<std::ptrdiff_t>(begin),
        ids.begin() + static_cast<std::ptrdiff_t>(std::min(begin + 70'000, ids.size())));
    Document document;
    document.tensors.push_back(Tensor::copy_of<std::int64_t>("x", {part.size()}, part));
    document.tensors.push_back(Tensor::make("y", Dtype::f32, {3}));
    writer.write(document);
  }
  writer.finish();
  CHECK(all_ids(folder.file("ids.tzs")) == ids);
}

TEST_CASE("what is no id says where it is") {
  CHECK(id_refusal("").empty());
  CHECK(id_refusal("1\n2\n100\n") == "ids:3: found '100', expected an id from 0 to 99");
  CHECK(id_refusal("1\n\n2\n") == "ids:2: found '', expected an id from 0 to 99");
  CHECK(id_refusal("1\n-1") == "ids:2: found '-1', expected an id from 0 to 99");
  CHECK(id_refusal("7\n" + std::string(1 << 20, 'q')).starts_with("ids:2: found 'qqq"));
  const std::string spaces(70, ' ');
  const std::string too_long = "expected an id from 0 to 99 in a line of at most 64 bytes";
  CHECK(id_refusal("7\n5" + spaces + "\n6\n") == "ids:2: found '5', " + too_long);
  CHECK(id_refusal("7\n5" + spaces) == "ids:2: found '5', " + too_long);
  const ScratchFolder folder;
  const std::vector<std::int8_t> ids = {1, -1};
  write_npy(folder.file("ids.npy"), Tensor::copy_of<std::int8_t>("", {2}, ids));
  CHECK_THROWS_WITH_AS(
      all_ids(folder.file("ids.npy")),
      (folder.file("ids.npy") + ": tensor 'ids', element 1: found -1, expected an id from 0 to " +
       std::to_string(kRows - 1))
          .c_str(),
      Error);
}
