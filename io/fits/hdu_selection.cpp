#include "io/fits/hdu_selection.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "io/files/refuse.hpp"
#include "io/fits/constant_array.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/counted.hpp"

namespace srcextract {
namespace {

/// Returns the HDU index (from 0) that the text spells, or nothing if the text is no such number.
std::optional<int> hdu_number(const std::string& text) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && value >= 0) return value;
  return std::nullopt;
}

bool is_any(const std::string& name) {
  return name == "all" || name == "auto";
}

/// Returns true if the text matches the pattern without regard to case: * stands for any text, ? for any character.
/// After a mismatch the search returns to the last *, which suffices for patterns without other wildcards.
bool fits_pattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, at = 0, star = std::string_view::npos, star_at = 0;
  while (at < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      star_at = at;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || equal_in_any_case(pattern.substr(p, 1), text.substr(at, 1)))) {
      ++p;
      ++at;
    } else if (star != std::string_view::npos) {
      p = star;
      at = ++star_at;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

/// Returns the EXTVER after the last comma of the text, a number or "*", and sets `rest` to the text before that comma.
/// Returns nothing if no EXTVER follows.
std::optional<std::string> version_in(const std::string& text, std::string& rest) {
  const std::size_t comma = text.rfind(',');
  if (comma == std::string::npos) return std::nullopt;
  const std::size_t begin = text.find_first_not_of(' ', comma + 1);
  if (begin == std::string::npos) return std::nullopt;
  std::string version = text.substr(begin);
  if (version != "*" && !hdu_number(version)) return std::nullopt;
  rest = text.substr(0, comma);
  return version;
}

bool fits(const Hdu& hdu, const std::string& text) {
  if (is_called(hdu, text)) return true;
  if (hdu_number(text)) return false;
  std::string name;
  const std::optional<std::string> version = version_in(text, name);
  if (!version) return HduNames::is_pattern(text) && fits_pattern(text, hdu.name);
  const bool versions_fit = *version == "*" || hdu.version.value_or(1) == *hdu_number(*version);
  return versions_fit && fits_pattern(name, hdu.name);
}

}  // namespace

bool is_mask_plane(const Hdu& hdu) {
  if (!has_pixels(hdu) || hdu.bitpix <= 0) return false;
  const auto not_a_letter = [](unsigned char c) { return std::isalpha(c) == 0; };
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0 || c == '_'; };
  const auto end = std::find_if_not(hdu.name.rbegin(), hdu.name.rend(), is_digit);
  const auto begin = std::find_if(end, hdu.name.rend(), not_a_letter);
  const std::string word(begin.base(), end.base());
  constexpr std::array flags = {"DQ",      "MASK", "MASKS", "FLAG",   "FLAGS", "QUAL",
                                "QUALITY", "BPM",  "DQM",   "BADPIX", "CTX",   "CON"};
  return std::ranges::any_of(flags, [&](const char* name) { return equal_in_any_case(word, name); });
}

bool is_called(const Hdu& hdu, const std::string& text) {
  const std::optional<int> number = hdu_number(text);
  return number ? hdu.index == *number : equal_in_any_case(hdu.name, text);
}

std::string kind_of(const Hdu& hdu) {
  switch (hdu.kind) {
    case HduKind::image:
    case HduKind::compressed_image:
      return has_pixels(hdu) ? "image" : "image without pixels";
    case HduKind::random_groups:
      return "random-groups array";
    case HduKind::ascii_table:
      return "ASCII table";
    case HduKind::binary_table:
      return "binary table";
    case HduKind::other:
      return "extension of another kind";
  }
  return "";
}

std::string list_kinds(const std::vector<Hdu>& hdus) {
  std::map<std::string, int> counts;
  for (const Hdu& hdu : hdus) ++counts[kind_of(hdu)];
  std::string list;
  for (const auto& [kind, count] : counts) {
    const std::size_t noun = std::min({kind.find(" without"), kind.find(" of "), kind.size()});
    list += (list.empty() ? "" : ", ") + counted(count, kind.substr(0, noun)) + kind.substr(noun);
  }
  return list;
}

std::string list_names(const std::vector<Hdu>& hdus) {
  return first_few(hdus.size(), [&](std::size_t i) {
    const Hdu& hdu = hdus[i];
    const auto same_name = [&](const Hdu& other) { return equal_in_any_case(other.name, hdu.name); };
    const bool ambiguous = hdu.version && std::ranges::count_if(hdus, same_name) > 1;
    const std::string version = ambiguous ? "," + std::to_string(*hdu.version) : "";
    return std::to_string(hdu.index) + (hdu.name.empty() ? "" : " '" + hdu.name + version + "'");
  });
}

