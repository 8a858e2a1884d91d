#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sextractor/configuration.hpp"
#include "sextractor/parameters.hpp"

namespace srcextract::sextractor {

/// A request to SExtractor: configuration and columns.
struct Request {
  Configuration configuration;
  std::string path;                       ///< path of the configuration
  std::string parameters_path;            ///< path of the list of columns; empty: no list
  std::vector<Parameter> parameters;      ///< columns of the list
  std::vector<UnknownName> unknown = {};  ///< columns of the list that SExtractor does not know

  const Setting& operator[](std::string_view key) const { return configuration[key]; }
  /// Where a setting was made; for a default, the configuration.
  const std::string& place_of(const Setting& setting) const { return setting.is_set() ? setting.place : path; }
  bool wants(const std::string& column) const { return asks_for(parameters, column); }
};

/// Reads a configuration and a list of columns: the file `parameters`, or if that is empty the list named in the
/// configuration. Throws Error{config} as read_configuration and read_parameters do, and if the named list does not
/// exist. SExtractor's default.param may be missing.
Request read_request(const std::string& configuration, const std::string& parameters);

/// Makes a request from a configuration that was read from `path`.
Request make_request(Configuration configuration, const std::string& path, const std::string& parameters = "",
                     const OnMistake& on_mistake = refuse_mistake);

/// A key of srcextract with its value in YAML, and where the value comes from.
struct Entry {
  std::string section, key, value;
  std::vector<std::string> origins;  ///< SExtractor's settings behind it: `DETECT_THRESH 1.5`
  std::string note = {};             ///< remark; may be empty
  std::string place = {};            ///< place of the first origin, `file:line`
};

/// A setting or column of SExtractor that has no equivalent in srcextract.
struct Unmet {
  std::string what;    ///< `PHOT_AUTOAPERS 10,20`
  std::string place;   ///< `file:line`
  std::string reason;  ///< reason, with the nearest alternative
  bool counts;         ///< whether an output differs because of it
  /// Settings (`section.key=value`) for the detection image alone that would have the effect of the unmet setting, if
  /// there are any.
  std::vector<std::string> for_detection = {};
};

/// Groups the unmet requests whose Unmet::counts is `counts` by reason. A group has the names of all its members and
/// the place of the first.
std::vector<Unmet> by_reason(const std::vector<Unmet>& unmet, bool counts);

/// A request in terms of our configuration.
class Translation {
 public:
  std::vector<Entry> entries;
  std::vector<Unmet> unmet;
  std::vector<std::string> columns;  ///< srcextract's names of the requested columns that it has

  /// Adds an entry. `path` is section.key; `from` lists SExtractor's settings behind it.
  void put(const std::string& path, const std::string& value, const std::vector<const Setting*>& from,
           const std::string& note = "");
  /// Records a setting that is lost, wholly or in part.
  void lose(const Setting& setting, const std::string& reason);
  /// Records that the detection image's value of a setting with two values is lost. The user may set `settings` for
  /// DETECT instead.
  void lose_detection(const Setting& setting, const std::string& what, const std::vector<std::string>& settings);
  /// Records a lost column.
  void lose(const Parameter& parameter, const std::string& reason);
  /// Records settings that have no effect, and the reason. Settings that the user did not make are left out.
  void pass_over(const std::vector<const Setting*>& settings, const std::string& reason);
};

/// Translates a request into srcextract's keys, section by section, and names everything that has no equivalent. Throws
/// Error{config} that begins with the place of a setting if a file that it names cannot be read, or if no column is
/// left.
Translation translate(const Request& request);

/// The name of a CHECKIMAGE_TYPE in output.check_images; empty if there is no such check image.
std::string our_check_image(const std::string& type);

// The parts of translate(), one for each area of our configuration.
void translate_sky(const Request& request, Translation& to);
void translate_weights(const Request& request, Translation& to);
void translate_detection(const Request& request, Translation& to);
void translate_measurement(const Request& request, Translation& to);
void translate_output(const Request& request, Translation& to);

/// Sets `zero_point` to that of MAG_*, and returns the setting that gives it: MAG_ZEROPOINT, or DETECT_THRESH. The
/// latter if it is in magnitudes, MAG_ZEROPOINT is 0, and no column is in magnitudes or PIXEL_SCALE is 0.
const Setting& zero_point_of(const Request& request, double& zero_point);

}  // namespace srcextract::sextractor
