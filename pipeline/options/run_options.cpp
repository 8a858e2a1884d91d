#include "pipeline/options/run_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "config/config.hpp"
#include "io/files/standard_input.hpp"
#include "io/fits/foreign_file.hpp"
#include "pipeline/log/log.hpp"
#include "pipeline/machine/memory_budget.hpp"
#include "pipeline/machine/versions.hpp"
#include "pipeline/options/command_options.hpp"
#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"
#include "survey/inputs/output_names.hpp"

namespace srcextract {
namespace {

const std::map<std::string, Backend> backends = {
    {"auto", Backend::automatic}, {"cpu", Backend::cpu}, {"cuda", Backend::cuda}, {"compare", Backend::compare}};

/// Parses a list of device indices: "0,2" gives 0 and 2; "all" gives an empty list.
std::vector<int> device_list(const std::string& text, const std::string& help) {
  if (text == "all") return {};
  std::vector<int> devices;
  const char* place = text.data();
  const char* const end = place + text.size();
  for (bool more = true; more;) {
    int device = -1;
    const auto [stop, error] = std::from_chars(place, end, device);
    more = error == std::errc() && stop != end && *stop == ',';
    if (error != std::errc() || (!more && stop != end) || device < 0)
      throw Error(ErrorKind::config,
                  "--device " + text + ": name CUDA devices by their numbers, as in 0 or 0,1, or all; see " + help);
    if (std::ranges::count(devices, device) == 0) devices.push_back(device);
    place = stop + 1;
  }
  return devices;
}

/// Whether the file is a FITS image, by the ending of the name or by the first bytes of the file. Reads only regular
/// files, since bytes read from a pipe would be lost for the extraction.
bool is_image(const std::string& path) {
  if (path == standard_input_path) return true;
  if (image_stem(path) != path) return true;
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure)) return false;
  std::array<char, 9> bytes{};
  std::ifstream(path, std::ios::binary).read(bytes.data(), bytes.size());
  const std::string_view begin(bytes.data(), bytes.size());
  return begin == "SIMPLE  =" || begin.starts_with("\x1f\x8b");
}

[[noreturn]] void fail_empty(const std::string& what, const std::string& help) {
  throw Error(ErrorKind::config, what + " is an empty text; is a variable of your script not set? See " + help);
}

void require_no_address(const std::string& name, const std::string& help) {
  std::error_code failure;
  if (name.find("://") == name.npos || std::filesystem::exists(name, failure)) return;
  throw Error(
      ErrorKind::config,
      name +
          " is an address, and files are read: fetch it first (curl -LO ADDRESS), or give it to srcextract.extract "
          "of Python, which fetches https:// and s3://; see " +
          help);
}

void require_names(const RunOptions& options, const std::string& input, const std::string& help) {
  if (options.output_dir.empty()) fail_empty("--output-dir", help);
  require_local("--output-dir", options.output_dir, help);
  require_local("--log-file", options.log_file, help);
  if (std::ranges::count(options.inputs, "") > 0) fail_empty(input, help);
  require_no_address(options.config, help);
  for (const std::string& name : options.inputs) require_no_address(name, help);
}

/// Whether `name` is a manifest or a pattern, which stands for several images. Only batch accepts manifests and
/// patterns.
bool lists_images(const std::string& name) {
  return name.ends_with(".txt") || name.ends_with(".csv") || name.ends_with(".ecsv") ||
         name.find_first_of("*?[") != name.npos;
}

/// Replaces `-` by the path of standard input. Throws Error{config} for `batch`, recognised by `input` == "INPUT",
/// which reads only files.
void name_standard_input(RunOptions& options, const std::string& input, const std::string& help) {
  const auto put_path = [&](std::string& name) {
    if (name != "-") return;
    if (input == "INPUT")
      throw Error(ErrorKind::config,
                  "- is standard input, and a survey reads its images from files; see srcextract -, and " + help);
    name = standard_input_path;
    options.reads_standard_input = true;
  };
  put_path(options.config);
  std::ranges::for_each(options.inputs, put_path);
}

