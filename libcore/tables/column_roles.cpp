#include "libcore/tables/column_roles.h"

#include <algorithm>
#include <array>

namespace frugal {
namespace {

using Names = std::span<const std::string_view>;

// From the most to the least telling name, without what normalized() leaves out.
constexpr std::string_view kLabels[] = {"label",      "labels",   "target",  "y",         "class",
                                        "classlabel", "intent",   "topic",   "sentiment", "tag",
                                        "tags",       "category", "rating",  "section",   "clicked",
                                        "click",      "stars",    "outcome", "statelabel"};
constexpr std::string_view kTexts[] = {
    "text", "review",   "description", "title",    "sentence", "comment", "content",
    "body", "abstract", "message",     "document", "question", "query",   "utterance"};
constexpr std::string_view kTimes[] = {
    "timestamp", "time",      "ts", "datetime", "unixtime",  "date",        "committed",
    "created",   "createdat", "t",  "when",     "eventtime", "timestampms", "epoch"};
constexpr std::string_view kSources[] = {
    "source", "src",    "from", "fromnode", "fromnodeid", "sourceid", "srcid",  "sender",
    "head",   "userid", "user", "u",        "node1",      "id1",      "author", "follower"};
constexpr std::string_view kDestinations[] = {
    "destination", "target", "dst",      "dest",      "to",      "tonode", "tonodeid",
    "targetid",    "dstid",  "receiver", "recipient", "tail",    "itemid", "item",
    "i",           "v",      "node2",    "id2",       "followed"};
constexpr std::string_view kWeights[] = {"weight", "w", "edgeweight"};
constexpr std::string_view kRowIds[] = {"",         "index", "idx",    "id",      "rowid",
                                        "rowindex", "row",   "edgeid", "eventid", "unnamed0"};

Names names_of(ColumnRole role) {
  switch (role) {
    case ColumnRole::label: return kLabels;
    case ColumnRole::text: return kTexts;
    case ColumnRole::time: return kTimes;
    case ColumnRole::source: return kSources;
    case ColumnRole::destination: return kDestinations;
    case ColumnRole::weight: return kWeights;
    case ColumnRole::row_id: return kRowIds;
  }
  return {};
}

constexpr std::array kRoles{ColumnRole::label,  ColumnRole::text,        ColumnRole::time,
                            ColumnRole::source, ColumnRole::destination, ColumnRole::weight,
                            ColumnRole::row_id};

std::string normalized(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::string_view(" _-.:").find(c) != std::string_view::npos) continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return out;
}

std::optional<std::size_t> rank(ColumnRole role, std::string_view name) {
  const Names names = names_of(role);
  const auto found = std::find(names.begin(), names.end(), normalized(name));
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

bool is_usual_name(ColumnRole role, std::string_view name) { return rank(role, name).has_value(); }

bool is_usual_name(std::string_view name) {
  return std::any_of(kRoles.begin(), kRoles.end(),
                     [&](ColumnRole role) { return is_usual_name(role, name); });
}

std::optional<std::size_t> find_role(ColumnRole role, std::span<const std::string> header) {
  std::optional<std::size_t> best, best_rank;
  for (std::size_t c = 0; c < header.size(); ++c) {
    const auto here = rank(role, header[c]);
    if (here && (!best_rank || *here < *best_rank)) best = c, best_rank = here;
  }
  return best;
}

}  // namespace frugal
