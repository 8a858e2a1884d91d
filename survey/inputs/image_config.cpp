#include "survey/inputs/image_config.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "config/number_file.hpp"
#include "io/fits/read_number_tables.hpp"
#include "io/image/kernel_file.hpp"
#include "stages/core/error.hpp"
#include "stages/math/kernel_values.hpp"
#include "survey/inputs/file_status.hpp"
#include "survey/inputs/name_hash.hpp"

namespace srcextract {
namespace {

[[noreturn]] void fail(const Config& config, const std::string& key, const std::string& problem) {
  throw Error(ErrorKind::config, config.place_of(key) + ": " + problem);
}

/// Replaces the name of a kernel file by the kernel's values. Outputs then show the kernel that was used, and a change
/// of the file changes the configuration's hash.
void read_kernel(Config& config) {
  ConvolveConfig& convolve = config.convolve;
  if (convolve.kernel != KernelShape::file) return;
  KernelFile file;
  try {
    file = read_kernel_file(convolve.file);
  } catch (const Error& error) {
    fail(config, "convolve.file", error.what());
  }
  if (file.is_old)
    fail(config, "convolve.file",
         "the kernel in " + convolve.file +
             " begins with CONV alone; write CONV NORM, as SExtractor takes it, or CONV NONORM");
  const std::string problem = kernel_problem(file.values);
  if (!problem.empty()) fail(config, "convolve.file", "the kernel in " + convolve.file + " " + problem);
  convolve.kernel = KernelShape::values;
  convolve.values = std::move(file.values);
  convolve.file.clear();
  convolve.normalize = convolve.normalize && file.normalize;
}

/// Reads all sets of numbers in a FITS file, for example one PSF per image. Throws Error{config} or Error{memory}.
std::vector<std::vector<double>> read_sets(const std::string& path, ReadTables read) {
  TableNumbers numbers = read(read_number_tables(path));
  if (!numbers.problem.empty()) throw Error(ErrorKind::config, path + ": " + numbers.problem);
  return std::move(numbers.sets);
}

/// Reads the files of numbers (PSF, neural network) that keys name into config.resources. A caller in Python may have
/// put the numbers of a key there; the key then names no file.
void read_numbers(Config& config) {
  for (const auto& [field, path] : named_files(config)) {
    if (field.numbers == nullptr && field.tables == nullptr) continue;
    if (config.resources.files.contains(field.path())) continue;
    try {
      std::vector<std::vector<double>> sets;
      if (field.tables != nullptr)
        sets = read_sets(path, field.tables);
      else
        sets.push_back(config::read_numbers(path, field.numbers));
      for (std::vector<double>& set : sets)
        config.resources.files[field.path()].push_back(std::make_shared<const std::vector<double>>(std::move(set)));
    } catch (const Error& error) {
      fail(config, field.path(), error.what());
    }
  }
}

/// Text from which the hash is computed: path, size and modification time of the files that keys name. If a file
/// changes, the hash changes, and images are extracted again.
std::string files_text(const Config& config) {
  std::string text;
  for (const auto& [field, path] : named_files(config)) {
    const ImageFile file = look_at(path, path);
    text += path + ' ' + std::to_string(file.bytes) + ' ' + std::to_string(file.modified) + '\n';
  }
  return text;
}

}  // namespace

std::shared_ptr<const ImageConfig> make_image_config(const GivenConfig& given, bool of_difference) {
  Config resolved = given.config;
  read_kernel(resolved);
  read_numbers(resolved);
  Overlay& overlay = resolved.quicklook.overlay;
  if (of_difference && overlay == Overlay::ellipses) overlay = Overlay::pixels;
  std::string yaml = dump_config(resolved);
  std::string hash = hexadecimal(name_hash(yaml + files_text(resolved)));
  return std::make_shared<const ImageConfig>(
      ImageConfig{std::move(resolved), std::move(yaml), std::move(hash), given.config, given.unused});
}

GivenConfig override_for_reference(const GivenConfig& image, const std::string& name, const Overrides& own) {
  GivenConfig without_maps = image;
  const auto sets = [&](const std::string& key) {
    return std::ranges::any_of(own.settings, [&](const std::string& one) { return one.starts_with(key + "="); });
  };
  const auto forget_map = [&](const std::string& section, auto& keys) {
    if (!sets(section + ".file") && !sets(section + ".hdu")) keys = {};
    keys.file.clear();
    keys.hdu = {};
  };
  forget_map("mask", without_maps.written.mask);
  forget_map("weights", without_maps.written.weights);
  if (sets("weights.type"))
    without_maps.written.weights.threshold = {};  // the image's threshold is in the unit of its
                                                  // own weights.type
  return override_given(without_maps, name, own);
}

ConfigVariants::ConfigVariants(const GivenConfig& given) : given_(given), config_(make_image_config(given)) {
  by_yaml_.emplace(config_->yaml, config_);
}

std::shared_ptr<const ImageConfig> ConfigVariants::variant(const std::vector<std::string>& settings, bool of_difference,
                                                           BySettings& known) {
  const auto made = known.find(settings);
  if (made != known.end()) return made->second;
  const auto given = override_given(given_, "the configuration", set_overrides(settings));
  const auto variant = make_image_config(given, of_difference);
  return known[settings] = by_yaml_.emplace(variant->yaml, variant).first->second;
}

std::shared_ptr<const ImageConfig> ConfigVariants::with(const std::vector<std::string>& settings) {
  return settings.empty() ? config_ : variant(settings, false, by_settings_);
}

std::shared_ptr<const ImageConfig> ConfigVariants::of_difference(const std::vector<std::string>& settings) {
  return variant(settings, true, of_differences_);
}

std::shared_ptr<const ImageConfig> ConfigVariants::with_own(const std::vector<std::string>& settings,
                                                            const std::vector<std::string>& own,
                                                            const std::string& option) {
  return own.empty() ? with(settings) : beside(settings, own, option, override_given);
}

std::shared_ptr<const ImageConfig> ConfigVariants::of_reference(const std::vector<std::string>& settings,
                                                                const std::vector<std::string>& own,
                                                                const std::string& option) {
  return own.empty() ? nullptr : beside(settings, own, option, override_for_reference);
}

std::shared_ptr<const ImageConfig> ConfigVariants::beside(const std::vector<std::string>& settings,
                                                          const std::vector<std::string>& own,
                                                          const std::string& option, Override override_with) {
  std::vector<std::string> all = settings;
  for (const std::string& setting : own) all.push_back(option + setting);
  const auto known = by_settings_.find(all);
  if (known != by_settings_.end()) return known->second;
  const std::string name = "the configuration";
  const GivenConfig of_image = override_given(given_, name, set_overrides(settings));
  return by_settings_[all] = make_image_config(override_with(of_image, name, Overrides{option, own}));
}

}  // namespace srcextract
