#include "pipeline/outputs/alerts/candidates.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "io/fits/header.hpp"
#include "io/fits/julian_date.hpp"
#include "pipeline/chain/detection.hpp"
#include "pipeline/outputs/alerts/stamps.hpp"
#include "stages/measure/flux_calibration.hpp"
#include "stages/settings/detection.hpp"
#include "survey/inputs/name_hash.hpp"

namespace srcextract {
namespace {

constexpr double unknown_number = std::numeric_limits<double>::quiet_NaN();
constexpr double no_magnitude = 99;

/// The values of a column; all NaN if the catalogue lacks the column.
std::vector<double> known_numbers(const Sources& sources, std::string_view name) {
  std::vector<double> numbers = numbers_of(sources, name);
  numbers.resize(static_cast<std::size_t>(sources.size()), unknown_number);
  return numbers;
}

std::vector<double> magnitudes_of(const Sources& sources, std::string_view name) {
  std::vector<double> magnitudes = known_numbers(sources, name);
  std::ranges::replace(magnitudes, no_magnitude, unknown_number);
  return magnitudes;
}

double header_number(const std::vector<HeaderValue>& header, std::string_view keyword) {
  const KeywordValue* const value = value_in(header, keyword);
  return value == nullptr || std::holds_alternative<std::string>(*value) ? unknown_number
                                                                         : as_real(*value).value_or(unknown_number);
}

std::string header_text(const std::vector<HeaderValue>& header, std::string_view keyword) {
  const auto* const text = std::get_if<std::string>(value_in(header, keyword));
  return text ? *text : "";
}

double julian_date_of(const std::vector<HeaderValue>& header) {
  constexpr double of_mjd_0 = 2400000.5;
  const double mjd = header_number(header, "MJD-OBS");
  return std::isfinite(mjd) ? mjd + of_mjd_0 : julian_date(header_text(header, "DATE-OBS")).value_or(unknown_number);
}

class Candidates {
 public:
  Candidates(const ImageInput& input, const Extraction& extraction)
      : input_(input), found_(extraction), rows_(static_cast<std::size_t>(extraction.sources.size())) {
    out_.rows = extraction.sources.size();
  }

  Table make() {
    add_identity();
    add_places();
    add_light();
    add_shapes();
    add_features();
    add_dipoles();
    return std::move(out_);
  }

 private:
  template <class T>
  void add(const char* name, const char* unit, const char* description, std::vector<T> values) {
    out_.columns.push_back({name, unit, "", description, std::move(values)});
  }
  void add_same(const char* name, const char* unit, const char* description, double value) {
    add(name, unit, description, std::vector(rows_, value));
  }
  template <class Value>
  void add_each(const char* name, const char* unit, const char* description, const Value& value) {
    std::vector<std::invoke_result_t<Value, std::size_t>> values;
    values.reserve(rows_);
    for (std::size_t row = 0; row < rows_; ++row) values.push_back(value(row));
    add(name, unit, description, std::move(values));
  }

  std::int16_t sign(std::size_t row) const { return found_.sources[columns::sign][row]; }

  void add_identity() {
    const std::vector<HeaderValue> header = input_.keywords(input_.config().output);
    const double jd = julian_date_of(header);
    const std::string image = fmt::format("{} {} {} {}", std::filesystem::path(input_.file.path).filename().string(),
                                          input_.frame.image().hdu(), input_.config().input.plane, jd);
    add_each("candid", "", "Number of this alert: a hash of file, HDU, plane, date, brightest pixel and sign",
             [&](std::size_t row) {
               return static_cast<std::int64_t>(name_hash(fmt::format("{} {} {} {}", image, usual_.xpeak_image[row],
                                                                      usual_.ypeak_image[row], sign(row))) >>
                                                1);
             });
    add_same("jd", "d", "Julian date of MJD-OBS, or else of DATE-OBS", jd);
    add_same("exptime", "s", "EXPTIME", header_number(header, "EXPTIME"));
    add("filter", "", "FILTER", std::vector(rows_, header_text(header, "FILTER")));
    add("tblid", "", "NUMBER of the row in the catalogue", std::vector(usual_.number.begin(), usual_.number.end()));
    add_each("isdiffpos", "", "t: brighter than the reference; f: fainter",
             [&](std::size_t row) { return std::string(sign(row) > 0 ? "t" : "f"); });
  }

  void add_places() {
    const Shape shape = input_.exposure.shape();
    add("xpos", "pixel", "X_IMAGE, 1-based", std::vector(usual_.x_image.begin(), usual_.x_image.end()));
    add("ypos", "pixel", "Y_IMAGE, 1-based", std::vector(usual_.y_image.begin(), usual_.y_image.end()));
    add("ra", "deg", "Right ascension, J2000", known_numbers(found_.sources, columns::alpha_j2000));
    add("dec", "deg", "Declination, J2000", known_numbers(found_.sources, columns::delta_j2000));
    add_each("mindtoedge", "pixel", "Distance of the nearest edge of the image", [&](std::size_t row) {
      const double x = usual_.x_image[row] - 0.5, y = usual_.y_image[row] - 0.5;
      return std::min({x, y, static_cast<double>(shape.width) - x, static_cast<double>(shape.height) - y});
    });
  }

