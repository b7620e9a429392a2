#include <expat.h>

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/gnn-sample/formats/named_graph.h"

namespace frugal::gnn {
namespace {

constexpr int kReadBytes = 1 << 16;
/// The elements of GraphML as they come.
class GraphMlReader {
 public:
  GraphMlReader(GraphSource& source, const GraphReadOptions& options, GraphInput& input)
      : source_(source),
        graph_(source.name(), options, input),
        input_(input),
        progress_(options.progress) {
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), on_start, on_end);
    XML_SetCharacterDataHandler(parser_.get(), on_text);
    XML_SetStartDoctypeDeclHandler(parser_.get(), on_doctype);
  }

  void read() {
    for (bool at_end = false; !at_end;) {
      char* const buffer = static_cast<char*>(XML_GetBuffer(parser_.get(), kReadBytes));
      if (buffer == nullptr) throw std::bad_alloc();
      const std::size_t size = source_.read(buffer, kReadBytes);
      at_end = size == 0;
      pending_ += size;
      const XML_Status status =
          XML_ParseBuffer(parser_.get(), static_cast<int>(size), at_end ? 1 : 0);
      if (failure_) std::rethrow_exception(failure_);
      if (status != XML_STATUS_OK) bad(XML_ErrorString(XML_GetErrorCode(parser_.get())));
      if (pending_ > kMostValueBytes) bad("a tag is longer than " + format_bytes(kMostValueBytes));
      if (progress_) progress_(source_.bytes_read());
    }
    if (num_graphs_ == 0) bad("expected an element <graph>");
    graph_.finish();
    input_.listed_once = !directed_;
  }

 private:
  using Names = const XML_Char**;

  /// Errors do not pass through the parser, which is C.
  template <class Body>
  static void guarded(void* user, const Body& body) {
    auto& reader = *static_cast<GraphMlReader*>(user);
    if (reader.failure_) return;
    reader.pending_ = 0;
    try {
      body(reader);
    } catch (...) {
      reader.failure_ = std::current_exception();
      XML_StopParser(reader.parser_.get(), XML_FALSE);
    }
  }
  static void XMLCALL on_start(void* user, const XML_Char* name, Names attributes) {
    guarded(user, [&](GraphMlReader& reader) { reader.start(local(name), attributes); });
  }
  static void XMLCALL on_end(void* user, const XML_Char* name) {
    guarded(user, [&](GraphMlReader& reader) { reader.end(local(name)); });
  }
  static void XMLCALL on_text(void* user, const XML_Char* text, int length) {
    guarded(user, [&](GraphMlReader& reader) {
      if (!reader.in_value_) return;
      reader.text_.append(text, static_cast<std::size_t>(length));
      if (reader.text_.size() > kMostValueBytes) {
        reader.bad("a value is longer than " + format_bytes(kMostValueBytes));
      }
    });
  }
  /// Entities may grow without bounds, and no graph needs some.
  static void XMLCALL on_doctype(void* user, const XML_Char*, const XML_Char*, const XML_Char*,
                                 int) {
    guarded(user, [](GraphMlReader& reader) {
      reader.bad("has a document type, expected GraphML without <!DOCTYPE>");
    });
  }

  [[noreturn]] void bad(const std::string& finding) const {
    fail(ExitStatus::bad_input, source_.name(), ":", XML_GetCurrentLineNumber(parser_.get()), ": ",
         finding);
  }

  /// Without the prefix of a namespace.
  static std::string_view local(const XML_Char* name) {
    const std::string_view whole(name);
    return whole.substr(whole.rfind(':') == std::string_view::npos ? 0 : whole.rfind(':') + 1);
  }
  static std::string attribute(Names attributes, std::string_view name) {
    for (; *attributes != nullptr; attributes += 2) {
      if (name == attributes[0]) return attributes[1];
    }
    return "";
  }
  std::string needed(Names attributes, const char* name, const char* element) const {
    std::string value = attribute(attributes, name);
    if (value.empty()) bad("<" + std::string(element) + "> has no " + name);
    return value;
  }

