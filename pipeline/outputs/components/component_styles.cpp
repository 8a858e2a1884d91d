#include "pipeline/outputs/components/component_styles.hpp"

#include <spdlog/fmt/fmt.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "io/wcs/direction.hpp"
#include "io/wcs/sexagesimal.hpp"
#include "pipeline/outputs/components/cube_columns.hpp"
#include "stages/fit/fitted_row.hpp"

namespace srcextract {
namespace {

class Values {
 public:
  explicit Values(const Table& table) : table_(table) {}

  const TableColumn& column(std::string_view name) const { return column_named(table_, name); }
  double real(std::string_view name, std::size_t row) const {
    return std::visit(
        [&]<class T>(const std::vector<T>& values) -> double {
          if constexpr (std::is_same_v<T, std::string>)
            return std::numeric_limits<double>::quiet_NaN();
          else
            return static_cast<double>(values[row]);
        },
        column(name).values);
  }
  std::int32_t whole(std::string_view name, std::size_t row) const {
    return std::get<std::vector<std::int32_t>>(column(name).values)[row];
  }
  const std::string& text(std::string_view name, std::size_t row) const {
    return std::get<std::vector<std::string>>(column(name).values)[row];
  }
  double real_if_any(std::string_view name, std::size_t row) const {
    const bool there = std::ranges::find(table_.columns, name, &TableColumn::name) != table_.columns.end();
    return there ? real(name, row) : std::numeric_limits<double>::quiet_NaN();
  }
  std::size_t rows() const { return static_cast<std::size_t>(table_.rows); }

