#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "io/files/refuse.hpp"
#include "io/fits/header.hpp"
#include "io/wcs/distortion.hpp"

namespace srcextract {
namespace {

/// Number of characters of text in a WAT card. IRAF continues a text after that many characters, so that trailing
/// blanks of a card belong to the text.
constexpr std::size_t card_text = 68;

/// Limits of wcslib: powers 0 to 9, degree at most 9.
constexpr int most_powers = 10, highest_degree = 9;
constexpr int most_parameters = 30;

/// Returns the beginning of a text for messages, in quotes.
std::string shown(std::string_view text) {
  return "'" + std::string(text.substr(0, 20)) + "'";
}

std::string wat_of(int axis) {
  return "WAT" + std::to_string(axis + 1);
}

/// Returns the text of an axis's WAT cards, joined from card 001 to the last before a missing card.
std::string joined(const CelestialKeywords& keywords, int axis) {
  std::string text;
  for (int card = 1; card <= 999; ++card) {
    const std::string number = std::to_string(card);
    const std::string part = keywords.text(wat_of(axis) + "_" + std::string(3 - number.size(), '0') + number);
    if (part.empty()) break;
    text += part;
    if (part.size() < card_text) text.resize(static_cast<std::size_t>(card) * card_text, ' ');
  }
  return text;
}

using Words = std::map<std::string, std::string>;

/// Returns the pairs `name = value` in a text. Values that contain blanks are in double quotes.
Words words_in(std::string_view text, const std::string& where) {
  const auto skip_blanks = [&] { text.remove_prefix(std::min(text.find_first_not_of(' '), text.size())); };
  Words words;
  for (skip_blanks(); !text.empty(); skip_blanks()) {
    const std::size_t end = text.find_first_of(" =");
    std::string name(text.substr(0, end));
    text.remove_prefix(std::min(end, text.size()));
    skip_blanks();
    if (!text.starts_with('=')) refuse(where + " cannot be read: " + shown(name) + " has no value");
    text.remove_prefix(1);
    skip_blanks();
    const bool quoted = text.starts_with('"');
    if (quoted) text.remove_prefix(1);
    const std::size_t close = text.find(quoted ? '"' : ' ');
    if (quoted && close == text.npos) refuse(where + " cannot be read: the value of " + shown(name) + " has no end");
    words[name] = std::string(text.substr(0, close));
    text.remove_prefix(std::min(close, text.size()));
    if (quoted) text.remove_prefix(1);
  }
  return words;
}

/// Returns the numbers in a text. Throws Error{input} if the text contains anything else.
std::vector<double> numbers_in(std::string_view text, const std::string& where) {
  std::vector<double> numbers;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) return numbers;
    const std::string_view word = text.substr(0, text.find(' '));
    const std::optional<KeywordValue> number = number_in(word);
    if (!number) refuse(where + " cannot be read: " + shown(word) + " is no number");
    numbers.push_back(as_real(*number).value_or(0));
    text.remove_prefix(word.size());
  }
}

/// Returns the number as an int. Throws Error{input} unless it is an integer from `least` to `most`.
int count_in(double number, int least, int most, const std::string& what) {
  if (!(number >= least && number <= most) || number != std::floor(number))
    refuse(what + " is none of " + std::to_string(least) + " to " + std::to_string(most));
  return static_cast<int>(number);
}

/// Kinds of surfaces by their cross terms x^i y^j: none, all, or those of a limited degree (has_term()).
enum class CrossTerms { none, full, half };

bool has_term(CrossTerms cross, int x, int y, int x_powers, int y_powers) {
  if (cross == CrossTerms::none) return x == 0 || y == 0;
  return cross == CrossTerms::full || x + y < std::max(x_powers, y_powers);
}