  void add_light() {
    const Sources& sources = found_.sources;
    const std::vector<double> psf = magnitudes_of(sources, "MAG_PSF"), circle = magnitudes_of(sources, "MAG_APER");
    add("magpsf", "mag", "MAG_PSF: magnitude of the star that fits best", psf);
    add("sigmapsf", "mag", "Error of magpsf", magnitudes_of(sources, "MAGERR_PSF"));
    add("chipsf", "", "CHI2_PSF: reduced chi^2 of that star", known_numbers(sources, "CHI2_PSF"));
    add("magap", "mag", "MAG_APER: magnitude in the first of measurement.apertures", circle);
    add("sigmagap", "mag", "Error of magap", magnitudes_of(sources, "MAGERR_APER"));
    add_each("magdiff", "mag", "magap - magpsf", [&](std::size_t row) { return circle[row] - psf[row]; });
    const std::vector<double> sky = known_numbers(sources, columns::background);
    add_each("sky", "count", "Sky of the difference, new - reference",
             [&](std::size_t row) { return sign(row) * sky[row]; });
    add_same("diffmaglim", "mag", "Magnitude of a star of 5 times the noise of magpsf on the sky", faintest_star());
    add_same("magzpsci", "mag", "measurement.zero_point: magnitude of one count",
             input_.config().measurement.zero_point);
  }

  double faintest_star() const {
    const FluxCalibration at{.zero_point = input_.config().measurement.zero_point};
    const double noise = found_.difference->star_noise * found_.background.clipped.sigma;
    return noise > 0 ? at.magnitude(5 * noise) : unknown_number;
  }

  void add_shapes() {
    const std::vector<double> fwhm = known_numbers(found_.sources, "FWHM_IMAGE");
    const auto per_fwhm = [&](double of, std::size_t row) { return fwhm[row] > 0 ? of / fwhm[row] : unknown_number; };
    const auto& fit = found_.difference->fit;
    const double of_stars = !fit ? unknown_number : fit->convolved_new ? fit->reference_fwhm : fit->new_fwhm;
    add("fwhm", "pixel", "FWHM_IMAGE: full width at half maximum of its core", fwhm);
    add_each("seeratio", "", "Width of stars in the difference over fwhm",
             [&](std::size_t row) { return per_fwhm(of_stars, row); });
    add("aimage", "pixel", "A_IMAGE: rms along the major axis",
        std::vector(usual_.a_image.begin(), usual_.a_image.end()));
    add("bimage", "pixel", "B_IMAGE: rms along the minor axis",
        std::vector(usual_.b_image.begin(), usual_.b_image.end()));
    add_each("aimagerat", "", "aimage / fwhm", [&](std::size_t row) { return per_fwhm(usual_.a_image[row], row); });
    add_each("bimagerat", "", "bimage / fwhm", [&](std::size_t row) { return per_fwhm(usual_.b_image[row], row); });
    add("elong", "", "ELONGATION: aimage / bimage", known_numbers(found_.sources, "ELONGATION"));
    add("classtar", "", "CLASS_STAR, if the catalogue has it", known_numbers(found_.sources, "CLASS_STAR"));
  }

  void add_features() {
    const Image<float, Cpu>& difference = found_.check.above;
    std::vector<StampFeatures> features;
    for (std::size_t row = 0; row < rows_; ++row)
      features.push_back(features_of(
          cut_stamp(difference, central_pixel(found_.sources, row, difference.shape), feature_side), sign(row)));
    add_each("nneg", "", "Pixels of the other sign among the 5 x 5 around it",
             [&](std::size_t row) { return features[row].nneg; });
    add_each("nbad", "", "Masked pixels among these", [&](std::size_t row) { return features[row].nbad; });
    add_each("sumrat", "", "Sum of these pixels over the sum of their sizes, without ZTF's median filter",
             [&](std::size_t row) { return features[row].sumrat; });
    add_peaks("dsnrms", "Brightest pixel of the difference over the noise of its sky", difference,
              found_.background.clipped.sigma);
    add_peaks("scorr", "Brightest pixel of the score over the noise of its sky", found_.check.filtered,
              noise_of_score());
    add_each("FLAGS", "", "FLAGS of the catalogue", [&](std::size_t row) { return std::int32_t{usual_.flags[row]}; });
  }

  /// Adds a column with the pixel of `image` at each source's brightest pixel, divided by `noise` and multiplied by the
  /// source's sign.
  void add_peaks(const char* name, const char* description, const Image<float, Cpu>& image, double noise) {
    add_each(name, "", description, [&](std::size_t row) {
      if (image.pixels.empty() || !(noise > 0)) return unknown_number;
      const std::int64_t at = (usual_.ypeak_image[row] - 1) * image.shape.width + usual_.xpeak_image[row] - 1;
      return sign(row) * static_cast<double>(image.pixels[at]) / noise;
    });
  }

  /// The noise of the score, the filtered image in which changes are detected. Computed from the detection threshold,
  /// which is a multiple of this noise. NaN if no score was used, or if a rate of false discoveries set the threshold.
  double noise_of_score() const {
    const Config& config = input_.config();
    if (!Plan(config).is_scored() || controls_false_discoveries(config.detection)) return unknown_number;
    return (found_.levels.detection - found_.levels.zero_point) / config.detection.threshold;
  }

  void add_dipoles() {
    add("DIPOLE", "", "1: half of a pair of opposite changes", known_numbers(found_.sources, "DIPOLE"));
    add("DIPOLE_SEP", "pixel", "Distance of the other half", known_numbers(found_.sources, "DIPOLE_SEP"));
    add("DIPOLE_RATIO", "", "Share of the brighter half", known_numbers(found_.sources, "DIPOLE_RATIO"));
  }

  const ImageInput& input_;
  const Extraction& found_;
  UsualValues usual_{found_.sources};
  std::size_t rows_;
  Table out_;
};

}  // namespace

Table alert_candidates(const ImageInput& input, const Extraction& extraction) {
  return Candidates(input, extraction).make();
}

}  // namespace srcextract