/// Whether `name` is no configuration by its name, and there is no such file. It is then an input that is missing.
bool is_missing_input(const std::string& name) {
  std::error_code failure;
  return !name.empty() && !name.ends_with(".yaml") && !name.ends_with(".yml") && !is_own_configuration(name) &&
         !std::filesystem::exists(name, failure);
}

/// If CONFIG is in fact an input, or a file that could become one, moves CONFIG to the front of the inputs,
/// so that the default configuration is used. Throws Error{config} if a YAML file is among the other inputs.
///
/// The name of a built-in configuration is that configuration, even if a directory has the name. Only where `batch` has
/// no other input is it the directory.
void take_default_config(RunOptions& options, const std::string& input, const std::string& command) {
  std::error_code failure;
  const bool is_directory = std::filesystem::is_directory(options.config, failure);
  if (is_directory && is_own_configuration(options.config) && (input != "INPUT" || !options.inputs.empty()))
    return log_warning(options.config +
                       " is the configuration of this name, which is part of the program, and not "
                       "the directory; ./" +
                       options.config + " is the directory");
  if (!is_image(options.config) && !is_foreign_file(options.config) && !is_directory &&
      !(input == "INPUT" && (lists_images(options.config) || is_missing_input(options.config))))
    return;
  for (const std::string& name : options.inputs)
    if (name.ends_with(".yaml") || name.ends_with(".yml"))
      throw Error(ErrorKind::config, "the configuration " + name + " comes after " + options.config +
                                         "; write it first: " + command + " CONFIG " + input + "...; see " + command +
                                         " --help");
  options.inputs.insert(options.inputs.begin(), std::exchange(options.config, {}));
}

}  // namespace

RunOptionParser::RunOptionParser(CLI::App& app, RunOptions& options, const std::string& input,
                                 const std::string& input_help)
    : app_(app), options_(options), input_(input) {
  options_.threads = available_threads();
  add_files(input, input_help);
  add_execution();
  add_messages();
}

void RunOptionParser::add_files(const std::string& input, const std::string& input_help) {
  if (options_.config.empty())
    app_.add_option(
            "CONFIG", options_.config,
            "Configuration: a YAML file, or radio (for radio maps), or crowd (for\ncrowded stars); these two are part "
            "of the program. Default: config/default.yaml")
        ->type_name("")
        ->group("Files");
  app_.add_option(input, options_.inputs, input_help)->type_name("")->group("Files");
  app_.add_option("-o,--output-dir", options_.output_dir,
                  input == "INPUT" ? "Directory of the outputs, made if missing; required"
                                   : "Directory of the outputs, made if missing (default: .)")
      ->type_name("DIR")
      ->group("Files");
  app_.add_flag("--report", report_,
                "Also write m31.report.html, a page for a browser. It shows the image with\n"
                "its sources, the sky, plots, times and configuration (output.report)")
      ->group("Files");
  app_.add_flag("--csv", csv_, "Write the catalogue as CSV instead of FITS (output.formats)")->group("Files");
  app_.add_flag("--parquet", parquet_, "Write the catalogue as Parquet instead of FITS; with --csv, as both")
      ->group("Files");
  app_.add_option("--log-file", options_.log_file,
                  "Also append the log to this file. Its directory must exist, or be the\noutput directory")
      ->type_name("FILE")
      ->group("Files");
  app_.add_option("--set", options_.settings, "Override one setting of CONFIG; may be given again")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group("Configuration");
}

