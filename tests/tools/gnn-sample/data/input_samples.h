#pragma once
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/text_file.h"
#include "tools/gnn-sample/formats/graph_input.h"

namespace frugal::gnn {

using Edge = std::pair<NodeId, NodeId>;

inline std::vector<Edge> edges_of(const EdgeList& list) {
  std::vector<Edge> edges;
  for (const EdgeChunk& chunk : list.chunks) {
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      edges.emplace_back(chunk.sources[i], chunk.targets[i]);
    }
  }
  return edges;
}

/// The error of reading `text` as a graph, with FILE for its path.
inline std::string graph_error(std::string_view text, const GraphReadOptions& options = {},
                               const std::string& format = "auto",
                               const std::string& suffix = ".txt") {
  const TextFile file(text, suffix);
  std::string error = error_of([&] { read_graph_input(file.path(), format, options); });
  for (std::size_t at; (at = error.find(file.path())) != std::string::npos;) {
    error.replace(at, file.path().size(), "FILE");
  }
  return error;
}

inline GraphInput graph_of(std::string_view text, const GraphReadOptions& options = {},
                           const std::string& format = "auto", const std::string& suffix = ".txt") {
  const TextFile file(text, suffix);
  return read_graph_input(file.path(), format, options);
}

/// A folder in the temporary folder, gone with the object.
class Folder {
 public:
  Folder() {
    const char* parent = std::getenv("TMPDIR");
    path_ = std::string(parent != nullptr ? parent : "/tmp") + "/frugal-test-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }
  std::string add(const std::string& name, std::string_view content) const {
    const std::filesystem::path file = path_ + "/" + name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }

 private:
  std::string path_;
};

}  // namespace frugal::gnn
