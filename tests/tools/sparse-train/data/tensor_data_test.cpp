#include "tools/sparse-train/data/tensor_data.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/text_file.h"
#include "tools/sparse-train/text/training_data.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

using Ids = std::vector<std::uint32_t>;

template <class T>
Tensor tensor(const std::string& name, const std::vector<T>& values) {
  return Tensor::copy_of<T>(name, {values.size()}, values);
}

/// Two examples: features {0: 1, 2: 2} and {1: 3}, labels {1} and {0, 1}.
Document csr() {
  Document document;
  document.tensors.push_back(tensor<std::int64_t>("features.indptr", {0, 2, 3}));
  document.tensors.push_back(tensor<std::int32_t>("features.indices", {0, 2, 1}));
  document.tensors.push_back(tensor<double>("features.values", {1, 2, 3}));
  document.tensors.push_back(tensor<std::int64_t>("labels.indptr", {0, 1, 3}));
  document.tensors.push_back(tensor<std::int64_t>("labels.indices", {1, 0, 1}));
  return document;
}

void replace(Document& document, Tensor with) {
  const auto found = std::find_if(document.tensors.begin(), document.tensors.end(),
                                  [&with](const Tensor& t) { return t.name == with.name; });
  if (found != document.tensors.end()) *found = std::move(with);
}

TrainingData read(const TextFile& file, const FeatureOptions& options) {
  DataRequest request;
  request.path = file.path();
  request.features = options;
  return read_training_data(request);
}

Dataset fit(const Document& document, const char* suffix = ".safetensors") {
  const TextFile file("", suffix);
  write_document(file.path(), document);
  return Featurizer(FeatureOptions{}).fit(file.path());
}

std::string fit_error(const Document& document) {
  std::string error = error_of([&] { fit(document); });
  const std::size_t colon = error.find(": ");
  return error.substr(0, 2) + error.substr(colon);
}

}  // namespace

TEST_CASE("tensors of all integer and float types are data") {
  for (const char* suffix : {".safetensors", ".safetensors.zst", ".tzs"}) {
    const Dataset data = fit(csr(), suffix);
    REQUIRE(data.size() == 2);
    CHECK(data.num_features == 3);
    CHECK(data.num_labels == 2);
    CHECK(data.features_of(0)[1] == 2);
    CHECK(data.values_of(1)[0] == 3);
    CHECK(data.labels_of(1).size() == 2);
  }
  Document half = csr();
  replace(half, tensor<Float16>("features.values", {to_float16(1), to_float16(2), to_float16(3)}));
  replace(half, tensor<std::uint64_t>("labels.indices", {1, 0, 1}));
  CHECK(fingerprint(fit(half)) == fingerprint(fit(csr())));
}

TEST_CASE("tensors that lie in a file as they are used are mapped, others are converted") {
  // Each one of another type among four that could be mapped.
  const auto with = [](std::vector<Tensor> others) {
    Document document;
    document.tensors.push_back(tensor<std::uint64_t>("features.indptr", {0, 2, 3}));
    document.tensors.push_back(tensor<std::uint32_t>("features.indices", {0, 2, 1}));
    document.tensors.push_back(tensor<float>("features.values", {1, 2, 3}));
    document.tensors.push_back(tensor<std::uint64_t>("labels.indptr", {0, 1, 3}));
    document.tensors.push_back(tensor<std::uint32_t>("labels.indices", {1, 0, 1}));
    for (Tensor& other : others) replace(document, std::move(other));
    return document;
  };
  const auto expected = fingerprint(fit(csr()));
  CHECK(fingerprint(fit(with({}))) == expected);
  std::vector<Tensor> others;
  others.push_back(tensor<std::uint32_t>("features.indptr", {0, 2, 3}));
  others.push_back(tensor<std::uint64_t>("features.indices", {0, 2, 1}));
  others.push_back(tensor<double>("features.values", {1, 2, 3}));
  others.push_back(tensor<std::uint32_t>("labels.indptr", {0, 1, 3}));
  others.push_back(tensor<std::uint64_t>("labels.indices", {1, 0, 1}));
  for (Tensor& other : others) {
    CAPTURE(other.name);
    std::vector<Tensor> one;
    one.push_back(std::move(other));
    CHECK(fingerprint(fit(with(std::move(one)))) == expected);
  }
}

