#include "pipeline/options/sextractor_options.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "config/sextractor_keys.hpp"
#include "pipeline/machine/versions.hpp"
#include "sextractor/lists.hpp"
#include "stages/core/error.hpp"
#include "stages/core/words.hpp"

namespace srcextract {
namespace {

constexpr const char* help =
    R"(Extracts sources as SExtractor 2.25 is asked to: its options, files and names of outputs.

Usage:
  srcextract sextractor IMAGE[,IMAGE2] [-c FILE] [-KEY VALUE]...
  sex IMAGE[,IMAGE2] ...          by a link: ln -s srcextract sex (or sextractor, source-extractor)

  -c FILE      configuration; without it default.sex, if there is one, or SExtractor's defaults
  -KEY VALUE   overrides KEY of the configuration file; small letters will do
  -d           print a configuration with SExtractor's defaults; -dd with all keys
  -dp          print all columns
  -v           print the version of SExtractor, and that of this program on standard error
  -h           this text; without any argument it is on standard error

Of two images, with a comma or a blank between them, sources are found in the first and measured in
the second. IMAGE[2] is the second extension of a file; without a number all images of it are taken.
Columns are those of PARAMETERS_NAME; outputs have the names of CATALOG_NAME and CHECKIMAGE_NAME.
A catalogue of text named STDOUT goes to standard output, messages to standard error.

What SExtractor would do with these settings and srcextract does not is an error that says so, and
nothing is written. docs/sextractor.md says how near the catalogues are.

Example:
  source-extractor m31.fits -c default.sex -CATALOG_NAME m31.cat
  srcextract sextractor m31.fits -c default.sex -CATALOG_NAME m31.cat

Exit codes:
  0  done
  1  internal error, or not enough memory
  2  the command line or a file of settings is wrong, or asks for what there is not
  3  an input cannot be used, or an output cannot be written
  4  no usable GPU, or not enough memory on it
)";

[[noreturn]] void refuse_call(const std::string& problem) {
  throw Error(ErrorKind::config, problem + "; see srcextract sextractor -h");
}

bool is_sextractors_name(std::string_view name) {
  return name == "sex" || name == "sextractor" || name == "source-extractor";
}

/// Throws Error{config} for an unknown option, with the nearest known option in the message.
[[noreturn]] void refuse_option(const std::string& argument) {
  const std::size_t begin = std::min(argument.find_first_not_of('-'), argument.size());
  const std::string name = argument.substr(begin, argument.find('=', begin) - begin);
  if (find_sextractor_key(name) != nullptr)
    refuse_call("there is no option " + argument + "; write -" + name + " VALUE, with one dash and a blank");
  std::vector<std::string> names;
  for (const SextractorKey& key : sextractor_keys()) names.emplace_back(key.name);
  const std::string near = nearest(name, names);
  refuse_call("there is no option " + argument + (near.empty() ? "" : "; did you mean -" + near + "?"));
}

/// Adds the image names in `argument`, which are separated by commas.
void add_images(std::string_view argument, SextractorOptions& options) {
  for (std::size_t begin = 0, end = 0; begin <= argument.size(); begin = end + 1) {
    end = std::min(argument.find(',', begin), argument.size());
    if (end > begin) options.images.emplace_back(argument.substr(begin, end - begin));
  }
}

/// SExtractor's answer to -v. Scripts look for it on stdout, and on stderr after a call without arguments.
constexpr const char* sextractors_version = "Source Extractor version 2.25.0 (2018-02-08)\n";

bool asks_for_version(std::string_view argument) {
  return argument == "-v" || argument == "-vv" || argument == "--version";
}

/// The text that answers -d, -dd, -dp, -v or -h; empty for any other argument.
std::string answer_of(std::string_view argument) {
  if (argument == "-d" || argument == "-dd") return sextractor::default_configuration(argument == "-dd");
  if (argument == "-dp") return sextractor::list_of_columns();
  if (asks_for_version(argument)) return sextractors_version;
  return argument == "-h" || argument == "--help" ? help : "";
}

}  // namespace

bool is_sextractor(int argc, const char* const* argv) {
  if (argc > 0 && is_sextractors_name(std::filesystem::path(argv[0]).filename().string())) return true;
  return argc > 1 && std::string_view(argv[1]) == "sextractor";
}

SextractorOptions parse_sextractor_options(int argc, const char* const* argv) {
  const bool by_link = is_sextractors_name(std::filesystem::path(argv[0]).filename().string());
  SextractorOptions options;
  options.arguments.assign(argv, argv + argc);
  const std::vector<std::string> arguments(argv + (by_link ? 1 : 2), argv + argc);
  if (arguments.empty()) {
    options.aside = sextractors_version + ("in place of SExtractor: srcextract " + program_version()) + "\n\n" + help;
    return options;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (!argument.starts_with('-')) {
      add_images(argument, options);
      continue;
    }
    options.answer = answer_of(argument);
    if (asks_for_version(argument)) options.aside = "in place of SExtractor: " + version_text();
    if (!options.answer.empty()) return options;
    const std::string key = argument.substr(1);
    if (key != "c" && find_sextractor_key(key) == nullptr) refuse_option(argument);
    if (i + 1 == arguments.size()) refuse_call(argument + " is the last word, and needs a value after it");
    const std::string& value = arguments[++i];
    if (key == "c" && value.empty()) refuse_call("-c is an empty text; is a variable of your script not set?");
    if (key == "c")
      options.configuration = value;
    else
      options.settings.emplace_back(key, value);
  }
  if (options.images.empty()) refuse_call("no image is named: srcextract sextractor IMAGE ...");
  if (options.images.size() > 2)
    refuse_call(options.images[2] +
                " is a third image; there can be two, that in which sources are found and that which is "
                "measured, and values of several words stand between quotes or have commas");
  return options;
}

}  // namespace srcextract
