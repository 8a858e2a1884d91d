#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "io/wcs/celestial_keywords.hpp"

namespace srcextract {

/// One term of a polynomial in two coordinates, those of pixels or of the projection plane: its coefficient and powers.
struct DistortionTerm {
  int x_power = 0, y_power = 0;
  double coefficient = 0;
};

/// SIP (Shupe et al. 2005): corrections to the pixel coordinates of both axes, and an approximate inverse if present.
/// Powers belong to the first and the second axis; the degree is at most 9.
struct SipPolynomials {
  std::array<std::vector<DistortionTerm>, 2> forward, inverse;
};

/// Reads the SIP polynomials of a header as astropy.wcs does: if A_ORDER and B_ORDER are both 2 or more, whatever CTYPE
/// says. Coefficients beyond the orders are ignored. Nothing if there are none. Throws Error{input} if only one axis
/// has an order of 2 or more, if an order is no integer from 0 to 9, or if SIP lacks CRPIX.
std::optional<SipPolynomials> read_sip(const CelestialKeywords& keywords);

/// Basis of an IRAF surface (TNX, ZPX).
enum class SurfaceBasis { chebyshev = 1, legendre = 2, monomials = 3 };

struct WatSurface {
  SurfaceBasis basis = SurfaceBasis::monomials;
  double x_min = 0, x_max = 0, y_min = 0, y_max = 0;
  std::vector<DistortionTerm> terms;
};

/// The contents of IRAF's WAT cards:
/// - `wtype`, tnx or zpx;
/// - the parameters of the projection (projpM, used as PVi_M of the latitude axis);
/// - the surfaces, for both axes or for none.
struct WatDistortion {
  std::string type;
  std::vector<std::pair<int, double>> projection;
  std::optional<std::array<WatSurface, 2>> surfaces;
};

/// Reads the distortion from the WAT cards; nothing if there is none. `longitude` is the index of the longitude axis, 0
/// or 1. Throws Error{input} if only one axis has a distortion, or if the text is invalid or incomplete.
std::optional<WatDistortion> read_wat(const CelestialKeywords& keywords, int longitude);

}  // namespace srcextract
