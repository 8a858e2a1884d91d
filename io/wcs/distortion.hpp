#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "io/wcs/celestial_keywords.hpp"

namespace srcextract {

/// One coefficient of a polynomial in the pixel, or the plane, coordinates of both axes.
struct DistortionTerm {
  int x_power = 0, y_power = 0;
  double coefficient = 0;
};

/// SIP (Shupe et al. 2005): corrections of the pixel coordinates of both axes, and the approximation to their inverse
/// if there is one. Powers are of the first axis and of the second; no term is beyond the ninth degree.
struct SipPolynomials {
  std::array<std::vector<DistortionTerm>, 2> forward, inverse;
};

/// The SIP polynomials of a header as astropy.wcs takes them: if A_ORDER and B_ORDER are both 2 or more, whatever
/// CTYPE says, with the coefficients that the orders allow. Nothing if there are none. Throws Error{input} if one axis
/// alone has an order, or an order is none from 0 to 9.
std::optional<SipPolynomials> read_sip(const CelestialKeywords& keywords);

/// How a surface of IRAF's is written (TNX, ZPX).
enum class SurfaceBasis { chebyshev = 1, legendre = 2, monomials = 3 };

struct WatSurface {
  SurfaceBasis basis = SurfaceBasis::monomials;
  double x_min = 0, x_max = 0, y_min = 0, y_max = 0;
  std::vector<DistortionTerm> terms;
};

/// What IRAF's WAT cards say of both axes: `wtype` tnx or zpx, the parameters of the projection (projpM, to be PVi_M of
/// the latitude axis), and the surfaces, of both axes or of none.
struct WatDistortion {
  std::string type;
  std::vector<std::pair<int, double>> projection;
  std::optional<std::array<WatSurface, 2>> surfaces;
};

/// The distortion that the WAT cards of a header describe; nothing if they describe none. `longitude` is the index of
/// that axis, 0 or 1. Throws Error{input} if one axis alone has one, or the text is no such description, or not whole.
std::optional<WatDistortion> read_wat(const CelestialKeywords& keywords, int longitude);

}  // namespace srcextract
