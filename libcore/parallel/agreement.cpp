// Check that all ranks have the same text, e.g. their configuration, before they train together.
#include <algorithm>
#include <utility>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/parallel/communicator.h"

namespace frugal {
namespace {

std::string text_of(Communicator& ranks, int root, const std::string& mine) {
  std::uint64_t size = mine.size();
  ranks.broadcast(std::as_writable_bytes(std::span(&size, 1)), root);
  std::string text = ranks.rank() == root ? mine : std::string(size, '\0');
  ranks.broadcast(std::as_writable_bytes(std::span(text)), root);
  return text;
}

/// The first line in which the texts differ, of both.
std::pair<std::string, std::string> difference(const std::string& a, const std::string& b) {
  const auto of_a = split(a, '\n'), of_b = split(b, '\n');
  const auto line = [](const auto& lines, std::size_t i) {
    return std::string(i < lines.size() ? lines[i] : "nothing");
  };
  std::size_t i = 0;
  while (i + 1 < std::max(of_a.size(), of_b.size()) && line(of_a, i) == line(of_b, i)) ++i;
  return {line(of_a, i), line(of_b, i)};
}

}  // namespace

void expect_agreement(Communicator& ranks, const std::string& text, const std::string& advice) {
  if (ranks.size() == 1) return;
  const std::string first = text_of(ranks, 0, text);
  const auto differs = static_cast<std::uint8_t>(text != first ? 1 : 0);
  std::vector<std::uint8_t> all(static_cast<std::size_t>(ranks.size()));
  ranks.all_gather(std::as_bytes(std::span(&differs, 1)), std::as_writable_bytes(std::span(all)));
  const auto other = std::ranges::find(all, 1);
  if (other == all.end()) return;
  const int number = static_cast<int>(other - all.begin());
  const auto [ours, theirs] = difference(first, text_of(ranks, number, text));
  if (ranks.rank() != 0) {
    any_of_ranks(ranks, 0);  // which rank 0 never answers
  }
  fail(ExitStatus::usage, "rank ", number, " has '", printable(theirs), "', rank 0 '",
       printable(ours), "': expected the same of all ranks", advice.empty() ? "" : "; ", advice);
}

}  // namespace frugal
