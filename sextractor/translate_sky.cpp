#include <string>

#include "config/values.hpp"
#include "sextractor/translation.hpp"

namespace srcextract::sextractor {

using config::format_value;

namespace {

std::int64_t whole(const Setting& setting, std::size_t index = 0) {
  return static_cast<std::int64_t>(setting.number(index));
}

/// Of two sides, of which ours has one.
void put_side(const Setting& setting, const std::string& key, Translation& to) {
  if (whole(setting, 0) != whole(setting, 1))
    to.lose(setting, "meshes and their filter are as wide as high: the width is taken for both");
  to.put(key, format_value(whole(setting)), {&setting});
}

void put_level(const Request& request, Translation& to) {
  const Setting &type = request["BACK_TYPE"], &value = request["BACK_VALUE"];
  // The last is that of the image that is measured, the first that of DETECT.
  const bool manual = type.word(1) == "MANUAL";
  const bool same = type.word(0) == type.word(1) && (!manual || value.number(0) == value.number(1));
  if (!same)
    to.lose(type,
            "one configuration is for both images, here with the sky of the one that is measured; for DETECT "
            "add --detect-set background.level=" +
                (type.word(0) == "MANUAL" ? format_value(value.number(0)) : "''"));
  if (manual)
    to.put("background.level", format_value(value.number(1)), {&type, &value});
  else
    to.pass_over({&type, &value}, "the sky is estimated, as it is here without background.level");
}

}  // namespace

void translate_sky(const Request& request, Translation& to) {
  put_side(request["BACK_SIZE"], "background.mesh_size", to);
  put_side(request["BACK_FILTERSIZE"], "background.filter_size", to);
  const Setting& threshold = request["BACK_FILTTHRESH"];
  to.put("background.filter_threshold", format_value(threshold.number()), {&threshold});
  put_level(request, to);
}

}  // namespace srcextract::sextractor
