#pragma once

#include <cstddef>

#include "stages/fit/normal_equations.hpp"
#include "stages/galaxy/aligned_floats.hpp"
#include "stages/galaxy/galaxy_fit.hpp"
#include "stages/galaxy/galaxy_spectra.hpp"
#include "stages/galaxy/psf_spectra.hpp"
#include "stages/galaxy/sersic_table.hpp"

namespace srcextract {

/// Images of a component: itself at flux 1, then its derivatives by x, y, ln rc, e1, e2, ln n.
inline constexpr int most_component_images = 7;
/// All components: spheroid 7, disk 6, point 3; a level of 1; derivatives by x and y of the whole model.
inline constexpr int most_galaxy_images = 7 + 6 + 3 + 1 + 2;

class GalaxyScratch {
 public:
  explicit GalaxyScratch(int largest_side);

  /// Takes the PSF at (x, y), in pixels from 1. Allocates only if this PSF has more modes than those before.
  void take_psf(const PsfSpectra& psf, double x, double y);

  int side() const { return psf_->side(); }
  std::size_t pixels() const { return static_cast<std::size_t>(side()) * side(); }

  /// Renders a profile of flux 1 into `images` images: 1, or the image and its derivatives, 6 without that by ln n,
  /// or 7. `which`: 0 or 1, one of two kept tables of an index.
  void render_profile(const GalaxyShape& shape, double x, double y, int images, int which, float* const* image);
  /// The same of a point; 1 image or 3.
  void render_point(double x, double y, int images, float* const* image);

  float* image(int number) { return images_.data() + static_cast<std::size_t>(number) * most_pixels_; }
  // The pixels of a fit.
  float* light() { return image(most_galaxy_images); }
  float* variance() { return image(most_galaxy_images + 1); }
  float* weight() { return image(most_galaxy_images + 2); }
  float* model() { return image(most_galaxy_images + 3); }
  float* residual() { return image(most_galaxy_images + 4); }

  SymmetricMatrix matrix;  ///< for the fit

 private:
  struct KeptIndex {
    double ln_n = 0;
    int images = 0;  ///< 0: nothing is kept
    SersicOfIndex of;
  };

  void turn_to(double x, double y);
  void make_images(int images, float* const* image);
  SpectrumInput spectrum_input() const;

  std::size_t most_pixels_;
  const PsfSpectra* psf_ = nullptr;
  PsfMoments moments_;
  AlignedFloats placed_, waves_, turns_, spectra_, work_, images_;
  KeptIndex kept_[2];
};

}  // namespace srcextract
