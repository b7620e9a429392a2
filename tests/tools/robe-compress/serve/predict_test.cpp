#include "tools/robe-compress/serve/predict.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/text_file.h"
#include "tests/tools/robe-compress/click_samples.h"
#include "tools/robe-compress/data/click_source.h"
#include "tools/robe-compress/model/click_model.h"

using namespace frugal;
using namespace frugal::robe;

namespace {

std::string path_of_model(const TextFile& file, const std::string& method,
                          std::optional<Storage> storage = std::nullopt) {
  const TextFile data(click_text(600, 1), ".csv");
  TrainOptions options = small_options(data.path());
  options.embedding.method = method;
  if (storage) options.embedding.storage = *storage;
  options.model = file.path();
  train(options, {});
  return file.path();
}

std::vector<float> logits_of(const ClickModel& model, const std::string& data) {
  ClickSource source(data, {}, model.encoder, Labels::ignored);
  ClickBatch batch;
  std::vector<float> all;
  ClickPredictor predictor(*model.embedding, *model.network);
  while (source.next(batch, 100)) {
    if (model.source) check_used(model, batch, "model");
    const auto logits = predictor.logits(batch);
    all.insert(all.end(), logits.begin(), logits.end());
  }
  return all;
}

}  // namespace

TEST_CASE("an opened model predicts as a loaded one, mapped or not") {
  const TextFile test(click_text(250, 2), ".csv");
  for (const std::string method : {"full", "robe", "qr"}) {
    for (const std::string suffix : {".safetensors", ".zst"}) {
      const TextFile file("", suffix);
      const std::string path = path_of_model(file, method);
      const ClickModel opened = open_model(path, Precision::f32);
      CHECK((opened.source != nullptr) == (suffix == ".safetensors"));
      CHECK(logits_of(opened, test.path()) == logits_of(load_model(path), test.path()));
    }
  }
}

TEST_CASE("an opened model predicts from every storage") {
  const TextFile test(click_text(250, 2), ".csv");
  for (const Storage storage : {Storage::f32, Storage::bf16, Storage::int8, Storage::int4}) {
    const TextFile file("", ".safetensors");
    const std::string path = path_of_model(file, "robe", storage);
    const ClickModel opened = open_model(path, Precision::f32);
    CHECK(opened.source != nullptr);
    CHECK(logits_of(opened, test.path()) == logits_of(load_model(path), test.path()));
  }
}

TEST_CASE("a table's numbers that are not finite are refused where samples use them") {
  const TextFile file("", ".safetensors"), test(click_text(250, 2), ".csv"),
      unknown("click,user,item,x\n0,nobody,nothing,0.5\n", ".csv");
  const std::string path = path_of_model(file, "full");
  Document document = read_document(path);
  document.at("embedding.array").as<float>()[8] = std::nanf("");  // row 1, of the first user
  write_document(path, document);
  const ClickModel opened = open_model(path, Precision::f32);
  CHECK(error_of([&] { logits_of(opened, test.path()); }) ==
        "65 model: tensor 'embedding.array' has a nan, expected finite numbers");
  CHECK(logits_of(opened, unknown.path()).size() == 1);

  // A blank more in the header, and no element is aligned: tensors are copied, and checked at once.
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), sizeof header);
  bytes.insert(sizeof header + header, " ");
  ++header;
  std::memcpy(bytes.data(), &header, sizeof header);
  const TextFile moved(bytes, ".safetensors");
  CHECK(error_of([&] { open_model(moved.path(), Precision::f32); }) ==
        "65 " + moved.path() + ": tensor 'embedding.array' has a nan, expected finite numbers");
}
