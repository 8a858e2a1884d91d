#include "io/tiles/quantised_floats.hpp"

#include <algorithm>
#include <limits>

#include "stages/core/vector_clones.hpp"

namespace srcextract {
namespace {

template <class Integer, class Float>
SRCEXTRACT_VECTOR_CLONES void scale_integers(const Integer* integers, std::int64_t count, const Quantisation& how,
                                             Float* floats) {
  for (std::int64_t i = 0; i < count; ++i)
    floats[i] = static_cast<Float>(scaled_integer(static_cast<double>(integers[i]), how.scale, how.zero));
}

template <class Integer, class Float>
SRCEXTRACT_VECTOR_CLONES void scale_dithered(const Integer* integers, const float* random, std::int64_t count,
                                             const Quantisation& how, Float* floats) {
  for (std::int64_t i = 0; i < count; ++i)
    floats[i] =
        static_cast<Float>(undithered_integer(static_cast<double>(integers[i]), random[i], how.scale, how.zero));
}

template <class Integer, class Float>
void undo_dither(std::span<const Integer> integers, const Quantisation& how, Float* floats) {
  const Randoms& random = randoms();
  std::int64_t begin = how.random_begin;
  for (std::int64_t done = 0; done < std::ssize(integers); ++begin) {
    const auto first = std::int64_t{random_place(random[static_cast<std::size_t>(begin % random_count)])};
    const std::int64_t count = std::min(random_count - first, std::ssize(integers) - done);
    scale_dithered(integers.data() + done, random.data() + first, count, how, floats + done);
    done += count;
  }
}

template <class Integer, class Float>
SRCEXTRACT_VECTOR_CLONES void replace(const Integer* integers, std::int64_t count, Integer wanted, Float value,
                                      Float* floats) {
  for (std::int64_t i = 0; i < count; ++i) floats[i] = integers[i] == wanted ? value : floats[i];
}

}  // namespace

template <class Integer, class Float>
void restore_floats(std::span<const Integer> integers, const Quantisation& quantisation, Float* floats) {
  if (quantisation.dither == Dither::none) {
    scale_integers(integers.data(), std::ssize(integers), quantisation, floats);
  } else {
    undo_dither(integers, quantisation, floats);
  }
  if constexpr (sizeof(Integer) == sizeof(exact_zero)) {
    if (quantisation.dither == Dither::subtractive_2) {
      replace(integers.data(), std::ssize(integers), exact_zero, Float{0}, floats);
    }
  }
  if (quantisation.blank) {
    replace(integers.data(), std::ssize(integers), static_cast<Integer>(*quantisation.blank),
            std::numeric_limits<Float>::quiet_NaN(), floats);
  }
}

template void restore_floats(std::span<const std::uint8_t>, const Quantisation&, float*);
template void restore_floats(std::span<const std::int16_t>, const Quantisation&, float*);
template void restore_floats(std::span<const std::int32_t>, const Quantisation&, float*);
template void restore_floats(std::span<const std::uint8_t>, const Quantisation&, double*);
template void restore_floats(std::span<const std::int16_t>, const Quantisation&, double*);
template void restore_floats(std::span<const std::int32_t>, const Quantisation&, double*);

}  // namespace srcextract
