#include "libcore/train/checkpoint.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/io/document_gate.h"

namespace frugal {
namespace {

constexpr const char* kVersion = "1";
constexpr const char* kIdentityPrefix = "checkpoint.run.";
constexpr std::size_t kShown = 200;  ///< characters of a value in an error

std::string value_of(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? "" : found->second;
}

/// Of settings "a=1 b=2" those that differ from `other`'s, from the first of them on where these
/// are more or fewer; else the whole text.
std::string difference(const std::string& text, const std::string& other) {
  const auto words = split(text, ' '), others = split(other, ' ');
  const auto is_setting = [](std::string_view word) { return word.find('=') != word.npos; };
  if (!std::all_of(words.begin(), words.end(), is_setting)) return text;
  std::string differing;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool same_length = words.size() == others.size();
    const bool known = i < others.size() && words[i] == others[i];
    if (known && (same_length || differing.empty())) continue;
    (differing += differing.empty() ? "" : " ") += words[i];
  }
  return differing;
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

}  // namespace

CheckpointFile::CheckpointFile(std::string path, std::string tool, RunIdentity identity)
    : path_(std::move(path)),
      tool_(std::move(tool)),
      identity_(std::move(identity)),
      lock_(path_, FileLock::IfHeld::fail) {}

void CheckpointFile::save(Document state) const {
  state.metadata["frugal.version"] = kVersion;
  state.metadata["frugal.kind"] = "checkpoint";
  state.metadata["frugal.tool"] = tool_;
  for (const auto& [name, value] : identity_) state.metadata[kIdentityPrefix + name] = value;
  if (exists(path_)) keep_previous();
  write_document(path_, state);
}

/// A second name for the checkpoint that is about to be replaced: link and rename, so that `path_`
/// is there at every moment. File systems without hard links get a rename: then only .prev is there
/// for a moment.
void CheckpointFile::keep_previous() const {
  const std::string link = previous_path() + ".new";
  std::error_code error;
  std::filesystem::remove(link, error);
  std::filesystem::create_hard_link(path_, link, error);
  if (error) {
    std::filesystem::rename(path_, previous_path(), error);
  } else {
    std::filesystem::rename(link, previous_path(), error);
  }
  if (error) {
    unlink(link.c_str());
    fail(ExitStatus::cannot_create, previous_path(),
         ": cannot keep the previous checkpoint: ", error.message());
  }
}

std::optional<Document> CheckpointFile::load(const TensorPlaces& places) const {
  TensorReadOptions options;
  options.places = places;
  std::string damage;
  for (const std::string& path : {path_, previous_path()}) {
    if (!exists(path)) continue;
    try {
      Document document = read_document(path, options);
      check_identity(path, document);
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
  for (const auto& [name, value] : identity_) {
    const std::string found = value_of(document.metadata, kIdentityPrefix + name);
    if (found == value) continue;
    fail(ExitStatus::usage, path, ": cannot resume: the ", name,
         " differs (checkpoint: ", printable(difference(found, value), kShown),
         "; this run: ", printable(difference(value, found), kShown), ")");
  }
}

}  // namespace frugal
