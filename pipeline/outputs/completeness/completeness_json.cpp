#include "pipeline/outputs/completeness/completeness_json.hpp"

#include <nlohmann/json.hpp>

namespace srcextract {

nlohmann::ordered_json completeness_json(const Completeness& completeness) {
  using Json = nlohmann::ordered_json;
  const auto limit = [](const std::optional<double>& magnitude) { return magnitude ? Json(*magnitude) : Json(); };
  if (!completeness.problem.empty()) return {{"problem", completeness.problem}};
  Json bins = Json::array();
  for (const CompletenessBin& bin : completeness.bins)
    bins.push_back({{"magnitudes", {bin.low, bin.low + completeness_step}},
                    {"copies", bin.copies},
                    {"found", bin.found},
                    {"share", bin.share},
                    {"interval", {bin.least, bin.most}}});
  return {{"copies", completeness.copies},
          {"stars", completeness.templates},
          {"passes", completeness.passes},
          {"limit_50", limit(completeness.half)},
          {"limit_90", limit(completeness.nine_tenths)},
          {"bins", bins}};
}

}  // namespace srcextract
