#include "tools/tgn-train/steps/state_transfer.h"

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "libcore/streams/json_text.h"

namespace frugal::tgn {
namespace {

using nlohmann::json;

/// Everything in the document except the tensors' content, as JSON.
std::string header_of(const Document& document) {
  json header{{"metadata", document.metadata}, {"tensors", json::array()}};
  for (const Tensor& tensor : document.tensors) {
    header["tensors"].push_back({tensor.name, dtype_name(tensor.dtype), tensor.shape});
  }
  return header.dump();
}

Document with_header(const std::string& text) {
  const json header = parse_json<json>(text, "the memory of another rank: ");
  Document document;
  document.metadata = header["metadata"].get<Metadata>();
  for (const json& tensor : header["tensors"]) {
    document.tensors.push_back(Tensor::make(tensor[0].get<std::string>(),
                                            *dtype_from_name(tensor[1].get<std::string>()),
                                            tensor[2].get<Shape>()));
  }
  return document;
}

}  // namespace

void send_document(Communicator& ranks, Document& document, int from, int to) {
  const bool sends = ranks.rank() == from, takes = ranks.rank() == to;
  if (!sends && !takes) return;
  std::string header = sends ? header_of(document) : "";
  std::uint64_t size = header.size();
  ranks.send(std::as_writable_bytes(std::span(&size, 1)), from, to);
  header.resize(size);
  ranks.send(std::as_writable_bytes(std::span(header)), from, to);
  if (takes) document = with_header(header);
  for (const Tensor& tensor : document.tensors) {
    const std::span<const std::byte> content = tensor.content();
    ranks.send({const_cast<std::byte*>(content.data()), content.size()}, from, to);
  }
}

}  // namespace frugal::tgn
