#include "tools/sparse-train/search/trial_log.h"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/streams/json_text.h"
#include "libcore/streams/strict_json.h"
#include "libcore/system/output_links.h"
#include "libcore/system/output_paths.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/sparse-train/settings/train_fields.h"

namespace frugal::sparse {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTrialsKey = "sparse-train.trials";
constexpr const char* kHits = ".hits";
constexpr const char* kPrunedHits = ".pruned_hits";

std::string tensor_name(std::size_t entry, const char* what) {
  return "trial." + std::to_string(entry) + what;
}

std::vector<std::uint8_t> hits_of(const Document& state, const std::string& name) {
  const auto hits = state.at(name).as<std::uint8_t>();
  return {hits.begin(), hits.end()};
}

void add_hits(const std::string& name, const std::vector<std::uint8_t>& hits, Document& state) {
  state.tensors.push_back(Tensor::copy_of<std::uint8_t>(name, {hits.size()}, hits));
}

}  // namespace

TrialLog::TrialLog(const TrainOptions& options)
    : path_(options.checkpoint), resumes_(options.resume), options_(training_options(options)) {}

void TrialLog::begin(const std::string& text_fingerprint) {
  const std::string previous = follow_links(path_) + ".prev";
  const bool is_lost = is_missing(path_) || metadata_of(path_).empty();  // or damaged
  const bool goes_on = resumes_ && is_trial_log(is_lost ? previous : path_);
  // The checkpoint of a training is worth more than folds of a search.
  if (resumes_ && !goes_on && !is_missing(path_)) return;
  file_ = std::make_unique<CheckpointFile>(
      path_, "sparse-train", RunIdentity{options_, {{"text of the search", text_fingerprint}}});
  if (!goes_on) return;
  if (const std::optional<Document> state = file_->load()) load(*state);
}

void TrialLog::load(const Document& state) try {
  const auto found = state.metadata.find(kTrialsKey);
  if (found == state.metadata.end()) return;
  for (const Json& one : parse_json<Json>(found->second, "")) {
    Entry entry;
    entry.candidate = candidate_from(one.at("settings").get<std::map<std::string, std::string>>());
    entry.fold = whole_number<std::uint64_t>(one, "fold");
    entry.result = {hits_of(state, tensor_name(entries_.size(), kHits)),
                    hits_of(state, tensor_name(entries_.size(), kPrunedHits)),
                    one.at("cpu_seconds").get<double>(), one.value("given_up", false)};
    entries_.push_back(std::move(entry));
  }
  num_saved_ = entries_.size();
  log_info("going on with ", format_count(num_saved_, "finished training"), " of the search");
} catch (const std::exception& error) {
  fail(ExitStatus::bad_input, path_, ": the search that it stores is damaged: ", error.what());
}

const FoldResult* TrialLog::find(const TextCandidate& candidate, std::uint64_t fold) const {
  for (const Entry& entry : entries_) {
    if (entry.fold == fold && entry.candidate == candidate) return &entry.result;
  }
  return nullptr;
}

void TrialLog::add(const TextCandidate& candidate, std::uint64_t fold, FoldResult result) {
  entries_.push_back({candidate, fold, std::move(result)});
}

void TrialLog::save() {
  if (!file_ || entries_.size() == num_saved_) return;
  Document state;
  Json trials = Json::array();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    Json& one = trials.emplace_back();
    for (const auto& [name, value] : settings_of(entry.candidate)) one["settings"][name] = value;
    one["fold"] = entry.fold;
    one["cpu_seconds"] = entry.result.cpu_seconds;
    if (entry.result.given_up) one["given_up"] = true;
    add_hits(tensor_name(i, kHits), entry.result.hits, state);
    add_hits(tensor_name(i, kPrunedHits), entry.result.pruned_hits, state);
  }
  state.metadata[kTrialsKey] = trials.dump();
  file_->save(std::move(state));
  num_saved_ = entries_.size();
  log_verbose("checkpoint written after ", format_count(num_saved_, "training"), " of the search");
}

Metadata metadata_of(const std::string& path) {
  try {
    const std::optional<DocumentInfo> info = TensorReader(path).next_info();
    return info ? info->metadata : Metadata();
  } catch (const Error& error) {
    const ExitStatus status = error.status();
    if (status != ExitStatus::bad_input && status != ExitStatus::cannot_open) throw;
    return {};
  }
}

bool is_trial_log(const std::string& path) { return metadata_of(path).contains(kTrialsKey); }

}  // namespace frugal::sparse