TEST_CASE("dense features lose their zeros, and one label an example may stand in one tensor") {
  Document document;
  document.tensors.push_back(
      Tensor::copy_of<float>("features", {2, 3}, std::vector<float>{1, 0, 2, 0, 3, 0}));
  document.tensors.push_back(tensor<std::int32_t>("labels", {0, -1}));
  const Dataset data = fit(document);
  CHECK(data.num_features == 3);
  CHECK(data.features == Ids{0, 2, 1});
  CHECK(data.values == std::vector<float>{1, 2, 3});
  CHECK(data.labels == Ids{0});
  CHECK(data.labels_of(1).empty());
}

TEST_CASE("labels -1 and 1 alone are two classes") {
  Document document;
  document.tensors.push_back(
      Tensor::copy_of<float>("features", {3, 1}, std::vector<float>{1, 2, 3}));
  document.tensors.push_back(tensor<std::int32_t>("labels", {1, -1, -1}));
  const TextFile file("", ".safetensors");
  write_document(file.path(), document);
  Featurizer featurizer{FeatureOptions()};
  CHECK(featurizer.fit(file.path()).labels == Ids{1, 0, 0});
  CHECK(featurizer.label_names() == std::vector<std::string>{"-1", "1"});
}

TEST_CASE("what was parsed once is the same data and the same vocabulary") {
  const TextFile text("x,a b c\ny,b d\nx,a c\n", ".csv"), out("", ".safetensors");
  FeatureOptions options;
  options.weighting = "auto";
  const ConvertResult result = convert_data({text.path(), out.path(), "", options}, {});
  CHECK(result.examples == 3);
  const TrainingData a = read(text, options);
  const TrainingData b = read(out, options);
  CHECK(fingerprint(a.data) == fingerprint(b.data));
  CHECK(b.featurizer.label_names() == std::vector<std::string>{"x", "y"});
  CHECK(fingerprint(b.featurizer.read(text.path())) == fingerprint(a.featurizer.read(text.path())));
  Featurizer other(options);
  const TextFile different("x,e f\n", ".csv");
  other.fit(different.path());
  CHECK(error_of([&] { other.read(out.path()); }).find("are not those of the model") !=
        std::string::npos);
}

TEST_CASE("tensors that contradict themselves are refused with the element") {
  const auto with = [](Tensor bad) {
    Document document = csr();
    replace(document, std::move(bad));
    return fit_error(document);
  };
  CHECK(with(tensor<std::int64_t>("features.indptr", {0, 5, 3})) ==
        "65: tensor 'features.indptr', element 2 is 3 after 5, expected places that ascend");
  CHECK(with(tensor<std::int64_t>("features.indptr", {0, 2, 4})) ==
        "65: tensor 'features.indptr' goes from 0 to 4, expected 0 to 3, the number of indices");
  CHECK(with(tensor<std::int64_t>("features.indptr", {0, 3})) ==
        "65: has features of 1 examples and labels of 2, expected equally many");
  CHECK(with(tensor<std::int32_t>("features.indices", {0, -2, 1})) ==
        "65: tensor 'features.indices', element 1 is -2, expected a number from 0 to 4294967294");
  CHECK(with(tensor<double>("features.values", {1, 2})) ==
        "65: tensor 'features.values' has 2 elements, expected 3");
  CHECK(with(tensor<double>("features.values", {1, INFINITY, 2})) ==
        "65: tensor 'features.values', element 1 is not finite, expected finite numbers");
  CHECK(with(tensor<float>("labels.indices", {1, 0, 1}))
            .starts_with("65: tensor 'labels.indices', element 0 is a number with decimals"));
  Document limited = csr();
  limited.metadata["data.labels"] = "1";
  CHECK(fit_error(limited) ==
        "65: tensor 'labels.indices', element 0 is 1, expected an id below 1");
  CHECK(fit_error(Document{}).find("has no tensor 'features.indptr'") != std::string::npos);
}
