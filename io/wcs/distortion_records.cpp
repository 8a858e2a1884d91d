#include <wcslib/dis.h>

#include <cstdlib>
#include <string>

#include "io/wcs/distortion.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Where wcslib applies a distortion: to pixel coordinates before the matrix (prior), or after the matrix (sequent).
constexpr int prior = 1, sequent = 2;

/// Number of records per axis before the terms of the polynomial: its axes, and offsets or limits of the coordinates.
constexpr int sip_head = 5, surface_head = 8;

/// Adds a distortion of both axes to a wcsprm, as records of wcslib.
class Records {
 public:
  Records(int sequence, const std::string& type, int count, wcsprm& wcs) : keyword_(sequence == prior ? "DP" : "DQ") {
    // malloc'ed memory, because wcslib frees it.
    dis_ = static_cast<disprm*>(std::calloc(1, sizeof(disprm)));
    if (dis_) dis_->flag = -1;
    if (!dis_ || lindist(sequence, &wcs.lin, dis_, count) != 0)
      throw Error(ErrorKind::memory, "not enough memory for the distortion of the WCS; run with more memory");
    for (int axis = 0; axis < 2; ++axis) type.copy(dis_->dtype[axis], sizeof(dis_->dtype[axis]) - 1);
  }

  void axes(int axis) {
    add(axis, "NAXES", 0, 2, 0);
    add(axis, "AXIS.1", 0, 1, 0);
    add(axis, "AXIS.2", 0, 2, 0);
  }
  void whole(int axis, const std::string& field, int value) { add(axis, field, 0, value, 0); }
  void real(int axis, const std::string& field, double value) { add(axis, field, 1, 0, value); }
  void term(int axis, const std::string& stem, const DistortionTerm& term) {
    real(axis, stem + std::to_string(term.x_power) + "_" + std::to_string(term.y_power), term.coefficient);
  }

 private:
  void add(int axis, const std::string& field, int type, int whole, double real) {
    if (dis_->ndp == dis_->ndpmax) throw Error(ErrorKind::internal, "more records of a distortion than were counted");
    const std::string keyword = keyword_ + std::to_string(axis + 1);
    dpfill(&dis_->dp[dis_->ndp++], keyword.c_str(), field.c_str(), axis + 1, type, whole, real);
  }

  std::string keyword_;
  disprm* dis_;
};

}  // namespace

int count_records(const SipPolynomials& sip) {
  std::size_t count = std::size_t{2} * sip_head;
  for (const auto* polynomials : {&sip.forward, &sip.inverse})
    for (const std::vector<DistortionTerm>& terms : *polynomials) count += terms.size();
  return static_cast<int>(count);
}

int count_records(const std::array<WatSurface, 2>& surfaces) {
  return static_cast<int>(std::size_t{2} * surface_head + surfaces[0].terms.size() + surfaces[1].terms.size());
}

void set_sip(const SipPolynomials& sip, wcsprm& wcs) {
  Records records(prior, "SIP", count_records(sip), wcs);
  for (int axis = 0; axis < 2; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    records.axes(axis);
    records.real(axis, "OFFSET.1", wcs.crpix[0]);
    records.real(axis, "OFFSET.2", wcs.crpix[1]);
    for (const DistortionTerm& term : sip.forward[i]) records.term(axis, "SIP.FWD.", term);
    for (const DistortionTerm& term : sip.inverse[i]) records.term(axis, "SIP.REV.", term);
  }
}

void set_surfaces(const std::string& type, const std::array<WatSurface, 2>& surfaces, wcsprm& wcs) {
  Records records(sequent, "WAT-" + in_capitals(type), count_records(surfaces), wcs);
  for (int axis = 0; axis < 2; ++axis) {
    const WatSurface& surface = surfaces[static_cast<std::size_t>(axis)];
    records.axes(axis);
    records.whole(axis, "WAT.POLY", static_cast<int>(surface.basis));
    records.real(axis, "WAT.XMIN", surface.x_min);
    records.real(axis, "WAT.XMAX", surface.x_max);
    records.real(axis, "WAT.YMIN", surface.y_min);
    records.real(axis, "WAT.YMAX", surface.y_max);
    const std::string stem = surface.basis == SurfaceBasis::chebyshev  ? "WAT.CHBY."
                             : surface.basis == SurfaceBasis::legendre ? "WAT.LEGR."
                                                                       : "WAT.MONO.";
    for (const DistortionTerm& term : surface.terms) records.term(axis, stem, term);
  }
}

}  // namespace srcextract
