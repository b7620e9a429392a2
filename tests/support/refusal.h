#pragma once
#include <doctest/doctest.h>

#include <string>

#include "libcore/base/error.h"

namespace frugal {

/// What a body says that refuses its input (65), "" where it does not; another status is a failure.
template <class Body>
std::string refusal_of(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return "";
}

}  // namespace frugal
