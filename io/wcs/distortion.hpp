#pragma once

#include <wcslib/wcs.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "io/wcs/celestial_keywords.hpp"

namespace srcextract {

/// One term of a polynomial in two coordinates of pixels or of the projection plane: powers of the coordinates, and
/// coefficient.
struct DistortionTerm {
  int x_power = 0, y_power = 0;
  double coefficient = 0;
};

/// SIP (Shupe et al. 2005): polynomials that correct the pixel coordinates of both axes, and polynomials of the
/// approximate inverse, if present. x_power is the power of the first axis, y_power of the second. The degree is at
/// most 9.
struct SipPolynomials {
  std::array<std::vector<DistortionTerm>, 2> forward, inverse;
};

/// Reads the SIP polynomials as astropy.wcs does: if A_ORDER and B_ORDER are both 2 or more. Coefficients of a higher
/// degree than the order are ignored. Returns nothing if there are no polynomials. Throws Error{input} if one axis has
/// an order of 2 or more and the other has no order, if an order is no integer from 0 to 9, or if SIP is used without
/// CRPIX.
std::optional<SipPolynomials> read_sip(const CelestialKeywords& keywords);

/// Basis functions of an IRAF surface, with their numbers in WAT cards (TNX, ZPX).
enum class SurfaceBasis { chebyshev = 1, legendre = 2, monomials = 3 };

struct WatSurface {
  SurfaceBasis basis = SurfaceBasis::monomials;
  double x_min = 0, x_max = 0, y_min = 0, y_max = 0;
  std::vector<DistortionTerm> terms;
};

/// The contents of IRAF's WAT cards:
/// - `type`: tnx or zpx (wtype);
/// - `projection`: parameters of the projection (projpM), used as PVi_M of the latitude axis;
/// - `surfaces`: distortion of both axes, or nothing.
struct WatDistortion {
  std::string type;
  std::vector<std::pair<int, double>> projection;
  std::optional<std::array<WatSurface, 2>> surfaces;
};

/// Reads the distortion from the WAT cards. Returns nothing if there is none. `longitude` is the index of the longitude
/// axis, 0 or 1. Throws Error{input} if only one axis has a distortion, or if the text is invalid or incomplete.
std::optional<WatDistortion> read_wat(const CelestialKeywords& keywords, int longitude);

/// Number of records to be allocated by wcsinit() for a distortion.
int count_records(const SipPolynomials& sip);
int count_records(const std::array<WatSurface, 2>& surfaces);

// Add a distortion to `wcs` after wcsinit(). The records have the form of the draft of Paper IV, which wcslib/dis.h
// describes. SIP is relative to the reference pixel wcs.crpix. Throw Error{memory}.
void set_sip(const SipPolynomials& sip, wcsprm& wcs);
void set_surfaces(const std::string& type, const std::array<WatSurface, 2>& surfaces, wcsprm& wcs);

}  // namespace srcextract
