#include "sextractor/parameters.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>

#include "config/values.hpp"
#include "sextractor/columns.hpp"
#include "sextractor/text_file.hpp"
#include "stages/core/words.hpp"

namespace srcextract::sextractor {

using config::fail;

namespace {

constexpr std::string_view blanks = " \t\r\f\v";

/// Largest size of a column in a .param file, equal to the largest number of values of PHOT_APERTURES. SExtractor
/// writes 0 into elements beyond the number of apertures.
constexpr int largest_size = 4096;

/// The numbers in round or square brackets, as in "(35,35)" or "[2]".
std::vector<int> sizes_in(std::string_view text, const std::string& column, const std::string& place) {
  const auto wrong = [&] {
    fail(place, "the sizes of " + column + " must be whole numbers from 1 to " + std::to_string(largest_size) +
                    " in brackets, as in FLUX_APER(3) and VIGNET(35,35), not " + quoted(std::string(text)));
  };
  const char closing = text.front() == '(' ? ')' : ']';
  if (text.size() < 3 || text.find(closing) != text.size() - 1) wrong();
  std::vector<int> sizes;
  for (std::string_view rest = text.substr(1); !rest.empty();) {
    if (rest.front() == ' ' && rest.size() > 2) {
      rest.remove_prefix(1);
      continue;
    }
    const std::size_t end = rest.find_first_of(", )]");
    int size = 0;
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + end, size);
    if (error != std::errc() || stop != rest.data() + end || size < 1 || size > largest_size) wrong();
    sizes.push_back(size);
    rest.remove_prefix(end + 1);
  }
  if (sizes.size() > 2) wrong();
  return sizes;
}

/// Reports an unknown column if the name resembles a known column or contains characters that no column name has.
/// Returns whether the name does.
bool is_mistaken(const std::string& name, const std::string& place, const OnMistake& on_mistake) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  const std::string near = nearest(name, sextractor_columns());
  if (near.empty() && name.find_first_not_of(letters) == name.npos) return false;
  on_mistake(place,
             "SExtractor has no column " + quoted(name) +
                 (near.empty() ? "; source-extractor -dp lists those that it has" : "; did you mean '" + near + "'?"));
  return true;
}

/// Parses a non-empty line. If SExtractor has no column of this name, the Parameter has no sizes.
Parameter parse_parameter(std::string_view line, const std::string& place) {
  const std::size_t bracket = line.find_first_of("([");
  const std::size_t name_end = std::min({bracket, line.find_first_of(blanks), line.find('#'), line.size()});
  Parameter parameter{.name = std::string(line.substr(0, name_end)), .sizes = {}, .place = place};
  if (!is_sextractor_column(parameter.name)) return parameter;
  if (bracket == line.npos || line.find_first_not_of(blanks, name_end) != bracket) return parameter;
  if (bracket != name_end)
    fail(place, "between " + parameter.name + " and its size must be no blank: write " + parameter.name + "(3)");
  const std::size_t closed = line.find_first_of(")]", bracket);
  const std::size_t end =
      closed == line.npos ? line.size() : std::min(line.find_first_of(" \t\r\f\v#", closed), line.size());
  parameter.sizes = sizes_in(line.substr(bracket, end - bracket), parameter.name, place);
  return parameter;
}

}  // namespace

std::string Parameter::text() const {
  std::string text = name;
  for (std::size_t i = 0; i < sizes.size(); ++i) text += (i == 0 ? "(" : ",") + std::to_string(sizes[i]);
  return text + (sizes.empty() ? "" : ")");
}

std::vector<Parameter> read_parameters(const std::string& path, std::vector<UnknownName>& unknown,
                                       const OnMistake& on_mistake) {
  std::vector<Parameter> parameters;
  for_each_text_line(path, [&](std::string_view line, const std::string& place) {
    const std::size_t begin = line.find_first_not_of(blanks);
    if (begin == line.npos || line[begin] == '#') return;
    Parameter parameter = parse_parameter(line.substr(begin), place);
    if (!is_sextractor_column(parameter.name)) {
      if (!is_mistaken(parameter.name, place, on_mistake)) unknown.push_back({parameter.name, place});
    } else if (!asks_for(parameters, parameter.name)) {
      parameters.push_back(std::move(parameter));
    }
  });
  if (parameters.empty())
    fail(path, "names no column; source-extractor -dp lists all of them, each after a # that is to be taken away");
  return parameters;
}

int most_values(const std::vector<Parameter>& parameters, const std::vector<std::string>& names) {
  int most = 0;
  for (const Parameter& parameter : parameters)
    if (std::ranges::count(names, parameter.name) > 0)
      most = std::max(most, parameter.sizes.empty() ? 1 : parameter.sizes.front());
  return most;
}

bool asks_for(const std::vector<Parameter>& parameters, const std::string& name) {
  return std::ranges::any_of(parameters, [&](const Parameter& parameter) { return parameter.name == name; });
}

}  // namespace srcextract::sextractor
