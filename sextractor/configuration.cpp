#include "sextractor/configuration.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>

#include "config/config.hpp"
#include "config/values.hpp"
#include "sextractor/text_file.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/line_words.hpp"
#include "stages/core/shortest_number.hpp"
#include "stages/core/words.hpp"

namespace srcextract::sextractor {

using config::fail;

namespace {

constexpr std::string_view separators = " \t\r\f\v,;=\"";

std::vector<std::string> split(std::string_view text, std::string_view at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; (begin = text.find_first_not_of(at, begin)) != text.npos;) {
    const std::size_t end = std::min(text.find_first_of(at, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return parts;
}

std::string environment(const std::string& name, const std::string& place) {
  const char* const value = name.empty() ? nullptr : std::getenv(name.c_str());
  if (value == nullptr)
    fail(place, "the environment has no variable " + quoted(name) +
                    "; a name goes on to a /, a : or the end of the value, unless it is written ${NAME}");
  return value;
}

/// The text with environment variables replaced by their values. `place` (`file:line`) is for messages.
std::string expanded(std::string text, const std::string& place) {
  std::size_t from = 0;
  for (std::size_t dollar; (dollar = text.find('$', from)) != text.npos;) {
    const bool braces = text.compare(dollar + 1, 1, "{") == 0;
    const std::size_t begin = dollar + (braces ? 2 : 1);
    const std::size_t end = braces ? text.find('}', begin) : std::min(text.find_first_of("/:\\", begin), text.size());
    if (end == text.npos) fail(place, "the ${ of " + quoted(text) + " is not closed");
    const std::string value = environment(text.substr(begin, end - begin), place);
    text.replace(dollar, end + (braces ? 1 : 0) - dollar, value);
    from = dollar + value.size();
  }
  return text;
}

/// Whether the key is PIXEL_SCALE and the text does not begin with a number. SExtractor reads such a text as 0, which
/// means that the WCS of the image gives the pixel scale.
bool is_word_for_scale(const SextractorKey& key, const std::string& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return key.name == "PIXEL_SCALE" && end == text.c_str();
}

/// Returns the text of a number. For text that is not a number, calls `on_mistake`; if that returns, returns the number
/// that SExtractor reads, which is what std::strtod() finds at the beginning of the text.
std::string checked_number(const SextractorKey& key, const std::string& text, const std::string& place,
                           const OnMistake& on_mistake) {
  if (finite_number(text) || is_word_for_scale(key, text)) return text;
  const double taken = std::strtod(text.c_str(), nullptr);
  const std::string problem = std::string(key.name) + " must be a number, not " + quoted(text);
  if (!std::isfinite(taken)) fail(place, problem);
  on_mistake(place, problem + "; SExtractor takes it for " + shortest(taken) + ": write that number for the same");
  return shortest(taken);
}

/// Cuts off the decimals of a number, as SExtractor does for keys whose values are whole numbers: "10.9" becomes "10".
std::string without_decimals(const std::string& text) {
  const std::size_t point = text.find('.');
  const bool decimals = point != text.npos && point > 0 && text[point - 1] >= '0' && text[point - 1] <= '9' &&
                        text.find_first_not_of("0123456789", point + 1) == text.npos;
  return decimals ? text.substr(0, point) : text;
}

/// The same for a whole number. SExtractor reads it by strtol() with the base 0: 0x40 is 64, and 064 is octal, 52.
std::string checked_integer(const SextractorKey& key, const std::string& text, const std::string& place,
                            const OnMistake& on_mistake) {
  std::int32_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + (text.starts_with('+') ? 1 : 0), end, value);
  const long taken = std::strtol(text.c_str(), nullptr, 0);
  if (error == std::errc() && stop == end && taken == value) return text;
  const std::string problem = std::string(key.name) + " must be a whole number, not " + quoted(text);
  if (error == std::errc::result_out_of_range || !std::in_range<std::int32_t>(taken)) fail(place, problem);
  on_mistake(place,
             problem + "; SExtractor takes it for " + std::to_string(taken) + ": write that number for the same");
  return std::to_string(taken);
}

void check_word(const SextractorKey& key, const std::string& text, const std::string& place) {
  const std::vector<std::string> words = split(key.words, " ");
  if (std::ranges::count(words, in_capitals(text)) > 0) return;
  const std::string near = nearest(text, words);
  fail(place, std::string(key.name) + " must be one of " + join(words) + ", not " + quoted(text) +
                  (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

void check_yes_no(const SextractorKey& key, const std::string& text, const std::string& place) {
  const std::string first = in_capitals(text).substr(0, 1);
  if (first != "Y" && first != "N") fail(place, std::string(key.name) + " must be Y or N, not " + quoted(text));
}

std::string checked_value(const SextractorKey& key, const std::string& text, const std::string& place,
                          const OnMistake& on_mistake) {
  switch (key.value) {
    case SextractorValue::number:
      return checked_number(key, text, place, on_mistake);
    case SextractorValue::integer:
      return checked_integer(key, text, place, on_mistake);
    case SextractorValue::word:
      check_word(key, text, place);
      break;
    case SextractorValue::yes_no:
      check_yes_no(key, text, place);
      break;
    case SextractorValue::text:
      break;
  }
  return text;
}

void check_count(const SextractorKey& key, std::size_t count, const std::string& place) {
  if (count >= key.least && count <= key.most) return;
  const std::string name(key.name);
  if (count == 0) fail(place, name + " has no value; SExtractor's default is " + std::string(key.usual));
  const std::string wanted =
      key.least == key.most ? std::to_string(key.most) : std::to_string(key.least) + " to " + std::to_string(key.most);
  fail(place,
       name + " has " + std::to_string(count) + (count == 1 ? " value" : " values") + "; SExtractor takes " + wanted);
}

/// The range of values that SExtractor 2.25 accepts for a key. For other values, SExtractor ends with "keyword out of
/// range".
struct Range {
  std::string_view key;
  double least, most;
  bool above = false;  ///< true: the value must be larger than `least`
};

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr Range ranges[] = {
    {"DETECT_MINAREA", 1, 1e6},
    {"DETECT_MAXAREA", 0, 1e9},
    {"DEBLEND_NTHRESH", 1, 64},
    {"DEBLEND_MINCONT", 0, 1},
    {"CLEAN_PARAM", 0.1, 10},
    {"PHOT_APERTURES", 0, 2097152},
    {"PHOT_AUTOPARAMS", 0, 10},
    {"PHOT_PETROPARAMS", 0, 10},
    {"PHOT_AUTOAPERS", 0, 1e6},
    {"PHOT_FLUXFRAC", 0, 1, true},
    {"MAG_ZEROPOINT", -100, 100},
    {"MAG_GAMMA", 0, unlimited, true},
    {"GAIN", 0, unlimited},
    {"PIXEL_SCALE", 0, unlimited},
    {"SEEING_FWHM", 0, unlimited},
    {"BACK_SIZE", 1, 2e9},
    {"BACK_FILTERSIZE", 1, 11},
    {"BACKPHOTO_THICK", 1, 256},
    {"BACK_FILTTHRESH", 0, 1e30},
    {"MEMORY_OBJSTACK", 16, 65536},
    {"MEMORY_PIXSTACK", 1000, 1e8},
    {"MEMORY_BUFSIZE", 8, 65534},
    {"ASSOC_RADIUS", 0, unlimited, true},
    {"INTERP_MAXXLAG", 1, 1e6},
    {"INTERP_MAXYLAG", 1, 1e6},
    {"PSF_NMAX", 1, 9},
};

/// Throws Error{config} if SExtractor refuses a value. A threshold with two values is a surface brightness in
/// magnitudes, which has no limits.
void check_range(const SextractorKey& key, const std::vector<std::string>& values, const std::string& place) {
  constexpr std::string_view thresholds[] = {"DETECT_THRESH", "ANALYSIS_THRESH"};
  const bool is_threshold = std::ranges::count(thresholds, key.name) > 0 && values.size() == 1;
  const auto* const known = std::ranges::find(ranges, key.name, &Range::key);
  if (!is_threshold && known == std::ranges::end(ranges)) return;
  const Range range = is_threshold ? Range{key.name, 0, unlimited, true} : *known;
  const bool is_positive = range.above || (range.least == 1 && key.value == SextractorValue::integer);
  for (const std::string& text : values) {
    const double value = finite_number(text).value_or(0);
    const auto refuse = [&](const std::string& limit) {
      fail(place, std::string(key.name) + " must be " + limit + ", not " + text + "; SExtractor refuses it as well");
    };
    if (value < range.least || (range.above && value == range.least))
      refuse(is_positive ? "above 0" : "at least " + shortest(range.least));
    if (value > range.most) refuse("at most " + shortest(range.most));
  }
}

/// The words between the value of a key with a single value and a comment or the end of the line.
std::string further_words(const SextractorKey& key, std::string_view text) {
  if (key.most != 1) return "";
  const std::vector<std::string> words = split(text, separators);
  std::string further;
  for (std::size_t i = 1; i < words.size() && !words[i].starts_with('#'); ++i)
    further += (further.empty() ? "" : " ") + words[i];
  return further;
}

/// Splits the text behind a key into values and checks the values.
std::vector<std::string> values_of(const SextractorKey& key, std::string_view text, const std::string& place,
                                   const OnMistake& on_mistake) {
  std::vector<std::string> values;
  for (const std::string& word : split(text, separators)) {
    if (word.starts_with('#') || (key.most == 1 && values.size() == 1)) break;
    // Given `4#comment`, SExtractor reads 4 if the key has numbers or words as values, and `4#comment` if the values
    // are texts.
    const bool is_text = key.value == SextractorValue::text;
    const std::size_t comment = is_text ? word.npos : word.find('#');
    values.push_back(expanded(word.substr(0, comment), place));
    if (key.value == SextractorValue::integer) values.back() = without_decimals(values.back());
    if (comment != word.npos) break;
  }
  check_count(key, values.size(), place);
  for (std::string& value : values) value = checked_value(key, value, place, on_mistake);
  check_range(key, values, place);
  return values;
}

/// Reports an unknown key that resembles a known key, and returns whether the key does. Throws Error{config} if the key
/// is a section of srcextract's own configuration, since the file is then not SExtractor's.
bool is_misspelt(std::string_view key, const std::string& place, const OnMistake& on_mistake) {
  if (key.ends_with(':') && ("\n" + dump_config(Config{})).find("\n" + std::string(key) + "\n") != std::string::npos)
    fail(place, quoted(std::string(key)) +
                    " is a section of a configuration of srcextract: the file is none of SExtractor's, and there is "
                    "nothing to convert");
  std::vector<std::string> names;
  for (const SextractorKey& known : sextractor_keys()) names.emplace_back(known.name);
  const std::string near = nearest(std::string(key), names);
  if (near.empty()) return false;
  on_mistake(place, "SExtractor has no key " + quoted(std::string(key)) + "; did you mean '" + near + "'?");
  return true;
}

}  // namespace

std::string Setting::text() const {
  std::string text(key->name);
  for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? " " : ",") + values[i];
  return text;
}

std::string Setting::further_words() const {
  if (further.empty()) return "";
  return "; SExtractor takes a line apart at blanks, commas and semicolons, between quotes too, and passes over " +
         quoted(further);
}

bool Setting::is_usual() const {
  const std::vector<std::string> usual = split(key->usual, separators);
  const bool numbers = key->value == SextractorValue::number;
  return std::ranges::equal(values, usual, [&](const std::string& a, const std::string& b) {
    return numbers ? finite_number(a) == finite_number(b) : in_capitals(a) == in_capitals(b);
  });
}

std::string Setting::word(std::size_t index) const {
  if (values.empty()) return "";
  const std::string& value = values[std::min(index, values.size() - 1)];
  if (key->value == SextractorValue::text) return value;
  return key->value == SextractorValue::yes_no ? in_capitals(value).substr(0, 1) : in_capitals(value);
}

double Setting::number(std::size_t index) const {
  return values.empty() ? 0 : finite_number(values[std::min(index, values.size() - 1)]).value_or(0);
}

std::vector<double> Setting::numbers() const {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < values.size(); ++i) numbers.push_back(number(i));
  return numbers;
}

Configuration::Configuration() {
  for (const SextractorKey& key : sextractor_keys())
    settings_.push_back({.key = &key, .values = split(key.usual, separators), .place = {}});
}

void Configuration::set(std::string_view key, std::string_view text, const std::string& place,
                        const OnMistake& on_mistake) {
  const SextractorKey* const known = find_sextractor_key(key);
  if (known == nullptr) {
    if (!is_misspelt(key, place, on_mistake)) unknown_.push_back({std::string(key), place});
    return;
  }
  Setting& setting = settings_.at(static_cast<std::size_t>(known - sextractor_keys().data()));
  std::vector<std::string> values = values_of(*known, text, place, on_mistake);
  setting = {.key = known,
             .values = std::move(values),
             .place = place,
             .before = setting.place,
             .further = further_words(*known, text)};
}

void Configuration::set_values(std::string_view key, std::vector<std::string> values) {
  settings_.at(static_cast<std::size_t>(find_sextractor_key(key) - sextractor_keys().data())).values =
      std::move(values);
}

const Setting& Configuration::operator[](std::string_view key) const {
  return settings_.at(static_cast<std::size_t>(find_sextractor_key(key) - sextractor_keys().data()));
}

Configuration read_configuration(const std::string& path, const OnMistake& on_mistake) {
  Configuration configuration;
  for_each_text_line(path, [&](std::string_view line, const std::string& place) {
    const std::size_t begin = line.find_first_not_of(separators);
    if (begin == line.npos || line[begin] == '#') return;
    const std::size_t end = std::min(line.find_first_of(separators, begin), line.size());
    configuration.set(line.substr(begin, end - begin), line.substr(end), place, on_mistake);
  });
  const bool any = std::ranges::any_of(configuration.settings(), &Setting::is_set);
  if (!any)
    on_mistake(path,
               "sets no key of SExtractor's, so that all have its defaults; source-extractor -dd > default.sex writes "
               "a configuration to begin with");
  return configuration;
}

}  // namespace srcextract::sextractor
