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

/// Adds a document's metadata and tensors, which are lent, to another with `prefix` before their
/// names: the best model so far in a checkpoint.
void add_nested(Document& to, const std::string& prefix, const Document& document);

/// A copy of what add_nested() added; null where no tensor is behind that prefix.
std::unique_ptr<Document> nested_document(const Document& in, const std::string& prefix);

/// XXH3 of metadata and tensors, in words: equal documents have equal texts, others hardly ever.
std::string content_hash(const Document& document);

/// What a checkpoint must agree with: the described options of a training that change its result,
/// and the common ones that do.
OptionTexts run_options(const OptionFields& fields, std::uint64_t& seed, Precision& precision);

/// What must agree between the run that wrote a checkpoint and the run that goes on from it.
struct RunIdentity {
  OptionTexts options;  ///< all that change results
  /// Names for the user ("training data") and fingerprints, compared as text.
  std::map<std::string, std::string> inputs;
};

/// A checkpoint at `path`, with the one before it at `path`.prev: beside the file, where `path` is
/// a symbolic link to it. Writing never leaves a moment without a whole checkpoint on disk: a
/// killed run goes on from one of the two. While the object lives, the checkpoint is its own: two
/// runs that write one would each undo the other's work.
class CheckpointFile {
 public:
  /// `tool` is the program's name: another program's checkpoint is refused. Fails (cannot_create)
  /// where another run has the checkpoint.
  /// writes: false where another rank writes it, and this one only reads.
  CheckpointFile(std::string path, std::string tool, RunIdentity identity, bool writes = true);

  /// Writes parameters, optimiser state and position (the caller's tensors and metadata) with the
  /// identity. Errors: cannot_create (73), io_error (74); the old checkpoint is then intact.
  void save(Document state) const;

  /// The newest whole checkpoint, or nothing where there is none. A damaged newest file is reported
  /// and the one before it taken; fails (bad_input) if both are damaged, and (usage) if the
  /// checkpoint is of another run, naming what differs. places: where large tensors go, which are
  /// then whatever a damaged file has.
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
