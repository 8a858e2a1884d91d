#include "pipeline/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>
#include <utility>

#include "pipeline/outputs.hpp"
#include "pipeline/versions.hpp"
#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

constexpr const char* description =
    "Extracts sources from FITS images: kappa-sigma clipping, thresholding, connected\n"
    "components, measurement. The catalogue is the same from CPU and GPU, and from any\n"
    "number of threads.";

constexpr const char* footer = R"(Example:
  srcextract -o out --set detection.threshold=3 config/default.yaml m31.fits

To hold a catalogue against a reference: srcextract compare --help

Outputs, for an image m31.fits (or .fit, .fts, .fits.fz, .fits.gz), as `output` in CONFIG says:
  m31.cat.fits  m31.cat.ecsv  m31.cat.csv   the catalogue
  m31.reg                                   DS9 regions
  m31.seg.fits                              label map, pixel = NUMBER
  m31.run.json                              times, statistics, versions, configuration
With `input.hdu: all` and several images in the file: m31.hdu1.cat.fits, and so on.

Exit codes (of several images, the highest):
  0  done
  1  internal error, or not enough memory
  2  the command line or the configuration is wrong
  3  an input cannot be used, or an output cannot be written
  4  no usable GPU, or not enough memory on it
  5  --backend compare found a difference)";

const std::map<std::string, Backend> backends = {
    {"auto", Backend::automatic}, {"cpu", Backend::cpu}, {"cuda", Backend::cuda}, {"compare", Backend::compare}};

void add_files(CLI::App& app, CommandLine& command) {
  app.add_option("CONFIG", command.config, "Configuration (YAML); an empty file means all defaults")
      ->type_name("")
      ->required()
      ->group("Files");
  app.add_option("IMAGE", command.images, "FITS images; each is tried, whatever becomes of the others")
      ->type_name("")
      ->group("Files");
  app.add_option("-o,--output-dir", command.output_dir, "Where the outputs go; made if missing (default: .)")
      ->type_name("DIR")
      ->group("Files");
  app.add_option("--log-file", command.log_file, "Append the log to this file too")->type_name("FILE")->group("Files");
}

void add_configuration(CLI::App& app, CommandLine& command) {
  app.add_option("--set", command.settings, "Override one setting of CONFIG; may be given again")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group("Configuration");
  app.add_flag("--dump-config", command.dump_config, "Print the resolved configuration and stop; needs no IMAGE")
      ->group("Configuration");
}

void add_execution(CLI::App& app, CommandLine& command, std::string& backend) {
  std::vector<std::string> names;
  for (const auto& [name, value] : backends) names.push_back(name);
  app.add_option("--backend", backend,
                 "auto, cpu, cuda or compare (default: auto, which is a usable GPU,\n"
                 "else the CPU; compare runs both and compares every stage)")
      ->type_name("NAME")
      ->check(CLI::IsMember(names).description(""))
      ->group("Where it runs");
  app.add_option("--device", command.device, "CUDA device (default: 0)")
      ->type_name("N")
      ->check(CLI::Range(0, 1023).description(""))
      ->group("Where it runs");
  app.add_option("--threads", command.threads, "CPU threads (default: all that this process may use)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096).description(""))
      ->group("Where it runs");
}

void add_messages(CLI::App& app, CommandLine& command) {
  auto* quiet = app.add_flag("-q,--quiet", command.quiet, "Only warnings and errors");
  auto* verbose = app.add_flag("-v,--verbose", command.verbose, "Also the time of every stage");
  quiet->excludes(verbose)->group("Messages");
  verbose->group("Messages");
  app.set_version_flag("--version", version_text, "Versions of the program and its libraries")->group("Messages");
  app.set_help_flag("-h,--help", "This text")->group("Messages");
}

/// Whether the argument after `argument` is its value.
bool takes_value(const CLI::App& app, const std::string& argument) {
  if (!argument.starts_with("-")) return false;
  const CLI::Option* option = app.get_option_no_throw(argument);
  return option != nullptr && option->get_items_expected_min() > 0;
}

/// The arguments in the order in which CLI11 takes them, safe from its own ideas: it reads an element of a list in
/// brackets or braces as a list of its own, but a file name is only ever a file name; and the value of `-o=DIR` is DIR.
std::vector<std::string> protected_arguments(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> result(arguments.begin() + 1, arguments.end());
  bool is_value = false;
  bool names_only = false;
  for (std::string& argument : result) {
    if (std::exchange(is_value, false)) continue;
    if (!argument.empty() && std::string_view("[{%").find(argument[0]) != std::string_view::npos)
      argument.insert(0, "./");
    if (names_only) continue;
    is_value = takes_value(app, argument);
    names_only = argument == "--";
    if (argument.starts_with("-o=")) argument.replace(0, 3, "--output-dir=");
  }
  std::reverse(result.begin(), result.end());
  return result;
}

void require_names(const CommandLine& command) {
  const auto fail = [](const std::string& what) {
    throw Error(ErrorKind::config, what +
                                       " is an empty text; is a variable of your script not set? See srcextract "
                                       "--help");
  };
  if (command.config.empty()) fail("CONFIG");
  if (command.output_dir.empty()) fail("--output-dir");
  if (std::find(command.images.begin(), command.images.end(), "") != command.images.end()) fail("IMAGE");
}

/// By its name, or by how it begins. Only regular files are opened: what a pipe says can be read once.
bool is_image(const std::string& path) {
  if (image_stem(path) != std::filesystem::path(path).filename()) return true;
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure)) return false;
  std::array<char, 9> bytes{};
  std::ifstream(path, std::ios::binary).read(bytes.data(), bytes.size());
  const std::string_view begin(bytes.data(), bytes.size());
  return begin == "SIMPLE  =" || begin.starts_with("\x1f\x8b");
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
  CommandLine command;
  command.threads = available_threads();
  command.arguments.assign(argv, argv + argc);
  std::string backend = "auto";

  CLI::App app(description, "srcextract");
  app.footer(footer);
  app.get_formatter()->column_width(28);
  add_files(app, command);
  add_configuration(app, command);
  add_execution(app, command, backend);
  add_messages(app, command);

  try {
    app.parse(protected_arguments(app, command.arguments));
  } catch (const CLI::CallForHelp&) {
    command.answer = app.help();
    return command;
  } catch (const CLI::CallForVersion&) {
    command.answer = version_text();
    return command;
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorKind::config, std::string(error.what()) + "; see srcextract --help");
  }
  require_names(command);
  if (is_image(command.config))
    throw Error(ErrorKind::config,
                command.config + " is an image; CONFIG comes first: srcextract CONFIG IMAGE...; see srcextract --help");
  if (command.images.empty() && !command.dump_config)
    throw Error(ErrorKind::config, "IMAGE is required: name at least one FITS file; see srcextract --help");
  command.backend = backends.at(backend);
  return command;
}

}  // namespace srcextract
