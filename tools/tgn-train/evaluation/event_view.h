#pragma once
#include "tools/tgn-train/data/event_view.h"
