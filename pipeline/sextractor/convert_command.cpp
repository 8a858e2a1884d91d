#include "pipeline/sextractor/commands.hpp"

#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>

#include "config/config.hpp"
#include "io/files/output_file.hpp"
#include "pipeline/log/log.hpp"
#include "pipeline/options/command_options.hpp"
#include "pipeline/outputs/outputs.hpp"
#include "sextractor/text_file.hpp"
#include "sextractor/write_yaml.hpp"
#include "stages/core/counted.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

struct ConvertOptions {
  std::string configuration;  ///< path of SExtractor's configuration file
  std::string parameters;     ///< path of the file with the list of columns; empty: the file that PARAMETERS_NAME names
  std::string output;         ///< empty: standard output
  bool strict = false;        ///< whether a setting that srcextract cannot honour is an error
  bool quiet = false;
};

constexpr const char* convert_description =
    "Converts a configuration of SExtractor into one of srcextract. Above each key is a comment\n"
    "with the key of SExtractor that it comes from.";

constexpr const char* convert_footer =
    R"(FILE is read as SExtractor 2.25 reads it: keys that are missing have its defaults, $NAME and
${NAME} are variables of the environment. The columns are those of PARAM, or of the file that
PARAMETERS_NAME names; FILTER_NAME becomes the values of the kernel. A setting that srcextract
does not have is a message, and a comment in the output, with the reason and the nearest one.

--strict fails if the catalogue would change or a check image would be missing: a column that
srcextract does not have, or such a key that is not at SExtractor's default. Keys that change
no catalogue (VERBOSE_TYPE, MEMORY_*, names of outputs) and CATALOG_TYPE do not count.

Example:
  source-extractor -dd > default.sex
  srcextract convert-config default.sex --param default.param -o config.yaml
  srcextract -o out config.yaml m31.fits

Exit codes:
  0  converted
  1  internal error, or not enough memory
  2  the command line is wrong, or a file: FILE:LINE says where
  3  OUTPUT cannot be written
  5  --strict, and something could not be honoured; OUTPUT is written all the same)";

void add_options(CLI::App& app, ConvertOptions& options) {
  app.add_option("FILE", options.configuration, "SExtractor's configuration, as default.sex")
      ->type_name("")
      ->group("Files");
  app.add_option("--param", options.parameters, "Its list of columns, as default.param, in place of PARAMETERS_NAME")
      ->type_name("PARAM")
      ->group("Files");
  app.add_option("-o,--output", options.output, "Where to write; standard output without it")
      ->type_name("OUTPUT")
      ->group("Files");
  app.add_flag("--strict", options.strict, "Exit with 5 if something could not be honoured")->group("Configuration");
  app.add_flag("-q,--quiet", options.quiet, "Only errors")->group("Messages");
  app.set_help_flag("-h,--help", "This text")->group("Messages");
}

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorKind::config, problem + "; see srcextract convert-config --help");
}

void require_no_empty_name(const CLI::App& app, const std::string& option, const std::string& value) {
  if (app.count(option) > 0 && value.empty())
    refuse(option + " is an empty text; is a variable of your script not set?");
}

/// Parses the options. Sets `answer` to the only text to print (--help), or to an empty text. Throws Error{config} if
/// the arguments are invalid.
ConvertOptions parse_options(int argc, const char* const* argv, std::string& answer) {
  ConvertOptions options;
  CLI::App app(convert_description, "srcextract convert-config");
  app.footer(convert_footer);
  add_options(app, options);
  answer = parse_arguments(app, argc, argv);
  if (!answer.empty()) return options;
  require_no_empty_name(app, "--param", options.parameters);
  require_no_empty_name(app, "--output", options.output);
  if (options.configuration.empty())
    refuse("FILE is needed, a configuration of SExtractor's: srcextract convert-config default.sex -o config.yaml");
  return options;
}

/// The input files, which the output must not replace.
KeptFiles inputs_of(const sextractor::Request& request, const std::string& yaml) {
  KeptFiles kept({request.path});
  kept.add(request.parameters_path);
  kept.add(sextractor::find_file(request["FILTER_NAME"].word(), request.path));
  kept.add_files_of(parse_config(yaml, "config.yaml"));
  return kept;
}

void write(const std::string& path, const std::string& yaml) {
  OutputFile file(path);
  file.write(yaml);
  file.commit();
}

void tell(const sextractor::Unmet& unmet) {
  spdlog::warn("{}{}: {}", unmet.place.empty() ? "" : unmet.place + ": ", unmet.what, unmet.reason);
}

}  // namespace

int run_convert(int argc, const char* const* argv) {
  std::string answer;
  const ConvertOptions options = parse_options(argc, argv, answer);
  if (!answer.empty()) {
    print_result(answer);
    return 0;
  }
  const sextractor::Request request = sextractor::read_request(options.configuration, options.parameters);
  const sextractor::Translation translation = sextractor::translate(request);
  const std::string yaml = sextractor::as_yaml(request, translation);
  const KeptFiles kept = inputs_of(request, yaml);
  if (!options.output.empty()) kept.require_kept({options.output});
  const auto lost = std::ranges::count_if(translation.unmet, [](const auto& unmet) { return unmet.counts; });
  if (!options.quiet)
    for (const sextractor::Unmet& unmet : sextractor::by_reason(translation.unmet, true)) tell(unmet);
  if (options.output.empty())
    print_result(yaml);
  else
    write(options.output, yaml);
  if (options.strict && lost > 0)
    throw Error(ErrorKind::mismatch, options.configuration + ": " + counted(lost, "thing") +
                                         " that it asks for could not be honoured, which --strict does not allow; the "
                                         "output says which, and what comes nearest");
  return 0;
}

}  // namespace srcextract
