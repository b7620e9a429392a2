#include "tools/sparse-train/model/model.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "libcore/base/rng.h"
#include "tests/support/text_file.h"
#include "tools/sparse-train/model/predict.h"
#include "tools/sparse-train/network/network_file.h"
#include "tools/sparse-train/run/training.h"
#include "tools/sparse-train/steps/trainer.h"
#include "tools/sparse-train/text/record_featurizer.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

constexpr char kText[] =
    "animal,cat dog cat\nfruit,apple pear\nanimal,dog mouse\nfruit,pear plum apple\n";

/// Trains on kText; returns the model's document.
Document trained_document(const TextFile& model) {
  const TextFile data(kText, ".csv");
  TrainOptions options;
  options.data = data.path();
  options.model = model.path();
  options.features.weighting = "auto";
  options.history_entry = "{}";
  train(options, {});
  return read_document(model.path());
}

}  // namespace

TEST_CASE("a model holds features, labels and configuration: predict needs nothing else") {
  const TextFile file("", ".model");
  const Document document = trained_document(file);
  CHECK(document.metadata.at("format") == "pt");
  CHECK(document.metadata.at("frugal.kind") == "model");
  CHECK(document.metadata.at("frugal.tool") == "sparse-train");
  const Model model = load_model(file.path());
  CHECK(model.featurizer.label_names() == std::vector<std::string>{"animal", "fruit"});
  CHECK(model.featurizer.options().weighting == "tfidf");
  CHECK(model.label_counts.counts == std::vector<std::uint64_t>{2, 2});
  CHECK(model.label_counts.examples == 4);
  CHECK(model.network->shape.hidden == 15);
  Dataset data;
  RecordFeaturizer(model.featurizer).add("fruit,a pear", data);
  std::vector<float> h(model.network->hidden_stride());
  model.network->hidden_units({data.features_of(0), data.values_of(0)}, h.data());
  CHECK(h[15] == 1);
}

namespace {

/// Lines of 2 labels and many words. An answer looks up few of them.
std::string wordy_text() {
  Rng rng(4);
  std::string text;
  for (int i = 0; i < 400; ++i) {
    text += i % 2 == 0 ? "even,even" : "odd,odd";
    for (int j = 0; j < 20; ++j) text += " w" + std::to_string(rng.below(4000));
    text += '\n';
  }
  return text;
}

/// The answers to some lines, and the second that `model` is asked last.
std::vector<ScoredLabel> answers_of(const Model& model, const std::string& path) {
  std::vector<ScoredLabel> all;
  const auto scorer = make_scorer(model, {.top_k = 2});
  RecordFeaturizer featurizer(model.featurizer);
  for (int i = 0; i < 40; ++i) {
    Dataset data;
    featurizer.add("even,odd w" + std::to_string(7 * i) + " w" + std::to_string(11 * i) + " new",
                   data);
    if (model.source) check_used(model, data, path);
    if (model.normalize) normalize_rows(data);
    for (const ScoredLabel& s : scorer->predict(data, 0, 1)) all.push_back(s);
  }
  return all;
}

}  // namespace

TEST_CASE("an opened model answers as a loaded one, mapped or not") {
  const TextFile data(wordy_text(), ".csv");
  for (const char* const architecture : {"dense", "tree", "hybrid"}) {
    for (const char* const suffix : {".safetensors", ".zst"}) {
      const TextFile file("", suffix);
      TrainOptions options;
      options.data = data.path();
      options.model = file.path();
      options.settings.architecture = architecture;
      options.history_entry = "{}";
      train(options, {});
      const Model opened = open_model(file.path());
      CHECK((opened.source->mapping != nullptr) == (std::string(suffix) == ".safetensors"));
      const auto a = answers_of(load_model(file.path()), "");
      Model many = open_model(file.path());
      prepare_for_many(many, file.path());
      for (const Model* const model : {&opened, static_cast<const Model*>(&many)}) {
        const auto b = answers_of(*model, file.path());
        REQUIRE(a.size() == b.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
          CHECK(a[i].label == b[i].label);
          CHECK(a[i].score == b[i].score);
        }
      }
    }
  }
}

TEST_CASE("numbers that are not finite are refused in an opened model where they are used") {
  const TextFile file("", ".safetensors");
  Document document = trained_document(file);
  const auto error_with = [&](const std::string& tensor, const std::string& line) {
    Document changed = document.clone();
    changed.at(tensor).as<float>()[0] = std::nanf("");  // of the most frequent word, cat or apple
    write_document(file.path(), changed);
    return error_of([&] {
      const Model model = open_model(file.path());
      Dataset data;
      RecordFeaturizer(model.featurizer).add(line, data);
      check_used(model, data, file.path());
    });
  };
  const std::string first = "65 " + file.path() + ": tensor '";
  const std::string rest = "' has a nan, expected finite numbers";
  const std::string with = "?,cat dog apple pear", without = "?,plum mouse";
  CHECK(error_with("features.weight", with) == first + "features.weight" + rest);
  CHECK(error_with("features.weight", without) == "no error");
  CHECK(error_with("features.idf", with) == first + "features.idf" + rest);
  CHECK(error_with("features.idf", without) == "no error");
  CHECK(error_with("labels.weight", without) == first + "labels.weight" + rest);

  // A small file reads what its lines use, a larger one the whole model.
  document.at("features.weight").as<float>()[0] = std::nanf("");
  write_document(file.path(), document);
  std::string many;
  while (many.size() < 70000) many += without + "\n";
  const TextFile few(without + "\n", ".csv"), large(many, ".csv"), answers("");
  const auto predict_of = [&](const TextFile& data) {
    PredictOptions options;
    options.model = file.path();
    options.data = data.path();
    options.output = answers.path();
    return error_of([&] { predict(options); });
  };
  CHECK(predict_of(few) == "no error");
  CHECK(predict_of(large) == first + "features.weight" + rest);
}

