#include "io/wcs/fill_wcsprm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "io/files/refuse.hpp"
#include "io/fits/header.hpp"
#include "io/wcs/distortion.hpp"
#include "io/wcs/unit.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Largest size of an angle in degrees. A greater number has too few digits left for the position.
constexpr double largest_angle = 1e6;

std::string axis_keyword(const char* stem, std::size_t axis) {
  return stem + std::to_string(axis + 1);
}

/// A parameter PVi_m of the projection; `axis` is i - 1.
struct Parameter {
  int axis = 0, m = 0;
  double value = 0;
};

/// The checked description from which the wcsprm is filled.
struct Description {
  std::array<std::string, 2> ctype;  ///< CTYPE, padded to 8 characters or more, without "-SIP"
  int longitude = 0;                 ///< index of the longitude axis, 0 or 1
  std::vector<Parameter> parameters;
  std::optional<SipPolynomials> sip;
  std::optional<WatDistortion> wat;

  bool is(std::string_view code) const { return ctype[0].substr(5, 3) == code && ctype[1].substr(5, 3) == code; }
  double parameter(int axis, int m) const {
    const auto found = std::ranges::find_if(parameters, [&](const Parameter& p) { return p.axis == axis && p.m == m; });
    return found == parameters.end() ? 0 : found->value;
  }
};

/// Return true if CTYPE names a celestial longitude or latitude with a projection (FITS Standard 4.0, 8.3).
bool is_longitude(std::string_view ctype) {
  return ctype.substr(0, 5) == "RA---" || ctype.substr(1, 4) == "LON-" || ctype.substr(2, 3) == "LN-";
}
bool is_latitude(std::string_view ctype) {
  return ctype.substr(0, 5) == "DEC--" || ctype.substr(1, 4) == "LAT-" || ctype.substr(2, 3) == "LT-";
}

void read_ctypes(const CelestialKeywords& keywords, Description& description) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::string keyword = axis_keyword("CTYPE", axis);
    std::string& ctype = description.ctype[axis];
    ctype = keywords.text(keyword);
    if (ctype.size() == 12 && ctype.ends_with(sip_suffix)) ctype.resize(ctype.size() - sip_suffix.size());
    if (ctype.size() >= sizeof(wcsprm::radesys)) refuse(keyword + " is too long for a type of axis");
    for (const char* linear : {"RA", "DEC", "GLON", "GLAT", "ELON", "ELAT", "SLON", "SLAT"}) {
      if (ctype == linear || (ctype.starts_with(linear) && ctype.size() < 8))
        refuse(keyword + " = '" + ctype + "' is a linear axis without a projection (as 'RA---TAN'), which is no sky");
    }
    if (ctype.size() == 8 && ctype.ends_with("-TAB")) refuse(keyword + " looks coordinates up in a table (-TAB)");
    ctype.resize(std::max<std::size_t>(ctype.size(), 8), ' ');
  }
  const auto& [first, second] = description.ctype;
  const bool in_order = is_longitude(first) && is_latitude(second);
  if (!in_order && !(is_latitude(first) && is_longitude(second)))
    refuse("CTYPE1 = '" + keywords.text("CTYPE1") + "' and CTYPE2 = '" + keywords.text("CTYPE2") +
           "' are no pair of celestial axes");
  description.longitude = in_order ? 0 : 1;
}

std::vector<Parameter> read_parameters(const CelestialKeywords& keywords) {
  std::vector<Parameter> parameters;
  for (const HeaderValue& value : keywords.values) {
    if (!value.keyword.starts_with("PV")) continue;
    parameters.push_back(
        {value.keyword[2] - '1', std::stoi(value.keyword.substr(4)), as_real(value.value).value_or(0)});
  }
  return parameters;
}

/// Returns the determinant of the linear terms of SCAMP's polynomial. If it is 0, the linear terms map the plane onto a
/// line or a point.
double linear_determinant(const Description& d) {
  return d.parameter(0, 1) * d.parameter(1, 1) - d.parameter(0, 2) * d.parameter(1, 2);
}

/// Returns true if a parameter of the latitude axis changes no position, whatever it means.
bool is_without_effect(const Parameter& p) {
  return p.value == 0 || (p.m == 1 && p.value == 1);
}

