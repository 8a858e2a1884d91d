#include "pipeline/options/protected_arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

#include "stages/core/error.hpp"
#include "stages/core/words.hpp"

namespace srcextract {
namespace {

/// Whether the argument after `argument` is its value.
bool takes_value(const CLI::App& app, const std::string& argument) {
  if (!argument.starts_with("-")) return false;
  const CLI::Option* option = app.get_option_no_throw(argument);
  return option != nullptr && option->get_items_expected_min() > 0;
}

std::vector<std::string> long_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// Whether this is written as SExtractor's options are: -c, or -DETECT_THRESH.
bool is_sextractors(const std::string& argument) {
  return argument == "-c" || (argument.size() > 3 && argument[1] != '-' &&
                              std::all_of(argument.begin() + 1, argument.end(), [](char letter) {
                                return (letter >= 'A' && letter <= 'Z') || letter == '_';
                              }));
}

/// Checks the first letter after one dash, and the name before `=`.
void require_option(const CLI::App& app, const std::string& argument) {
  const bool is_long = argument.starts_with("--");
  const std::string name = is_long ? argument.substr(0, argument.find('=')) : argument.substr(0, 2);
  if (argument.size() < 2 || !argument.starts_with('-') || app.get_option_no_throw(name) != nullptr) return;
  const std::string near = is_long ? nearest(name, long_options(app)) : "";
  const std::string meant = is_sextractors(argument)
                                ? "; SExtractor's options are those of srcextract sextractor IMAGE -c default.sex. See "
                            : near.empty() ? "; see "
                                           : "; did you mean " + near + "? See ";
  throw Error(ErrorKind::config, "there is no option " + (is_sextractors(argument) ? argument : name) + meant +
                                     app.get_name() + " --help");
}

}  // namespace

std::vector<std::string> protected_arguments(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> result = arguments;
  bool is_value = false;
  bool names_only = false;
  for (std::string& argument : result) {
    if (std::exchange(is_value, false)) continue;
    if (!argument.empty() && std::string_view("[{%").find(argument[0]) != std::string_view::npos)
      argument.insert(0, "./");
    if (names_only) continue;
    is_value = takes_value(app, argument);
    names_only = argument == "--";
    if (!names_only) require_option(app, argument);
    const CLI::Option* output = argument.starts_with("-o=") ? app.get_option_no_throw("-o") : nullptr;
    if (output != nullptr) argument.replace(0, 2, "--" + output->get_lnames().front());
  }
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace srcextract