 private:
  const Table& table_;
};

/// A name of the form Jhhmmss±ddmmss. Seconds are truncated, not rounded, as the IAU prescribes for names.
std::string name_at(double right_ascension, double declination) {
  if (!std::isfinite(right_ascension) || !std::isfinite(declination)) return "";
  const auto cut = [](double value) {
    const auto seconds = static_cast<std::int64_t>(std::abs(value) * arcseconds);
    return fmt::format("{:02}{:02}{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  };
  return "J" + cut(right_ascension / 15) + (std::signbit(declination) ? "-" : "+") + cut(declination);
}

/// Makes a table column by column from the values of another table.
class Restyled {
 public:
  explicit Restyled(const Values& from) : from_(from) { table_.rows = static_cast<std::int64_t>(from.rows()); }

  void real(const char* name, const std::string& unit, const char* ucd, const std::function<double(std::size_t)>& of) {
    add<double>(name, unit, ucd, of);
  }
  void whole(const char* name, const char* ucd, const std::function<std::int32_t(std::size_t)>& of) {
    add<std::int32_t>(name, "", ucd, of);
  }
  void text(const char* name, const char* ucd, const std::function<std::string(std::size_t)>& of) {
    add<std::string>(name, "", ucd, of);
  }
  /// Adds a column of the original table, multiplied by a factor.
  void scaled(const char* name, const std::string& unit, const char* ucd, const char* column, double factor = 1) {
    real(name, unit, ucd, [this, column, factor](std::size_t row) { return factor * from_.real(column, row); });
  }
  /// Adds a column of errors of the original table, multiplied by a factor; -1 in rows without an error.
  void error(const char* name, const std::string& unit, const char* ucd, const char* column, double factor = 1) {
    real(name, unit, ucd, [this, column, factor](std::size_t row) {
      const double value = factor * from_.real(column, row);
      return value > 0 && std::isfinite(value) ? value : -1;
    });
  }
  Table take() { return std::move(table_); }

 private:
  template <class T>
  void add(const char* name, const std::string& unit, const char* ucd, const std::function<T(std::size_t)>& of) {
    std::vector<T> values;
    for (std::size_t row = 0; row < from_.rows(); ++row) values.push_back(of(row));
    table_.columns.push_back({name, unit, ucd, "", std::move(values)});
  }

  const Values& from_;
  Table table_;
};

/// Converts flags of a fit (fit_flag) to Aegean's flags.
std::int32_t aegean_flags(std::int32_t flags) {
  constexpr std::int32_t fit_error = 2, beam_shape = 4, not_fitted = 16;
  return ((flags & (fit_flag::unconverged | fit_flag::above_map)) != 0 ? fit_error : 0) |
         ((flags & fit_flag::beam_shape) != 0 ? beam_shape : 0) | ((flags & fit_flag::moments) != 0 ? not_fitted : 0);
}

/// The index, from 0, of each row within the row's island. Rows of one island must be adjacent.
std::vector<std::int32_t> numbers_in_island(const Values& from) {
  std::vector<std::int32_t> numbers(from.rows());
  for (std::size_t row = 1; row < numbers.size(); ++row)
    numbers[row] = from.whole("Isl_id", row) == from.whole("Isl_id", row - 1) ? numbers[row - 1] + 1 : 0;
  return numbers;
}

Table aegean_table(const Values& from, std::uint32_t datasum, const Config& config) {
  const std::string peak = from.column("Peak_flux").unit, total = from.column("Total_flux").unit;
  const std::vector<std::int32_t> numbers = numbers_in_island(from);
  Restyled to(from);
  to.whole("island", "meta.id.parent", [&](std::size_t row) { return from.whole("Isl_id", row); });
  to.whole("source", "meta.id", [&](std::size_t row) { return numbers[row]; });
  to.scaled("background", peak, "instr.background", "Isl_mean");
  to.scaled("local_rms", peak, "stat.stdev;phot.flux.density", "Isl_rms");
  to.text("ra_str", "pos.eq.ra", [&](std::size_t row) { return sexagesimal_hours(from.real("RA", row), 2); });
  to.text("dec_str", "pos.eq.dec", [&](std::size_t row) { return sexagesimal_degrees(from.real("DEC", row), 2); });
  to.scaled("ra", "deg", "pos.eq.ra;meta.main", "RA");
  to.error("err_ra", "deg", "stat.error;pos.eq.ra", "E_RA");
  to.scaled("dec", "deg", "pos.eq.dec;meta.main", "DEC");
  to.error("err_dec", "deg", "stat.error;pos.eq.dec", "E_DEC");
  to.scaled("peak_flux", peak, "phot.flux.density;stat.max;em.radio", "Peak_flux");
  to.error("err_peak_flux", peak, "stat.error;phot.flux.density;stat.max;em.radio", "E_Peak_flux");
  to.scaled("int_flux", total, "phot.flux.density;em.radio", "Total_flux");
  to.error("err_int_flux", total, "stat.error;phot.flux.density;em.radio", "E_Total_flux");
  to.scaled("a", "arcsec", "phys.angSize.smajAxis", "Maj", arcseconds);
  to.error("err_a", "arcsec", "stat.error;phys.angSize.smajAxis", "E_Maj", arcseconds);
  to.scaled("b", "arcsec", "phys.angSize.sminAxis", "Min", arcseconds);
  to.error("err_b", "arcsec", "stat.error;phys.angSize.sminAxis", "E_Min", arcseconds);
  to.scaled("pa", "deg", "pos.posAng", "PA");
  to.error("err_pa", "deg", "stat.error;pos.posAng", "E_PA");
  to.whole("flags", "meta.code.qual", [&](std::size_t row) { return aegean_flags(from.whole("FLAG", row)); });
  to.scaled("residual_mean", peak, "stat.mean;stat.fit", "Resid_Isl_mean");
  to.scaled("residual_std", peak, "stat.stdev;stat.fit", "Resid_Isl_rms");
  to.text("uuid", "meta.id", [&](std::size_t row) {
    return fmt::format("{:08x}-{:08x}-{:04x}", datasum, from.whole("Isl_id", row), numbers[row]);
  });
  const double beam[] = {config.beam.fwhm[0], config.beam.fwhm[1], config.beam.angle};
  to.real("psf_a", "arcsec", "phys.angSize.smajAxis;instr.beam", [&](std::size_t) { return beam[0]; });
  to.real("psf_b", "arcsec", "phys.angSize.sminAxis;instr.beam", [&](std::size_t) { return beam[1]; });
  to.real("psf_pa", "deg", "pos.posAng;instr.beam", [&](std::size_t) { return beam[2]; });
  return to.take();
}

/// The name of a component from the island's number and the component's index there, from 0: component_1a,
/// component_1b.
std::string component_of(std::int32_t island, std::int32_t number) {
  std::string letters;
  for (std::int32_t rest = number; rest >= 0; rest = rest / 26 - 1)
    letters.insert(letters.begin(), static_cast<char>('a' + rest % 26));
  return fmt::format("component_{}{}", island, letters);
}

void add_casda_shape(Restyled& to) {
  to.scaled("maj_axis", "arcsec", "phys.angSize.smajAxis;em.radio;stat.fit", "Maj", arcseconds);
  to.scaled("min_axis", "arcsec", "phys.angSize.sminAxis;em.radio;stat.fit", "Min", arcseconds);
  to.scaled("pos_ang", "deg", "phys.angSize;pos.posAng;em.radio;stat.fit", "PA");
  to.scaled("maj_axis_err", "arcsec", "stat.error;phys.angSize.smajAxis;em.radio", "E_Maj", arcseconds);
  to.scaled("min_axis_err", "arcsec", "stat.error;phys.angSize.sminAxis;em.radio", "E_Min", arcseconds);
  to.scaled("pos_ang_err", "deg", "stat.error;phys.angSize;pos.posAng;em.radio", "E_PA");
  to.scaled("maj_axis_deconv", "arcsec", "phys.angSize.smajAxis;em.radio;askap:meta.deconvolved", "DC_Maj", arcseconds);
  to.scaled("min_axis_deconv", "arcsec", "phys.angSize.sminAxis;em.radio;askap:meta.deconvolved", "DC_Min", arcseconds);
  to.scaled("pos_ang_deconv", "deg", "phys.angSize;pos.posAng;em.radio;askap:meta.deconvolved", "DC_PA");
  to.scaled("maj_axis_deconv_err", "arcsec", "stat.error;phys.angSize.smajAxis;em.radio;askap:meta.deconvolved",
            "E_DC_Maj", arcseconds);
  to.scaled("min_axis_deconv_err", "arcsec", "stat.error;phys.angSize.sminAxis;em.radio;askap:meta.deconvolved",
            "E_DC_Min", arcseconds);
  to.scaled("pos_ang_deconv_err", "deg", "stat.error;phys.angSize;pos.posAng;em.radio;askap:meta.deconvolved",
            "E_DC_PA");
}

Table casda_table(const Values& from, const Config& config) {
  // Fluxes that are not in Jy keep their values, and total fluxes then have no unit.
  const bool known = from.column("Total_flux").unit == "Jy";
  const double milli = known ? 1e3 : 1;
  const std::string peak = known ? "mJy/beam" : from.column("Peak_flux").unit, total = known ? "mJy" : "";
  const std::vector<std::int32_t> numbers = numbers_in_island(from);
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  const double frequency = config.resources.frequency > 0 ? config.resources.frequency / 1e6 : unknown;
  Restyled to(from);
  to.text("island_id", "meta.id.parent",
          [&](std::size_t row) { return fmt::format("island_{}", from.whole("Isl_id", row)); });
  to.text("component_id", "meta.id;meta.main",
          [&](std::size_t row) { return component_of(from.whole("Isl_id", row), numbers[row]); });
  to.text("component_name", "meta.id",
          [&](std::size_t row) { return name_at(from.real("RA", row), from.real("DEC", row)); });
  to.text("ra_hms_cont", "pos.eq.ra", [&](std::size_t row) { return sexagesimal_hours(from.real("RA", row), 2); });
  to.text("dec_dms_cont", "pos.eq.dec", [&](std::size_t row) { return sexagesimal_degrees(from.real("DEC", row), 2); });
  to.scaled("ra_deg_cont", "deg", "pos.eq.ra;meta.main", "RA");
  to.scaled("dec_deg_cont", "deg", "pos.eq.dec;meta.main", "DEC");
  to.scaled("ra_err", "arcsec", "stat.error;pos.eq.ra", "E_RA", arcseconds);
  to.scaled("dec_err", "arcsec", "stat.error;pos.eq.dec", "E_DEC", arcseconds);
  to.real("freq", "MHz", "em.freq", [&](std::size_t) { return frequency; });
  to.scaled("flux_peak", peak, "phot.flux.density;stat.max;em.radio;stat.fit", "Peak_flux", milli);
  to.scaled("flux_peak_err", peak, "stat.error;phot.flux.density;stat.max;em.radio;stat.fit", "E_Peak_flux", milli);
  to.scaled("flux_int", total, "phot.flux.density;em.radio;stat.fit", "Total_flux", milli);
  to.scaled("flux_int_err", total, "stat.error;phot.flux.density;em.radio;stat.fit", "E_Total_flux", milli);
  add_casda_shape(to);
  to.scaled("chi_squared_fit", "", "stat.fit.chi2", "FIT_CHI2");
  to.scaled("rms_fit_gauss", peak, "stat.stdev;stat.fit", "Resid_Isl_rms", milli);
  to.real("spectral_index", "", "spect.index;em.radio",
          [&](std::size_t row) { return from.real_if_any("Spec_Indx", row); });
  to.real("spectral_curvature", "", "askap:spect.curvature;em.radio",
          [&](std::size_t row) { return from.real_if_any("Spec_curv", row); });
  to.scaled("rms_image", peak, "stat.stdev;phot.flux.density", "Isl_rms", milli);
  to.whole("has_siblings", "meta.code", [&](std::size_t row) { return std::int32_t{from.text("S_Code", row) != "S"}; });
  constexpr std::int32_t estimated =
      fit_flag::moments | fit_flag::unconverged | fit_flag::centre_held | fit_flag::above_map;
  to.whole("fit_is_estimate", "meta.code",
           [&](std::size_t row) { return std::int32_t{(from.whole("FLAG", row) & estimated) != 0}; });
  to.whole("spectral_index_from_TT", "meta.code", [](std::size_t) { return 0; });
  to.whole("flag_c4", "meta.code", [](std::size_t) { return 0; });
  to.text("comment", "meta.note", [](std::size_t) { return std::string(); });
  return to.take();
}

}  // namespace

Table styled(Table components, TableStyle style, std::uint32_t datasum, const Config& config) {
  if (style == TableStyle::aegean) {
    Table table = aegean_table(Values(components), datasum, config);
    // Columns of channels and polarisations, which Aegean lacks, keep PyBDSF's names.
    for (TableColumn& column : components.columns)
      if (is_cube_column(column.name)) table.columns.push_back(std::move(column));
    return table;
  }
  if (style == TableStyle::casda) return casda_table(Values(components), config);
  return components;
}

}  // namespace srcextract
