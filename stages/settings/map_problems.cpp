#include "stages/settings/problems.hpp"

#include <algorithm>
#include <cstddef>

// Checks of the keys that name further images: images to combine, and maps of weights, masks and flags.

namespace srcextract::config {
namespace {

constexpr const char* only_one_list = "cannot be given beside another: set one of combine.planes, hdus and files";

/// Error message if the list is `given` and another list of images to combine is set too; else empty.
std::string list_problem(const CombineConfig& config, bool given) {
  if (!given) return "";
  const int lists = (config.planes.empty() ? 0 : 1) + (config.hdus.empty() ? 0 : 1) + (config.files.empty() ? 0 : 1);
  return lists > 1 ? only_one_list : "";
}

std::string not_with_all_hdus(const InputConfig& input, bool given) {
  return given && input.hdu.several()
             ? "cannot be given where input.hdu is " + input.hdu.text() + "; name one HDU, or combine planes"
             : "";
}

/// Number of images to be combined. 0: all planes of the cube are combined, and only the file has their number.
std::size_t combined_count(const CombineConfig& config) {
  if (!config.files.empty()) return config.files.size() + 1;
  return std::max(config.planes.size(), config.hdus.size());
}

constexpr const char* no_flag_map = "has no use without a map: give flags.file or flags.hdu";

}  // namespace

std::string names_problem(const HduNames& hdus) {
  const bool wrong = hdus.names.size() > 1 && std::ranges::any_of(hdus.names, [](const std::string& name) {
                       return name == "all" || name == "auto";
                     });
  return wrong ? "must list numbers, EXTNAMEs and patterns; auto and all are no names of one HDU" : "";
}

std::string map_hdu_problem(const HduNames& hdus, const std::string& file) {
  if (hdus == "all" && file.empty())
    return "is all, which leaves no HDU of the image's file to be extracted; name some, or a file";
  return names_problem(hdus);
}

std::string combined_use(const CombineConfig& config, bool given) {
  return given && config.method == CombineMethod::none ? "has no use where combine.method is none; set a method" : "";
}

std::string planes_problem(const CombineConfig& config) {
  const bool wrong = std::ranges::any_of(config.planes, [](std::int64_t plane) { return plane < 1; });
  return wrong ? "must hold numbers from 1; planes are counted from 1" : list_problem(config, !config.planes.empty());
}

std::string hdus_problem(const CombineConfig& config, const InputConfig& input) {
  const bool given = !config.hdus.empty();
  if (std::ranges::any_of(config.hdus, [](const std::string& hdu) { return hdu == "auto" || HduNames(hdu).several(); }))
    return "must hold numbers and EXTNAMEs; auto, all and patterns are no names of one HDU";
  return first_of(list_problem(config, given), not_with_all_hdus(input, given));
}

std::string files_problem(const CombineConfig& config, const InputConfig& input) {
  const bool given = !config.files.empty();
  if (std::ranges::find(config.files, "") != config.files.end()) return "names a file without a name";
  return first_of(list_problem(config, given), not_with_all_hdus(input, given));
}

std::string weights_problem(const CombineConfig& config) {
  const std::size_t count = combined_count(config);
  if (config.method != CombineMethod::weighted) return "";
  if (std::ranges::all_of(config.weights, [](double weight) { return weight == 0; }))
    return "must hold a weight for each image, not all 0, where combine.method is weighted";
  if (count == 0 || count == config.weights.size()) return "";
  return "has " + std::to_string(config.weights.size()) + " weights for " + std::to_string(count) +
         " images; give each one";
}

std::string type_problem(const WeightsConfig& config) {
  if (!has_map(config) || !config.file.empty() || config.hdu != "auto") return "";
  return "needs a map: give weights.file, or weights.hdu of the image's own file";
}

std::string map_use(const WeightsConfig& config, bool given) {
  return given && !has_map(config) ? "has no use but with weights.type rms, variance or weight" : "";
}

std::string beyond_use(const WeightsConfig& config) {
  const bool given = config.beyond != WeightsConfig{}.beyond;
  if (given && has_map(config) && config.threshold == 0) return "has no use without weights.threshold";
  return map_use(config, given);
}

std::string hdu_problem(const WeightsConfig& config) {
  return map_hdu_problem(config.hdu, config.file);
}

std::string interpolated_use(const WeightsConfig& config, std::int64_t pixels) {
  return use_problem(interpolates(config), pixels, WeightsConfig{}.interpolate_columns,
                     "weights.interpolate variance or all");
}

std::string hdu_problem(const MaskConfig& config) {
  return map_hdu_problem(config.hdu, config.file);
}

std::string bits_use(const MaskConfig& config) {
  return config.bits.empty() || has_mask(config) ? "" : "has no use without a map: give mask.file or mask.hdu";
}

std::string hdu_problem(const FlagMapConfig& config) {
  return map_hdu_problem(config.hdu, config.file);
}

std::string type_use(const FlagMapConfig& config) {
  return config.type == FlagType::bit_or || has_flags(config) ? "" : no_flag_map;
}

std::string bits_use(const FlagMapConfig& config) {
  return config.bits.empty() || has_flags(config) ? "" : no_flag_map;
}

std::string further_problem(const FlagsConfig& config) {
  constexpr std::size_t most = 99;  // each map makes two columns, and a FITS table has at most 999
  return config.further.size() > most ? "has " + std::to_string(config.further.size()) + " maps; 99 are the most" : "";
}

std::string further_use(const FlagsConfig& config) {
  return config.further.empty() || has_flags(config) ? ""
                                                     : "has no use without a first map: give flags.file or flags.hdu";
}

std::string further_map_problem(const FlagMapConfig& config) {
  return has_flags(config) ? "" : "and 'hdu' name no map; give one of them";
}

}  // namespace srcextract::config
