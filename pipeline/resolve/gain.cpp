#include "pipeline/resolve/gain.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <variant>

#include "io/fits/header.hpp"
#include "io/fits/header_values.hpp"
#include "io/wcs/value_unit.hpp"
#include "pipeline/log/printable.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/shortest_number.hpp"

namespace srcextract {
namespace {

/// Keywords with the exposure time of the pixel values in seconds, in the order in which they are looked for.
constexpr const char* exposure_keywords[] = {"EXPTIME",  "EXPOSURE", "XPOSURE", "EXP_TIME", "EXP-TIME",
                                             "TEXPTIME", "EFFEXPTM", "TOTEXPT", "ITIME",    "INTTIME"};

/// Keywords that programs for amateur cameras write, whose GAIN is the setting of the camera.
constexpr const char* camera_keywords[] = {"XPIXSZ", "PIXSIZE1", "SWCREATE", "ROWORDER", "OFFSET"};

/// Units of time as comments of cards have them in brackets, and their seconds.
constexpr std::pair<std::string_view, double> times[] = {
    {"d", 86400},    {"day", 86400}, {"days", 86400}, {"h", 3600},  {"hr", 3600},      {"hour", 3600},
    {"hours", 3600}, {"min", 60},    {"minutes", 60}, {"ms", 1e-3}, {"millisec", 1e-3}};

/// How to name the gain oneself, at the end of messages.
constexpr const char* own_gain =
    "--set measurement.gain=NUMBER --set measurement.gain_keyword=none gives the electrons of a pixel value";

std::optional<KeywordValue> value_of(const FrameHeaders& frame, const std::string& keyword) {
  const auto values = header_values(frame.header, frame.primary_header, {keyword});
  const KeywordValue* const value = value_in(values, keyword);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

/// The seconds of the unit in brackets with which the comment of a card begins, as in "[d] time on source"; 1 if there
/// is none, or another.
double seconds_of_comment(std::string_view header, std::string keyword) {
  keyword.resize(8, ' ');
  for (; header.size() >= 80; header.remove_prefix(80)) {
    if (!header.starts_with(keyword + "=")) continue;
    const std::string_view card = header.substr(0, 80),
                           comment = trimmed(card.substr(std::min(card.find('/'), card.size() - 1) + 1));
    if (!comment.starts_with('[')) return 1;
    const std::string unit = in_small_letters(std::string(comment.substr(1, comment.find(']') - 1)));
    const auto* const known =
        std::ranges::find(times, std::string_view(unit), [](const auto& time) { return time.first; });
    return known == std::end(times) ? 1 : known->second;
  }
  return 0;
}

/// The number at the beginning of a text; 0 if there is none. `whole` tells whether the text has nothing else but a
/// unit behind a blank.
double number_of(std::string_view text, bool& whole) {
  double number = 0;
  const std::string_view digits = trimmed(text.starts_with('+') ? text.substr(1) : text);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  whole = error == std::errc() && (end == digits.data() + digits.size() || *end == ' ');
  return error == std::errc() ? number : 0;
}

/// The gain of one frame, step by step.
class GainSearch {
 public:
  GainSearch(const Config& config, const FrameHeaders& frame)
      : config_(config), frame_(frame), keyword_(config.measurement.gain_keyword), own_(config.measurement.gain) {}

  FrameGain of_sextractor() const {
    const auto number = number_in_header(frame_, keyword_);
    if (!number) return without_keyword(spdlog::level::warn);
    if (!(number->value > 0)) warn_of_no_photons(*number);
    return {std::max(0.0, number->value), keyword_ + " of its header, as SExtractor reads it", true};
  }

  FrameGain find() {
    read_unit();
    if (unit_.kind == ValueKind::calibrated || unit_.kind == ValueKind::magnitudes) return of_calibrated();
    const auto number = usable_number();
    if (!number && own_ > 0) return of_configuration();
    if (unit_.kind == ValueKind::electrons) return with_time({unit_.factor, "", true}, number);
    if (!number) return without_keyword(spdlog::level::info);
    if (number->value == 0) {
      warn_of_no_photons(*number);
      label_ = source_;
      return {0, keyword_ + " = 0 of its header", true};
    }
    warn_of_doubts(*number);
    return with_time({number->value * unit_.factor, "", true}, number);
  }

  /// Tells that measurement.gain, which the configuration has, does not count.
  void tell_unused(const FrameGain& found) const {
    if (frame_.has_other || !(own_ > 0) || found.gain == own_) return;
    const std::string place = config_.place_of("measurement.gain");
    spdlog::log(
        place.starts_with("--set") ? spdlog::level::warn : spdlog::level::info,
        "{}: the gain is that of its header, {} = {:.6g}, and not {:.6g} of {}; set measurement.gain_keyword to none "
        "to use your own",
        frame_.name, label_, found.gain, own_, place);
  }

 private:
  void read_unit() {
    const auto value = value_of(frame_, "BUNIT");
    const auto* const text = value ? std::get_if<std::string>(&*value) : nullptr;
    if (text == nullptr) return;
    bunit_ = printable(trimmed(*text));
    unit_ = value_unit(*text);
  }

  /// The number of the keyword that tells the gain: EGAIN if the keyword is GAIN and EGAIN has another number.
  std::optional<HeaderNumber> usable_number() {
    source_ = keyword_;
    auto number = number_in_header(frame_, keyword_);
    const auto electrons = keyword_ == "GAIN" ? number_in_header(frame_, "EGAIN") : std::nullopt;
    const bool counts = number ? electrons && electrons->value != number->value : !(own_ > 0);
    if (electrons && electrons->usable && electrons->value > 0 && counts) {
      source_ = "EGAIN";
      if (number) beside_ = "; GAIN = " + number->text + " is taken for the camera's setting";
      return electrons;
    }
    if (number && !number->usable) {
      spdlog::warn("{}: {} = {} of its header is no number above 0, so {}; {}", frame_.name, keyword_, number->text,
                   unit_.kind == ValueKind::electrons ? "it is left out"
                   : own_ > 0                         ? fmt::format("measurement.gain, {:.6g}, counts", own_)
                                                      : "errors of fluxes have no photon noise of sources",
                   own_gain);
      return std::nullopt;
    }
    if (number && number->is_text)
      spdlog::warn("{}: {} = {} of its header is a text, which is taken for the number in it", frame_.name, keyword_,
                   number->text);
    return number;
  }

  /// Values that are no counts of anything: the header's keyword is the detector's, and not that of the values.
  FrameGain of_calibrated() const {
    if (unit_.kind == ValueKind::magnitudes)
      spdlog::warn(
          "{}: its pixels are magnitudes or logarithms (BUNIT = '{}'), which cannot be added: fluxes, errors and "
          "thresholds mean "
          "nothing; make fluxes of them, as 10^(-0.4 m), and extract these",
          frame_.name, bunit_);
    if (own_ > 0) return {own_, of_place() + ", as BUNIT is '" + bunit_ + "'"};
    const auto number = number_in_header(frame_, keyword_);
    if (!number || number->value == 0) return without_keyword(spdlog::level::info);
    const bool map_knows = has_map(config_.weights) && config_.weights.photons != MapPhotons::excluded;
    spdlog::log(map_knows ? spdlog::level::info : spdlog::level::warn,
                "{}: its pixels are in '{}' (BUNIT), so {} = {} is not the electrons of a pixel value, and is left "
                "out: errors of fluxes have no photon noise of sources{}; --set measurement.gain=NUMBER gives it",
                frame_.name, bunit_, keyword_, number->text, map_knows ? " but that in the noise map" : "");
    return {0, fmt::format("none, as BUNIT is '{}', and {} of its header is of counts", bunit_, keyword_), false, true};
  }

  FrameGain of_configuration() const {
    const auto time = unit_.per_second ? exposure_time() : std::nullopt;
    const double seconds = time ? time->number.value : 1;
    if (unit_.kind == ValueKind::electrons && std::abs(own_ - unit_.factor * seconds) > 1e-3 * own_)
      spdlog::warn(
          "{}: its pixels are in '{}' (BUNIT), which is a gain of {:.6g}{}, and measurement.gain is {:.6g}, which is "
          "used; --set measurement.gain=0 uses that of BUNIT, --set measurement.gain_keyword=none says that yours is "
          "meant",
          frame_.name, bunit_, unit_.factor * seconds, unit_.per_second && !time ? " times the exposure time" : "",
          own_);
    else if (unit_.kind != ValueKind::electrons && unit_.per_second)
      spdlog::warn(
          "{}: its pixels are in '{}' (BUNIT), and measurement.gain, {:.6g}, is taken for the electrons of such a "
          "value; if it is those of a count, --set measurement.gain={} --set measurement.gain_keyword=none is right; "
          "if not, --set measurement.gain_keyword=none says so",
          frame_.name, bunit_, own_, time ? fmt::format("{:.6g}", own_ * seconds) : "NUMBER, times the exposure time,");
    return {own_, of_place() + ", as its header has no usable " + keyword_};
  }

  /// Neither the header nor the configuration knows the gain.
  FrameGain without_keyword(spdlog::level::level_enum level) const {
    if (own_ > 0) return {own_, of_place() + ", as its header has no " + keyword_};
    if (!frame_.has_other && !number_in_header(frame_, keyword_))
      spdlog::log(level,
                  "{}: its header has no {}, so errors of fluxes have no photon noise of sources; measurement.gain can "
                  "give it",
                  frame_.name, keyword_);
    return {0, "none, as its header has no usable " + keyword_};
  }

  void warn_of_no_photons(const HeaderNumber& number) const {
    spdlog::warn(
        "{}: its header has {} = {}, so errors of fluxes have no photon noise of sources; measurement.gain without "
        "gain_keyword can give it",
        frame_.name, keyword_, number.text);
  }

  /// Warns of a number that may be another one than the electrons of a count.
  void warn_of_doubts(const HeaderNumber& number) const {
    if (unit_.kind == ValueKind::unknown)
      spdlog::warn(
          "{}: BUNIT = '{}' is no unit that is known here, so pixels are taken for counts, and {} = {} for "
          "the electrons of a count; if they are not, {}",
          frame_.name, bunit_, source_, number.text, own_gain);
    warn_of_mean(number);
    constexpr double least_setting = 5;
    if (source_ != "GAIN" || number.value < least_setting) return;
    for (const char* keyword : camera_keywords)
      if (value_of(frame_, keyword))
        return spdlog::warn(
            "{}: GAIN = {} beside {} looks like the setting of a camera and not like electrons of a count: errors of "
            "bright sources may be too small; {}",
            frame_.name, number.text, keyword, own_gain);
  }

  /// Warns of a stack, whose pixels may be means: a value has then the electrons of all exposures.
  void warn_of_mean(const HeaderNumber& number) const {
    const auto exposures = number_in_header(frame_, "NCOMBINE");
    if (unit_.per_second || !exposures || !exposures->usable || exposures->value < 2) return;
    spdlog::warn(
        "{}: its header has NCOMBINE = {}; if its pixels are the mean of so many exposures, errors of bright sources "
        "are too large: --set measurement.gain={:.6g} --set measurement.gain_keyword=none counts all their electrons",
        frame_.name, exposures->text, number.value * unit_.factor * exposures->value);
  }

  /// Completes the reason. Multiplies by the exposure time if the values are rates.
  FrameGain with_time(FrameGain of, const std::optional<HeaderNumber>& number) {
    const bool electrons = unit_.kind == ValueKind::electrons;
    if (electrons) {
      of.reason = "BUNIT is '" + bunit_ + "'";
      if (number && number->value != of.gain && source_ != "EGAIN")
        of.reason += fmt::format(", whatever {} = {} says", source_, number->text);
    } else {
      of.reason = source_ + " of its header" + beside_;
    }
    label_ = electrons ? "BUNIT '" + bunit_ + "'" : source_;
    if (!unit_.per_second) return of;
    if (const auto time = exposure_time()) {
      of.gain *= time->number.value;
      label_ += std::string(" x ") + time->keyword;
      of.reason += fmt::format("{} times {} = {}{}", electrons ? "," : "", time->keyword, time->number.text,
                               electrons ? "" : ", as BUNIT is '" + bunit_ + "'");
      return of;
    }
    spdlog::warn(
        "{}: its pixels are in '{}' (BUNIT), and its header has no exposure time (EXPTIME, EXPOSURE ...) that makes "
        "counts of them: errors of fluxes have no photon noise of sources; {}, which is the gain times the exposure "
        "time",
        frame_.name, bunit_, own_gain);
    return {0, "none, as BUNIT is '" + bunit_ + "' and the exposure time is not known", false, true};
  }

  struct ExposureTime {
    const char* keyword;
    HeaderNumber number;
  };

  std::optional<ExposureTime> exposure_time() const {
    for (const char* keyword : exposure_keywords)
      if (auto time = number_in_header(frame_, keyword); time && time->usable && time->value > 0) {
        double seconds = seconds_of_comment(frame_.header, keyword);
        if (seconds == 0) seconds = seconds_of_comment(frame_.primary_header, keyword);
        if (seconds > 0 && seconds != 1) {
          time->value *= seconds;
          time->text += fmt::format(" times {:g} s", seconds);
        }
        return ExposureTime{keyword, *time};
      }
    return std::nullopt;
  }

  std::string of_place() const { return "measurement.gain of " + config_.place_of("measurement.gain"); }

  const Config& config_;
  const FrameHeaders& frame_;
  const std::string& keyword_;
  double own_;
  ValueUnit unit_ = {};
  std::string bunit_ = {};   ///< the text of BUNIT
  std::string source_ = {};  ///< the keyword of the number that counts
  std::string beside_ = {};  ///< what is said of GAIN where EGAIN counts
  std::string label_ = {};   ///< what gives the gain, as "GAIN x EXPTIME"
};

}  // namespace

std::optional<HeaderNumber> number_in_header(const FrameHeaders& frame, const std::string& keyword) {
  const auto value = value_of(frame, keyword);
  if (!value) return std::nullopt;
  HeaderNumber number;
  bool is_number = true;
  if (const auto* const text = std::get_if<std::string>(&*value)) {
    number.is_text = true;
    number.text = "'" + printable(*text) + "'";
    number.value = number_of(*text, is_number);
  } else if (const auto* const truth = std::get_if<bool>(&*value)) {
    number.text = *truth ? "T" : "F";
    is_number = false;
  } else {
    number.value = as_real(*value).value_or(0);
    number.text = shortest(number.value);
  }
  number.usable = is_number && number.value >= 0 && std::isfinite(number.value);
  return number;
}

FrameGain find_gain(const Config& config, const FrameHeaders& frame) {
  const MeasurementConfig& measurement = config.measurement;
  if (measurement.gain_keyword == "none")
    return {measurement.gain, measurement.gain > 0 ? "measurement.gain of " + config.place_of("measurement.gain")
                                                   : "none: measurement.gain is 0"};
  GainSearch search(config, frame);
  if (config.kept.as_sextractor) return search.of_sextractor();
  FrameGain found = search.find();
  if (found.by_header) search.tell_unused(found);
  return found;
}

}  // namespace srcextract
