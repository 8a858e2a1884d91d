#include "pipeline/sextractor/wording.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "config/config.hpp"
#include "config/sextractor_keys.hpp"

namespace srcextract {
namespace {

/// Maps srcextract's keys, "section.key", to words for messages: the names of SExtractor's keys, separated by commas,
/// or a phrase such as IMAGE[number]. Empty: no equivalent.
std::map<std::string, std::string, std::less<>> all_keys() {
  std::map<std::string, std::string, std::less<>> keys;
  for (const config::Field& field : config_keys()) keys.emplace(field.path(), "");
  for (const SextractorKey& key : sextractor_keys()) {
    if (key.fate != SextractorFate::kept) continue;
    std::string& names = keys[std::string(key.ours)];
    names += (names.empty() ? "" : ", ") + std::string(key.name);
  }
  keys["input.hdu"] = "IMAGE[number]";
  keys["weights.hdu"] = "WEIGHT_IMAGE FILE[number]";
  keys["flags.hdu"] = "FLAG_IMAGE FILE[number]";
  return keys;
}

/// Values that have other names in SExtractor: srcextract's phrase, then SExtractor's.
constexpr std::pair<std::string_view, std::string_view> phrases[] = {
    {"weights.type rms", "WEIGHT_TYPE MAP_RMS"},
    {"weights.type none", "WEIGHT_TYPE NONE"},
    {"detection.threshold_unit to absolute", "THRESH_TYPE to ABSOLUTE"},
    {"weights.hdu = auto", "WEIGHT_IMAGE without a number"},
    {"flags.hdu = auto", "FLAG_IMAGE without a number"},
};

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// End of the name that begins at `begin`; `begin` if there is none.
std::size_t name_end(std::string_view text, std::size_t begin) {
  while (begin < text.size() && is_of_name(text[begin])) ++begin;
  return begin;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
}

}  // namespace

std::string in_sextractors_words(const std::string& message) {
  static const std::map<std::string, std::string, std::less<>> keys = all_keys();
  std::string text = message;
  for (const auto& [from, to] : phrases) replace_all(text, from, to);
  std::set<std::string> others;
  std::string said;
  for (std::size_t at = 0; at < text.size();) {
    const char before = at == 0 ? ' ' : text[at - 1];
    const std::size_t dot = name_end(text, at);
    const bool begins = dot > at && dot < text.size() && text[dot] == '.' &&
                        std::string_view("./-").find(before) == std::string_view::npos;
    const std::size_t end = begins ? name_end(text, dot + 1) : dot;
    const auto key = begins ? keys.find(std::string_view(text).substr(at, end - at)) : keys.end();
    const bool is_path = end + 1 < text.size() && (text[end] == '/' || (text[end] == '.' && is_of_name(text[end + 1])));
    if (key != keys.end() && !is_path) {
      said += key->second.empty() ? key->first : key->second;
      if (key->second.empty()) others.insert(key->first);
      at = end;
    } else {
      const std::size_t next = std::max(at + 1, dot);
      said.append(text, at, next - at);
      at = next;
    }
  }
  if (others.empty()) return said;
  std::string names;
  for (const std::string& name : others) names += (names.empty() ? "" : ", ") + name;
  return said + " (" + names + ": of srcextract's own configurations, which srcextract convert-config makes)";
}

}  // namespace srcextract
