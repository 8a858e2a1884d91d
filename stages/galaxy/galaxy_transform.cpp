#include "stages/galaxy/galaxy_transform.hpp"

#include <algorithm>
#include <cstddef>
#include <numbers>

#include "stages/core/vector_clones.hpp"
#include "stages/galaxy/eight_lanes.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {
namespace {

/// Columns are transformed together, as many as fit into the nearest cache with their working memory.
constexpr int most_columns_together = 16;

/// Rows of complex numbers.
struct Rows {
  float *re, *im;
  std::ptrdiff_t stride;
};

/// One pass of a Stockham transform of `columns` columns. Row q + s (p + m r) of the input, r from 0 to radix - 1,
/// gives row q + s (radix p + r) of the output.
struct Pass {
  int side, columns, s, m;
  const float *cosines, *sines;
  Rows in, out;
};

/// The turn by which output number `times` of butterfly p is multiplied.
struct Turn {
  float cosine, sine;

  Turn(const Pass& of, int p, int times)
      : cosine(of.cosines[p * of.s * times % of.side]), sine(of.sines[p * of.s * times % of.side]) {}
};

inline void store_turned(const Eight& re, const Eight& im, const Turn& turn, float* to_re, float* to_im) {
  store_eight(re * turn.cosine - im * turn.sine, to_re);
  store_eight(re * turn.sine + im * turn.cosine, to_im);
}

/// Calls butterfly(from, to) for every place in a pass: offsets of the first input and of the first output.
template <class Butterfly>
inline void for_each_butterfly(const Pass& of, int radix, int p, const Butterfly& butterfly) {
  for (int q = 0; q < of.s; ++q) {
    const std::ptrdiff_t from = (q + std::ptrdiff_t{of.s} * p) * of.in.stride;
    const std::ptrdiff_t to = (q + std::ptrdiff_t{of.s} * radix * p) * of.out.stride;
    for (int k = 0; k < of.columns; k += eight) butterfly(from + k, to + k);
  }
}

inline void pass_of_four(const Pass& of) {
  const std::ptrdiff_t in = of.in.stride * of.m * of.s, out = of.out.stride * of.s;
  const float *const in_re = of.in.re, *const in_im = of.in.im;
  float *const out_re = of.out.re, *const out_im = of.out.im;
  for (int p = 0; p < of.m; ++p) {
    const Turn turn1(of, p, 1), turn2(of, p, 2), turn3(of, p, 3);
    for_each_butterfly(of, 4, p, [&](std::ptrdiff_t from, std::ptrdiff_t to) {
      const float *const re = in_re + from, *const im = in_im + from;
      float *const to_re = out_re + to, *const to_im = out_im + to;
      const Eight ar = load_eight(re), ai = load_eight(im), br = load_eight(re + in), bi = load_eight(im + in);
      const Eight cr = load_eight(re + 2 * in), ci = load_eight(im + 2 * in);
      const Eight dr = load_eight(re + 3 * in), di = load_eight(im + 3 * in);
      const Eight pr = ar + cr, pi = ai + ci, mr = ar - cr, mi = ai - ci;
      const Eight qr = br + dr, qi = bi + di, jr = di - bi, ji = br - dr;  // j = i (b - d)
      store_eight(pr + qr, to_re);
      store_eight(pi + qi, to_im);
      store_turned(mr + jr, mi + ji, turn1, to_re + out, to_im + out);
      store_turned(pr - qr, pi - qi, turn2, to_re + 2 * out, to_im + 2 * out);
      store_turned(mr - jr, mi - ji, turn3, to_re + 3 * out, to_im + 3 * out);
    });
  }
}

inline void pass_of_three(const Pass& of) {
  constexpr float half_root = 0.866025403784438646763F;  // √3 / 2
  const std::ptrdiff_t in = of.in.stride * of.m * of.s, out = of.out.stride * of.s;
  const float *const in_re = of.in.re, *const in_im = of.in.im;
  float *const out_re = of.out.re, *const out_im = of.out.im;
  for (int p = 0; p < of.m; ++p) {
    const Turn turn1(of, p, 1), turn2(of, p, 2);
    for_each_butterfly(of, 3, p, [&](std::ptrdiff_t from, std::ptrdiff_t to) {
      const float *const re = in_re + from, *const im = in_im + from;
      float *const to_re = out_re + to, *const to_im = out_im + to;
      const Eight ar = load_eight(re), ai = load_eight(im), br = load_eight(re + in), bi = load_eight(im + in);
      const Eight cr = load_eight(re + 2 * in), ci = load_eight(im + 2 * in);
      const Eight sr = br + cr, si = bi + ci, mr = ar - 0.5F * sr, mi = ai - 0.5F * si;
      const Eight jr = (ci - bi) * half_root, ji = (br - cr) * half_root;
      store_eight(ar + sr, to_re);
      store_eight(ai + si, to_im);
      store_turned(mr + jr, mi + ji, turn1, to_re + out, to_im + out);
      store_turned(mr - jr, mi - ji, turn2, to_re + 2 * out, to_im + 2 * out);
    });
  }
}

inline void pass_of_two(const Pass& of) {
  const std::ptrdiff_t in = of.in.stride * of.m * of.s, out = of.out.stride * of.s;
  const float *const in_re = of.in.re, *const in_im = of.in.im;
  float *const out_re = of.out.re, *const out_im = of.out.im;
  for (int p = 0; p < of.m; ++p) {
    const Turn turn1(of, p, 1);
    for_each_butterfly(of, 2, p, [&](std::ptrdiff_t from, std::ptrdiff_t to) {
      const float *const re = in_re + from, *const im = in_im + from;
      const Eight ar = load_eight(re), ai = load_eight(im), br = load_eight(re + in), bi = load_eight(im + in);
      store_eight(ar + br, out_re + to);
      store_eight(ai + bi, out_im + to);
      store_turned(ar - br, ai - bi, turn1, out_re + to + out, out_im + to + out);
    });
  }
}

/// All passes for some columns. The first reads the input, the last writes the output, which may be the input.
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void transform_columns(int side, const int* radices, int passes,
                                                                   const float* cosines, const float* sines,
                                                                   int columns, const Rows& in, const Rows& out) {
  constexpr int most_side = 256;
  alignas(64) float memory[4][most_side * most_columns_together];
  const Rows work[2] = {{memory[0], memory[1], columns}, {memory[2], memory[3], columns}};
  int n = side, s = 1;
  for (int i = 0; i < passes; ++i) {
    const int radix = radices[i], m = n / radix;
    const Pass pass{
        side, columns, s, m, cosines, sines, i == 0 ? in : work[i % 2], i == passes - 1 ? out : work[(i + 1) % 2]};
    if (radix == 4) {
      pass_of_four(pass);
    } else if (radix == 3) {
      pass_of_three(pass);
    } else {
      pass_of_two(pass);
    }
    n = m;
    s *= radix;
  }
}

inline void load_transposed(const float* from, std::ptrdiff_t stride, Eight* rows) {
  for (int i = 0; i < eight; ++i) rows[i] = load_eight(from + i * stride);
  transpose_eight(rows);
}

/// With A and B the half rows of two real images, writes A + iB at wave number k, and A* + iB* at side - k.
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void pack_rows(int side, const float* a_re, const float* a_im,
                                                           const float* b_re, const float* b_im, float* re, float* im) {
  const int half = side / 2;
  for (int k = 0; k < half; k += eight) {
    for (int x = 0; x < side; x += eight) {
      const std::ptrdiff_t at = std::ptrdiff_t{x} * half + k;
      Eight ar[eight], ai[eight], br[eight], bi[eight];
      load_transposed(a_re + at, half, ar);
      load_transposed(a_im + at, half, ai);
      load_transposed(b_re + at, half, br);
      load_transposed(b_im + at, half, bi);
      int i = 0;
      if (k == 0) {
        store_eight(ar[0], re + x);
        store_eight(br[0], im + x);
        store_eight(ai[0], re + std::ptrdiff_t{half} * side + x);
        store_eight(bi[0], im + std::ptrdiff_t{half} * side + x);
        i = 1;
      }
      for (; i < eight; ++i) {
        const std::ptrdiff_t here = std::ptrdiff_t{k + i} * side + x,
                             mirrored = std::ptrdiff_t{side - k - i} * side + x;
        store_eight(ar[i] - bi[i], re + here);
        store_eight(ai[i] + br[i], im + here);
        store_eight(ar[i] + bi[i], re + mirrored);
        store_eight(br[i] - ai[i], im + mirrored);
      }
    }
  }
}

}  // namespace

