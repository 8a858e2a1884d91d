#include "pipeline/options/protected_arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

namespace srcextract {
namespace {

/// Whether the argument after `argument` is its value.
bool takes_value(const CLI::App& app, const std::string& argument) {
  if (!argument.starts_with("-")) return false;
  const CLI::Option* option = app.get_option_no_throw(argument);
  return option != nullptr && option->get_items_expected_min() > 0;
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
    const CLI::Option* output = argument.starts_with("-o=") ? app.get_option_no_throw("-o") : nullptr;
    if (output != nullptr) argument.replace(0, 2, "--" + output->get_lnames().front());
  }
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace srcextract
