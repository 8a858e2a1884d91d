#pragma once

#include <gtest/gtest.h>

#include <string>

namespace srcextract::testing {

/// For what must warn of nothing.
inline void fail_on(const std::string& warning) {
  ADD_FAILURE() << warning;
}

}  // namespace srcextract::testing
