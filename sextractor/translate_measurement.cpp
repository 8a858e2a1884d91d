#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/number_file.hpp"
#include "config/values.hpp"
#include "sextractor/text_file.hpp"
#include "sextractor/translation.hpp"
#include "stages/catalogue/declared_columns.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/error.hpp"
#include "stages/core/line_words.hpp"
#include "stages/core/words.hpp"
#include "stages/settings/network_numbers.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/psf.hpp"

namespace srcextract::sextractor {

using config::fail;
using config::format_value;

namespace {

void put_number(const Request& request, const char* key, const std::string& path, Translation& to) {
  to.put(path, format_value(request[key].number()), {&request[key]});
}

/// Adds an entry for the name of a header keyword. The entry is `none` if the value is NONE or not a valid keyword (1
/// to 8 capital letters, digits, - or _). SExtractor finds an invalid keyword in no header, so the effect is the same.
void put_keyword(const Setting& setting, const std::string& path, Translation& to) {
  const std::string keyword = setting.word();
  if (in_capitals(keyword) == "NONE") return to.put(path, "none", {&setting});
  if (config::keyword_problem(keyword).empty()) return to.put(path, format_value(keyword), {&setting});
  to.put(path, "none", {&setting}, "no header has this keyword, as SExtractor looks for it: it is 1 to 8 capitals");
}

void put_pixel_scale(const Setting& setting, Translation& to) {
  to.put("measurement.pixel_scale", format_value(setting.number()), {&setting},
         finite_number(setting.values.front()) ? "" : "SExtractor reads a word as 0: the scale is that of the WCS");
}

/// A list of values in srcextract's configuration. problem_of() returns an empty text if srcextract accepts the list.
struct ValueList {
  std::string path;  ///< `section.key`
  std::vector<double> MeasurementConfig::*values;
  std::string (*problem_of)(const MeasurementConfig&);
};

/// Returns the first `count` values of a setting without those that srcextract refuses. Refused values are recorded as
/// unmet. If all are refused, returns all values of the setting.
std::vector<double> taken(const Setting& setting, std::size_t count, const ValueList& list, Translation& to) {
  MeasurementConfig measurement;
  std::vector<double>& values = measurement.*list.values;
  values.clear();
  std::vector<std::string> left_out;
  std::string reason;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(setting.number(i));
    const std::string problem = list.problem_of(measurement);
    if (problem.empty()) continue;
    values.pop_back();
    left_out.push_back(setting.values[i]);
    if (reason.empty()) reason = problem;
  }
  if (values.empty()) return setting.numbers();  // the configuration refuses this list later, which records it as unmet
  if (!left_out.empty())
    to.lose(setting,
            "without " + join(left_out) + ", and what follows moves up: '" + list.path + "' otherwise " + reason);
  return values;
}

/// Adds a list of values, shortened to as many values as the requested columns need. `columns` are the columns whose
/// sizes count.
void put_list(const Request& request, const char* key, const ValueList& list, const std::vector<std::string>& columns,
              Translation& to) {
  const Setting& setting = request[key];
  std::size_t count = setting.values.size();
  const auto wanted = static_cast<std::size_t>(most_values(request.parameters, columns));
  std::string note;
  if (wanted > 0 && wanted < count) {
    note = "the columns ask for " + std::to_string(wanted) + " of " + std::to_string(count);
    count = wanted;
  } else if (wanted > count) {
    note = "the columns ask for " + std::to_string(wanted) + ": SExtractor fills the others with zeros";
  }
  to.put(list.path, format_value(taken(setting, count, list, to)), {&setting}, note);
}

/// Adds the number of steps of the growth curve. FLUX_GROWTH(n) and MAG_GROWTH(m) are one curve, which has the larger
/// of the two numbers of steps, at most 64.
void put_growth(const Request& request, Translation& to) {
  const std::vector<std::string> columns = {"FLUX_GROWTH", "MAG_GROWTH"};
  constexpr int most = 64;
  const int steps = std::min(most_values(request.parameters, columns), most);
  if (steps == 0) return;
  to.put("measurement.growth_steps", format_value(std::int64_t{steps}), {}, "as many as the columns ask for");
  for (const Parameter& parameter : request.parameters)
    if (std::ranges::count(columns, parameter.name) > 0 && most_values({parameter}, columns) != steps)
      to.lose(parameter, "a curve of growth has one number of steps for FLUX_GROWTH and MAG_GROWTH, at most 64; here " +
                             std::to_string(steps));
}

void put_network(const Request& request, Translation& to) {
  const Setting &network = request["STARNNW_NAME"], &seeing = request["SEEING_FWHM"];
  if (!request.wants("CLASS_STAR")) return to.pass_over({&network, &seeing}, "CLASS_STAR is not asked for");
  const std::string& place = request.place_of(network);
  const std::string file = find_file(network.word(), request.path);
  if (file.empty())
    fail(place, "STARNNW_NAME " + network.word() + ", which CLASS_STAR needs: " + no_such_file +
                    "; copy it from SExtractor's own files, or take CLASS_STAR out of the columns" +
                    network.further_words());
  try {
    config::read_numbers(file, network_numbers);
  } catch (const Error& error) {
    fail(place, std::string("STARNNW_NAME: ") + error.what());
  }
  to.put("measurement.nnw", format_value(file), {&network});
  to.put("measurement.seeing_fwhm", format_value(seeing.number()), {&seeing});
}

/// Whether a requested column is measured by fitting the PSF.
bool wants_psf(const Request& request) {
  return std::ranges::any_of(declared_columns(), [&](const DeclaredColumn& one) {
    const bool of_psf =
        std::string_view(one.column.name).find("PSF") != std::string_view::npos || one.file.key == psf_key;
    return (of_psf || one.is_of_model()) && request.wants(one.column.name);
  });
}

/// The model that the requested columns mean, as in SExtractor: columns of a component ask for that component, the
/// Sersic index is free if it is asked for, and columns of the model alone ask for a Sersic profile.
void put_model(const Request& request, Translation& to) {
  bool any = false, spheroid = false, disk = false, level = false, point = false;
  for (const DeclaredColumn& one : declared_columns()) {
    if (!one.is_of_model() || !request.wants(one.column.name)) continue;
    const std::string_view name = one.column.name;
    any = true;
    spheroid = spheroid || name.find("SPHEROID") != std::string_view::npos;
    disk = disk || name.find("DISK") != std::string_view::npos;
    level = level || name.find("BACKOFFSET") != std::string_view::npos;
    point = point || name.find("POINTSOURCE") != std::string_view::npos;
  }
  if (!any) return;
  if (point && (spheroid || disk))
    for (const Parameter& parameter : request.parameters)
      if (parameter.name.find("POINTSOURCE") != std::string::npos)
        fail(request.path, parameter.name +
                               " beside columns of a spheroid or a disk: a star is fitted alone here; take "
                               "one or the other out of the columns");
  const bool free_index =
      request.wants("SPHEROID_SERSICN") || request.wants("SPHEROID_SERSICNERR") || !(spheroid || disk);
  const std::string of_spheroid = free_index ? "sersic" : "devaucouleurs";
  const bool star = point && !spheroid && !disk;
  to.put("model.fit",
         star               ? "point"
         : spheroid && disk ? of_spheroid + "+disk"
         : disk             ? "exponential"
                            : of_spheroid,
         {}, "by the columns asked for");
  if (level) to.put("model.sky", "free", {}, "as FLUX_BACKOFFSET asks for");
}

void put_psf(const Request& request, Translation& to) {
  const Setting &model = request["PSF_NAME"], &most = request["PSF_NMAX"];
  if (!wants_psf(request)) return to.pass_over({&model, &most}, "no column of PSFs is asked for");
  const std::string name = model.values.empty() ? "" : model.values.front(), file = find_file(name, request.path);
  if (file.empty())
    fail(request.place_of(model),
         "PSF_NAME " + name + ", by which columns such as FLUX_PSF are measured: " + no_such_file +
             "; let psfex make it of a catalogue, or take these columns out" + model.further_words());
  to.put("psf.file", format_value(file), {&model});
  to.put("psf.weights", "data", {}, "as SExtractor");
  put_model(request, to);
  if (model.values.size() > 1) to.lose(model, "the PSF of the measured image alone is fitted");
  if (most.is_set() && most.number() > 1)
    to.lose(most, "one star is fitted to each source; deblending divides close ones");
}

void put_local_sky(const Request& request, Translation& to) {
  const Setting &type = request["BACKPHOTO_TYPE"], &thickness = request["BACKPHOTO_THICK"];
  if (type.word() == "LOCAL")
    to.put("measurement.local_sky", format_value(thickness.whole()), {&type, &thickness});
  else
    to.pass_over({&type, &thickness}, "fluxes are above the sky of the meshes, as here without measurement.local_sky");
}

void put_zero_point(const Request& request, Translation& to) {
  double zero_point = 0;
  const Setting& from = zero_point_of(request, zero_point);
  to.put("measurement.zero_point", format_value(zero_point), {&from});
  if (&from != &request["MAG_ZEROPOINT"]) to.pass_over({&request["MAG_ZEROPOINT"]}, "the threshold has a zero point");
}

}  // namespace

