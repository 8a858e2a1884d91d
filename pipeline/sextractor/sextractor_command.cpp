#include "pipeline/sextractor/commands.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "config/values.hpp"
#include "io/image/fits_image.hpp"
#include "pipeline/batch/batch.hpp"
#include "pipeline/log/log.hpp"
#include "pipeline/log/progress.hpp"
#include "pipeline/machine/backend.hpp"
#include "pipeline/options/run_options.hpp"
#include "pipeline/outputs/outputs.hpp"
#include "pipeline/sextractor/association.hpp"
#include "pipeline/sextractor/catalogue.hpp"
#include "pipeline/sextractor/named_outputs.hpp"
#include "pipeline/sextractor/results.hpp"
#include "pipeline/sextractor/unmet.hpp"
#include "pipeline/sextractor/wording.hpp"
#include "sextractor/text_file.hpp"
#include "sextractor/translation.hpp"
#include "sextractor/write_yaml.hpp"
#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"
#include "survey/inputs/file_status.hpp"
#include "survey/inputs/files_beside.hpp"
#include "survey/inputs/image_config.hpp"

namespace srcextract {
namespace {

using sextractor::NamedImage;
using sextractor::Request;
using sextractor::Setting;

/// The number of the first extension that is an image, as text. Empty if the file has no image extension or does not
/// exist.
std::string first_extension(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return "";
  for (const SelectedImage& image : select_images(path, "all"))
    if (image.hdu > 0) return std::to_string(image.hdu);
  return "";
}

/// The image's name followed by an HDU in brackets, an example for an error message. If the user names the image with
/// an HDU, SExtractor honours the HDUs of maps.
std::string with_extension(const NamedImage& image) {
  std::error_code ignored;
  const bool is_there = std::filesystem::is_regular_file(image.path, ignored);
  return image.path + "[" + (is_there ? std::to_string(select_images(image.path, "all").front().hdu) : "1") + "]";
}

void settle(const char* key, const std::vector<NamedImage>& images, Request& request) {
  const Setting& setting = request[key];
  const NamedImage& image = images.front();  // the extension of the first image applies to the maps of both images
  const bool counts = !image.extension.empty();
  std::vector<std::string> values;
  for (const std::string& value : setting.values) {
    const std::string place = setting.is_set() ? setting.place : request.path;
    NamedImage map = sextractor::named_image(value, place + ": " + setting.text());
    if (!map.extension.empty() && !counts)
      config::fail(place,
                   setting.text() + ": SExtractor passes over [" + map.extension +
                       "] and takes maps in the order of their file, unless the image has a number as well: name "
                       "it " +
                       with_extension(image) + ", or the map " + map.path);
    if (map.extension.empty() && counts) map.extension = first_extension(map.path);
    values.push_back(map.extension.empty() ? value : map.path + "[" + map.extension + "]");
  }
  request.configuration.set_values(key, std::move(values));
}

/// Writes into WEIGHT_IMAGE and FLAG_IMAGE the HDU of each map that SExtractor would read.
/// - If the first image has a number in brackets, FILE[2]: the map's number in brackets, else the map file's first
///   extension that is an image.
/// - If the first image has no number: SExtractor ignores numbers and reads the maps of a file in order. Throws
///   Error{config} if a map has a number; the message says what to type.
void settle_map_extensions(const std::vector<NamedImage>& images, Request& request) {
  const Setting& types = request["WEIGHT_TYPE"];
  bool has_map = false;
  for (std::size_t i = 0; i < types.values.size(); ++i) has_map = has_map || types.word(i).starts_with("MAP");
  if (has_map) settle("WEIGHT_IMAGE", images, request);
  if (request.wants("IMAFLAGS_ISO") || request.wants("NIMAFLAGS_ISO")) settle("FLAG_IMAGE", images, request);
}

/// Sets BACK_TYPE to MANUAL if one of two values is. SExtractor then subtracts the first BACK_VALUE from a single
/// image.
void settle_sky_of_one(Request& request) {
  const Setting& types = request["BACK_TYPE"];
  if (types.word(0) != types.word(1)) request.configuration.set_values("BACK_TYPE", {"MANUAL"});
}

using sextractor::Translation;
using sextractor::Unmet;

constexpr const char* usual_configuration = "default.sex";
constexpr const char* command_line = "the command line";  ///< the place of settings made there

NamedImage named_image(const std::string& text) {
  return sextractor::named_image(text, text);
}

Verbosity verbosity_of(const std::string& type) {
  return type == "QUIET" ? Verbosity::quiet : type == "FULL" ? Verbosity::verbose : Verbosity::normal;
}

/// Makes a request from the configuration file and the command line; options of the command line take precedence.
Request read_request(const SextractorOptions& options) {
  std::error_code ignored;
  const bool is_named = !options.configuration.empty();
  const std::string path = is_named ? options.configuration : usual_configuration;
  const bool is_there = is_named || std::filesystem::exists(path, ignored);
  sextractor::Configuration configuration;
  std::vector<std::string> mistakes;
  const auto keep_mistake = [&](const std::string& place, const std::string& message) {
    mistakes.push_back(place + ": " + message + "; it is done as SExtractor does");
  };
  if (is_there) configuration = sextractor::read_configuration(path, keep_mistake);
  for (const auto& [key, value] : options.settings) configuration.set(key, value, command_line, keep_mistake);
  configure_log(verbosity_of(configuration["VERBOSE_TYPE"].word()), "", false);
  if (!is_there) spdlog::warn("there is no {} here: SExtractor's defaults hold", path);
  Request request = sextractor::make_request(std::move(configuration), path, "", keep_mistake);
  for (const std::string& mistake : mistakes) spdlog::warn("{}", mistake);
  const sextractor::Setting& list = request["PARAMETERS_NAME"];
  if (request.parameters.empty())
    config::fail(list.is_set() ? list.place
                 : is_there    ? path
                               : "SExtractor's defaults",
                 "PARAMETERS_NAME " + list.word() +
                     ": there is no such file, which says what columns there are to be; srcextract sextractor -dp > " +
                     list.word() + " lists them, each after a # that is to be taken away");
  const sextractor::Setting& filter = request["FILTER_NAME"];
  if (request["FILTER"].yes() && filter.is_usual() && sextractor::find_file(filter.word(), path).empty())
    spdlog::warn("{}: there is no {}: the 3 x 3 kernel that SExtractor has under this name is used",
                 is_there ? path : "SExtractor's defaults", filter.word());
  return request;
}

/// Converts a request to a configuration of srcextract. Errors about the configuration cite the lines of the user's
/// SExtractor files.
GivenConfig given_config(const Request& request, const Translation& translation) {
  std::vector<std::size_t> lines;
  GivenConfig given = parse_given(sextractor::entries_as_yaml(translation.entries, lines), request.path, {});
  for (const sextractor::Entry& entry : translation.entries) {
    const std::string origin = entry.origins.empty() ? "" : ": " + entry.origins.front();
    const std::string place = (entry.place.empty() ? request.path : entry.place) + origin;
    given.config.set_at[entry.section + "." + entry.key] = place;
    given.written.set_at[entry.section + "." + entry.key] = place;
  }
  return given;
}

/// Adds the settings that apply only to the detection image.
GivenConfig of_detection(GivenConfig given, const Translation& translation, const std::string& path) {
  for (const Unmet& unmet : translation.unmet)
    if (!unmet.for_detection.empty())
      given = override_given(given, path,
                             Overrides{unmet.place + ": " + unmet.what + ", of the first image,", unmet.for_detection});
  return given;
}

/// Sets the HDUs to extract. Turns output.one_catalogue off, since NamedResults joins the catalogues of the HDUs.
GivenConfig of_images(GivenConfig given, const HduNames& hdu) {
  for (Config* config : {&given.config, &given.written}) {
    config->input.hdu = hdu;
    config->output.one_catalogue = false;
    config->kept.as_sextractor = true;
    config->wcs.sip = SipTerms::ctype;
  }
  return given;
}

HduNames measured_hdus(const NamedImage& image) {
  return image.extension.empty() ? "all" : image.extension;
}

/// The HDUs of the detection image: the number in brackets, else the first image if one HDU is measured, else the HDUs
/// with the same numbers as the measured HDUs.
HduNames found_hdus(const NamedImage& image, const NamedImage& measured) {
  if (!image.extension.empty()) return image.extension;
  const bool one = !measured.extension.empty() || select_images(measured.path, "all").size() == 1;
  return one ? HduNames() : HduNames("all");
}

/// The file to extract, and the files that no output may replace.
struct FilePlan {
  PlannedFile file;
  KeptFiles kept;
};

FilePlan plan_file(const SextractorOptions& options, const Request& request, const Translation& translation) {
  const NamedImage measured = named_image(options.images.back()), found = named_image(options.images.front());
  // Selects the extension only to report a missing extension here, by the name that the user typed.
  for (const NamedImage& image : {measured, found})
    if (!image.extension.empty()) FitsImages(image.path).select(image.extension, "the number between brackets");
  const bool two = options.images.size() == 2;
  const GivenConfig given = given_config(request, translation);
  const GivenConfig detection = of_detection(given, translation, request.path);
  require_use(two ? std::vector{given.unused, detection.unused} : std::vector{detection.unused});
  // If a key has one value for each of two images, SExtractor applies the first value to a single image.
  FilePlan plan{{look_at(measured.path, std::filesystem::path(measured.path).filename()), {}},
                KeptFiles({measured.path, found.path, request.path, request.parameters_path})};
  plan.file.file.config = make_image_config(of_images(two ? given : detection, measured_hdus(measured)));
  plan.kept.add_files_of(plan.file.file.config->given);
  plan.kept.add(sextractor::find_file(request["FILTER_NAME"].word(), request.path));
  plan.kept.add(sextractor::find_file(request["STARNNW_NAME"].word(), request.path));
  if (!two) return plan;
  FilesBeside beside;
  beside.detection = {found.path, make_image_config(of_images(detection, found_hdus(found, measured)))};
  require_config_beside(given.config, beside);
  plan.kept.add_files_of(beside);
  plan.file.file.beside = std::make_shared<const FilesBeside>(std::move(beside));
  return plan;
}

/// Throws Error{input} if an image has no celestial WCS, and a column of `parameters` or the list ASSOC_NAME needs one.
/// `scale` is PIXEL_SCALE. Reads only headers. Skips images that cannot be opened; their extraction reports the error.
void require_positions(const NamedImage& measured, const Setting& scale,
                       const std::vector<sextractor::Parameter>& parameters, const AssociationList* list) {
  for (const SelectedImage& selected : select_images(measured.path, measured_hdus(measured))) {
    std::optional<FitsImage> image;
    try {
      if (selected.has_header && !selected.is_mask) image.emplace(selected.open());
    } catch (const Error&) {
      continue;
    }
    if (!image) continue;
    require_sky_of(selected.name, image->header(), scale.is_set() && scale.number() > 0, parameters);
    if (list != nullptr) list->of({}, {}, image->header());
  }
}

/// Number of CPU threads by NTHREADS; with 0 or less all, as in SExtractor. A 1 in a file also means all: every dumped
/// configuration has it, since most builds of SExtractor have one thread. On the command line it is a wish.
int threads_of(const Request& request) {
  const sextractor::Setting& threads = request["NTHREADS"];
  constexpr double most = 4096;
  const double least = threads.place == command_line ? 1 : 2;
  return threads.number() >= least ? static_cast<int>(std::min(threads.number(), most)) : available_threads();
}

}  // namespace

int run_sextractor(const SextractorOptions& options) {
  say_by(in_sextractors_words);
  Request request = read_request(options);
  std::vector<std::string> paths;
  std::vector<NamedImage> images;
  for (const std::string& image : options.images) paths.push_back(images.emplace_back(named_image(image)).path);
  settle_map_extensions(images, request);
  if (images.size() == 1) settle_sky_of_one(request);
  const Translation translation = sextractor::translate(request);
  require_met(request, translation, paths);
  const NamedOutputs outputs = named_outputs(request);
  FilePlan plan = plan_file(options, request, translation);
  std::optional<AssociationList> list;
  if (std::ranges::any_of(request.parameters, [](const auto& one) { return is_of_association(one.name); }))
    plan.kept.add(list.emplace(request).path());
  const bool shows_columns = !outputs.catalogue.empty() || outputs.to_standard_output;
  require_positions(images.back(), request["PIXEL_SCALE"],
                    shows_columns ? request.parameters : std::vector<sextractor::Parameter>(), list ? &*list : nullptr);
  plan.kept.require_kept(outputs.files());
  require_writable(outputs);

  const bool show_progress = stderr_is_terminal() && request["VERBOSE_TYPE"].word() != "QUIET";
  configure_log(verbosity_of(request["VERBOSE_TYPE"].word()), "", show_progress);
  const std::vector<PlannedFile> files = {plan.file};
  const Machine machine = choose_machine({Backend::automatic, {}, threads_of(request)}, workload_of(files));
  MemoryBudget budget = memory_budget(std::nullopt);
  NamedResults results(outputs, request, list ? &*list : nullptr);
  Job job{.output_dir = ".", .arguments = options.arguments, .kept = plan.kept};
  job.take = [&](const ImageTask& task, const ImageInput& input, ImageResult&& result, const Execution& run) {
    results.take(task, input, std::move(result), run.cpu);
  };
  job.take_without_sky = [&](const ImageTask& task, const ImageInput& input, const Failure& failure, const Cpu& where) {
    results.take_without_sky(task, input, failure, where);
  };
  const auto show = show_progress ? Progress::Show::on_terminal : Progress::Show::nothing;
  const Progress progress(show, files.size(), total_bytes(files));
  const int code = process_files(job, files, machine, budget, progress).code;
  if (code != 0) return code;
  progress.clear();
  results.write(machine.cpu);
  return 0;
}

}  // namespace srcextract
