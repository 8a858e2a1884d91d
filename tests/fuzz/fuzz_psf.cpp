#include "io/fits/read_number_tables.hpp"
#include "stages/settings/psf_numbers.hpp"
#include "tests/fuzz/fuzz_support.hpp"

/// PSFEx's file of a PSF.
int fuzz_psf(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  const std::string path = testing::input_file(testing::as_text(data, size), "x.psf");
  testing::read_or_refused({ErrorKind::config}, [&] { psf_numbers(read_number_tables(path)); });
  return 0;
}
