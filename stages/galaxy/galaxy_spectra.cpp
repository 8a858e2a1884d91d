#include "stages/galaxy/galaxy_spectra.hpp"

#include <cstddef>
#include <cstring>
#include <numbers>

#include "stages/core/vector_clones.hpp"
#include "stages/galaxy/eight_lanes.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {
namespace {

/// Loads the table's entries of 8 modes, coefficient by coefficient.
inline void load_entries(const SersicOfIndex& of, const EightInts& entry, Eight* coefficients) {
  alignas(32) std::int32_t number[eight];
  std::memcpy(number, &entry, sizeof(number));
  for (int i = 0; i < eight; ++i) coefficients[i] = load_eight(of.transform[number[i]]);
  transpose_eight(coefficients);
}

/// Adds one alias of a group of cells. `along_x`: the 8 cells follow one another along kx, else along ky.
template <int images, bool is_point, bool along_x>
inline void add_alias(const SpectrumInput& in, const PsfSpectra::Alias& alias, const float* placed, Eight* sums) {
  const auto a = static_cast<std::ptrdiff_t>(alias.a), b = static_cast<std::ptrdiff_t>(alias.b);
  const float *const line_cosine = along_x ? in.x.cosines + a : in.y.cosines + b, *const line_sine =
                                                                                      along_x ? in.x.sines + a
                                                                                              : in.y.sines + b;
  const float other_cosine = along_x ? in.y.cosines[b] : in.x.cosines[a],
              other_sine = along_x ? in.y.sines[b] : in.x.sines[a];
  const Eight cosines = load_unaligned(line_cosine), sines = load_unaligned(line_sine);
  const Eight turn_re = cosines * other_cosine - sines * other_sine,
              turn_im = cosines * other_sine + sines * other_cosine;
  const Eight psf_re = load_eight(placed), psf_im = load_eight(placed + eight);
  const ModeFactor<Eight> factor{turn_re * psf_re - turn_im * psf_im, turn_re * psf_im + turn_im * psf_re};
  const auto add = [&](const auto& kx, const auto& ky) {
    if constexpr (is_point) {
      add_point_mode<images>(kx, ky, factor, sums);
    } else {
      const Eight square = in.shape.square.at(kx, ky);
      const auto place = place_in_table(square);
      Eight coefficients[eight];
      load_entries(*in.index, place.entry, coefficients);
      add_sersic_mode<images>(in.shape, kx, ky, factor, square, place.f, place.slope, coefficients, sums);
    }
  };
  if constexpr (along_x) {
    add(load_unaligned(in.x.wave + a), in.y.wave[b]);
  } else {
    add(in.x.wave[a], load_unaligned(in.y.wave + b));
  }
}

template <int images, bool is_point>
inline void fold(const SpectrumInput& in, float* spectra) {
  const PsfSpectra& psf = *in.psf;
  const int side = psf.side(), half = side / 2, groups = side * half / eight;
  const std::ptrdiff_t plane = std::ptrdiff_t{side} * half;
  const PsfSpectra::Alias* const aliases = psf.aliases().data();
  const std::int32_t* const begins = psf.begins().data();
  for (int group = 0; group < groups; ++group) {
    Eight sums[2 * images] = {};
    for (std::int32_t i = begins[group]; i < begins[group + 1]; ++i) {
      add_alias<images, is_point, false>(in, aliases[i], in.placed + std::ptrdiff_t{i} * PsfSpectra::alias_numbers,
                                         sums);
    }
    for (int j = 0; j < 2 * images; ++j) store_eight(sums[j], spectra + j * plane + std::ptrdiff_t{group} * eight);
  }
  for (int group = 0; group < side / eight; ++group) {
    Eight sums[2 * images] = {};
    for (std::int32_t i = begins[groups + group]; i < begins[groups + group + 1]; ++i) {
      add_alias<images, is_point, true>(in, aliases[i], in.placed + std::ptrdiff_t{i} * PsfSpectra::alias_numbers,
                                        sums);
    }
    for (int j = 0; j < images; ++j) {
      float *const re = spectra + std::ptrdiff_t{2} * j * plane, *const im = re + plane;
      for (int lane = 0; lane < eight; ++lane) {
        const std::ptrdiff_t at = std::ptrdiff_t{group * eight + lane} * half;
        re[at] -= sums[2 * j + 1][lane];
        im[at] += sums[2 * j][lane];
      }
    }
  }
}

SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void fold_profile_alone(const SpectrumInput& in, float* spectra) {
  fold<1, false>(in, spectra);
}
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void fold_profile_of_fixed_index(const SpectrumInput& in, float* spectra) {
  fold<6, false>(in, spectra);
}
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void fold_profile(const SpectrumInput& in, float* spectra) {
  fold<7, false>(in, spectra);
}
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void fold_point_alone(const SpectrumInput& in, float* spectra) {
  fold<1, true>(in, spectra);
}
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void fold_point(const SpectrumInput& in, float* spectra) {
  fold<3, true>(in, spectra);
}

}  // namespace

void fill_waves(int side, int farthest, float* wave) {
  for (int k = -farthest - eight; k <= farthest + eight; ++k) {
    wave[k + farthest + eight] = static_cast<float>(2 * std::numbers::pi * k / side);
  }
}

void fill_turns(int side, int farthest, double centre, float* cosines, float* sines) {
  // Pixel p is at p - side / 2, which turns mode k by a further k half turns. Turn 16 i + j is turn 16 i times turn j,
  // and all of them are products of turn 1.
  constexpr int step = 16;
  const int middle = side / 2;
  const double turns = (centre + middle) / side;
  const auto times = [](const CosineSine& a, const CosineSine& b) {
    return CosineSine{a.cosine * b.cosine - a.sine * b.sine, a.cosine * b.sine + a.sine * b.cosine};
  };
  CosineSine fine[step + 1] = {{1, 0}, portable_cosine_sine(2 * std::numbers::pi * (turns - std::floor(turns + 0.5)))};
  for (int j = 2; j <= step; ++j) fine[j] = times(fine[j / 2], fine[j - j / 2]);
  CosineSine coarse{1, 0};
  float *const cosine = cosines + farthest + eight, *const sine = sines + farthest + eight;
  for (int k = 0; k <= farthest + eight; k += step) {
    for (int j = 0; j < step && k + j <= farthest + eight; ++j) {
      const CosineSine turn = times(coarse, fine[j]);
      cosine[k + j] = cosine[-k - j] = static_cast<float>(turn.cosine);
      sine[k + j] = static_cast<float>(-turn.sine);
      sine[-k - j] = static_cast<float>(turn.sine);
    }
    coarse = times(coarse, fine[step]);
  }
}

void fold_spectra(const SpectrumInput& input, int images, float* spectra) {
  if (input.index == nullptr) {
    images == 1 ? fold_point_alone(input, spectra) : fold_point(input, spectra);
  } else if (images == 1) {
    fold_profile_alone(input, spectra);
  } else {
    images == 6 ? fold_profile_of_fixed_index(input, spectra) : fold_profile(input, spectra);
  }
}

}  // namespace srcextract
