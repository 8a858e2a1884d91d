// A library for LD_PRELOAD: functions of the C library that IEEE 754 lets round freely (sin, exp, hypot ...) give
// results that are one last bit off, as another C library may. Whole numbers, such as cos(0), stay: every C library has
// these.
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "tests/support/preload/next.hpp"

namespace {

template <class Float>
Float moved(Float result) {
  using Bits = std::conditional_t<sizeof(Float) == 8, std::uint64_t, std::uint32_t>;
  const bool whole = std::trunc(result) == result;
  return whole || !std::isfinite(result) ? result : std::bit_cast<Float>(std::bit_cast<Bits>(result) + 1);
}

}  // namespace

#define MOVE_ONE(type, name)                          \
  extern "C" type name(type x) noexcept {             \
    static const auto real = next<type(type)>(#name); \
    return moved(real(x));                            \
  }
#define MOVE_TWO(type, name)                                \
  extern "C" type name(type x, type y) noexcept {           \
    static const auto real = next<type(type, type)>(#name); \
    return moved(real(x, y));                               \
  }
#define MOVE_SINCOS(type, name)                                     \
  extern "C" void name(type x, type* sine, type* cosine) noexcept { \
    static const auto real = next<void(type, type*, type*)>(#name); \
    real(x, sine, cosine);                                          \
    *sine = moved(*sine);                                           \
    *cosine = moved(*cosine);                                       \
  }
#define MOVE_BOTH(move, name) move(double, name) move(float, name##f)

MOVE_BOTH(MOVE_ONE, sin)
MOVE_BOTH(MOVE_ONE, cos)
MOVE_BOTH(MOVE_ONE, tan)
MOVE_BOTH(MOVE_ONE, asin)
MOVE_BOTH(MOVE_ONE, acos)
MOVE_BOTH(MOVE_ONE, atan)
MOVE_BOTH(MOVE_ONE, sinh)
MOVE_BOTH(MOVE_ONE, cosh)
MOVE_BOTH(MOVE_ONE, tanh)
MOVE_BOTH(MOVE_ONE, asinh)
MOVE_BOTH(MOVE_ONE, acosh)
MOVE_BOTH(MOVE_ONE, atanh)
MOVE_BOTH(MOVE_ONE, exp)
MOVE_BOTH(MOVE_ONE, exp2)
MOVE_BOTH(MOVE_ONE, exp10)
MOVE_BOTH(MOVE_ONE, expm1)
MOVE_BOTH(MOVE_ONE, log)
MOVE_BOTH(MOVE_ONE, log2)
MOVE_BOTH(MOVE_ONE, log10)
MOVE_BOTH(MOVE_ONE, log1p)
MOVE_BOTH(MOVE_ONE, cbrt)
MOVE_BOTH(MOVE_ONE, erf)
MOVE_BOTH(MOVE_ONE, erfc)
MOVE_BOTH(MOVE_ONE, tgamma)
MOVE_BOTH(MOVE_ONE, lgamma)
MOVE_BOTH(MOVE_TWO, atan2)
MOVE_BOTH(MOVE_TWO, hypot)
MOVE_BOTH(MOVE_TWO, pow)
MOVE_BOTH(MOVE_SINCOS, sincos)