/// Decides what the PV cards of a plain TAN projection mean. SCAMP before version 2 wrote a distortion polynomial
/// there, which is now called TPV. TAN itself has no parameters on the latitude axis. The cards are taken as TPV if the
/// first axis is the longitude, and PV1_1, PV2_1 and the determinant of the linear terms are not 0. Else those of the
/// latitude axis are dropped if they change nothing. If they do, they are half of a polynomial: throws Error{input}.
///
/// If the first axis is the longitude, the determinant is not 0, and there are no parameters beyond PVi_4, the meaning
/// is ambiguous, since the FITS Standard uses PVi_0 to PVi_4 for the fiducial point (4.0, table 13). Throws
/// Error{input} then, unless the polynomial would change nothing.
void settle_tan(Description& d) {
  const bool possible = d.longitude == 0 && linear_determinant(d) != 0;
  constexpr int last_of_standard = 4;
  const bool both = std::ranges::all_of(d.parameters, [](const Parameter& p) { return p.m <= last_of_standard; });
  const bool unity =
      std::ranges::all_of(d.parameters, [](const Parameter& p) { return p.value == (p.m == 1 ? 1 : 0); });
  if (possible && both && !unity)
    refuse(
        "PVi_m of a TAN are a polynomial to some programs (SCAMP), and to others the fiducial point of the FITS "
        "Standard; write CTYPE1 = 'RA---TPV' and CTYPE2 = 'DEC--TPV' if they are a polynomial, or leave out PV2_m if "
        "not");
  if (possible && d.parameter(0, 1) != 0 && d.parameter(1, 1) != 0) {
    d.ctype = {"RA---TPV", "DEC--TPV"};
    return;
  }
  const int latitude = 1 - d.longitude;
  for (const Parameter& p : d.parameters) {
    if (p.axis != latitude || is_without_effect(p)) continue;
    const std::string name = "PV" + std::to_string(latitude + 1) + "_" + std::to_string(p.m);
    refuse(name +
           " is none of TAN, and a polynomial (TPV) would need the linear terms of both axes (PV1_1, PV2_1); "
           "leave out PV" +
           std::to_string(latitude + 1) + "_m, or give the whole polynomial");
  }
  std::erase_if(d.parameters, [&](const Parameter& p) { return p.axis == latitude; });
}

/// Reads the distortion, if there is one. Throws Error{input} if there is more than one.
void settle_distortion(const CelestialKeywords& keywords, Description& d) {
  d.sip = read_sip(keywords);
  d.wat = read_wat(keywords, d.longitude);
  if (d.sip && d.wat) refuse("it has two distortions, SIP and WAT (" + d.wat->type + ")");
  if (d.sip && d.is("TPV")) refuse("it has two distortions, SIP and TPV");
  const bool plane = d.is("TAN");
  if (d.sip && !plane && !d.parameters.empty())
    refuse("it has SIP and parameters PVi_m of another projection than TAN, which programs read differently");
  if (d.sip) d.parameters.clear();
  if (plane && !d.wat) settle_tan(d);
  const bool wants_wat = d.is("TNX") || d.is("ZPX");
  if (!d.wat && wants_wat && !(keywords.text("WAT1_001") + keywords.text("WAT2_001")).empty())
    refuse("CTYPE says " + d.ctype[0].substr(5, 3) + ", and the WAT cards describe no such distortion");
  if (!d.wat) return;
  const bool fits = d.wat->type == "tnx" ? plane || d.is("TNX") : d.is("ZPN") || d.is("ZPX");
  if (!fits) refuse("the WAT cards are of the kind " + d.wat->type + ", and CTYPE1 is '" + d.ctype[0] + "'");
  if (d.wat->type == "tnx") d.parameters.clear();
  for (const auto& [m, value] : d.wat->projection) d.parameters.push_back({1 - d.longitude, m, value});
}

void check_parameters(const Description& d) {
  const bool polynomial = d.is("TPV");
  constexpr int tpv_terms = 40, projection_parameters = PVN;
  for (const Parameter& p : d.parameters) {
    if (p.m >= (polynomial ? tpv_terms : projection_parameters))
      refuse("PV" + std::to_string(p.axis + 1) + "_" + std::to_string(p.m) + " is beyond the last parameter");
  }
  if (polynomial && linear_determinant(d) == 0)
    refuse("the linear terms of TPV (PVi_1, PVi_2) give many pixels one position");
}

/// Stores the matrix elements that the header has in `matrix`. Returns false if the header has none.
bool read_matrix(const CelestialKeywords& keywords, const std::string& stem, const std::string& between,
                 double* matrix) {
  bool any = false;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const auto element = keywords.real(stem + std::to_string(i + 1) + between + std::to_string(j + 1));
      if (element) matrix[2 * i + j] = *element;
      any = any || element;
    }
  }
  return any;
}

void fill_linear(const CelestialKeywords& keywords, wcsprm& wcs) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    wcs.crpix[axis] = keywords.real(axis_keyword("CRPIX", axis)).value_or(0);
    wcs.crval[axis] = keywords.real(axis_keyword("CRVAL", axis)).value_or(0);
    wcs.cdelt[axis] = keywords.real(axis_keyword("CDELT", axis)).value_or(1);
    if (const auto angle = keywords.real(axis_keyword("CROTA", axis))) {
      wcs.crota[axis] = *angle;
      wcs.altlin |= 4;
    }
  }
  if (read_matrix(keywords, "PC00", "00", wcs.pc)) wcs.altlin |= 1;
  if (read_matrix(keywords, "PC", "_", wcs.pc)) wcs.altlin |= 1;
  if (read_matrix(keywords, "CD", "_", wcs.cd)) wcs.altlin |= 2;
}

