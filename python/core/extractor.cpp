#include "python/core/extractor.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "config/values.hpp"
#include "cuda/device/cuda_devices.hpp"
#include "cuda/ingest/device_pixels.hpp"
#include "io/image/fits_image.hpp"
#include "pipeline/batch/batch.hpp"
#include "pipeline/exposure/map_pairs.hpp"
#include "pipeline/exposure/position_tables.hpp"
#include "pipeline/image/open_image.hpp"
#include "pipeline/log/failure.hpp"
#include "pipeline/machine/backend.hpp"
#include "pipeline/machine/memory_budget.hpp"
#include "pipeline/options/run_options.hpp"
#include "pipeline/outputs/outputs.hpp"
#include "python/core/arrays.hpp"
#include "python/core/catalogue.hpp"
#include "python/core/gil.hpp"
#include "python/core/interrupt.hpp"
#include "python/core/psf.hpp"
#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/stop.hpp"
#include "stages/settings/map_keys.hpp"
#include "stages/settings/psf.hpp"
#include "survey/inputs/file_status.hpp"
#include "survey/inputs/files_beside.hpp"

namespace srcextract::python {
namespace nb = nanobind;
namespace {

/// Throws Error{config} if a key has no effect on a difference whose result is a catalogue in memory.
void require_difference(const Config& config, const std::shared_ptr<const ImageConfig>& of_reference) {
  require_config_beside(config, {.reference = "the reference", .of_reference = of_reference});
  if (!config.output.alerts.empty())
    throw Error(ErrorKind::config,
                config.place_of("output.alerts") +
                    ": alerts are files with cut-outs, and a call returns a catalogue; leave it out, "
                    "or run srcextract difference");
}

Configuration read_configuration(const std::optional<std::string>& path, const std::string& yaml,
                                 const std::vector<std::string>& settings, bool of_difference, bool segmentation,
                                 const std::vector<std::string>& reference_settings, const Psf* psf) {
  const Overrides overrides{"the argument", settings};
  GivenConfig given =
      yaml.empty() ? load_given(path.value_or(""), overrides) : parse_given(yaml, "the configuration", overrides);
  require_use({given.unused});
  if (psf != nullptr)
    for (Config* config : {&given.config, &given.written})
      config->resources.files[psf_key] = {std::make_shared<const std::vector<double>>(psf->numbers)};
  std::shared_ptr<const ImageConfig> of_reference;
  if (!reference_settings.empty()) {
    require_reference_settings(reference_settings, {.reference_set = "reference_set: "});
    of_reference = make_image_config(
        override_for_reference(given, "the configuration", Overrides{"reference_set", reference_settings}));
  }
  of_difference ? require_difference(given.config, of_reference) : require_outputs_of_images(given.config);
  for (Config* config : {&given.config, &given.written}) config->kept = {.segmentation = segmentation, .sky = true};
  return {make_image_config(given, of_difference), of_reference, given.note};
}

bool has_device() {
  try {
    return !find_cuda_devices().empty();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

Machine machine_of(const MachineWish& wish, const Workload& work) {
  Machine machine = choose_machine(wish, work);
  if (wish.backend != Backend::automatic || wish.devices.empty() || !machine.devices.empty()) return machine;
  // Throws if a named device is missing. Without any GPU, the log already has a message.
  if (has_device())
    for (const int device : wish.devices) find_cuda_device(device);
  return machine;
}

Backend backend_of(const std::string& word) {
  if (word == "auto") return Backend::automatic;
  if (word == "cpu") return Backend::cpu;
  if (word == "cuda") return Backend::cuda;
  throw Error(ErrorKind::config, "backend '" + word + "' is none of auto, cpu and cuda");
}

namespace {

/// An image and the maps that belong to the image, as arrays.
struct PixelInputs {
  std::string name, header, primary_header;
  std::vector<PlaneArray> planes;
  std::optional<PlaneArray> weights, mask, level;
};

/// Paths of files that are read with an image; empty: none. Messages call the table of positions `positions_name`.
struct FilesWith {
  std::string reference, positions, positions_name;
};

/// The table of positions and the reference image, if given; null if neither is given.
std::shared_ptr<const FilesBeside> files_beside(const FilesWith& with, const Configuration& configuration) {
  if (with.positions.empty() && with.reference.empty()) return nullptr;
  const FilesBeside beside{
      .positions = with.positions_name, .reference = with.reference, .of_reference = configuration.of_reference};
  require_config_beside(configuration.given->config, beside);
  return std::make_shared<const FilesBeside>(beside);
}

std::shared_ptr<PositionTables> tables_of(const FilesWith& with) {
  auto tables = std::make_shared<PositionTables>();
  if (with.positions.empty()) return tables;
  auto list = std::make_shared<PositionList>(read_positions(with.positions));
  list->path = with.positions_name;
  tables->keep(std::move(list));
  return tables;
}

/// Makes a job that passes catalogues to `take` and writes no files.
Job job_of(const FilesWith& with, const KeptFiles& nothing, TakeResult take) {
  return {.output_dir = ".",
          .arguments = {},
          .kept = nothing,
          .describe = false,
          .positions = tables_of(with),
          .take = std::move(take)};
}

/// The arrays that were given, each with the name for messages.
std::vector<std::pair<const char*, const PlaneArray*>> arrays_of(const PixelInputs& inputs) {
  std::vector<std::pair<const char*, const PlaneArray*>> arrays;
  for (const PlaneArray& plane : inputs.planes) arrays.emplace_back("the image", &plane);
  if (inputs.weights) arrays.emplace_back("the weights", &*inputs.weights);
  if (inputs.mask) arrays.emplace_back("the mask", &*inputs.mask);
  if (inputs.level) arrays.emplace_back("the level", &*inputs.level);
  return arrays;
}

/// The GPU whose memory has the arrays; empty if all arrays are in host memory. Throws Error{device} if the arrays are
/// on several GPUs or on a GPU that the user did not name. Throws Error{config} if an array is on a GPU and the user
/// chose the CPU.
std::optional<int> device_of(const PixelInputs& inputs, const MachineWish& wish) {
  std::optional<int> device;
  const char* first = nullptr;
  for (const auto& [what, array] : arrays_of(inputs)) {
    if (!array->device) continue;
    const std::string place = fmt::format("{} lies in the memory of GPU {}", what, *array->device);
    if (wish.backend == Backend::cpu)
      throw Error(ErrorKind::config,
                  place +
                      ", and backend='cpu' works on arrays of the host; leave backend at 'auto', which takes the "
                      "GPU that an array lies on, or give a copy on the host (array.get() of CuPy, array.cpu() of "
                      "PyTorch, numpy.asarray(array) of JAX)");
    if (!wish.devices.empty() && std::ranges::count(wish.devices, *array->device) == 0)
      throw Error(ErrorKind::device, fmt::format("{}, and device={} is another; leave device out, or copy the array to "
                                                 "that GPU",
                                                 place, fmt::join(wish.devices, ", ")));
    if (device && *device != *array->device)
      throw Error(ErrorKind::device,
                  fmt::format("{}, and {} in that of GPU {}; copy one of them to the other's", place, first, *device));
    if (!device) first = what;
    device = array->device;
  }
  return device;
}

class Extractor {
 public:
  Extractor(const std::string& backend, const std::vector<int>& devices, int threads)
      : wish_{backend_of(backend), devices, threads > 0 ? threads : available_threads()} {}
  ~Extractor() {
    if (on_devices_.empty() && readers_.empty() && !(for_large_images_ && for_large_images_->device)) return;
    const DeviceOfThread of_caller;
    on_devices_.clear();
    readers_.clear();
    for_large_images_.reset();
  }
  Extractor(const Extractor&) = delete;
  Extractor& operator=(const Extractor&) = delete;

  std::unique_ptr<Catalogue> extract(const Configuration& configuration, const PixelInputs& inputs,
                                     const FilesWith& with) {
    const std::optional<int> device = device_of(inputs, wish_);
    std::unique_ptr<Catalogue> catalogue;
    do_watchfully([&] {
      std::unique_lock turn(mutex_, std::defer_lock);
      while (!turn.try_lock_for(std::chrono::milliseconds(look_for_signals))) stop_if_asked();
      catalogue = extract_on(device, configuration, inputs, with);
    });
    return catalogue;
  }

  /// Extracts the images of a file that input.hdu selects; returns the catalogues in the order of the HDUs.
  std::vector<std::unique_ptr<Catalogue>> extract_file(const Configuration& configuration, const std::string& path,
                                                       const FilesWith& with) {
    std::vector<std::unique_ptr<Catalogue>> catalogues;
    do_interruptibly([&] { catalogues = extract_images(configuration, path, with); });
    return catalogues;
  }

 private:
  /// Extracts one image. The caller holds mutex_.
  std::unique_ptr<Catalogue> extract_on(std::optional<int> device, const Configuration& configuration,
                                        const PixelInputs& inputs, const FilesWith& with) {
    ImageFile file{.path = inputs.name, .name = inputs.name, .config = configuration.given};
    file.beside = files_beside(with, configuration);
    MemoryImage image{inputs.name, 0, inputs.header, {}, inputs.primary_header};
    for (const PlaneArray& plane : inputs.planes) image.planes.push_back(source_of(plane, reader_of(plane)));
    const Shape shape = image.planes.front().shape;
    ImageTask task;
    task.file = &file;
    task.name = task.image.name = inputs.name;
    task.image.shape = shape;
    task.image.open = [&] { return open_memory_image(image); };
    task.maps = {map_of(inputs.weights, 1, "the weights"),
                 map_of(inputs.mask, 2, "the mask"),
                 map_of(inputs.level, 3, "the level"),
                 {}};
    std::unique_ptr<Catalogue> catalogue;
    const KeptFiles nothing;
    const Job job = job_of(with, nothing,
                           [&](const ImageTask&, const ImageInput& input, ImageResult&& result, const Execution& run) {
                             catalogue = catalogue_of(input, std::move(result), run);
                           });
    try {
      std::int64_t most_inflated = std::numeric_limits<std::int64_t>::max();
      add_maps_of_files(task.maps, task.image, configuration.given->config, most_inflated);
      OpenImage opened(task, job);
      Progress progress(Progress::Show::nothing, 1, 0);
      const std::int64_t bytes = shape.count() * opened.input().first().format.bytes();
      const auto of_caller =
          device || may_take_device({.pixel_bytes = bytes}) ? std::make_unique<DeviceOfThread>() : nullptr;
      const Execution& execution = device ? execution_on(*device) : execution_for(bytes);
      run_or_fall_back(execution, inputs.name,
                       [&](const Execution& on) { opened.finish(extract_image(opened.input(), on, progress), on); });
    } catch (...) {
      const Failure failure = current_failure();
      throw Error(failure.kind, message_about(inputs.name, failure));
    }
    return catalogue;
  }

  /// Describes a map that is given as an array in the same way as a map that is an HDU of a file.
  SelectedMap map_of(const std::optional<PlaneArray>& array, int hdu, const std::string& name) {
    if (!array) return std::nullopt;
    SelectedImage selected;
    selected.name = name;
    selected.hdu = hdu;
    selected.shape = {array->shape[1], array->shape[0]};
    selected.open = [=, pixels = source_of(*array, reader_of(*array))] {
      return open_memory_image({name, hdu, "", {pixels}, ""});
    };
    return selected;
  }

  /// Whether the work on arrays in host memory may use a GPU.
  bool may_take_device(const Workload& work) const {
    if (wish_.backend == Backend::cpu || !cuda_built()) return false;
    return wish_.backend == Backend::cuda || !wish_.devices.empty() ||
           estimate_times(work, wish_.threads).favours_gpu();
  }

  /// The reader through which the host reads the array; null for an array in host memory. Kept for later arrays of the
  /// same GPU.
  std::shared_ptr<DeviceReader> reader_of(const PlaneArray& array) {
    if (!array.device) return nullptr;
    std::shared_ptr<DeviceReader>& reader = readers_[*array.device];
    if (!reader) reader = std::make_shared<DeviceReader>(*array.device);
    return reader;
  }

  std::vector<std::unique_ptr<Catalogue>> extract_images(const Configuration& configuration, const std::string& path,
                                                         const FilesWith& with) {
    std::vector<PlannedFile> files = {{look_at(path, path), {}}};
    files.front().file.config = configuration.given;
    files.front().file.beside = files_beside(with, configuration);
    const Workload work = workload_of(files);
    const auto of_caller = may_take_device(work) ? std::make_unique<DeviceOfThread>() : nullptr;
    const Machine machine = machine_of(wish_, work);
    MemoryBudget budget = memory_budget(std::nullopt);
    const KeptFiles nothing;
    std::mutex mutex;
    std::map<int, std::unique_ptr<Catalogue>> found;
    std::optional<Error> failure;
    const Job job = job_of(
        with, nothing, [&](const ImageTask& task, const ImageInput& input, ImageResult&& result, const Execution& run) {
          auto catalogue = catalogue_of(input, std::move(result), run);
          const std::lock_guard lock(mutex);
          found[task.image.hdu] = std::move(catalogue);
        });
    RunControl control;
    control.on_failure = [&](const ImageTask& task, const Failure& what) {
      const std::lock_guard lock(mutex);
      if (!failure) failure.emplace(what.kind, message_about(task.name, what));
    };
    process_files(job, files, machine, budget, Progress(Progress::Show::nothing, 1, 0), control);
    stop_if_asked();
    if (failure) throw *failure;
    std::vector<std::unique_ptr<Catalogue>> catalogues;
    for (auto& [hdu, catalogue] : found) catalogues.push_back(std::move(catalogue));
    return catalogues;
  }

  /// The execution for arrays on the GPU `device`; made once and kept.
  const Execution& execution_on(int device) {
    const auto known = on_devices_.find(device);
    if (known != on_devices_.end()) return known->second;
    Machine machine = choose_machine({Backend::cuda, {device}, wish_.threads}, {});
    machine.may_fall_back = wish_.backend == Backend::automatic;
    return on_devices_.emplace(device, on_device(machine, machine.devices.front(), machine.cpu.threads)).first->second;
  }

  /// The execution for an array in host memory of `bytes` bytes. One execution for large arrays and one for small
  /// arrays are made once and kept.
  const Execution& execution_for(std::int64_t bytes) {
    const Workload work{.pixel_bytes = bytes};
    std::optional<Execution>& execution = may_take_device(work) ? for_large_images_ : for_small_images_;
    if (!execution) {
      const Machine machine = machine_of(wish_, work);
      const auto device = machine.devices.empty() ? std::nullopt : std::optional(machine.devices.front());
      execution = on_device(machine, device, machine.cpu.threads);
    }
    return *execution;
  }

  MachineWish wish_;
  std::timed_mutex mutex_;
  std::optional<Execution> for_large_images_, for_small_images_;
  std::map<int, Execution> on_devices_;
  std::map<int, std::shared_ptr<DeviceReader>> readers_;
};

}  // namespace

void bind_extractor(nb::module_& module) {
  nb::class_<Configuration>(module, "Configuration")
      .def(
          "__init__",
          [](Configuration* self, const std::optional<std::string>& path, const std::string& yaml,
             const std::vector<std::string>& settings, bool of_difference, bool segmentation,
             const std::vector<std::string>& reference_settings, const Psf* psf) {
            const WithoutGil others;  // reading a file with many keys takes milliseconds
            new (self) Configuration(
                read_configuration(path, yaml, settings, of_difference, segmentation, reference_settings, psf));
          },
          nb::arg("path").none(), nb::arg("yaml"), nb::arg("settings"), nb::arg("of_difference") = false,
          nb::arg("segmentation") = true, nb::arg("reference_settings") = std::vector<std::string>{},
          nb::arg("psf").none() = nb::none())
      .def_prop_ro("yaml", [](const Configuration& self) { return self.given->yaml; })
      .def_ro("note", &Configuration::note)
      .def_prop_ro("hdu", [](const Configuration& self) { return self.given->config.input.hdu.names; })
      .def_prop_ro("reference_hdu",
                   [](const Configuration& self) {
                     return (self.of_reference ? self.of_reference : self.given)->config.input.hdu.names;
                   })
      .def_prop_ro("takes_planes",
                   [](const Configuration& self) {
                     const Config& config = self.given->config;
                     return config.combine.method != CombineMethod::none || config.input.plane > 1;
                   })
      .def_prop_ro("weights_photons",
                   [](const Configuration& self) { return config::format_value(self.given->config.weights.photons); })
      .def_prop_ro("weights_type",
                   [](const Configuration& self) { return config::format_value(self.given->config.weights.type); });
  nb::class_<PixelInputs>(module, "PixelInputs")
      .def(nb::init<>())
      .def_rw("name", &PixelInputs::name)
      .def_rw("header", &PixelInputs::header)
      .def_rw("primary_header", &PixelInputs::primary_header)
      .def_rw("planes", &PixelInputs::planes)
      .def_rw("weights", &PixelInputs::weights, nb::arg().none())
      .def_rw("mask", &PixelInputs::mask, nb::arg().none())
      .def_rw("level", &PixelInputs::level, nb::arg().none());
  nb::class_<FilesWith>(module, "FilesWith")
      .def(nb::init<>())
      .def_rw("reference", &FilesWith::reference)
      .def_rw("positions", &FilesWith::positions)
      .def_rw("positions_name", &FilesWith::positions_name);
  nb::class_<Extractor>(module, "Extractor")
      .def(nb::init<const std::string&, const std::vector<int>&, int>(), nb::arg("backend"), nb::arg("devices"),
           nb::arg("threads"))
      .def("extract", &Extractor::extract, nb::arg("configuration"), nb::arg("inputs"), nb::arg("files"))
      .def("extract_file", &Extractor::extract_file, nb::arg("configuration"), nb::arg("path"), nb::arg("files"));
}

}  // namespace srcextract::python
