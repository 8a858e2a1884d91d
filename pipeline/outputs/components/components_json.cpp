#include "pipeline/outputs/components/components_json.hpp"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "stages/settings/input_keys.hpp"

namespace srcextract {
namespace {

using Json = nlohmann::ordered_json;

Json plane_json(const MeasuredPlane& plane) {
  const bool measured = plane.left_out.empty();
  return {
      {"plane", plane.plane},
      {"channel", plane.channel},
      {"stokes", plane.stokes},
      {"frequency", plane.frequency > 0 ? Json(plane.frequency) : Json(nullptr)},
      {"beam", plane.major > 0 ? Json({{"fwhm", {plane.major, plane.minor}}, {"angle", plane.angle}}) : Json(nullptr)},
      {"rms", plane.noise > 0 ? Json(plane.noise) : Json(nullptr)},
      {"noise_area", measured ? Json(plane.noise_area) : Json(nullptr)},
      {"left_out", measured ? Json(nullptr) : Json(plane.left_out)}};
}

Json planes_json(const std::vector<MeasuredPlane>& planes) {
  Json rows = Json::array();
  for (const MeasuredPlane& plane : planes) rows.push_back(plane_json(plane));
  return rows;
}

Json reliability_json(const std::vector<ReliabilityBin>& bins) {
  Json json = Json::array();
  for (const ReliabilityBin& bin : bins)
    json.push_back({{"snr", {bin.low, bin.high}},
                    {"positive", bin.positive},
                    {"negative", bin.negative},
                    {"reliability", bin.share},
                    {"interval", {bin.least, bin.most}}});
  return json;
}

/// Describes the numbers of sources in the map and in the negated map, by S/N. Distances are in pixels.
Json reliability_json(const Reliability& of) {
  return {{"negative", of.negative},
          {"bright", of.bright},
          {"near_bright", {{"within", of.within}, {"bins", reliability_json(of.near)}}},
          {"elsewhere", {{"bins", reliability_json(of.elsewhere)}}}};
}

}  // namespace

Json beam_json(const Config& config) {
  const PixelBeam& pixels = *config.resources.beam;
  return {{"source", names_of(config.beam.source)[static_cast<std::size_t>(config.beam.source)]},
          {"fwhm", config.beam.fwhm},
          {"angle", config.beam.angle},
          {"pixels", {{"fwhm", {pixels.major, pixels.minor}}, {"angle", pixels.angle}, {"area", pixels.area()}}},
          {"unit_in_jansky", pixels.to_jansky > 0 ? Json(pixels.to_jansky) : Json(nullptr)},
          {"frequency", config.resources.frequency > 0 ? Json(config.resources.frequency) : Json(nullptr)}};
}

Json fitted_json(const FittedIslands& fitted) {
  const auto moments = std::ranges::count_if(
      fitted.sources, [](const ComponentRow& row) { return (row.flags & fit_flag::moments) != 0; });
  Json json = {{"sources", fitted.sources.size()},
               {"gaussians", fitted.gaussians.size()},
               {"moments", moments},
               {"noise_area", fitted.noise_area},
               {"noise_area_measured", fitted.area_measured}};
  if (fitted.reliability) json["reliability"] = reliability_json(*fitted.reliability);
  if (!fitted.channels.empty()) json["channels"] = planes_json(fitted.channels);
  if (!fitted.polarised.empty()) json["stokes"] = planes_json(fitted.polarised);
  return json;
}

}  // namespace srcextract
