#pragma once

#include <span>
#include <string>
#include <vector>

#include "stages/catalogue/sources.hpp"
#include "stages/core/exec.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// The reason that add_sky_positions gives if the header describes no sky at all. Any other means that it does, in a
/// way that cannot be used.
extern const char* const no_celestial_wcs;

/// Fills alpha_j2000 and delta_j2000 from x_image and y_image with the celestial WCS of a FITS header (80-column cards)
/// through wcslib: any projection and distortion that it knows. Equatorial systems count as J2000 if they are ICRS or
/// FK5 2000; galactic positions are rotated to ICRS. Returns an empty string, or the reason why the image has no sky
/// positions, in which case the columns stay absent (sources.sky false).
std::string add_sky_positions(const std::string& header, Sources& sources, const Cpu& where = {});

/// A place on the sky in degrees, as of the catalogue; NaN off the sky.
struct SkyPosition {
  double alpha = 0, delta = 0;
};

/// The same, and where the outer corners of the image's corner pixels are, from (1, 1) along the first row around;
/// empty if there are no sky positions.
std::string add_sky_positions(const std::string& header, const Shape& shape, Sources& sources,
                              std::vector<SkyPosition>& footprint, const Cpu& where = {});

/// Sets x and y to where places of these right ascensions and declinations (J2000, degrees; ICRS and FK5 2000 count as
/// one) are in the image of that header; the centre of the first pixel is (1, 1). NaN where the projection does not
/// have them. Returns an empty string, or the reason why the image has no sky positions, as above.
std::string find_on_image(const std::string& header, std::span<const double> alpha, std::span<const double> delta,
                          std::vector<double>& x, std::vector<double>& y, const Cpu& where = {});

/// Sets `side`, in arcseconds, to that of a square as large as the pixel at the centre of an image of that shape.
/// Returns an empty string, or the reason why nothing tells it.
std::string measure_pixel(const std::string& header, const Shape& shape, double& side);

/// A pixel by the linear part of a WCS of any axes, in their own units: 1 where the header has none, as SExtractor has
/// it, and 0 where the matrix is singular.
struct LinearPixel {
  double side = 0;          ///< of a square as large
  double last_by_last = 0;  ///< how far the last axis goes along itself: what SExtractor's CLASS_STAR has as the side
};
LinearPixel linear_pixel(const std::string& header);

}  // namespace srcextract
