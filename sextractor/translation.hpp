#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sextractor/configuration.hpp"
#include "sextractor/parameters.hpp"

namespace srcextract::sextractor {

/// What someone asks SExtractor for.
struct Request {
  Configuration configuration;
  std::string path;                       ///< of the configuration
  std::string parameters_path;            ///< of the list of columns; empty: there is none
  std::vector<Parameter> parameters;      ///< what it holds
  std::vector<UnknownName> unknown = {};  ///< columns in it that SExtractor does not know

  const Setting& operator[](std::string_view key) const { return configuration[key]; }
  bool wants(const std::string& column) const { return asks_for(parameters, column); }
};

/// Reads a configuration, and the list of columns: the file `parameters`, or, where that is empty, the one that the
/// configuration names. Throws Error{config} as read_configuration and read_parameters do, and if the configuration
/// names a list that there is not; SExtractor's default.param may be missing.
Request read_request(const std::string& configuration, const std::string& parameters);

/// The same of a configuration that has been read, from `path`.
Request make_request(Configuration configuration, const std::string& path, const std::string& parameters = "");

/// A key of ours with its value, in YAML.
struct Entry {
  std::string section, key, value;
  std::vector<std::string> origins;  ///< what it means: `DETECT_THRESH 1.5`
  std::string note = {};             ///< what is to be said of it; may be empty
  std::string place = {};            ///< of the first of them, `file:line`
};

/// What has no key of ours.
struct Unmet {
  std::string what;    ///< `PHOT_AUTOAPERS 10,20`
  std::string place;   ///< `file:line`
  std::string reason;  ///< with what comes nearest
  bool counts;         ///< whether the catalogue, or another output, is another for it
  /// With which settings (`section.key=value`) for the image alone in which sources are found it is met, if it is.
  std::vector<std::string> for_detection = {};
};

/// Those that count, or those that do not, one for each reason, with the names of all and the place of
/// the first.
std::vector<Unmet> by_reason(const std::vector<Unmet>& unmet, bool counts);

/// What a request is here.
class Translation {
 public:
  std::vector<Entry> entries;
  std::vector<Unmet> unmet;
  std::vector<std::string> columns;  ///< that are asked for and known here, by our names

  /// `path` is section.key; `from` are the settings that it means.
  void put(const std::string& path, const std::string& value, const std::vector<const Setting*>& from,
           const std::string& note = "");
  /// A setting of which something is lost.
  void lose(const Setting& setting, const std::string& reason);
  /// A setting of two values of which that of the image in which sources are found is lost, unless it has these
  /// settings for itself.
  void lose_detection(const Setting& setting, const std::string& what, const std::vector<std::string>& settings);
  /// The same of a column.
  void lose(const Parameter& parameter, const std::string& reason);
  /// Settings that change nothing, for this reason; those that nobody made are not mentioned.
  void pass_over(const std::vector<const Setting*>& settings, const std::string& reason);
};

/// Puts what there is a key for into ours, section by section, and names the rest. Throws Error{config} that begins
/// with the place of a setting if a file that it names cannot be read, or if no column is left.
Translation translate(const Request& request);

/// A gain that follows the weights (WEIGHT_GAIN), of meshes as well as of a map, where GAIN or the header, by GAIN_KEY,
/// may tell one, WEIGHT_TYPE asks for weights of the first (0) or of the measured image (1), and a column depends on
/// it.
std::optional<Unmet> unmet_weight_gain(const Request& request, std::size_t image);

/// What output.check_images calls a CHECKIMAGE_TYPE; empty: there is no such check image.
std::string our_check_image(const std::string& type);

// The parts of it, a room of ours each.
void translate_sky(const Request& request, Translation& to);
void translate_weights(const Request& request, Translation& to);
void translate_detection(const Request& request, Translation& to);
void translate_measurement(const Request& request, Translation& to);
void translate_output(const Request& request, Translation& to);

/// The zero point of MAG_*, and what it comes from: MAG_ZEROPOINT, or that of a threshold in magnitudes where only the
/// threshold has one.
const Setting& zero_point_of(const Request& request, double& zero_point);

}  // namespace srcextract::sextractor
