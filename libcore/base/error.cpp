#include "libcore/base/error.h"

#include <system_error>

namespace frugal {

std::string errno_text(int error) { return std::generic_category().message(error); }

}  // namespace frugal
