#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/backends.hpp"

namespace {

/// Says plainly why the GPU half of this program did not run; with SRCEXTRACT_REQUIRE_GPU that is a failure.
TEST(Gpu, IsTested) {
  const bool required = std::getenv("SRCEXTRACT_REQUIRE_GPU") != nullptr;
#if SRCEXTRACT_HAVE_CUDA
  const auto reason = srcextract::testing::Backend<srcextract::Gpu>::reason_to_skip();
#else
  const std::optional<std::string> reason = "built without the CUDA toolkit";
#endif
  if (!reason) return;
  if (required) FAIL() << "SRCEXTRACT_REQUIRE_GPU is set, but " << *reason;
  GTEST_SKIP() << *reason;
}

}  // namespace
