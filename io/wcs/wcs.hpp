#pragma once

#include <span>
#include <string>
#include <vector>

#include "stages/catalogue/local_sky.hpp"
#include "stages/catalogue/sources.hpp"
#include "stages/core/exec.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// The reason that find_on_sky returns for a header without a celestial WCS. Any other reason means that the WCS is
/// unusable.
extern const char* const no_celestial_wcs;

/// Sets `places` to the sky positions of pixels (the centre of the first is (1, 1)), by the celestial WCS of a FITS
/// header (80-column cards). wcslib supplies projections and distortions. ICRS and FK5 2000 count as J2000; galactic
/// positions are rotated to ICRS. Returns an empty string, or the reason why there are no sky positions.
std::string find_on_sky(const std::string& header, std::span<const double> x, std::span<const double> y,
                        std::vector<SkyPosition>& places, const Cpu& where = {});

/// Adds ALPHA_J2000 and DELTA_J2000 of each source's X_IMAGE, Y_IMAGE. Sets `footprint` to the sky positions of the
/// image's four outer corners, from that of pixel (1, 1) along the first row and around. Without sky positions, returns
/// the reason and adds nothing.
std::string add_sky_positions(const std::string& header, const Shape& shape, Sources& sources,
                              std::vector<SkyPosition>& footprint, const Cpu& where = {});

/// Sets x and y to the pixels at the given right ascensions and declinations (J2000, degrees; ICRS and FK5 2000 count
/// as one). The centre of the first pixel is (1, 1). NaN off the projection. Returns an empty string, or the reason why
/// there are no sky positions.
std::string find_on_image(const std::string& header, std::span<const double> alpha, std::span<const double> delta,
                          std::vector<double>& x, std::vector<double>& y, const Cpu& where = {});

/// Sets `side` to the side, in arcseconds, of a square with the area of the image's central pixel. Returns an empty
/// string, or the reason why the area is unknown.
std::string measure_pixel(const std::string& header, const Shape& shape, double& side);

/// Size of a pixel by the linear part of any WCS, celestial or not, in the units of its axes. Without a WCS the size is
/// 1, as in SExtractor; with a singular matrix it is 0.
struct LinearPixel {
  double side = 0;          ///< side of a square of the same area
  double last_by_last = 0;  ///< diagonal matrix element of the last axis, which SExtractor's CLASS_STAR uses as the
                            ///< pixel's side
};
LinearPixel linear_pixel(const std::string& header);

}  // namespace srcextract
