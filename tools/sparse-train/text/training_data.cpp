#include "tools/sparse-train/text/training_data.h"

#include <sys/stat.h>

#include <filesystem>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/log.h"
#include "tools/sparse-train/data/data_gaps.h"
#include "tools/sparse-train/data/example_formats.h"
#include "tools/sparse-train/data/tensor_data.h"
#include "tools/sparse-train/text/dataset_writer.h"

namespace frugal::sparse {
namespace {

constexpr const char* kSource = "data.source";
constexpr const char* kSeal = "data.seal";

/// Says what a cache was made from; "" for pipes, whose content nobody knows.
std::string source_text(const DataRequest& request) {
  struct stat status = {};
  if (request.path == "-" || stat(request.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return "";
  }
  const std::string name = std::filesystem::absolute(request.path).string();
  const std::string text =
      name + " " + std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) +
      "." + std::to_string(status.st_mtim.tv_nsec) + " " + options_text(request.features) +
      " skip_bad=" + std::to_string(request.features.skip_bad) +
      (request.normalize ? " normalize" : "") + (request.keep_names ? " names" : "");
  return "1 " + std::to_string(hash_bytes(text)) + " " + std::to_string(status.st_size);
}

std::string value_of(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? "" : found->second;
}

Metadata read_metadata(const std::string& path) {
  const auto info = TensorReader(path).next_info();
  return info ? info->metadata : Metadata();
}

/// The header alone decides whether a file is a cache, and of these data.
bool is_usable(const std::string& cache, const std::string& source) {
  std::error_code ignored;
  if (!std::filesystem::exists(cache, ignored)) return false;
  std::string found;
  try {
    found = value_of(read_metadata(cache), kSource);
  } catch (const Error& error) {
    if (error.status() != ExitStatus::bad_input) throw;
  }
  if (found.empty()) {
    fail(ExitStatus::usage, "--cache ", cache,
         " is there and is no cache, expected one or the name of a new file");
  }
  if (found == source) return true;
  log_info(cache, " is of other data or options: it is made anew");
  return false;
}

/// Equal for equal data and featurizers only.
std::string seal_of(const Featurizer& featurizer, const Dataset& data) {
  Document document;
  featurizer.save(document);
  std::uint64_t hash = 0;
  for (const auto& [key, value] : document.metadata) hash = hash_bytes(value, hash);
  for (const Tensor& t : document.tensors) hash = hash_bytes(t.bytes.data(), t.bytes.size(), hash);
  return fingerprint(data) + " " + std::to_string(hash);
}

std::optional<TrainingData> from_cache(const DataRequest& request, const std::string& source) {
  if (!is_usable(request.cache, source)) return std::nullopt;
  FeatureOptions options;  // but for limits, the cache knows how its features were made
  options.format = kTensorFormat;
  options.max_memory = request.features.max_memory;
  options.cache_dir = request.features.cache_dir;
  options.skip_bad = request.features.skip_bad;
  try {
    Featurizer featurizer(options);
    Dataset data = featurizer.fit(request.cache);
    if (seal_of(featurizer, data) == value_of(read_metadata(request.cache), kSeal)) {
      return TrainingData{std::move(featurizer), std::move(data), true};
    }
    log_warning(request.cache, ": is damaged: it is made anew");
  } catch (const Error& error) {
    log_warning(error.what(), ": the cache is made anew");
  }
  return std::nullopt;
}

void write_cache(const DataRequest& request, const std::string& source, const TrainingData& made) {
  Document rest;
  made.featurizer.save(rest);
  rest.metadata[kSource] = source.empty() ? "none" : source;
  rest.metadata[kSeal] = seal_of(made.featurizer, made.data);
  write_tensor_data(request.cache, made.data, rest);
}

}  // namespace

TrainingData read_training_data(const DataRequest& request, std::optional<Featurizer> init) {
  const bool use_cache = !request.cache.empty();
  if (use_cache && init) {
    fail(ExitStatus::usage, "--cache and --init are given, expected one of them");
  }
  const std::string source = use_cache ? source_text(request) : "";
  if (use_cache) {
    if (auto cached = from_cache(request, source)) return std::move(*cached);
  }
  const bool extends = init.has_value();
  if (extends) init->set_input(request.features);
  TrainingData made{extends ? std::move(*init) : Featurizer(request.features), {}};
  made.data = extends ? made.featurizer.extend(request.path) : made.featurizer.fit(request.path);
  if (request.keep_names) made.featurizer.learn_names(request.path);
  sort_features(made.data);
  if (request.normalize) normalize_rows(made.data);
  if (use_cache) write_cache(request, source, made);
  return made;
}

ConvertResult convert_data(const ConvertOptions& options, std::optional<Featurizer> model) {
  if (model) model->set_input(options.features);
  Featurizer featurizer =
      model ? std::move(*model) : Featurizer(with_default_ngrams(options.features));
  Dataset data = model ? featurizer.read(options.data) : featurizer.fit(options.data);
  warn_of_gaps(options.data, data, options.model.empty() ? "" : "the model");
  featurizer.take_labels(data);
  sort_features(data);
  Document rest;
  featurizer.save(rest);
  write_tensor_data(options.output, data, rest);
  return {data.size(), data.num_features, data.num_labels};
}

}  // namespace frugal::sparse
