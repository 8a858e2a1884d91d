#include "python/core/sep/aperture_rows.hpp"

#include <cstring>
#include <limits>
#include <type_traits>

#include "python/core/sep/aperture_lanes.hpp"
#include "python/core/sep/circle_chords.hpp"
#include "stages/core/vector_clones.hpp"

namespace srcextract::python {
namespace {

/// Stands for source numbers that do not fit into std::int32_t. No pixel of a segmentation map has this value.
constexpr std::int32_t no_source = std::numeric_limits<std::int32_t>::min();

template <bool is_circle, bool is_ring>
inline __attribute__((always_inline)) void count_block(const SepAnnulus& annulus, const double* across,
                                                       const double* down, double* part) {
  const SepEllipse& at = annulus.ellipse;
  const double step = 1.0 / static_cast<double>(annulus.sub_pixels), first = 0.5 * (step - 1);
  const double outer = annulus.outer2, inner = annulus.inner2;
  double from[lanes], v[lanes], inside[lanes] = {};
  VECTOR_LOOP for (int k = 0; k < lanes; ++k) {
    from[k] = across[k] + first;
    v[k] = down[k] + first;
  }
  for (std::int64_t j = 0; j < annulus.sub_pixels; ++j) {
    double u[lanes], v2[lanes];
    VECTOR_LOOP for (int k = 0; k < lanes; ++k) {
      u[k] = from[k];
      v2[k] = is_circle ? v[k] * v[k] : at.cyy * v[k] * v[k];
    }
    for (std::int64_t i = 0; i < annulus.sub_pixels; ++i) {
      VECTOR_LOOP for (int k = 0; k < lanes; ++k) {
        const double square = is_circle ? u[k] * u[k] + v2[k] : at.cxx * u[k] * u[k] + v2[k] + at.cxy * u[k] * v[k];
        inside[k] += ((square < outer) & (is_ring ? square > inner : true)) ? 1 : 0;
        u[k] += step;
      }
    }
    VECTOR_LOOP for (int k = 0; k < lanes; ++k) v[k] += step;
  }
  VECTOR_LOOP for (int k = 0; k < lanes; ++k) part[k] = inside[k] * (step * step);
}

/// Computes the shares of pixels from their sub-pixels. The arrays must have room for whole blocks.
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void count_sub_pixels(const SepAnnulus& annulus, std::int64_t count,
                                                                  const double* across, const double* down,
                                                                  double* part) {
  const bool is_circle = annulus.ellipse.circle;
  for (std::int64_t i = 0; i < count; i += lanes) {
    if (is_circle && !annulus.is_ring()) {
      count_block<true, false>(annulus, across + i, down + i, part + i);
    } else if (is_circle) {
      count_block<true, true>(annulus, across + i, down + i, part + i);
    } else if (!annulus.is_ring()) {
      count_block<false, false>(annulus, across + i, down + i, part + i);
    } else {
      count_block<false, true>(annulus, across + i, down + i, part + i);
    }
  }
}

/// Sets the share of each pixel of a band, by the position of the pixel's centre. Lists the pixels at an edge, whose
/// shares are computed later, unless a pixel has only one sub-pixel. Returns the number of listed pixels.
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN std::int64_t look_at(const BandOfRows& band, const SepAnnulus& annulus,
                                                                 double* part, const EdgePixels& edge) {
  const SepEllipse at = annulus.ellipse;
  const Offset offset(band, at);
  const double outer_out = annulus.outer_out, outer_in = annulus.outer_in, outer2 = annulus.outer2;
  const double inner_out = annulus.inner_out, inner_in = annulus.inner_in, inner2 = annulus.inner2;
  const auto width = static_cast<double>(band.box.width());
  const bool lists = annulus.sub_pixels != 1;
  std::int64_t count = 0;
  const auto look = [&](std::int64_t place, std::int64_t row, std::int64_t column) __attribute__((always_inline)) {
    double dx[lanes];
    std::int64_t reached[lanes], inside[lanes], crossed[lanes], any = 0;
    const double dy = offset.of(row, column, dx), rest = at.cyy * dy * dy;
    const double last = width - static_cast<double>(column);
    VECTOR_LOOP for (int k = 0; k < lanes; ++k) {
      const double square = at.cxx * dx[k] * dx[k] + rest + at.cxy * dx[k] * dy;
      const std::int64_t whole = (square <= outer_in ? 1 : 0) & (square >= inner_out ? 1 : 0);
      reached[k] = (square < outer_out ? 1 : 0) & (square > inner_in ? 1 : 0) & (places[k] < last ? 1 : 0);
      inside[k] = whole | ((square < outer2 ? 1 : 0) & (square > inner2 ? 1 : 0));
      crossed[k] = reached[k] & (whole ^ 1);
      any |= crossed[k];
    }
    VECTOR_LOOP for (int k = 0; k < lanes; ++k) {
      const double parts = inside[k] != 0 ? 1.0 : 0.0;
      part[place + k] = reached[k] != 0 ? parts : -1.0;
    }
    if (!lists) return;
    if (any == 0) return;
    for (int k = 0; k < lanes; ++k) {
      edge.across[count] = dx[k];
      edge.down[count] = dy;
      edge.place[count] = static_cast<std::int32_t>(place + k);
      count += crossed[k];
    }
  };
  for (std::int64_t row = 0; row < band.rows(); ++row) {
    const std::int64_t first = row * band.stride, inner_begin = band.inner_begin[row], inner_end = band.inner_end[row];
    for (std::int64_t at = band.begin[row]; at < inner_begin; at += lanes) look(first + at, row, at);
    std::fill(part + first + inner_begin, part + first + inner_end, 1.0);
    for (std::int64_t at = inner_end; at < band.end[row]; at += lanes) look(first + at, row, at);
  }
  return count;
}

/// By row of a band, ranges of columns, in blocks.
struct RowBlocks {
  std::int32_t *begin, *end, *inner_begin, *inner_end;
};

/// For each row of the band, finds the blocks that contain pixels with a squared distance of at most `square`, and
/// blocks of which all pixels have one of at most `inner_square`.
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void find_blocks(const BandOfRows& band, const SepEllipse& ellipse,
                                                             double square, double inner_square, const RowBlocks& to) {
  // In such a short row, a search costs as much as using all blocks of the row.
  constexpr std::int64_t few = 2 * BandOfRows::block;
  const EllipseRows rows(ellipse);
  for (std::int64_t row = 0; row < band.rows(); ++row) {
    SepStretch blocks{0, band.stride}, inner{0, 0};
    if (band.stride > few) {
      const SepStretch near = rows.about(band.box.y_begin + row, square, band.box);
      blocks = {(near.begin - band.box.x_begin) / lanes * lanes, near.end - band.box.x_begin};
      if (inner_square > 0) {
        // EllipseRows::about() has up to two pixels too many at each end.
        const SepStretch within = rows.about(band.box.y_begin + row, inner_square, band.box);
        inner = {(within.begin + 2 - band.box.x_begin + lanes - 1) / lanes * lanes,
                 (within.end - 2 - band.box.x_begin) / lanes * lanes};
      }
    }
    if (inner.begin >= inner.end) inner = {blocks.begin, blocks.begin};
    to.begin[row] = static_cast<std::int32_t>(blocks.begin);
    to.end[row] = static_cast<std::int32_t>(blocks.end);
    to.inner_begin[row] = static_cast<std::int32_t>(inner.begin);
    to.inner_end[row] = static_cast<std::int32_t>(inner.end);
  }
}

/// A rectangle of pixels to read: `rows` rows of `count` pixels, from pixel number `first` of the image on. `stride` is
/// the length of a row of the result.
struct ReadRows {
  std::int64_t first, image_width, rows, count, stride;

