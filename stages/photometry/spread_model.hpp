#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "stages/core/stage_record.hpp"
#include "stages/measure/row_column.hpp"
#include "stages/photometry/measured_source.hpp"
#include "stages/photometry/psf_fit.hpp"
#include "stages/photometry/star_fit.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// SPREAD_MODEL measures how much wider than the PSF a source is.
struct StarSpread {
  double spread, error;  ///< `error` is for sky pixels of variance 1; below 0 if unknown
  std::int64_t flags;    ///< always 0

  bool operator==(const StarSpread&) const = default;
};

/// SExtractor's SPREAD_MODEL (Desai et al. 2012, ApJ 757, 83; with weights of 1, as in the program): sum(g d) / sum(p
/// d) - sum(p g) / sum(p p). d are the pixels, p is the PSF at the fitted position, and g is the PSF convolved with an
/// exponential disk of scale length PSF_FWHM / 16. The sums are over the good pixels of a square about the source.
/// psf_numbers.cpp computes the convolved PSF model once, so that each source needs only one more resampling.
struct SpreadFamily {
  using Row = StarSpread;
  static constexpr const char* name = "spread";
  using uses = FamilyList<StarFamily>;
  static constexpr const char* numbers_key = psf_key;
  static constexpr NeededFile file{psf_key, [](const Settings& c) -> const std::string& {
                                     static const std::string image = "the image";
                                     return c.psf.method == PsfMethod::fit ? image : c.psf.file;
                                   }};
  static constexpr RowColumn<StarSpread> columns[] = {
      {"SPREAD_MODEL", "", "src.morph.param", "How much wider than a star it is; about 0 for a star", "psf",
       [](const StarSpread& row, const FluxCalibration&) { return row.spread; }},
      {"SPREADERR_MODEL", "", "stat.error;src.morph.param", "RMS error of SPREAD_MODEL", "psf",
       [](const StarSpread& row, const FluxCalibration& at) {
         return row.error < 0 ? 1 : row.error * std::sqrt(at.pixel);
       }},
  };

  PsfModel psf;
  PsfWeights weights;

  explicit SpreadFamily(const Settings& config)
      : psf(config.resources.numbers_of(psf_key)->data()), weights(config.psf.weights) {}
  void take_numbers(const double* on_device) { psf.numbers = on_device; }
  int scratch() const { return PsfStamp<HostLanes>::numbers_for(psf, 2); }
  SRCEXTRACT_HOST_DEVICE int rows() const { return 1; }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE StarSpread measure(const Lanes& lanes, const SourceWith<uses>& source,
                                            const PhotometryImage& image, int) const {
    const StarLight& star = source.of<StarFamily>();
    if (!(star.flux > 0)) return {1, unknown_error, 0};
    PsfStamp<Lanes> stamp(psf, lanes.scratch(PsfStamp<Lanes>::numbers_for(psf, 2)));
    stamp.go_to(lanes, source.shape.x, source.shape.y);
    stamp.take(lanes, psf.light());
    const ApertureBox box = box_of(*source.found, image);
    stamp.draw(lanes, star.x, star.y, box, 0);
    stamp.take(lanes, psf.spread());
    stamp.draw(lanes, star.x, star.y, box, 1);
    return of_sums(sums(lanes, stamp, stamp.covered(box, 0), source, image, star.flux));
  }

 private:
  enum { wide_light, light, mixed, squares, wide_noise, noise, mixed_noise };
  static constexpr double unknown_error = -1;  ///< mark of an unknown error; SPREADERR_MODEL is then 1

  /// Returns the box that SExtractor uses: a square with an odd number of pixels on a side. The side is 1.2 times the
  /// sum of the larger side of the source's box and PSF_FWHM times PSF_SAMP.
  SRCEXTRACT_HOST_DEVICE ApertureBox box_of(const SourceSums& found, const PhotometryImage& image) const {
    const double larger = found.xmax - found.xmin > found.ymax - found.ymin ? found.xmax - found.xmin + 1.0
                                                                            : found.ymax - found.ymin + 1.0;
    const double side = std::floor(larger + psf.fwhm * psf.step + 0.499) * 1.2, reach = std::floor(side / 2);
    const double x = std::floor((found.xmax + found.xmin + 1.0) / 2);
    const double y = std::floor((found.ymax + found.ymin + 1.0) / 2);
    return box_within(x - reach, x + reach + 1, y - reach, y + reach + 1, image.width, image.height);
  }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE Sums<7> sums(const Lanes& lanes, const PsfStamp<Lanes>& stamp, const ApertureBox& box,
                                      const MeasuredSource& source, const PhotometryImage& image, double flux) const {
    constexpr int width = Lanes::width;
    const PsfNoise noise_of(weights, source, image);
    return lanes.template sum_of_blocks<7>(
        box, [&](std::int32_t x, std::int32_t y, int count, BlockSums<7, width>& out) {
          const double *const of_star = stamp.at(x, y, 0), *const of_disk = stamp.at(x, y, 1);
          const StarPixels<width> pixel = noise_of.template at<width>(x, y, count, image, flux, of_star);
          for (int i = 0; i < width; ++i) {
            const double p = pixel.good[i] * of_star[i], g = pixel.good[i] * of_disk[i];
            out.of[wide_light][i] = g * pixel.light[i];
            out.of[light][i] = p * pixel.light[i];
            out.of[mixed][i] = p * g;
            out.of[squares][i] = p * p;
            out.of[wide_noise][i] = g * g * pixel.variance[i];
            out.of[noise][i] = p * p * pixel.variance[i];
            out.of[mixed_noise][i] = p * g * pixel.variance[i];
          }
        });
  }

  SRCEXTRACT_HOST_DEVICE static StarSpread of_sums(const Sums<7>& s) {
    const double d = s.of[light], e = s.of[wide_light];
    if (!(d > 0 && s.of[squares] > 0)) return {1, unknown_error, 0};
    const double variance = s.of[wide_noise] * d * d + s.of[noise] * e * e - 2 * s.of[mixed_noise] * d * e;
    return {e / d - s.of[mixed] / s.of[squares], variance > 0 ? std::sqrt(variance) / (d * d) : unknown_error, 0};
  }
};

inline void record_fields(const Buffer<StarSpread, Cpu>& rows, FieldRecorder& to) {
  to.members("spread", Element::source, rows, &StarSpread::spread);
  to.members("error of the spread", Element::source, rows, &StarSpread::error);
}

}  // namespace srcextract
