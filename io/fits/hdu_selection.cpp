#include "io/fits/hdu_selection.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include "io/fits/equal_names.hpp"
#include "stages/core/counted.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorKind::input, message);
}

/// The index that the text is, if it is one.
std::optional<int> number_in(const std::string& text) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && value >= 0) return value;
  return std::nullopt;
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
  return std::ranges::any_of(flags, [&](const char* name) { return equal_names(word, name); });
}

bool is_called(const Hdu& hdu, const std::string& text) {
  const std::optional<int> number = number_in(text);
  return number ? hdu.index == *number : equal_names(hdu.name, text);
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
  std::string list;
  for (const Hdu& hdu : hdus) {
    list += (list.empty() ? "" : ", ") + std::to_string(hdu.index) + (hdu.name.empty() ? "" : " '" + hdu.name + "'");
  }
  return list;
}

bool HduSelection::selects(const Hdu& hdu) const {
  if (any()) return has_pixels(hdu);
  return is_called(hdu, text_);
}

void HduSelection::fail_on_kind(const Hdu& hdu, const InputFile& file) const {
  fail(describe(hdu, file.path()) + " is not an image but of the kind '" + kind_of(hdu) + "'; input.hdu = " + text_ +
       " must select an image");
}

void HduSelection::fail_on_none(const std::vector<Hdu>& hdus, const InputFile& file) const {
  const Hdu& last = hdus.back();
  if (last.data_bytes > file.size() - last.data_begin) {
    fail(describe(last, file.path()) + " is truncated, and no HDU that input.hdu = " + text_ +
         " selects comes before; fetch or copy the file again");
  }
  if (any()) fail(file.path() + ": there is no image in the file; it holds " + list_kinds(hdus));
  const std::string there = "the file has " + list_names(hdus);
  if (number_in(text_)) {
    fail(file.path() + ": there is no HDU " + text_ + "; counted from 0, " + there + "; set input.hdu");
  }
  const bool named = std::ranges::any_of(hdus, [](const Hdu& hdu) { return !hdu.name.empty(); });
  const std::string nameless =
      hdus.size() == 1 ? "the only HDU of the file has no name (EXTNAME)"
                       : "none of the " + std::to_string(hdus.size()) + " HDUs of the file has a name (EXTNAME)";
  fail(file.path() + ": no HDU is named '" + text_ + "'; " +
       (named ? there + "; set input.hdu to one of these names or numbers"
              : nameless + "; set input.hdu to auto, or to a number from 0"));
}

}  // namespace srcextract
