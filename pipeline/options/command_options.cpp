#include "pipeline/options/command_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "pipeline/options/key_texts.hpp"
#include "stages/core/error.hpp"
#include "stages/core/words.hpp"

namespace srcextract {
namespace {

/// Formats a command's help. The options that an option needs or excludes stand after the option's description. The
/// default of CLI11 is to list these options beside the option's name.
class HelpText : public CLI::Formatter {
 public:
  HelpText() { column_width(28); }

  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text;
    if (option->get_type_size() != 0 && !option->get_type_name().empty()) text = " " + option->get_type_name();
    return text + (option->get_expected_max() == CLI::detail::expected_max_vector_size ? " ..." : "");
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    const std::string& text = option->get_description();
    std::string with;
    for (const CLI::Option* other : option->get_needs()) with += (with.empty() ? "with " : ", ") + other->get_name();
    for (const CLI::Option* other : option->get_excludes())
      with += (with.empty() ? "not with " : ", not with ") + other->get_name();
    return with.empty() ? text : text + "\n(" + with + ")";
  }
};

/// Whether `argument` is an option whose value is the next argument.
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

/// Whether the argument looks like an option of SExtractor: -c, or capitals after one dash as in -DETECT_THRESH.
bool is_sextractors(const std::string& argument) {
  return argument == "-c" || (argument.size() > 3 && argument[1] != '-' &&
                              std::all_of(argument.begin() + 1, argument.end(), [](char letter) {
                                return (letter >= 'A' && letter <= 'Z') || letter == '_';
                              }));
}

/// Throws Error{config} if the argument is an unknown option; `next` is the argument after it. The name of an option
/// ends after the letter that follows a single dash, or before `=` after two dashes.
void require_option(const CLI::App& app, const std::string& argument, const std::string& next) {
  const bool is_long = argument.starts_with("--");
  const std::string name = is_long ? argument.substr(0, argument.find('=')) : argument.substr(0, 2);
  if (argument.size() < 2 || !argument.starts_with('-') || app.get_option_no_throw(name) != nullptr) return;
  const std::string value = name.size() < argument.size() ? argument.substr(name.size() + 1) : next;
  const std::string settings = is_long && app.get_option_no_throw("--set") ? settings_for_option(name, value) : "";
  const std::string near = is_long && settings.empty() ? nearest(name, long_options(app)) : settings;
  const std::string meant = is_sextractors(argument)
                                ? "; SExtractor's options are those of srcextract sextractor IMAGE -c default.sex. See "
                            : near.empty() ? "; see "
                                           : "; did you mean " + near + "? See ";
  throw Error(ErrorKind::config, "there is no option " + (is_sextractors(argument) ? argument : name) + meant +
                                     app.get_name() + " --help");
}

/// Returns the arguments in the order that CLI11 expects, which is reversed. Prefixes a name that begins with a
/// bracket, a brace or % with "./", since CLI11 would read the name as a list.
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
    const auto place = static_cast<std::size_t>(&argument - result.data()) + 1;
    if (!names_only) require_option(app, argument, place < result.size() ? result[place] : "");
    const CLI::Option* output = argument.starts_with("-o=") ? app.get_option_no_throw("-o") : nullptr;
    if (output != nullptr) argument.replace(0, 2, "--" + output->get_lnames().front());
  }
  std::reverse(result.begin(), result.end());
  return result;
}

/// Converts a size such as 8G to bytes, and refuses other texts and 0.
CLI::Validator memory_size() {
  static constexpr const char* no_size = " is no size; write bytes, or as in 500M or 8G";
  const CLI::AsSizeValue size(false);
  const auto to_bytes = [size](std::string& text) -> std::string {
    const std::string given = text;
    try {
      const std::string problem = size(text);
      std::int64_t bytes = 0;
      const char* const end = text.data() + text.size();
      const auto [stop, error] = std::from_chars(text.data(), end, bytes);
      if (!problem.empty() || error != std::errc() || stop != end) return given + no_size;
      return bytes > 0 ? "" : "it must be more than nothing, as in 8G";
    } catch (const CLI::ValidationError&) {
      return given + no_size;
    }
  };
  return {to_bytes, ""};
}

}  // namespace

std::string parse_arguments(CLI::App& app, int argc, const char* const* argv, int first) {
  app.formatter(std::make_shared<HelpText>());
  try {
    app.parse(protected_arguments(app, {argv + first, argv + argc}));
  } catch (const CLI::CallForHelp&) {
    return app.help();
  } catch (const CLI::CallForVersion& asked) {
    return asked.what();
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorKind::config, std::string(error.what()) + "; see " + app.get_name() + " --help");
  }
  return "";
}

void add_memory_option(CLI::App& app, const std::string& name, std::optional<std::int64_t>& memory,
                       const std::string& help) {
  app.add_option(name, memory, help)->type_name("SIZE")->transform(memory_size())->group("Where it runs");
}

void require_local(const std::string& option, const std::string& value, const std::string& help) {
  if (value.find("://") == value.npos) return;
  throw Error(ErrorKind::config, option + ": " + value +
                                     " is an address, and outputs are files of this machine: name a directory or file "
                                     "here, and copy it from there; see " +
                                     help);
}

}  // namespace srcextract
