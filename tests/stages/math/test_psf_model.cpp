#include "stages/math/psf_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace srcextract {
namespace {

constexpr double pi = 3.14159265358979323846;

/// Lanczos's kernel by its definition.
double lanczos(double t) {
  if (std::abs(t) < 1e-5) return 1;
  if (std::abs(t) >= 4) return 0;
  return std::sin(pi * t) / (pi * t) * std::sin(pi * t / 4) / (pi * t / 4);
}

TEST(LanczosTaps, AreTheKernelOverItsSum) {
  constexpr int size = 25;
  for (double place = 0; place <= size - 1; place += 0.0625 + 1e-3) {
    double weight[PsfModel::taps], all[size], sum = 0;
    const int first = lanczos_taps(place, size, weight);
    ASSERT_GE(first, 0);
    ASSERT_LE(first + PsfModel::taps, size);
    for (int i = 0; i < size; ++i) sum += all[i] = lanczos(i - place);
    for (int i = 0; i < size; ++i) {
      const double own = i >= first && i < first + PsfModel::taps ? weight[i - first] : 0;
      EXPECT_NEAR(own, all[i] / sum, 1e-14) << place << " " << i;
    }
  }
}

}  // namespace
}  // namespace srcextract
