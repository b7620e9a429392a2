#include "tools/tgn-train/memory/record_journal.h"

#include <cstring>

namespace frugal::tgn {

RecordJournal::RecordJournal(std::size_t nodes, std::size_t record_bytes, const std::string& folder)
    : record_bytes_(record_bytes), has_(nodes) {
  if (!folder.empty()) file_ = std::make_unique<TemporaryFile>(folder);
}

void RecordJournal::keep(NodeId node, const std::byte* record) {
  if (has_[node]) return;
  has_[node] = true;
  const std::size_t i = nodes_.size() % chunk_records();
  nodes_.push_back(node);
  if (file_) return file_->write(record, record_bytes_);
  if (i == 0) chunks_.emplace_back(chunk_records() * record_bytes_, uninitialized);
  std::memcpy(chunks_.back().data() + i * record_bytes_, record, record_bytes_);
}

void RecordJournal::write_back(std::byte* records) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    std::byte* const to = records + nodes_[i] * record_bytes_;
    if (file_) {
      file_->read(i * record_bytes_, to, record_bytes_);
    } else {
      const Array<std::byte>& chunk = chunks_[i / chunk_records()];
      std::memcpy(to, chunk.data() + i % chunk_records() * record_bytes_, record_bytes_);
    }
  }
}

}  // namespace frugal::tgn
