#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/csr.h"
#include "libcore/tables/table_rows.h"
#include "tools/tgn-train/data/event_formats.h"
#include "tools/tgn-train/data/event_places.h"
#include "tools/tgn-train/data/header_names.h"

namespace frugal::tgn {

/// What ids of nodes are: any is text; automatic is any where the first event has an id that is no
/// number, in formats whose ids may be text.
enum class EventIds { number, any, automatic };
/// By name: number, any or auto. Fails: usage.
EventIds event_ids(const std::string& name);

struct EventLayoutOptions {
  std::string format = "auto";
  std::string separator = "auto";  ///< between columns: tab or a character
  std::string header = "auto";     ///< whether the first line names columns: yes, no
  std::string columns;             ///< "from:source,to:destination,4:time,weight:feature", or ""
  EventIds ids = EventIds::number;
  TimeForm times = TimeForm::automatic;
  HeaderNames roles = {};  ///< what a header before called source, destination and time, or empty
};

/// What the columns of a text are, numbered from 0.
struct EventLayout {
  const EventFormat* format = nullptr;
  TableForm form;
  std::size_t source = 0, destination = 1, time = 2;
  std::optional<std::size_t> label;
  std::optional<std::size_t> row;  ///< the event's row in the file of edge features
  std::vector<std::size_t> features;
  std::vector<std::string> header;  ///< or empty
  std::vector<std::string> notes;   ///< what was assumed, for the user
  TimeForm times = TimeForm::number;
  NodeId first_id = 0;   ///< the lowest
  bool names = false;    ///< ids are any text
  bool own_ids = false;  ///< destinations are of another kind than sources of the same ids

  /// Names of the features in the header; empty where it does not name them all.
  HeaderNames feature_names() const;
  /// Names of source, destination and time; empty where the header does not name them all.
  HeaderNames role_names() const;
  /// The features become those columns, wherever they stand; nothing changes where columns have no
  /// names. A name that no object of JSON Lines has yet becomes a column of missing values. Fails
  /// (bad_input) naming one that is not there.
  void take_features(const HeaderNames& names, const std::string& input);
  /// For events without labels: takes the label to be none, and, where columns go by their places
  /// and as many stand behind the time as events have features, these to be the features.
  void leave_out_label(std::size_t num_features);
  bool by_places = false;  ///< neither a header nor options named the columns
  /// Tells the form of JSON Lines which columns have a use; called when these change.
  void read_used_columns();
};

/// Of the text that `reader` is about to give, by its first lines. Fails: bad_input with the file
/// where there are no events or too few columns, usage for columns that are not there.
EventLayout event_layout(PieceReader& reader, const EventLayoutOptions& options);

}  // namespace frugal::tgn