std::string why_passed_over(const Hdu& hdu, const ImageNeeds& needs) {
  if (is_constant_array(hdu)) return needs.constants ? "" : "one value for all pixels";
  if (!has_pixels(hdu)) return "";
  const std::int64_t width = hdu.axes[0], height = hdu.axes.size() > 1 ? hdu.axes[1] : 1;
  if (width >= needs.least.width && height >= needs.least.height) return "";
  return hdu.axes.size() == 1 ? "one axis" : std::to_string(width) + " x " + counted(height, "pixel");
}

HduSelection::HduSelection(HduNames names, std::string key, ImageNeeds needs)
    : names_(std::move(names)),
      key_(std::move(key)),
      needs_(needs),
      found_(names_.names.size()),
      too_small_(names_.names.size()) {}

HduSelection::Choice HduSelection::take(const Hdu& hdu) {
  Choice choice = Choice::none;
  const std::string reason = why_passed_over(hdu, needs_);
  bool passed_over = false;
  for (std::size_t i = 0; i < found_.size(); ++i) {
    const std::string& name = names_.names[i];
    const bool open = HduNames(name).open(), by_kind = open || is_any(name);
    if (found_[i] && !open) continue;
    if (by_kind && !has_pixels(hdu) && !is_constant_array(hdu)) continue;
    if (!is_any(name) && !fits(hdu, name)) continue;
    if (by_kind && !reason.empty()) {
      passed_over = true;
      if (has_pixels(hdu)) too_small_[i] = true;
      continue;
    }
    found_[i] = true;
    choice = std::max(choice, open ? Choice::by_pattern : Choice::by_name);
  }
  if (passed_over && choice == Choice::none) passed_over_.push_back(label(hdu) + " (" + reason + ")");
  return choice;
}

bool HduSelection::lacks_only_size() const {
  for (std::size_t i = 0; i < found_.size(); ++i)
    if (!found_[i] && too_small_[i]) return true;
  return false;
}

bool HduSelection::fulfilled() const {
  for (std::size_t i = 0; i < found_.size(); ++i)
    if (!found_[i] && !HduNames(names_.names[i]).open()) return false;
  return true;
}

void HduSelection::fail_on_kind(const Hdu& hdu, const InputFile& file) const {
  refuse(describe(hdu, file.path()) + " is not an image but of the kind '" + kind_of(hdu) + "'; " + key_ + " = " +
         names_.text() + " must select an image");
}

void HduSelection::require_all(const std::vector<Hdu>& hdus, const InputFile& file) const {
  const auto missing = std::ranges::find(found_, false);
  if (missing != found_.end()) fail_on_none(names_.names[missing - found_.begin()], hdus, file);
}

void HduSelection::fail_on_none(const std::string& name, const std::vector<Hdu>& hdus, const InputFile& file) const {
  const Hdu& last = hdus.back();
  if (last.data_bytes > file.size() - last.data_begin) {
    refuse(describe(last, file.path()) + " is truncated, and no HDU that " + key_ + " = " + name +
           " selects comes before; fetch or copy the file again");
  }
  if (is_any(name))
    refuse(file.path() + ": there is no image in the file; it holds " + list_kinds(hdus) +
           "; name a file with an image");
  const std::string there = "the file has " + list_names(hdus);
  if (hdu_number(name))
    refuse(file.path() + ": there is no HDU " + name + "; counted from 0, " + there +
           (hdus.size() == 1 ? " alone; set " : "; set ") + key_);
  const bool named = std::ranges::any_of(hdus, [](const Hdu& hdu) { return !hdu.name.empty(); });
  const std::string nameless =
      hdus.size() == 1 ? "the only HDU of the file has no name (EXTNAME)"
                       : "none of the " + std::to_string(hdus.size()) + " HDUs of the file has a name (EXTNAME)";
  refuse(file.path() + (HduNames::is_pattern(name) ? ": no image's name fits '" : ": no HDU is named '") + name +
         "'; " +
         (named ? there + "; set " + key_ + " to one of these names or numbers"
                : nameless + "; set " + key_ + " to auto, or to a number from 0"));
}

}  // namespace srcextract
