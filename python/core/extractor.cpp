#include "python/core/extractor.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/overrides.hpp"
#include "io/image/fits_image.hpp"
#include "pipeline/batch/batch.hpp"
#include "pipeline/image/open_image.hpp"
#include "pipeline/log/failure.hpp"
#include "pipeline/machine/backend.hpp"
#include "pipeline/machine/memory_budget.hpp"
#include "pipeline/options/run_options.hpp"
#include "pipeline/outputs/outputs.hpp"
#include "python/core/arrays.hpp"
#include "python/core/catalogue.hpp"
#include "python/core/configuration.hpp"
#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"
#include "survey/inputs/find_files.hpp"

namespace srcextract::python {
namespace nb = nanobind;
namespace {

Configuration read_configuration(const std::optional<std::string>& path, const std::string& yaml,
                                 const std::vector<std::string>& settings) {
  const Overrides overrides{"the argument", settings};
  GivenConfig given = path ? load_given(*path, overrides) : parse_given(yaml, "the configuration", overrides);
  require_use({given.unused});
  require_columns_of_images(given.config);
  for (Config* config : {&given.config, &given.written}) config->kept = {.segmentation = true, .sky = true};
  return {make_image_config(given)};
}

Backend backend_of(const std::string& word) {
  if (word == "auto") return Backend::automatic;
  if (word == "cpu") return Backend::cpu;
  if (word == "cuda") return Backend::cuda;
  throw Error(ErrorKind::config, "backend '" + word + "' is none of auto, cpu and cuda");
}

/// An image and what is known of each of its pixels, where it lies.
struct PixelInputs {
  std::string name, header;
  std::vector<PlaneArray> planes;
  std::optional<PlaneArray> weights, mask, level;
};

/// A map as the image's file would have it.
SelectedMap map_of(const std::optional<PlaneArray>& array, int hdu, const std::string& name) {
  if (!array) return std::nullopt;
  SelectedImage selected;
  selected.name = name;
  selected.hdu = hdu;
  selected.shape = {array->shape[1], array->shape[0]};
  selected.open = [=, pixels = source_of(*array)] { return open_memory_image({name, hdu, "", {pixels}}); };
  return selected;
}

class Extractor {
 public:
  Extractor(const std::string& backend, const std::vector<int>& devices, int threads)
      : wish_{backend_of(backend), devices, threads > 0 ? threads : available_threads()} {}

  std::unique_ptr<Catalogue> extract(const Configuration& configuration, const PixelInputs& inputs) {
    const nb::gil_scoped_release others;
    const std::lock_guard turn(mutex_);
    ImageFile file{.path = inputs.name, .name = inputs.name, .config = configuration.given};
    MemoryImage image{inputs.name, 0, inputs.header, {}};
    for (const PlaneArray& plane : inputs.planes) image.planes.push_back(source_of(plane));
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
    const KeptFiles nothing({});
    const Job job{.output_dir = ".",
                  .arguments = {},
                  .kept = nothing,
                  .describe = false,
                  .take = [&](const ImageTask&, const ImageInput& input, ImageResult&& result, const Cpu& cpu) {
                    catalogue = catalogue_of(input, std::move(result), cpu);
                  }};
    OpenImage opened(task, job);
    Progress progress(Progress::Show::nothing, 1, 0);
    const Execution& execution = execution_for(shape.count() * opened.input().first().format.bytes());
    opened.finish(extract_image(opened.input(), execution, progress), execution);
    return catalogue;
  }

  /// Of the images of a file that input.hdu selects, in their order.
  std::vector<std::unique_ptr<Catalogue>> extract_file(const Configuration& configuration, const std::string& path) {
    const nb::gil_scoped_release others;
    std::vector<PlannedFile> files = {{look_at(path, path), {}}};
    files.front().file.config = configuration.given;
    const Machine machine = choose_machine(wish_, workload_of(files, ""));
    MemoryBudget budget = memory_budget(std::nullopt);
    const KeptFiles nothing({});
    std::mutex mutex;
    std::map<int, std::unique_ptr<Catalogue>> found;
    std::optional<Error> failure;
    const Job job{.output_dir = ".",
                  .arguments = {},
                  .kept = nothing,
                  .describe = false,
                  .take = [&](const ImageTask& task, const ImageInput& input, ImageResult&& result, const Cpu& cpu) {
                    auto catalogue = catalogue_of(input, std::move(result), cpu);
                    const std::lock_guard lock(mutex);
                    found[task.image.hdu] = std::move(catalogue);
                  }};
    RunControl control;
    control.on_failure = [&](const ImageTask& task, const Failure& what) {
      const std::lock_guard lock(mutex);
      if (!failure) failure.emplace(what.kind, message_about(task.name, what));
      return false;
    };
    process_files(job, files, machine, budget, Progress(Progress::Show::nothing, 1, 0), control);
    if (failure) throw *failure;
    std::vector<std::unique_ptr<Catalogue>> catalogues;
    for (auto& [hdu, catalogue] : found) catalogues.push_back(std::move(catalogue));
    return catalogues;
  }

 private:
  /// What takes an image of so many bytes; a device is kept from image to image.
  const Execution& execution_for(std::int64_t bytes) {
    const bool small = wish_.backend == Backend::automatic;
    std::optional<Execution>& execution = small ? by_size_ : chosen_;
    if (!execution || small) {
      const Machine machine = choose_machine(wish_, {.pixel_bytes = bytes});
      const auto device = machine.devices.empty() ? std::nullopt : std::optional(machine.devices.front());
      if (!execution || execution->device.has_value() != device.has_value())
        execution = on_device(machine, device, machine.cpu.threads);
    }
    return *execution;
  }

  MachineWish wish_;
  std::mutex mutex_;
  std::optional<Execution> chosen_, by_size_;
};

}  // namespace

void bind_extractor(nb::module_& module) {
  nb::class_<Configuration>(module, "Configuration")
      .def(
          "__init__",
          [](Configuration* self, const std::optional<std::string>& path, const std::string& yaml,
             const std::vector<std::string>& settings) {
            new (self) Configuration(read_configuration(path, yaml, settings));
          },
          nb::arg("path").none(), nb::arg("yaml"), nb::arg("settings"))
      .def_prop_ro("yaml", [](const Configuration& self) { return self.given->yaml; });
  nb::class_<PixelInputs>(module, "PixelInputs")
      .def(nb::init<>())
      .def_rw("name", &PixelInputs::name)
      .def_rw("header", &PixelInputs::header)
      .def_rw("planes", &PixelInputs::planes)
      .def_rw("weights", &PixelInputs::weights, nb::arg().none())
      .def_rw("mask", &PixelInputs::mask, nb::arg().none())
      .def_rw("level", &PixelInputs::level, nb::arg().none());
  nb::class_<Extractor>(module, "Extractor")
      .def(nb::init<const std::string&, const std::vector<int>&, int>(), nb::arg("backend"), nb::arg("devices"),
           nb::arg("threads"))
      .def("extract", &Extractor::extract, nb::arg("configuration"), nb::arg("inputs"))
      .def("extract_file", &Extractor::extract_file, nb::arg("configuration"), nb::arg("path"));
}

}  // namespace srcextract::python
