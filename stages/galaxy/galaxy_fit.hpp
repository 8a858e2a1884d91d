#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "stages/math/psf_model.hpp"

namespace srcextract {

/// The parts of a galaxy's model. All parts have the same centre.
struct GalaxyModel {
  bool spheroid = false;    ///< a Sérsic profile
  bool free_index = false;  ///< the Sérsic index of the spheroid is fitted, else it is `index`
  double index = 4;
  bool disk = false;   ///< an exponential profile: a Sérsic profile of index 1
  bool point = false;  ///< a star
  bool level = false;  ///< a constant level of the sky

  bool operator==(const GalaxyModel&) const = default;
};

/// Shape of a Sérsic profile with half-light radius re on the major axis and axis ratio q: rc = re √q, hypot(e1, e2) =
/// -ln q, and the major axis has the angle atan2(e2, e1) / 2, counterclockwise from x. So no value of e1, e2 is
/// special, round galaxies included. The index is clipped to 0.25 to 9.78 by what renders; fits keep it within 0.3
/// to 8.
struct GalaxyShape {
  double ln_rc = 0, e1 = 0, e2 = 0, ln_n = 0;  ///< lengths in image pixels
};

/// Parameters of a model. Fluxes are total, to infinity, in the unit of the pixels.
struct GalaxyParameters {
  double x = 0, y = 0;  ///< centre, in pixels from pixel (side / 2, side / 2) of the box
  GalaxyShape spheroid, disk;
  double spheroid_flux = 0, disk_flux = 0, point_flux = 0, level = 0;
};

/// What the errors of a fit refer to, in the order of GalaxyFit::covariance. Parameters that are not fitted have
/// variance 0.
enum GalaxyUnknown : int {
  of_spheroid_flux,
  of_disk_flux,
  of_point_flux,
  of_level,
  of_centre_x,
  of_centre_y,
  of_spheroid_size,
  of_spheroid_e1,
  of_spheroid_e2,
  of_spheroid_index,
  of_disk_size,
  of_disk_e1,
  of_disk_e2,
  galaxy_unknowns
};

/// Gaussian priors on the parameters of a shape: mean and sigma each. A sigma of 0 means no prior.
struct GalaxyPriors {
  double sigma_ln_rc = 0, sigma_e = 0, mean_ln_n = 0, sigma_ln_n = 0;
  /// Means of ln_rc; NaN: the value at the start of the fit.
  double mean_spheroid_ln_rc = std::numeric_limits<double>::quiet_NaN();
  double mean_disk_ln_rc = std::numeric_limits<double>::quiet_NaN();
  double farthest = 0;  ///< largest |x| and |y|, in pixels; 0: to the edges of the box
};

/// Pixels of a fit: a square box, row by row. The middle pixel has the indices (side / 2, side / 2).
struct GalaxyBox {
  int side = 0;                     ///< one of galaxy_sides
  const float* light = nullptr;     ///< the image minus its sky and minus the models of neighbours
  const float* variance = nullptr;  ///< variance of each pixel without photons of this galaxy; 0 or less, infinite or
                                    ///< NaN: the pixel is not used
  double per_photon = 0;            ///< 1 / gain; 0: photons of the galaxy add no noise
};

/// Sides of boxes, in pixels.
inline constexpr int galaxy_sides[] = {32, 48, 64, 96, 128, 192, 256};

/// Bits of GalaxyFit::flags, those of SExtractor where it has them.
enum GalaxyFlag : unsigned {
  galaxy_cut = 1,  ///< the largest box is too small for it
  galaxy_few_pixels = 4,
  galaxy_at_lower_limit = 8,
  galaxy_at_upper_limit = 16,
  galaxy_not_converged = 32
};

struct GalaxyFit {
  GalaxyParameters at;
  double covariance[galaxy_unknowns][galaxy_unknowns] = {};
  double chi2 = 0;          ///< sum over used pixels of squared residuals over the variance
  std::int64_t pixels = 0;  ///< number of used pixels
  int fitted = 0;           ///< number of fitted parameters, fluxes included
  int rounds = 0, renders = 0;
  unsigned flags = 0;
};

/// The PSF of an image, transformed for boxes of one side. Made once an image and side.
class PsfSpectra;
std::shared_ptr<const PsfSpectra> make_psf_spectra(const PsfModel& psf, int side);

/// Memory of a fit, reused from fit to fit by one thread.
class GalaxyScratch;
std::unique_ptr<GalaxyScratch, void (*)(GalaxyScratch*)> make_galaxy_scratch(int largest_side);

/// Renders the model without its level into `image`, side * side pixels row by row. `x`, `y`: position of the box's
/// middle pixel in the image, from 1, at which the PSF is taken.
void render_galaxy(const GalaxyModel& model, const GalaxyParameters& at, const PsfSpectra& psf, double x, double y,
                   GalaxyScratch& scratch, float* image);

/// Fits a model to the pixels of a box, from `start`, whose fluxes are not used. The box has the side of `psf`. A
/// profile's light beyond the box is modelled well for sides of 6 re + 3 FWHM or more. With spheroid and disk, the
/// spheroid's e1 and e2 have a prior of at most 0.25, both sizes one of at most 0.8. A negative flux of one of several
/// profiles becomes 0. Never throws and never fails: flags say what went wrong.
GalaxyFit fit_galaxy(const GalaxyModel& model, const GalaxyParameters& start, const GalaxyBox& box,
                     const GalaxyPriors& priors, int most_rounds, const PsfSpectra& psf, double x, double y,
                     GalaxyScratch& scratch);

/// The profile itself (not convolved) at (dx, dy) from its centre, for light beyond the box: total flux 1, per pixel.
double profile_at(const GalaxyShape& shape, double dx, double dy);

/// Adds flux times the profile at (dx + i, dy) from its centre to pixel i of a row, i = 0 to count - 1, in float. Many
/// times faster than profile_at().
void add_profile_row(const GalaxyShape& shape, double flux, double dx, double dy, int count, float* row);

/// Distance along the major axis at which a profile of this flux falls to `level` a pixel; 0 if its centre is fainter.
double profile_reach(const GalaxyShape& shape, double flux, double level);

}  // namespace srcextract