  template <class F>
  inline __attribute__((always_inline)) void for_each(const F& f) const {
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t i = 0; i < count; ++i) f(first + row * image_width + i, row * stride + i);
  }
};

template <class T>
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void to_doubles(const T* from, const ReadRows& rows, double* to) {
  rows.for_each([&](std::int64_t pixel, std::int64_t at) { to[at] = static_cast<double>(from[pixel]); });
}

template <class T>
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void to_squares(const T* from, const ReadRows& rows, double* to) {
  rows.for_each([&](std::int64_t pixel, std::int64_t at) {
    to[at] = static_cast<double>(from[pixel]) * static_cast<double>(from[pixel]);
  });
}

template <class T>
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void hide_above(const T* mask, double threshold, const ReadRows& rows,
                                                            double* hidden) {
  rows.for_each(
      [&](std::int64_t pixel, std::int64_t at) { hidden[at] = static_cast<double>(mask[pixel]) > threshold ? 1 : 0; });
}

/// Whether one of `count` pixels is NaN.
template <class T>
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN bool any_nan(const T* pixels, std::int64_t count) {
  std::int32_t found = 0;
  for (std::int64_t i = 0; i < count; ++i) found |= pixels[i] != pixels[i] ? 1 : 0;
  return found != 0;
}

/// Hides NaN pixels. Pixels that are hidden already stay hidden.
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void hide_nan(const double* value, std::int64_t count, double* hidden) {
  for (std::int64_t i = 0; i < count; ++i) hidden[i] = value[i] != value[i] ? 1 : hidden[i];
}

/// Hides pixels of sources other than `source`. With `and_nobodys`, also hides pixels of no source. Pixels that are
/// hidden already stay hidden.
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void hide_others(const std::int32_t* owner, std::int32_t source,
                                                             bool and_nobodys, const ReadRows& rows, double* hidden) {
  const std::int32_t other = and_nobodys ? source : 0;
  rows.for_each([&](std::int64_t pixel, std::int64_t at) {
    const std::int32_t own = owner[pixel];
    hidden[at] = own != source && own != other ? 1 : hidden[at];
  });
}

}  // namespace

