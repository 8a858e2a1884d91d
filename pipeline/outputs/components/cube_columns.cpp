#include "pipeline/outputs/components/cube_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "stages/fit/spectrum.hpp"

namespace srcextract {
namespace {

class CubeColumns {
 public:
  CubeColumns(ComponentTable kind, const FittedIslands& islands, Table& table)
      : sources_(kind == ComponentTable::srl),
        islands_(islands),
        table_(table),
        unit_(column_named(table, "Total_flux").unit) {}

  void add_channels() {
    for (const MeasuredPlane& channel : islands_.channels) {
      const std::string n = std::to_string(channel.channel);
      with_error("Total_flux_ch" + n, unit_, "phot.flux.density;em.radio", "flux density in channel " + n,
                 [&](std::size_t row) { return flux_of(channel, row); });
      column("Freq_ch" + n, "Hz", "em.freq", "frequency of channel " + n,
             [&](std::size_t) { return channel.frequency > 0 ? channel.frequency : Spectrum::unknown; });
    }
  }

  void add_spectra() {
    std::vector<Spectrum> spectra;
    for (std::size_t row = 0; row < rows(); ++row) spectra.push_back(spectrum_of(row));
    const auto pair = [&](const char* name, const std::string& unit, const char* ucd, const char* what,
                          double Spectrum::*of, double Spectrum::*error) {
      with_error(name, unit, ucd, what, [&](std::size_t row) {
        return MeasuredFlux{spectra[row].*of, spectra[row].*error};
      });
    };
    pair("Spec_Indx", "", "spect.index;em.radio", "spectral index a of S = Spec_flux (f / Spec_Freq)^a",
         &Spectrum::index, &Spectrum::index_error);
    pair("Spec_curv", "", "stat.fit.param;spect.index",
         "c of the index a + c ln(f / Spec_Freq); NaN: the spectrum is a power law within the noise",
         &Spectrum::curvature, &Spectrum::curvature_error);
    pair("Spec_flux", unit_, "phot.flux.density;em.radio;stat.fit", "flux density of the spectrum at Spec_Freq",
         &Spectrum::flux, &Spectrum::flux_error);
    column("Spec_Freq", "Hz", "em.freq", "weighted mean of the logarithms of frequencies",
           [&](std::size_t row) { return spectra[row].frequency; });
  }

  void add_polarisation() {
    for (std::size_t k = 0; k < letters.size(); ++k)
      with_error(std::string("Total_") + letters[k], unit_,
                 std::string("phot.flux.density;phys.polarization.stokes.") + letters[k],
                 std::string("flux density in Stokes ") + letters[k],
                 [&](std::size_t row) { return polarised(static_cast<int>(k) + 2, row); });
    std::vector<Polarisation> all;
    for (std::size_t row = 0; row < rows(); ++row)
      all.push_back(polarisation_of(total_of(row), polarised(2, row), polarised(3, row), polarised(4, row)));
    const auto pair = [&](const char* name, const std::string& unit, const char* ucd, const char* what,
                          double Polarisation::*of, double Polarisation::*error) {
      with_error(name, unit, ucd, what, [&](std::size_t row) { return MeasuredFlux{all[row].*of, all[row].*error}; });
    };
    pair("Linear_Pol_flux", unit_, "phot.flux.density;phys.polarization.linear",
         "linearly polarised flux density, without the bias of noise", &Polarisation::linear,
         &Polarisation::linear_error);
    column("Linear_Pol_Lim", unit_, "phot.flux.density;phys.polarization.linear;stat.max",
           "upper limit at three standard errors; NaN: it is above them",
           [&](std::size_t row) { return all[row].linear_limit; });
    pair("Linear_Pol_frac", "", "phys.polarization.linear", "Linear_Pol_flux over Total_flux", &Polarisation::fraction,
         &Polarisation::fraction_error);
    pair("Linear_Pol_Ang", "deg", "pos.posAng;phys.polarization.linear",
         "angle of polarisation from north through east, [0, 180)", &Polarisation::angle, &Polarisation::angle_error);
    pair("Circ_Pol_Frac", "", "phys.polarization.circular", "Total_V over Total_flux", &Polarisation::circular_fraction,
         &Polarisation::circular_fraction_error);
  }

 private:
  static constexpr std::array<char, 3> letters = {'Q', 'U', 'V'};

  std::size_t rows() const { return static_cast<std::size_t>(table_.rows); }

  PlaneFlux plane_flux(const MeasuredPlane& plane, std::size_t row) const {
    const PlaneFluxes& all = sources_ ? plane.sources : plane.gaussians;
    return all.empty() ? PlaneFlux{} : all[row];
  }
  MeasuredFlux flux_of(const MeasuredPlane& plane, std::size_t row) const {
    const PlaneFlux flux = plane_flux(plane, row);
    return {flux.total, flux.error};
  }
  MeasuredFlux polarised(int stokes, std::size_t row) const {
    for (const MeasuredPlane& plane : islands_.polarised)
      if (plane.stokes == stokes) return flux_of(plane, row);
    return {};
  }
  MeasuredFlux total_of(std::size_t row) const { return {real("Total_flux", row), real("E_Total_flux", row)}; }
  double real(std::string_view name, std::size_t row) const {
    return std::get<std::vector<double>>(column_named(table_, name).values)[row];
  }

  /// Fits the spectrum of a row. An error of the Gaussian's position or shape changes the fluxes of all channels by a
  /// common factor. Therefore this part of the error is treated as common to all channels.
  Spectrum spectrum_of(std::size_t row) const {
    std::vector<FluxAt> fluxes;
    for (const MeasuredPlane& channel : islands_.channels) {
      const PlaneFlux flux = plane_flux(channel, row);
      const double common = flux.error * flux.error - flux.error_of_noise * flux.error_of_noise;
      fluxes.push_back({channel.frequency, flux.total, flux.error_of_noise, std::sqrt(std::max(common, 0.0))});
    }
    return fit_spectrum(std::move(fluxes));
  }

  template <class F>
  void column(const std::string& name, const std::string& unit, const std::string& ucd, const std::string& what,
              F&& of) {
    std::vector<double> values;
    for (std::size_t row = 0; row < rows(); ++row) values.push_back(of(row));
    table_.columns.push_back({name, unit, ucd, what, std::move(values)});
  }
  template <class F>
  void with_error(const std::string& name, const std::string& unit, const std::string& ucd, const std::string& what,
                  F&& of) {
    column(name, unit, ucd, what, [&](std::size_t row) { return of(row).flux; });
    column("E_" + name, unit, "stat.error;" + ucd, "standard error of " + name,
           [&](std::size_t row) { return of(row).error; });
  }

  bool sources_;
  const FittedIslands& islands_;
  Table& table_;
  std::string unit_;
};

}  // namespace

void add_cube_columns(ComponentTable kind, const FittedIslands& islands, Table& table) {
  CubeColumns columns(kind, islands, table);
  if (!islands.channels.empty()) {
    columns.add_spectra();
    columns.add_channels();
  }
  if (!islands.polarised.empty()) columns.add_polarisation();
}

bool is_cube_column(const std::string& name) {
  constexpr std::string_view stems[] = {"Total_flux_ch", "Freq_ch", "Spec_",      "Total_Q",
                                        "Total_U",       "Total_V", "Linear_Pol", "Circ_Pol"};
  const std::string_view of = name.starts_with("E_") ? std::string_view(name).substr(2) : std::string_view(name);
  return std::ranges::any_of(stems, [&](std::string_view stem) { return of.starts_with(stem); });
}

}  // namespace srcextract