BoxTransform::BoxTransform(int side) : side_(side) {
  int rest = side;
  while (rest % 4 == 0) {
    radices_.push_back(4);
    rest /= 4;
  }
  if (rest % 2 == 0) {
    radices_.push_back(2);
    rest /= 2;
  }
  if (rest == 3) radices_.push_back(3);
  for (int k = 0; k < side; ++k) {
    const CosineSine turn = portable_cosine_sine(2 * std::numbers::pi * k / side);
    cosines_.push_back(static_cast<float>(turn.cosine));
    sines_.push_back(static_cast<float>(turn.sine));
  }
}

void BoxTransform::transform(int width, const float* re, const float* im, float* out_re, float* out_im) const {
  for (int x = 0; x < width; x += most_columns_together) {
    const int columns = std::min(most_columns_together, width - x);
    // The input is only read.
    const Rows in{const_cast<float*>(re) + x, const_cast<float*>(im) + x, width}, out{out_re + x, out_im + x, width};
    transform_columns(side_, radices_.data(), static_cast<int>(radices_.size()), cosines_.data(), sines_.data(),
                      columns, in, out);
  }
}

void BoxTransform::pack(const float* first_re, const float* first_im, const float* second_re, const float* second_im,
                        float* re, float* im) const {
  pack_rows(side_, first_re, first_im, second_re, second_im, re, im);
}

}  // namespace srcextract