bool ApertureRows::has_nan(const SepBox& box) const {
  return !box.empty() && image_.pixels.with_type([&]<class T>(const T* pixels) {
    bool found = false;
    if constexpr (std::is_floating_point_v<T>)
      box.for_each_row([&](std::int64_t row) {
        found = found || any_nan(pixels + row * image_.shape.width + box.x_begin, box.width());
      });
    return found;
  });
}

void ApertureRows::read(const SepBox& band, std::int64_t source) {
  const std::int64_t rows = band.y_end - band.y_begin, stride = (band.width() + lanes - 1) / lanes * lanes;
  const std::int64_t first = band.y_begin * image_.shape.width + band.x_begin, size = stride * rows;
  grow(value_, size);
  if (image_.noise) grow(variance_, size);
  if (may_hide_) grow(hidden_, size);
  // Rows are read to the end of the last block, unless the last row would then end beyond the image.
  const bool to_end = first + (rows - 1) * image_.shape.width + stride > image_.shape.count();
  const ReadRows all{first, image_.shape.width, rows, to_end ? band.width() : stride, stride};
  image_.pixels.with_type([&](const auto* pixels) { to_doubles(pixels, all, value_.data()); });
  if (image_.noise) {
    image_.noise.with_type([&](const auto* noise) {
      image_.noise_is_variance ? to_doubles(noise, all, variance_.data()) : to_squares(noise, all, variance_.data());
    });
  }
  if (image_.mask) {
    image_.mask.with_type([&](const auto* mask) { hide_above(mask, image_.mask_threshold, all, hidden_.data()); });
  } else if (may_hide_) {
    std::fill_n(hidden_.data(), size, 0.0);
  }
  if (may_hide_) hide_nan(value_.data(), size, hidden_.data());
  if (image_.segments != nullptr) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const std::int64_t own = source < 0 ? -source : source;
    hide_others(image_.segments, own <= most ? static_cast<std::int32_t>(own) : no_source, source < 0, all,
                hidden_.data());
  }
  band_ = {.box = band,
           .stride = stride,
           .value = value_.data(),
           .variance = image_.noise ? variance_.data() : nullptr,
           .hidden = may_hide_ ? hidden_.data() : nullptr,
           .begin = begin_.data(),
           .end = end_.data(),
           .inner_begin = inner_begin_.data(),
           .inner_end = inner_end_.data()};
  source_ = source;
}

void ApertureRows::find_rows(const SepEllipse& ellipse, double square, double inner_square) {
  find_blocks(band_, ellipse, square, inner_square,
              {begin_.data(), end_.data(), inner_begin_.data(), inner_end_.data()});
}

void ApertureRows::find_parts(const SepAnnulus& annulus) {
  find_rows(annulus.ellipse, annulus.outer_out, annulus.is_ring() ? 0 : annulus.outer_in);
  const std::int64_t size = band_.stride * band_.rows();
  grow(part_, size);
  grow(across_, size + lanes);
  grow(down_, size + lanes);
  grow(place_, size + lanes);
  band_.part = part_.data();
  const std::int64_t count = look_at(band_, annulus, part_.data(), {across_.data(), down_.data(), place_.data()});
  if (count == 0) return;
  grow(edge_part_, count + lanes);
  count_edge(annulus, count);
  for (std::int64_t i = 0; i < count; ++i) part_.data()[place_.data()[i]] = edge_part_.data()[i];
}

/// Finds the shares of the pixels at the edge of the aperture.
void ApertureRows::count_edge(const SepAnnulus& annulus, std::int64_t count) {
  double* const part = edge_part_.data();
  if (annulus.sub_pixels == 0) {
    for (std::int64_t i = 0; i < count; ++i) part[i] = annulus.exact_part(across_.data()[i], down_.data()[i]);
    return;
  }
  if (!CircleChords::serve(annulus)) {
    count_sub_pixels(annulus, count, across_.data(), down_.data(), part);
    return;
  }
  const CircleChords chords(annulus);
  const double left = static_cast<double>(band_.box.x_begin) - annulus.ellipse.x;
  std::int64_t end = 0;
  for (std::int64_t first = 0; end < count; first += band_.stride) {
    const std::int64_t begin = end;
    while (end < count && place_.data()[end] < first + band_.stride) ++end;
    if (begin == end) continue;
    const EdgeRow edge{left, down_.data()[begin], first, end - begin, place_.data() + begin};
    if (!chords.count(edge, part + begin))
      count_sub_pixels(annulus, end - begin, across_.data() + begin, down_.data() + begin, part + begin);
  }
}

}  // namespace srcextract::python
