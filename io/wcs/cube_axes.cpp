#include "io/wcs/cube_axes.hpp"

#include <wcslib/spx.h>
#include <wcslib/wcserr.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "io/fits/header.hpp"
#include "io/fits/header_values.hpp"
#include "io/wcs/unit.hpp"

namespace srcextract {
namespace {

/// A type of spectral axis: the first four letters of CTYPE, and the unit of the values if CUNIT is missing.
struct SpectralType {
  std::string_view name, unit;
};
constexpr std::array<SpectralType, 8> spectral_types = {{{"FREQ", "Hz"},
                                                         {"VRAD", "m/s"},
                                                         {"VOPT", "m/s"},
                                                         {"VELO", "m/s"},
                                                         {"FELO", "m/s"},
                                                         {"WAVE", "m"},
                                                         {"AWAV", "m"},
                                                         {"ZOPT", ""}}};

const SpectralType* spectral_type(std::string_view type) {
  const auto found =
      std::ranges::find_if(spectral_types, [&](const SpectralType& one) { return type.starts_with(one.name); });
  return found == spectral_types.end() ? nullptr : &*found;
}

std::optional<double> number(const Header& header, const std::string& keyword) {
  const CardValue found = header.find(keyword);
  return found.value ? as_real(*found.value) : std::nullopt;
}

/// Returns the frequency in Hz that belongs to a spectral value in SI units, or 0 if the frequency is unknown.
double frequency_of(const char* type, double value, double rest_frequency, double rest_wavelength) {
  if (rest_frequency == 0 && rest_wavelength == 0 && type[0] != 'W' && type[0] != 'A') return 0;
  spxprm found = {};
  found.err = nullptr;
  const bool known = specx(type, value, rest_frequency, rest_wavelength, &found) == 0;
  wcserr_clear(&found.err);
  return known && std::isfinite(found.freq) && found.freq > 0 ? found.freq : 0;
}

}  // namespace

CubeAxes::CubeAxes(std::string_view cards, const std::vector<std::int64_t>& axes)
    : further_(axes.size() > 2 ? axes.size() - 2 : 0) {
  constexpr std::size_t most_described = 5;
  const Header header(cards);
  for (std::size_t i = 2; i < std::max(axes.size(), most_described); ++i) {
    const std::string n = std::to_string(i + 1);
    Axis axis{n, header.first_text("CTYPE" + n), header.first_text("CUNIT" + n)};
    axis.length = i < axes.size() ? std::max<std::int64_t>(axes[i], 1) : 1;
    axis.stride = planes_;
    planes_ *= axis.length;
    axis.value = number(header, "CRVAL" + n).value_or(axis.type.starts_with("STOKES") ? 1 : 0);
    axis.pixel = number(header, "CRPIX" + n).value_or(axis.type.starts_with("STOKES") ? 1 : 0);
    const auto matrix = number(header, "CD" + n + "_" + n);
    axis.step = matrix ? *matrix : number(header, "CDELT" + n).value_or(axis.type.starts_with("STOKES") ? 1 : 0);
    axes_.push_back(std::move(axis));
  }
  for (const Axis& axis : axes_) {
    if (stokes_ == nullptr && axis.type.starts_with("STOKES")) stokes_ = &axis;
    if (spectral_ == nullptr && spectral_type(axis.type) != nullptr) spectral_ = &axis;
  }
  for (const Axis& axis : axes_)
    if (spectral_ == nullptr && &axis != stokes_ && axis.length > 1) spectral_ = &axis;
  for (const char* keyword : {"RESTFREQ", "RESTFRQ"})
    rest_frequency_ = number(header, keyword).value_or(rest_frequency_);
  rest_wavelength_ = number(header, "RESTWAV").value_or(0);
  constexpr double first_of_radio = 257;  // VELREF of AIPS: from 257 on, velocities are radio velocities
  radio_velocity_ = number(header, "VELREF").value_or(first_of_radio) >= first_of_radio;
}

double CubeAxes::frequency_at(std::int64_t index) const {
  const SpectralType* const type = spectral_ == nullptr ? nullptr : spectral_type(spectral_->type);
  if (type == nullptr) return 0;
  const std::string& unit = spectral_->unit;
  const auto factor = unit.empty() || type->unit.empty() ? 1.0 : unit_factor(unit, std::string(type->unit));
  if (!factor) return 0;
  const double value = *factor * spectral_->at(static_cast<double>(index));
  if (type->name == "FREQ") return std::max(value, 0.0);
  std::string name(type->name);
  // In AIPS, VELO is a radio or an optical velocity, as VELREF says. FELO is an optical velocity of channels that are
  // equally wide in frequency.
  if (name == "VELO" && spectral_->type.size() > 4) name = radio_velocity_ ? "VRAD" : "VOPT";
  const bool of_frequency = name == "FELO" || spectral_->type.substr(4).starts_with("-F2");
  if (name == "FELO") name = "VOPT";
  const auto at = [&](double of) { return frequency_of(name.c_str(), of, rest_frequency_, rest_wavelength_); };
  if (!of_frequency) return at(value);
  const double reference = *factor * spectral_->value, little = 1e-3 * std::abs(*factor * spectral_->step);
  if (!(little > 0)) return at(reference);
  return at(reference) + (at(reference + little) - at(reference - little)) / (2 * little) * (value - reference);
}

CubePlane CubeAxes::plane(std::int64_t number) const {
  CubePlane plane{.number = number};
  std::int64_t stride = 1;
  for (const Axis& axis : axes_) {
    if (&axis == spectral_) {
      plane.channel = axis.index(number);
    } else if (&axis == stokes_) {
      plane.polarisation = axis.index(number);
      plane.stokes =
          static_cast<int>(std::lround(std::clamp(axis.at(static_cast<double>(plane.polarisation)), -99., 99.)));
    } else {
      plane.other += stride * axis.index(number);
      stride *= axis.length;
    }
  }
  plane.frequency = frequency_at(plane.channel);
  return plane;
}

std::vector<CubePlane> CubeAxes::channels_of(int stokes, const CubePlane& like) const {
  std::vector<CubePlane> found;
  for (std::int64_t number = 1; number <= planes_; ++number)
    if (const CubePlane one = plane(number); one.stokes == stokes && one.other == like.other) found.push_back(one);
  std::ranges::stable_sort(found, {}, &CubePlane::channel);
  return found;
}

FurtherAxes CubeAxes::axes_of(const std::vector<std::int64_t>& planes, const std::vector<double>& weights,
                              bool as_matrix) const {
  FurtherAxes of{further_};
  std::string& cards = of.cards;
  for (std::size_t i = 0; i < further_; ++i) {
    const Axis& axis = axes_[i];
    if (!axis.type.empty()) cards += format_card({"CTYPE" + axis.number, axis.type});
    if (!axis.unit.empty()) cards += format_card({"CUNIT" + axis.number, axis.unit});
    if (axis.type.empty() && axis.step == 0) continue;
    const double mean =
        mean_over(planes, weights, [&](std::int64_t plane) { return static_cast<double>(axis.index(plane)); });
    cards += format_card({"CRVAL" + axis.number, axis.value});
    cards += format_card({"CRPIX" + axis.number, axis.pixel - mean});
    const std::string step = as_matrix ? "CD" + axis.number + "_" + axis.number : "CDELT" + axis.number;
    cards += format_card({step, axis.step});
  }
  return of;
}

}  // namespace srcextract
