#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

/// Ends the test, or its set-up, where the peer that it compares with is not there: skipped on a user's machine, failed
/// where SRCEXTRACT_REQUIRE_PEERS is set, as in CI. `missing` says what is missing.
#define SRCEXTRACT_NEEDS_PEER(is_there, missing)                      \
  do {                                                                \
    if (is_there) break;                                              \
    if (std::getenv("SRCEXTRACT_REQUIRE_PEERS") != nullptr) {         \
      FAIL() << "SRCEXTRACT_REQUIRE_PEERS is set, but " << (missing); \
    }                                                                 \
    GTEST_SKIP() << (missing);                                        \
  } while (false)
