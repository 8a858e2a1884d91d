#include "pipeline/options/convert_options.hpp"

#include <CLI/CLI.hpp>
#include <string_view>

#include "pipeline/options/help_text.hpp"
#include "pipeline/options/protected_arguments.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

constexpr const char* convert_description =
    "Makes a configuration of srcextract of one of SExtractor's: it asks for the same, each key\n"
    "after a comment with the one that it is from.";

constexpr const char* convert_footer =
    R"(FILE is read as SExtractor 2.25 reads it: keys that are missing have its defaults, $NAME and
${NAME} are variables of the environment. The columns are those of PARAM, or of the file that
PARAMETERS_NAME names; FILTER_NAME becomes the values of the kernel. What there is no key for
stands in the output as a comment with the reason and what comes nearest, and is told.

--strict minds what changes the catalogue, or leaves out a check image: columns and keys that
there are none of here, where they are not at SExtractor's default. What no catalogue depends
on (VERBOSE_TYPE, MEMORY_*, names of outputs) and the format of the catalogue do not count.

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

}  // namespace

bool is_convert(int argc, const char* const* argv) {
  return argc > 1 && std::string_view(argv[1]) == "convert-config";
}

ConvertOptions parse_convert_options(int argc, const char* const* argv) {
  ConvertOptions options;
  CLI::App app(convert_description, "srcextract convert-config");
  app.footer(convert_footer);
  use_help_text(app);
  add_options(app, options);
  try {
    app.parse(protected_arguments(app, {argv + 2, argv + argc}));
  } catch (const CLI::CallForHelp&) {
    options.answer = app.help();
    return options;
  } catch (const CLI::ParseError& error) {
    refuse(error.what());
  }
  require_no_empty_name(app, "--param", options.parameters);
  require_no_empty_name(app, "--output", options.output);
  if (options.configuration.empty())
    refuse("FILE is needed, a configuration of SExtractor's: srcextract convert-config default.sex -o config.yaml");
  return options;
}

}  // namespace srcextract