/// Converts the units of both axes from CUNIT to degrees. wcsset() could convert units too, but would then parse text
/// from a file.
void convert_to_degrees(const CelestialKeywords& keywords, wcsprm& wcs) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::string unit = keywords.text(axis_keyword("CUNIT", axis));
    const std::optional<double> factor = unit.empty() ? 1.0 : unit_factor(unit, "deg");
    if (!factor) refuse(axis_keyword("CUNIT", axis) + " = '" + unit + "' is no unit of angles");
    wcs.cdelt[axis] *= *factor;
    wcs.crval[axis] *= *factor;
    for (std::size_t j = 0; j < 2; ++j) wcs.cd[2 * axis + j] *= *factor;
    std::strcpy(wcs.cunit[axis], "deg");
    if (!(std::abs(wcs.crval[axis]) <= largest_angle))
      refuse(axis_keyword("CRVAL", axis) + " is no angle: it is beyond a million degrees");
  }
}

/// Throws Error{input} if the linear part, in degrees, gives many pixels one position. wcslib refuses a matrix only if
/// its determinant is exactly 0.
void check_linear(const wcsprm& wcs) {
  constexpr double least_pixel = 1e-13, least_sine = 1e-8;
  const bool by_cd = (wcs.altlin & 2) != 0 && (wcs.altlin & 1) == 0;
  double m[4];
  for (std::size_t i = 0; i < 4; ++i) m[i] = by_cd ? wcs.cd[i] : wcs.pc[i] * wcs.cdelt[i / 2];
  const double columns[2] = {std::hypot(m[0], m[2]), std::hypot(m[1], m[3])};
  const double sine = std::abs(m[0] / columns[0] * (m[3] / columns[1]) - m[1] / columns[1] * (m[2] / columns[0]));
  const bool sized =
      std::min(columns[0], columns[1]) >= least_pixel && std::max(columns[0], columns[1]) <= largest_angle;
  if (!sized || !(sine >= least_sine))
    refuse(std::string(by_cd ? "the matrix CDi_j" : "the matrix of CDELTi and PCi_j") +
           " is singular, or as good as that: it gives many pixels one position");
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (std::abs(wcs.crpix[axis]) * columns[axis] <= largest_angle) continue;
    refuse(axis_keyword("CRPIX", axis) + " is no pixel: it is beyond a million degrees from this image");
  }
}

void fill_frame(const CelestialKeywords& keywords, wcsprm& wcs) {
  for (const auto& [keyword, angle] : {std::pair("LONPOLE", &wcs.lonpole), std::pair("LATPOLE", &wcs.latpole)}) {
    const std::optional<double> value = keywords.real(keyword);
    if (!value) continue;
    if (!(std::abs(*value) <= largest_angle)) refuse(std::string(keyword) + " is no angle");
    *angle = *value;
  }
  auto equinox = keywords.real("EQUINOX");
  if (!equinox) equinox = keywords.real("EPOCH");
  if (equinox && is_year(*equinox)) wcs.equinox = *equinox;
  std::string frame = keywords.text("RADESYS");
  if (frame.empty()) frame = keywords.text("RADECSYS");
  if (frame.size() >= sizeof(wcs.radesys)) refuse("RADESYS is too long for the name of a frame");
  std::strcpy(wcs.radesys, in_capitals(std::move(frame)).c_str());
}

}  // namespace

bool is_celestial(const CelestialKeywords& keywords) {
  for (const char* keyword : {"CTYPE1", "CTYPE2"}) {
    const std::string ctype = in_capitals(keywords.text(keyword));
    for (const char* word : {"RA", "DEC", "LON", "LAT", "LN-", "LT-"})
      if (ctype.substr(0, 5).find(word) != ctype.npos) return true;
  }
  return false;
}

WcsPointer fill_wcsprm(const CelestialKeywords& keywords) {
  Description description;
  read_ctypes(keywords, description);
  description.parameters = read_parameters(keywords);
  settle_distortion(keywords, description);
  check_parameters(description);
  if (keywords.tied) refuse("the WCS mixes the first two axes with others");

  const bool surfaces = description.wat && description.wat->surfaces;
  const int records = description.sip ? count_records(*description.sip)
                      : surfaces      ? count_records(*description.wat->surfaces)
                                      : 0;
  WcsPointer wcs(new wcsprm{});
  wcs->flag = -1;
  if (wcsinit(1, 2, wcs.get(), static_cast<int>(description.parameters.size()), 0, records) != 0)
    throw Error(ErrorKind::memory, "not enough memory for the WCS; run with more memory");
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::string& ctype = description.ctype[axis];
    ctype.copy(wcs->ctype[axis], ctype.find_last_not_of(' ') + 1);
  }
  for (const Parameter& p : description.parameters) wcs->pv[wcs->npv++] = {p.axis + 1, p.m, p.value};
  fill_linear(keywords, *wcs);
  convert_to_degrees(keywords, *wcs);
  check_linear(*wcs);
  fill_frame(keywords, *wcs);
  if (description.sip) set_sip(*description.sip, *wcs);
  if (surfaces) set_surfaces(description.wat->type, *description.wat->surfaces, *wcs);
  return wcs;
}

}  // namespace srcextract