void RunOptionParser::add_execution() {
  std::vector<std::string> names;
  for (const auto& [name, value] : backends) names.push_back(name);
  app_.add_option("--backend", backend_,
                  "auto, cpu, cuda or compare (default: auto). auto uses the CPU, and also\n"
                  "GPUs if the images are large enough or --device names some. compare\n"
                  "runs both and compares every stage")
      ->type_name("NAME")
      ->check(CLI::IsMember(names).description(""))
      ->group("Where it runs");
  app_.add_option("--device", devices_, "CUDA devices, e.g. 0 or 0,1 (default: all; for one image, device 0)")
      ->type_name("N,...")
      ->group("Where it runs");
  app_.add_option("--threads", options_.threads, "Number of CPU threads (default: all that this process may use)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096).description(""))
      ->group("Where it runs");
  add_memory_option(app_, "--memory", options_.memory,
                    "Memory limit for all images in progress, e.g. 8G (default: most of the\nfree memory)");
  add_memory_option(
      app_, "--device-memory", options_.device_memory,
      "Memory limit per GPU (default: all that is free). Larger images are\nheld partly in host memory with "
      "--backend cuda");
}

void RunOptionParser::add_messages() {
  auto* quiet = app_.add_flag("-q,--quiet", quiet_, "Only warnings and errors");
  auto* verbose = app_.add_flag(
      "-v,--verbose", verbose_,
      "Also log what was read and masked, the sky, the gain, the time of every\nstage, and why no GPU is used");
  quiet->excludes(verbose)->group("Messages");
  verbose->group("Messages");
  app_.set_version_flag("-V,--version", version_text, "Versions of the program and its libraries")->group("Messages");
  app_.set_help_flag("-h,--help", "This text")->group("Messages");
}

void RunOptionParser::parse(int argc, const char* const* argv, int first) {
  const std::string &command = app_.get_name(), help = command + " --help";
  options_.arguments.assign(argv, argv + argc);
  options_.answer = parse_arguments(app_, argc, argv, first);
  if (!options_.answer.empty()) return;
  if (app_.get_option_no_throw("CONFIG") != nullptr && app_.count("CONFIG") > 0 && options_.config.empty())
    fail_empty("CONFIG", help);
  require_names(options_, input_, help);
  name_standard_input(options_, input_, help);
  take_default_config(options_, input_, command);
  const auto chooses_formats = [](const std::string& setting) { return setting.starts_with("output.formats="); };
  if ((csv_ || parquet_) && std::ranges::any_of(options_.settings, chooses_formats))
    throw Error(ErrorKind::config, std::string(csv_ ? "--csv" : "--parquet") +
                                       " and --set output.formats both choose formats; leave one out; see " + help);
  if (csv_ || parquet_)
    options_.settings.push_back("output.formats=[" + std::string(csv_ ? "csv" : "") + (csv_ && parquet_ ? ", " : "") +
                                (parquet_ ? "parquet" : "") + "]");
  if (report_) options_.settings.emplace_back("output.report=true");
  options_.verbosity = quiet_ ? Verbosity::quiet : verbose_ ? Verbosity::verbose : Verbosity::normal;
  options_.backend = backends.at(backend_);
  options_.devices = device_list(devices_, help);
}

void add_record_option(CLI::App& app, RunOptions& options) {
  app.add_flag("--record", options.record,
               "Also write m31.run.json: times, statistics, versions, configuration and\nthe checksum of the image")
      ->group("Files");
}

std::vector<std::string> arguments_but_inputs(const RunOptions& options) {
  if (options.inputs.size() < 2) return options.arguments;
  const std::set<std::string> inputs(options.inputs.begin(), options.inputs.end());
  std::vector<std::string> others;
  std::ranges::copy_if(options.arguments, std::back_inserter(others),
                       [&](const std::string& argument) { return !inputs.contains(argument); });
  return others;
}

MemoryBudget memory_budget(const std::optional<std::int64_t>& memory) {
  if (memory) return {*memory, true};
  // 1/5 of the memory remains for what the budget does not count: sources, catalogues, the program itself. Beyond
  // `ulimit -v`, these only fail to get memory, and the program is not killed.
  const AvailableMemory available = available_memory();
  return {available.of_addresses ? available.bytes : available.bytes / 5 * 4, !available.limited_by.empty(),
          available.limited_by};
}

}  // namespace srcextract
