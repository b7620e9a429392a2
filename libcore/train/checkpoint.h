#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "libcore/kernels/gemm.h"
#include "libcore/options/option_fields.h"
#include "libcore/system/file_lock.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Adds a document's metadata and tensors to another one, with `prefix` before their names: the
/// best model so far in a checkpoint. The tensors are borrowed.
void add_nested(Document& to, const std::string& prefix, const Document& document);

/// A copy of a document added by add_nested(); null if there is no tensor with that prefix.
std::unique_ptr<Document> nested_document(const Document& in, const std::string& prefix);

/// XXH3 of metadata and tensors as text. Equal documents have equal texts; different ones almost
/// certainly do not.
std::string content_hash(const Document& document);

/// Options that must be equal when a training resumes: all described ones that change its result,
/// and the common ones that do.
OptionTexts run_options(const OptionFields& fields, std::uint64_t& seed, Precision& precision);

/// Options and inputs that must agree between the run that wrote a checkpoint and the run that
/// resumes from it.
struct RunIdentity {
  OptionTexts options;  ///< all options that change results
  /// Names for the user ("training data") and fingerprints, compared as text.
  std::map<std::string, std::string> inputs;
};

/// A checkpoint at `path`, and the one before it at `path`.prev (if `path` is a symbolic link,
/// beside the file that it leads to). At every moment one of the two is complete, so that a killed
/// run can resume. The object holds a lock on the checkpoint: two runs that write the same file
/// would undo each other's work.
class CheckpointFile {
 public:
  /// tool: name of the program; checkpoints of other programs are refused. writes: false on ranks
  /// that only read the checkpoint. Fails (cannot_create) if another run holds the lock.
  CheckpointFile(std::string path, std::string tool, RunIdentity identity, bool writes = true);

  /// Writes the caller's tensors and metadata (parameters, optimiser state, position) with the
  /// identity. Errors: cannot_create (73), io_error (74); the old checkpoint is then intact.
  void save(Document state) const;

  /// Loads the newest complete checkpoint; nothing if there is none. If the newest file is damaged,
  /// reports it and loads the one before; fails (bad_input) if both are. Fails (usage) with the
  /// differences if the checkpoint is of another run. places: destinations of large tensors, whose
  /// content is undefined after a damaged file.
  std::optional<Document> load(const TensorPlaces& places = {}) const;

  const std::string& path() const { return path_; }
  std::string previous_path() const { return target_ + ".prev"; }

 private:
  void keep_previous() const;
  void check_identity(const std::string& path, const Document& document) const;

  std::string path_;
  std::string target_;  ///< path_ with symbolic links followed
  std::string tool_;
  RunIdentity identity_;
  std::optional<FileLock> lock_;
};

}  // namespace frugal
