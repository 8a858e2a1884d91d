#include "config/sextractor_keys.hpp"

#include <algorithm>

#include "stages/core/ascii.hpp"

namespace srcextract {
namespace {

using enum SextractorValue;
using enum SextractorFate;

constexpr std::size_t any = 4096;

constexpr std::string_view no_association =
    "catalogues are not associated with lists: match them afterwards (TOPCAT, stilts tmatch2), or measure at the "
    "positions of a list by --positions";
constexpr std::string_view no_models = "there are no fits of models to galaxies";
constexpr std::string_view no_buffers = "memory has no limits of its own here: nothing is lost when it is full";
constexpr std::string_view no_xml = "what a run did is in IMAGE.run.json; srcextract sextractor writes XML_NAME";

constexpr SextractorKey keys[] = {
    {"CATALOG_NAME", "test.cat", text, 1, 1, "", idle,
     "catalogues are named after the image, as IMAGE.cat.fits, in the directory of -o"},
    {"CATALOG_TYPE", "ASCII_HEAD", word, 1, 1,
     "NONE ASCII ASCII_HEAD ASCII_SKYCAT ASCII_VOTABLE FITS_1.0 FITS_LDAC FITS_TPX", kept, "output.formats"},
    {"PARAMETERS_NAME", "default.param", text, 1, 1, "", kept, "output.columns"},
    {"DETECT_TYPE", "CCD", word, 1, 1, "CCD PHOTO", missing,
     "images are linear: a photographic density has to be made linear before"},
    {"DETECT_MINAREA", "5", integer, 1, 1, "", kept, "detection.min_area"},
    {"DETECT_MAXAREA", "0", integer, 1, 1, "", kept, "detection.max_area"},
    {"THRESH_TYPE", "RELATIVE", word, 1, 2, "RELATIVE ABSOLUTE", kept, "detection.threshold_unit"},
    {"DETECT_THRESH", "1.5", number, 1, 2, "", kept, "detection.threshold"},
    {"ANALYSIS_THRESH", "1.5", number, 1, 2, "", kept, "detection.analysis_threshold"},
    {"FILTER", "Y", yes_no, 1, 1, "", kept, "convolve.kernel"},
    {"FILTER_NAME", "default.conv", text, 1, 1, "", kept, "convolve.file"},
    {"FILTER_THRESH", "", number, 0, 2, "", missing,
     "it belongs to filters by a retina, a neural network, which srcextract lacks"},
    {"DEBLEND_NTHRESH", "32", integer, 1, 1, "", kept, "deblend.thresholds"},
    {"DEBLEND_MINCONT", "0.005", number, 1, 1, "", kept, "deblend.contrast"},
    {"CLEAN", "Y", yes_no, 1, 1, "", kept, "deblend.clean"},
    {"CLEAN_PARAM", "1.0", number, 1, 1, "", kept, "deblend.clean_beta"},
    {"MASK_TYPE", "CORRECT", word, 1, 1, "NONE BLANK CORRECT", kept, "measurement.mask"},
    {"WEIGHT_TYPE", "NONE", word, 0, 2, "NONE BACKGROUND MAP_RMS MAP_VAR MAP_WEIGHT", kept, "weights.type"},
    {"RESCALE_WEIGHTS", "Y", yes_no, 1, 2, "", kept, "weights.rescale"},
    {"WEIGHT_IMAGE", "weight.fits", text, 0, 2, "", kept, "weights.file"},
    {"WEIGHT_GAIN", "Y", yes_no, 1, 1, "", kept, "weights.scale_gain"},
    {"WEIGHT_THRESH", "", number, 0, 2, "", kept, "weights.threshold"},
    {"FLAG_IMAGE", "flag.fits", text, 0, 4, "", kept, "flags.file"},
    {"FLAG_TYPE", "OR", word, 0, 4, "OR AND MIN MAX MOST", kept, "flags.type"},
    {"DGEO_TYPE", "NONE", word, 1, 1, "NONE PIXEL", missing, "there are no maps of differential geometry"},
    {"DGEO_IMAGE", "dgeo.fits", text, 1, 1, "", idle, "there are no maps of differential geometry"},
    {"PHOT_APERTURES", "5", number, 1, any, "", kept, "measurement.apertures"},
    {"PHOT_AUTOPARAMS", "2.5,3.5", number, 2, 2, "", kept, "measurement.kron"},
    {"PHOT_PETROPARAMS", "2.0,3.5", number, 2, 2, "", kept, "measurement.petrosian"},
    {"PHOT_AUTOAPERS", "0.0,0.0", number, 2, 2, "", kept, "measurement.least_apertures"},
    {"PHOT_FLUXFRAC", "0.5", number, 1, any, "", kept, "measurement.flux_radius"},
    {"SATUR_LEVEL", "50000.0", number, 1, 1, "", kept, "measurement.saturation"},
    {"SATUR_KEY", "SATURATE", text, 1, 1, "", kept, "measurement.saturation_keyword"},
    {"MAG_ZEROPOINT", "0.0", number, 1, 1, "", kept, "measurement.zero_point"},
    {"MAG_GAMMA", "4.0", number, 1, 1, "", idle, "it is of photographic plates, DETECT_TYPE PHOTO"},
    {"GAIN", "0.0", number, 1, 1, "", kept, "measurement.gain"},
    {"GAIN_KEY", "GAIN", text, 1, 1, "", kept, "measurement.gain_keyword"},
    {"PIXEL_SCALE", "1.0", number, 1, 1, "", kept, "measurement.pixel_scale"},
    {"SEEING_FWHM", "1.2", number, 1, 1, "", kept, "measurement.seeing_fwhm"},
    {"STARNNW_NAME", "default.nnw", text, 1, 1, "", kept, "measurement.nnw"},
    {"BACK_TYPE", "AUTO", word, 1, 2, "AUTO MANUAL", kept, "background.level"},
    {"BACK_VALUE", "0.0", number, 1, 2, "", kept, "background.level"},
    {"BACK_SIZE", "64", integer, 1, 2, "", kept, "background.mesh_size"},
    {"BACK_FILTERSIZE", "3", integer, 1, 2, "", kept, "background.filter_size"},
    {"BACKPHOTO_TYPE", "GLOBAL", word, 1, 1, "GLOBAL LOCAL", kept, "measurement.local_sky"},
    {"BACKPHOTO_THICK", "24", integer, 1, 1, "", kept, "measurement.local_sky"},
    {"BACK_FILTTHRESH", "0.0", number, 1, 1, "", kept, "background.filter_threshold"},
    {"CHECKIMAGE_TYPE", "NONE", word, 0, 16,
     "NONE IDENTICAL BACKGROUND BACKGROUND_RMS MINIBACKGROUND MINIBACK_RMS -BACKGROUND FILTERED OBJECTS APERTURES "
     "SEGMENTATION MASK -MASK ASSOC -OBJECTS PSFS -PSFS PC_CONVPROTOS -PC_CONVPROTOS PC_PROTOS MAP_SOM MODELS -MODELS "
     "SPHEROIDS -SPHEROIDS DISKS -DISKS PATTERNS OTHER",
     kept, "output.check_images"},
    {"CHECKIMAGE_NAME", "check.fits", text, 0, 16, "", idle,
     "check images are named after the image and what they show"},
    {"MEMORY_OBJSTACK", "3000", integer, 1, 1, "", idle, no_buffers},
    {"MEMORY_PIXSTACK", "300000", integer, 1, 1, "", idle, no_buffers},
    {"MEMORY_BUFSIZE", "1024", integer, 1, 1, "", idle, no_buffers},
    {"ASSOC_NAME", "sky.list", text, 1, 1, "", idle, no_association},
    {"ASSOC_DATA", "2,3,4", integer, 1, any, "", idle, no_association},
    {"ASSOC_PARAMS", "2,3,4", integer, 1, 3, "", idle, no_association},
    {"ASSOCCOORD_TYPE", "PIXEL", word, 1, 1, "PIXEL WORLD", idle, no_association},
    {"ASSOC_RADIUS", "2.0", number, 1, 1, "", idle, no_association},
    {"ASSOC_TYPE", "NEAREST", word, 1, 1, "FIRST NEAREST MEAN MAG_MEAN SUM MAG_SUM MIN MAX", idle, no_association},
    {"ASSOCSELEC_TYPE", "MATCHED", word, 1, 1, "ALL MATCHED -MATCHED", idle, no_association},
    {"VERBOSE_TYPE", "NORMAL", word, 1, 1, "QUIET NORMAL EXTRA_WARNINGS FULL", idle,
     "-q and -v choose how much is logged"},
    {"HEADER_SUFFIX", ".head", text, 1, 1, "", missing,
     "headers beside the image are not read: positions on the sky are those of the image's own header"},
    {"WRITE_XML", "N", yes_no, 1, 1, "", idle, no_xml},
    {"XML_NAME", "sex.xml", text, 1, 1, "", idle, no_xml},
    {"XSL_URL", "file:///usr/share/source-extractor/source-extractor.xsl", text, 1, 1, "", idle, no_xml},
    {"NTHREADS", "1", integer, 1, 1, "", idle, "--threads; the catalogue does not depend on it"},
    {"FITS_UNSIGNED", "N", yes_no, 1, 1, "", missing,
     "integers are what BZERO makes of them, as the FITS Standard has it"},
    {"INTERP_MAXXLAG", "16", integer, 1, 2, "", kept, "weights.interpolate_columns"},
    {"INTERP_MAXYLAG", "16", integer, 1, 2, "", kept, "weights.interpolate_rows"},
    {"INTERP_TYPE", "ALL", word, 1, 2, "NONE VAR_ONLY ALL", kept, "weights.interpolate"},
    {"PSF_NAME", "default.psf", text, 0, 2, "", kept, "psf.file"},
    {"PSF_NMAX", "1", integer, 1, 1, "", idle, "one star is fitted to each source"},
    {"PATTERN_TYPE", "RINGS-HARMONIC", word, 1, 1, "RINGS-QUADPOLE RINGS-OCTOPOLE RINGS-HARMONIC GAUSS-LAGUERRE", idle,
     no_models},
    {"SOM_NAME", "default.som", text, 1, 1, "", idle, no_models},
};

}  // namespace

std::span<const SextractorKey> sextractor_keys() {
  return keys;
}

const SextractorKey* find_sextractor_key(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(keys, [&](const SextractorKey& key) { return equal_in_any_case(key.name, name); });
  return found == std::ranges::end(keys) ? nullptr : found;
}

std::string sextractor_key_advice(const std::string& name) {
  const SextractorKey* const key = find_sextractor_key(name);
  // Only capitals show that the user meant SExtractor's key: srcextract has keys `gain` and `clean` of its own.
  if (key == nullptr || name != key->name) return "";
  const std::string is = "'" + name + "' is a key of SExtractor's";
  if (key->fate == kept)
    return is + "; here it is " + std::string(key->ours) + ", and docs/configuration.md has the others";
  return is + ", for which there is none here: " + std::string(key->ours);
}

}  // namespace srcextract