TEST_CASE("files that are no model of this program are refused with what they are") {
  const TextFile file("", ".model");
  Document document = trained_document(file);
  const auto error_with = [&](const std::string& key, const std::string& value) {
    Document changed{document.metadata, {}};
    for (const Tensor& t : document.tensors) {
      Tensor copy = Tensor::make(t.name, t.dtype, t.shape);
      std::memcpy(copy.bytes.data(), t.bytes.data(), t.bytes.size());
      changed.tensors.push_back(std::move(copy));
    }
    changed.metadata[key] = value;
    write_document(file.path(), changed);
    return error_of([&] { load_model(file.path()); });
  };
  const std::string path = file.path();
  CHECK(
      error_with("frugal.kind", "checkpoint") ==
      "65 " + path +
          ": found a file of kind 'checkpoint' of sparse-train, expected a model of sparse-train");
  CHECK(error_with("frugal.tool", "gnn-sample") ==
        "65 " + path +
            ": found a file of kind 'model' of gnn-sample, expected a model of sparse-train");
  CHECK(error_with("model.normalize", "True") ==
        "65 " + path + ": metadata 'model.normalize' is 'True', expected true or false");
  CHECK(error_with("model.version", "3") ==
        "65 " + path +
            ": model of version '3', expected 1 to 2: it was written by a newer sparse-train");
  CHECK(error_with("model.version", "new") ==
        "65 " + path + ": model of version 'new', expected 1 to 2");
  CHECK(error_with("model.parts", "network,oracle") ==
        "65 " + path + ": model has a part 'oracle', expected network or forest");
  CHECK(error_with("model.parts", "") ==
        "65 " + path + ": model has a part '', expected network or forest");
  CHECK(error_with("model.activation", "gelu") ==
        "65 " + path + ": metadata 'model.activation' is 'gelu', expected one of linear, relu");
  CHECK(error_with("model.hidden", "16").starts_with("65 " + path + ": features.weight is ["));
  CHECK(error_with("model.hidden", "many") ==
        "65 " + path + ": metadata 'model.hidden' is 'many', expected a whole number, 0 or more");
}

TEST_CASE("models of version 1 are read for ever") {
  const Model text = load_model(FRUGAL_SOURCE_DIR "/tests/golden/sparse-train-v1-text.model");
  Dataset data;
  RecordFeaturizer(text.featurizer).add("?,apple pear", data);
  const auto best = make_scorer(text, {.top_k = 3})->predict(data, 0, 1);
  CHECK(text.featurizer.label_names()[best[0].label] == "fruit");
  CHECK(best[0].score == doctest::Approx(0.815114));
  CHECK(best[2].score == doctest::Approx(0.0843364));

  const Model sparse = load_model(FRUGAL_SOURCE_DIR "/tests/golden/sparse-train-v1-sparse.model");
  data = Dataset();
  RecordFeaturizer(sparse.featurizer).add("4 4:1 5:1", data);
  normalize_rows(data);
  const auto ranking = make_scorer(sparse, {.top_k = 9})->predict(data, 0, 1);
  REQUIRE(ranking.size() == 5);
  CHECK(ranking[0].label == 4);
  CHECK(ranking[0].score == doctest::Approx(0.488457));
  CHECK(ranking[4].score == doctest::Approx(0.114858));
}

TEST_CASE("a training state comes back to the same bits") {
  Network network({10, 4, 15, Activation::relu, LossKind::softmax}, OptimizerKind::adagrad);
  network.initialize(5);
  *network.features.state(3) = 0.5F;
  Network copy({10, 4, 15, Activation::relu, LossKind::softmax}, OptimizerKind::adagrad);
  Document state;
  save_training_state(network, state);
  restore_training_state(state, "x", copy);
  CHECK(std::memcmp(network.features.data(), copy.features.data(), 10 * 16 * 4) == 0);
  CHECK(std::memcmp(network.labels.data(), copy.labels.data(), 4 * copy.labels.stride() * 4) == 0);
  Network other({11, 4, 15, Activation::relu, LossKind::softmax}, OptimizerKind::adagrad);
  CHECK(error_of([&] { restore_training_state(state, "x", other); }) ==
        "65 x: tensor 'features.rows' is [10, 16], expected [11, 16]");
}

TEST_CASE("fingerprints tell data apart") {
  Dataset a;
  a.features = {1, 2};
  a.values = {1, 1};
  a.labels = {0};
  a.feature_begin = {0, 2};
  a.label_begin = {0, 1};
  Dataset b = a;
  CHECK(fingerprint(a) == fingerprint(b));
  b.values[1] = 1.5F;
  CHECK(fingerprint(a) != fingerprint(b));
}
