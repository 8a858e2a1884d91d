#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "io/files/byte_stream.hpp"

struct XML_ParserStruct;

namespace srcextract {

/// The attributes of one element, valid while its start is handled.
class XmlAttributes {
 public:
  explicit XmlAttributes(const char* const* names_and_values) : names_and_values_(names_and_values) {}

  std::optional<std::string_view> find(std::string_view name) const;

 private:
  const char* const* names_and_values_;  ///< expat's: null ends it
};

/// What XmlReader calls, in the order of the file. Names are without namespace prefix, all text is UTF-8, and that
/// between two tags may come in pieces.
class XmlHandler {
 public:
  virtual ~XmlHandler() = default;
  virtual void start_element(std::string_view name, const XmlAttributes& attributes) = 0;
  virtual void end_element() = 0;
  virtual void characters(std::string_view text) = 0;
};

/// An XML file, gzipped or not, in UTF-8, UTF-16, ISO-8859-1 or ASCII, read once from its beginning to its end in
/// pieces. Entities that the file declares itself are refused, and nothing that it refers to is fetched. Throws
/// Error{input} naming path and line if it is not well-formed or cut short.
class XmlReader {
 public:
  explicit XmlReader(const std::string& path);

  /// Goes on to the end of the file, or until the handler calls stop().
  void read(XmlHandler& handler);

  /// Makes read() return after the element that is being handled; the next read() goes on behind it. If that element
  /// is empty nobody is told of its end.
  void stop();

  /// Throws Error{input}: the path, the line that is being read, and the problem.
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  friend struct XmlCallbacks;

  bool parse_piece();
  [[noreturn]] void fail_on_xml() const;

  ByteStream stream_;
  std::unique_ptr<XML_ParserStruct, void (*)(XML_ParserStruct*)> parser_;
  XmlHandler* handler_ = nullptr;
  std::exception_ptr failure_;  ///< of the handler: it must not pass through expat, which is C
  std::int64_t bytes_ = 0;      ///< that expat has been given
  int depth_ = 0;               ///< of elements
  bool stopped_ = false;
  bool ended_ = false;  ///< expat has been given everything
};

}  // namespace srcextract
