#include "pipeline/outputs/difference_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pipeline/outputs/sky_json.hpp"

namespace srcextract {
namespace {

using Json = nlohmann::ordered_json;

/// Describes the fitted kernel of a difference and the quality of the fit. `sky`: statistics of the difference's sky.
Json fit_json(const FitFacts& fit, const Statistics& sky) {
  return {{"convolved", fit.convolved_new ? "new" : "reference"},
          {"fwhm", {{"reference", fit.reference_fwhm}, {"new", fit.new_fwhm}}},
          {"half_width", fit.half_width},
          {"orders", {{"kernel", fit.kernel_order}, {"flux", fit.flux_order}, {"background", fit.background_order}}},
          {"stamps",
           {{"candidates", fit.candidates},
            {"refused", fit.refused},
            {"chosen", fit.stamps},
            {"used", fit.used},
            {"rejected", fit.stamps - fit.used}}},
          {"iterations", fit.iterations},
          {"condition", fit.condition},
          {"kernel_sum", {{"mean", fit.mean_sum}, {"min", fit.least_sum}, {"max", fit.most_sum}}},
          {"shift", {fit.shift_x, fit.shift_y}},
          {"background", {{"mean", fit.mean_background}, {"min", fit.least_background}, {"max", fit.most_background}}},
          {"chi", {{"median", fit.chi_median}, {"p95", fit.chi_p95}}},
          {"residual", fit.residual},
          {"star_variance", fit.star_variance},
          {"star_profile",
           {{"stars", fit.profile_stars},
            {"order", fit.profile_order},
            {"scale_error", fit.profile_error},
            {"psf_file", fit.of_psf},
            {"of_crowd", fit.of_crowd}}},
          {"noise_scale", fit.sky_variance > 0 ? sky.sigma * sky.sigma / fit.sky_variance : 0}};
}

Json sky_json(const SkyLevel& sky) {
  return {{"median", sky.median}, {"sigma", sky.sigma}};
}

/// Adds the saturation level that was used for both images of a difference. A level that was found in the pixels
/// replaces that of the header or the configuration.
void add_light(const Config& config, const DifferenceFacts& facts, Json& json) {
  const FrameSettings reference = reference_settings(config), fresh = fresh_settings(config);
  const auto seen_or = [](double seen, double told) { return seen > 0 ? seen : told; };
  const FitFacts fit = facts.fit.value_or(FitFacts{});
  json["saturation"] = {{"reference", seen_or(fit.reference_pile_up, reference.saturation)},
                        {"new", seen_or(fit.new_pile_up, fresh.saturation)}};
}

}  // namespace

nlohmann::ordered_json difference_json(const Config& config, const DifferenceFacts& facts, const Statistics& sky,
                                       const Sources& changes) {
  Json json = {{"scale", facts.scale},
               {"ratios", facts.ratios},
               {"reference", facts.fit ? sky_json(facts.fit->reference_sky) : statistics_json(facts.reference)},
               {"new", facts.fit ? sky_json(facts.fit->new_sky) : statistics_json(facts.fresh)}};
  add_light(config, facts, json);
  const auto fainter = std::ranges::count(changes[columns::sign], -1);
  json["rows"] = {{"brighter", changes.size() - fainter}, {"fainter", fainter}};
  if (facts.fit) json["fit"] = fit_json(*facts.fit, sky);
  return json;
}

}  // namespace srcextract
