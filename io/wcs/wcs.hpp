#pragma once

#include <span>
#include <string>
#include <vector>

#include "stages/catalogue/local_sky.hpp"
#include "stages/catalogue/sources.hpp"
#include "stages/core/exec.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// Reason that find_on_sky() returns for a header without a celestial WCS. Any other reason means that there is a WCS
/// that cannot be used.
extern const char* const no_celestial_wcs;

/// Computes the sky positions `places` of pixels, where (1, 1) is the centre of the first pixel, by the celestial WCS
/// of a FITS header (80-column cards). wcslib computes projections and distortions. ICRS and FK5 of equinox 2000 count
/// as J2000; positions in other systems (sky_frame) are converted. Returns an empty string, or the reason why there are
/// no sky positions.
std::string find_on_sky(const std::string& header, std::span<const double> x, std::span<const double> y,
                        std::vector<SkyPosition>& places, const Cpu& where = {});

/// Adds the columns of sky positions, such as ALPHA_J2000 and DELTA_J2000, at X_IMAGE, Y_IMAGE of each source. Sets
/// `footprint` to the sky positions of the outer corners of the image, starting beside pixel (1, 1) and going along the
/// first row and around. `footprint` is empty if the corners cannot be computed. If there are no sky positions, returns
/// the reason and adds nothing; else returns an empty string.
std::string add_sky_positions(const std::string& header, const Shape& shape, Sources& sources,
                              std::vector<SkyPosition>& footprint, const Cpu& where = {});

/// Computes the pixels x, y at right ascensions and declinations in degrees (J2000; ICRS and FK5 of equinox 2000 count
/// as equal). The centre of the first pixel is (1, 1). Pixels off the projection are NaN. Returns an empty string, or
/// the reason why there are no sky positions.
std::string find_on_image(const std::string& header, std::span<const double> alpha, std::span<const double> delta,
                          std::vector<double>& x, std::vector<double>& y, const Cpu& where = {});

/// Sets `side` to the side, in arcseconds, of a square with the area of the central pixel of the image. Returns an
/// empty string, or the reason why the area is unknown.
std::string measure_pixel(const std::string& header, const Shape& shape, double& side);

/// Size of a pixel by the linear part of any WCS, celestial or not, in the units of its axes. Without a WCS the size is
/// 1, as in SExtractor; with a singular matrix it is 0.
struct LinearPixel {
  double side = 0;          ///< side of a square with the area of the pixel
  double last_by_last = 0;  ///< diagonal matrix element of the last axis, which SExtractor's CLASS_STAR uses as the
                            ///< pixel's side
};
LinearPixel linear_pixel(const std::string& header);

}  // namespace srcextract
