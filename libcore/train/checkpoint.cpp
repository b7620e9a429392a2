#include "libcore/train/checkpoint.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <set>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/system/output_links.h"
#include "libcore/system/output_paths.h"
#include "libcore/tensors/document_gate.h"

namespace frugal {

void add_nested(Document& to, const std::string& prefix, const Document& document) {
  for (const auto& [key, value] : document.metadata) to.metadata[prefix + key] = value;
  for (const Tensor& t : document.tensors) {
    to.tensors.push_back({prefix + t.name, t.dtype, t.shape, {}, t.content()});
  }
}

std::unique_ptr<Document> nested_document(const Document& in, const std::string& prefix) {
  auto document = std::make_unique<Document>();
  for (const auto& [key, value] : in.metadata) {
    if (key.starts_with(prefix)) document->metadata[key.substr(prefix.size())] = value;
  }
  for (const Tensor& tensor : in.tensors) {
    if (!tensor.name.starts_with(prefix)) continue;
    document->tensors.push_back(tensor.clone());
    document->tensors.back().name = tensor.name.substr(prefix.size());
  }
  return document->tensors.empty() ? nullptr : std::move(document);
}

std::string content_hash(const Document& document) {
  std::uint64_t hash = 0;
  for (const auto& [key, value] : document.metadata) {
    hash = hash_bytes(value, hash_bytes(key, hash));
  }
  for (const Tensor& tensor : document.tensors) {
    hash = hash_bytes(tensor.name, hash);
    hash = hash_bytes(tensor.content().data(), tensor.content().size(), hash);
  }
  return std::to_string(hash);
}

OptionTexts run_options(const OptionFields& fields, std::uint64_t& seed, Precision& precision) {
  fields.add("--seed", seed, "of everything random");
  fields.add("--precision", precision, kPrecisionNames, "of products");
  return result_options(fields);
}

namespace {

constexpr const char* kVersion = "1";
constexpr const char* kInputPrefix = "checkpoint.run.";
constexpr const char* kOptionPrefix = "checkpoint.option.";
constexpr std::size_t kShown = 200;  ///< characters of a value in an error

std::string value_of(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? "" : found->second;
}

/// "--precision bf16: the checkpoint has f32".
std::string difference(const OptionText& option, const std::string& found) {
  OptionText other = option;
  other.value = found;
  std::string has = written(other);
  if (!option.flag) has.erase(0, option.name.size() + 1);
  return written(option) + ": the checkpoint has " + has;
}

/// Fails (usage) naming the options whose values differ.
void check_options(const std::string& path, const Metadata& metadata, const OptionTexts& options) {
  std::string differences, others;
  std::set<std::string> known;
  for (const OptionText& option : options) {
    const auto found = metadata.find(kOptionPrefix + option.name);
    known.insert(kOptionPrefix + option.name);
    if (found == metadata.end()) {
      (others += others.empty() ? "" : ", ") += option.name;
      continue;
    }
    if (found->second == option.value) continue;
    (differences += differences.empty() ? "" : "; ") += difference(option, found->second);
  }
  if (!differences.empty()) fail(ExitStatus::usage, path, ": cannot resume: ", differences);
  for (const auto& [key, value] : metadata) {
    if (!key.starts_with(kOptionPrefix) || known.contains(key)) continue;
    (others += others.empty() ? "" : ", ") +=
        printable(key.substr(std::string_view(kOptionPrefix).size()), kShown);
  }
  if (others.empty()) return;
  fail(ExitStatus::usage, path, ": cannot resume: only this run or only the checkpoint has ",
       others, "; expected the same options, and a checkpoint written by this version");
}

}  // namespace

CheckpointFile::CheckpointFile(std::string path, std::string tool, RunIdentity identity,
                               bool writes)
    : path_(std::move(path)),
      target_(follow_links(path_)),
      tool_(std::move(tool)),
      identity_(std::move(identity)) {
  if (writes) lock_.emplace(path_, FileLock::IfHeld::fail);
}

void CheckpointFile::save(Document state) const {
  state.metadata["frugal.version"] = kVersion;
  state.metadata["frugal.kind"] = "checkpoint";
  state.metadata["frugal.tool"] = tool_;
  for (const auto& [name, value] : identity_.inputs) state.metadata[kInputPrefix + name] = value;
  for (const OptionText& option : identity_.options) {
    state.metadata[kOptionPrefix + option.name] = option.value;
  }
  if (!is_missing(target_)) keep_previous();
  write_document(path_, state);
}

/// Gives the checkpoint that is about to be replaced a second name by link and rename, so that a
/// checkpoint exists at every moment. File systems without hard links need a rename: for a moment
/// only .prev exists.
void CheckpointFile::keep_previous() const {
  const std::string previous = previous_path(), link = previous + ".new";
  unlink(link.c_str());
  const char* const from =
      ::link(target_.c_str(), link.c_str()) == 0 ? link.c_str() : target_.c_str();
  if (rename(from, previous.c_str()) != 0) {
    const int error = errno;
    unlink(link.c_str());
    fail(ExitStatus::cannot_create, previous,
         ": cannot keep the previous checkpoint: ", errno_text(error));
  }
}

std::optional<Document> CheckpointFile::load(const TensorPlaces& places) const {
  TensorReadOptions options;
  options.places = places;
  std::string damage;
  for (const std::string& path : {path_, previous_path()}) {
    if (is_missing(path)) continue;
    try {
      Document document = read_document(path, options);
      check_identity(path, document);
      if (path != path_ && damage.empty()) log_warning(path_, " is missing: going on from ", path);
      return document;
    } catch (const Error& error) {
      if (error.status() != ExitStatus::bad_input) throw;
      log_warning(error.what());
      damage = error.what();
    }
  }
  if (!damage.empty()) fail(ExitStatus::bad_input, "no whole checkpoint to go on from: ", damage);
  return std::nullopt;
}

void CheckpointFile::check_identity(const std::string& path, const Document& document) const {
  try {
    check_document(document, path, {"a checkpoint of " + tool_, {"checkpoint"}, tool_});
  } catch (const Error& error) {
    fail(ExitStatus::usage, error.what());  // not damaged: the one before it is no substitute
  }
  check_options(path, document.metadata, identity_.options);
  for (const auto& [name, value] : identity_.inputs) {
    const std::string found = value_of(document.metadata, kInputPrefix + name);
    if (found == value) continue;
    const bool plural = name.substr(0, name.find(" of ")).ends_with('s');
    fail(ExitStatus::usage, path, ": cannot resume: the ", name,
         plural ? " differ (checkpoint: " : " differs (checkpoint: ", printable(found, kShown),
         "; this run: ", printable(value, kShown), ")");
  }
}

}  // namespace frugal
