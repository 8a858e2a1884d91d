#include "io/wcs/wcs.hpp"
#include "pipeline/engine/host_engine.hpp"
#include "tests/fuzz/image_support.hpp"

/// A whole FITS file: every small image in it goes from its bytes to a catalogue with sky positions.
int fuzz_image(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  const std::string path = testing::input_file(testing::as_text(data, size), "image.fits");
  Config config;
  config.output.segmentation = config.output.quicklook = true;
  testing::read_or_refused({ErrorKind::input}, [&] {
    for (const SelectedImage& selected : select_images(path, "all")) {
      testing::read_twice(selected);
      const FitsImage image = selected.open();
      testing::read_header(image);
      const PixelSource plane = image.plane(1);
      if (plane.shape.count() > testing::most_pixels) continue;
      Extraction extraction = extract_on_host(Exposure(plane), config, Cpu{});
      std::vector<SkyPosition> footprint;
      add_sky_positions(image.header(), plane.shape, extraction.sources, footprint);
      image.datasum(1);
    }
  });
  return 0;
}
