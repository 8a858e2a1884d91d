#include <string>

#include "config/values.hpp"
#include "sextractor/translation.hpp"

namespace srcextract::sextractor {

using config::format_value;

namespace {

/// Adds width and height of a rectangle. If both are equal, only the width is added, since the default height of 0
/// means the same as the width.
void put_sides(const Setting& setting, const std::string& width_key, std::int64_t width, const std::string& height_key,
               std::int64_t height, Translation& to, const std::string& note = "") {
  to.put(width_key, format_value(width), {&setting}, note);
  if (height != width) to.put(height_key, format_value(height), {&setting});
}

/// Adds the size of the sky mesh filter. SExtractor uses an even size as the next odd size.
void put_filter_size(const Setting& setting, Translation& to) {
  const auto odd = [&](std::size_t index) { return setting.whole(index) / 2 * 2 + 1; };
  const bool even = odd(0) != setting.whole(0) || odd(1) != setting.whole(1);
  put_sides(setting, "background.filter_size", odd(0), "background.filter_height", odd(1), to,
            even ? "SExtractor takes an even size as the next odd one" : "");
}

void put_level(const Request& request, Translation& to) {
  const Setting &type = request["BACK_TYPE"], &value = request["BACK_VALUE"];
  // The last value of a pair belongs to the measured image, the first to the detection image.
  const bool manual = type.word(1) == "MANUAL";
  const bool same = type.word(0) == type.word(1) && (!manual || value.number(0) == value.number(1));
  if (!same)
    to.lose_detection(
        type, "with the sky",
        {"background.level=" + (type.word(0) == "MANUAL" ? format_value(value.number(0)) : std::string("''"))});
  if (manual)
    to.put("background.level", format_value(value.number(1)), {&type, &value});
  else
    to.pass_over({&type, &value}, "the sky is estimated, as it is here without background.level");
}

}  // namespace

void translate_sky(const Request& request, Translation& to) {
  const Setting& size = request["BACK_SIZE"];
  put_sides(size, "background.mesh_size", size.whole(0), "background.mesh_height", size.whole(1), to);
  put_filter_size(request["BACK_FILTERSIZE"], to);
  const Setting& threshold = request["BACK_FILTTHRESH"];
  to.put("background.filter_threshold", format_value(threshold.number()), {&threshold});
  to.put("background.estimator", "sextractor", {}, "SExtractor's mode, by a median that is a pixel's value");
  to.put("background.rms_map", "sextractor", {},
         "SExtractor's spline, which may be negative beside a step of the noise");
  put_level(request, to);
}

}  // namespace srcextract::sextractor