/// Parses IRAF's description of a surface: basis, numbers of powers in x and y, cross terms, limits, coefficients.
WatSurface surface_in(const std::string& text, const std::string& where) {
  const std::vector<double> numbers = numbers_in(text, where);
  constexpr std::size_t head = 8;
  if (numbers.size() < head) refuse(where + " is not whole: it has no surface");
  WatSurface surface;
  surface.basis = static_cast<SurfaceBasis>(count_in(numbers[0], 1, 3, "the kind of the surface in " + where));
  const int x_powers = count_in(numbers[1], 1, most_powers, "the order of the surface in " + where);
  const int y_powers = count_in(numbers[2], 1, most_powers, "the order of the surface in " + where);
  const auto cross = static_cast<CrossTerms>(count_in(numbers[3], 0, 2, "the kind of the cross terms in " + where));
  surface.x_min = numbers[4], surface.x_max = numbers[5], surface.y_min = numbers[6], surface.y_max = numbers[7];
  const bool ordered = surface.x_min < surface.x_max && surface.y_min < surface.y_max;
  if (!ordered && surface.basis != SurfaceBasis::monomials)
    refuse("the surface in " + where + " is defined nowhere: its limits are not in order");
  std::size_t next = head;
  for (int y = 0; y < y_powers; ++y) {
    for (int x = 0; x < x_powers; ++x) {
      if (!has_term(cross, x, y, x_powers, y_powers)) continue;
      if (x + y > highest_degree) refuse("the surface in " + where + " is of a degree of more than 9");
      if (next == numbers.size()) break;
      surface.terms.push_back({x, y, numbers[next++]});
    }
  }
  std::size_t needed = 0;
  for (int y = 0; y < y_powers; ++y)
    for (int x = 0; x < x_powers; ++x) needed += has_term(cross, x, y, x_powers, y_powers);
  if (numbers.size() != head + needed)
    refuse("the surface in " + where + " has " + std::to_string(numbers.size() - head) +
           " coefficients, and its orders ask for " + std::to_string(needed));
  return surface;
}

/// Returns the parameters projp0, projp1, ... that the words have, with their numbers.
std::vector<std::pair<int, double>> projection_in(const Words& words, const std::string& where) {
  std::vector<std::pair<int, double>> parameters;
  for (int m = 0; m < most_parameters; ++m) {
    const auto found = words.find("projp" + std::to_string(m));
    if (found == words.end()) continue;
    const std::vector<double> number = numbers_in(found->second, where);
    if (number.size() != 1) refuse(where + " cannot be read: " + found->first + " is no number");
    parameters.emplace_back(m, number[0]);
  }
  return parameters;
}

std::string wtype_of(const std::string& text) {
  // Other kinds of WAT text describe no distortion, and are ignored.
  constexpr std::string_view name = "wtype=";
  if (!text.starts_with(name)) return "";
  const std::string type = text.substr(name.size(), text.find(' ') - name.size());
  return type == "tnx" || type == "zpx" ? type : "";
}

}  // namespace

std::optional<WatDistortion> read_wat(const CelestialKeywords& keywords, int longitude) {
  const std::array<std::string, 2> texts{joined(keywords, 0), joined(keywords, 1)};
  WatDistortion wat{wtype_of(texts[0]), {}, {}};
  if (wat.type != wtype_of(texts[1]))
    refuse("WAT1 and WAT2 do not describe the same kind of distortion (wtype); both axes need it, or neither");
  if (wat.type.empty()) return std::nullopt;
  std::array<std::optional<WatSurface>, 2> surfaces;
  for (int axis = 0; axis < 2; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    const Words words = words_in(texts[i], wat_of(axis));
    const auto found = words.find(axis == longitude ? "lngcor" : "latcor");
    if (found != words.end()) surfaces[i] = surface_in(found->second, wat_of(axis));
    const std::vector<std::pair<int, double>> parameters = projection_in(words, wat_of(axis));
    if (!wat.projection.empty() && !parameters.empty() && parameters != wat.projection)
      refuse("WAT1 and WAT2 have different parameters of the projection");
    if (wat.projection.empty()) wat.projection = parameters;
  }
  if (surfaces[0].has_value() != surfaces[1].has_value())
    refuse("only one of WAT1 and WAT2 has a correction (lngcor, latcor); both axes need it, or neither");
  if (wat.type == "tnx" && !surfaces[0]) refuse("WAT1 and WAT2 have no correction (lngcor, latcor)");
  if (surfaces[0]) wat.surfaces = {*surfaces[0], *surfaces[1]};
  return wat;
}

}  // namespace srcextract