void translate_measurement(const Request& request, Translation& to) {
  put_number(request, "GAIN", "measurement.gain", to);
  put_keyword(request["GAIN_KEY"], "measurement.gain_keyword", to);
  const Setting& saturation = request["SATUR_LEVEL"];
  if (saturation.number() == 0)
    to.lose(saturation, "every source with a pixel above 0 is saturated there; here 0 means that none is");
  put_number(request, "SATUR_LEVEL", "measurement.saturation", to);
  put_keyword(request["SATUR_KEY"], "measurement.saturation_keyword", to);
  put_zero_point(request, to);
  put_pixel_scale(request["PIXEL_SCALE"], to);
  to.put("measurement.mask", in_small_letters(request["MASK_TYPE"].word()), {&request["MASK_TYPE"]});
  put_list(request, "PHOT_APERTURES",
           {"measurement.apertures", &MeasurementConfig::apertures, config::apertures_problem},
           {"FLUX_APER", "FLUXERR_APER", "MAG_APER", "MAGERR_APER"}, to);
  to.put("measurement.kron", format_value(request["PHOT_AUTOPARAMS"].numbers()), {&request["PHOT_AUTOPARAMS"]});
  to.put("measurement.petrosian", format_value(request["PHOT_PETROPARAMS"].numbers()), {&request["PHOT_PETROPARAMS"]});
  to.put("measurement.least_apertures", format_value(request["PHOT_AUTOAPERS"].numbers()),
         {&request["PHOT_AUTOAPERS"]});
  put_list(request, "PHOT_FLUXFRAC",
           {"measurement.flux_radius", &MeasurementConfig::flux_radius, config::fractions_problem}, {"FLUX_RADIUS"},
           to);
  put_growth(request, to);
  put_local_sky(request, to);
  put_network(request, to);
  put_psf(request, to);
}

}  // namespace srcextract::sextractor