  void start(std::string_view name, Names attributes) {
    if (++depth_ > kMostNesting) {
      bad("has elements in more than " + std::to_string(kMostNesting) + " others");
    }
    if (name == "graph") return start_graph(attributes);
    if (name == "key") return start_key(attributes);
    if (name == "node") {
      if (in_node_ || in_edge_) bad("<node> inside another node, expected one graph");
      in_node_ = true;
      attributes_.clear();
      graph_.add_node(needed(attributes, "id", "node"));
    } else if (name == "edge") {
      start_edge(attributes);
    } else if (name == "hyperedge") {
      bad("<hyperedge> joins several nodes, expected edges between two");
    } else if (name == "data") {
      key_ = attribute(attributes, "key");
      start_value();
    } else if (name == "default") {
      start_value();
    }
  }

  void start_value() {
    in_value_ = true;
    text_.clear();
  }

  void start_graph(Names attributes) {
    if (++num_graphs_ > 1) bad("has a second <graph>, expected one");
    const std::string direction = attribute(attributes, "edgedefault");
    if (direction != "directed" && direction != "undirected") {
      bad("edgedefault is '" + printable(direction) + "', expected directed or undirected");
    }
    directed_ = direction == "directed";
  }

  void start_key(Names attributes) {
    const std::string id = needed(attributes, "id", "key");
    std::string name = attribute(attributes, "attr.name");
    if (keys_.size() >= kMostColumns)
      bad("has more than " + std::to_string(kMostColumns) + " keys");
    if (name.empty()) name = id;
    const std::string owner = attribute(attributes, "for");
    const bool of_all = owner.empty() || owner == "all";
    keys_[id] = {std::move(name), of_all || owner == "node", of_all || owner == "edge", {}};
    key_ = id;
  }

  void start_edge(Names attributes) {
    if (in_node_ || in_edge_) bad("<edge> inside a node or an edge");
    const std::string direction = attribute(attributes, "directed");
    const bool is_directed = direction.empty() ? directed_ : direction == "true";
    if (is_directed != directed_) {
      bad("an edge is " + std::string(is_directed ? "directed" : "undirected") +
          ", others are not: expected all of a graph alike");
    }
    in_edge_ = true;
    attributes_.clear();
    source_id_ = needed(attributes, "source", "edge");
    target_id_ = needed(attributes, "target", "edge");
  }

  void end(std::string_view name) {
    --depth_;
    if (name == "data" && in_value_) {
      in_value_ = false;
      const auto key = keys_.find(key_);
      if (in_node_ || in_edge_) {
        attributes_.emplace_back(key == keys_.end() ? key_ : key->second.name, trim(text_));
      }
    } else if (name == "default" && in_value_) {
      in_value_ = false;
      const auto key = keys_.find(key_);
      if (key != keys_.end()) key->second.value = trim(text_);
    } else if (name == "node") {
      in_node_ = false;
      add_defaults(&Key::of_nodes);
      graph_.leave_out("nodes", attributes_);
    } else if (name == "edge") {
      in_edge_ = false;
      add_defaults(&Key::of_edges);
      graph_.add_edge(source_id_, target_id_, attributes_);
    }
  }

  /// An attribute of GraphML.
  struct Key {
    std::string name;
    bool of_nodes = false, of_edges = false;
    std::optional<std::string> value;  ///< of elements that give none
  };

  /// Adds the attributes that the element does not give and that have a default.
  void add_defaults(bool Key::*of_element) {
    for (const auto& entry : keys_) {
      const Key& key = entry.second;
      if (!key.value || !(key.*of_element)) continue;
      const bool is_given = std::any_of(attributes_.begin(), attributes_.end(),
                                        [&](const auto& a) { return a.first == key.name; });
      if (!is_given) attributes_.emplace_back(key.name, *key.value);
    }
  }

  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };

  GraphSource& source_;
  NamedGraph graph_;
  GraphInput& input_;
  const BytesRead& progress_;
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free> parser_{XML_ParserCreate(nullptr)};
  std::exception_ptr failure_;
  std::uint64_t pending_ = 0;        ///< bytes since the last element or text
  std::map<std::string, Key> keys_;  ///< by their ids
  std::size_t depth_ = 0, num_graphs_ = 0;
  bool directed_ = true, in_node_ = false, in_edge_ = false, in_value_ = false;
  std::string key_, text_, source_id_, target_id_;
  Attributes attributes_;
};

}  // namespace

void read_graph_ml(GraphSource& source, const GraphReadOptions& options, GraphInput& input) {
  check_attribute_options(source.name(), options.text, /*ends=*/false);
  GraphMlReader(source, options, input).read();
}

}  // namespace frugal::gnn
