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

/// The attributes of an element, valid while its start is handled.
class XmlAttributes {
 public:
  explicit XmlAttributes(const char* const* names_and_values) : names_and_values_(names_and_values) {}

  std::optional<std::string_view> find(std::string_view name) const;

 private:
  const char* const* names_and_values_;  ///< expat's array, ended by null
};

/// Callbacks of XmlReader, in file order. Names have no namespace prefix. Text is UTF-8 and may arrive in pieces.
class XmlHandler {
 public:
  virtual ~XmlHandler() = default;
  virtual void start_element(std::string_view name, const XmlAttributes& attributes) = 0;
  virtual void end_element() = 0;
  virtual void characters(std::string_view text) = 0;
};

/// Reads an XML file once, in pieces: gzipped or not, in UTF-8, UTF-16, ISO-8859-1 or ASCII. Entities declared in the
/// file are refused, and nothing external is fetched. Throws Error{input} with path and line if the file is not
/// well-formed or cut short.
class XmlReader {
 public:
  explicit XmlReader(const std::string& path);

  /// Reads to the end of the file, or until the handler calls stop().
  void read(XmlHandler& handler);

  /// Makes read() return after the current element; the next read() continues behind it. If that element is empty, its
  /// end is not reported.
  void stop();

  /// Throws Error{input} with the path, the current line and the problem.
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  friend struct XmlCallbacks;

  bool parse_piece();
  [[noreturn]] void fail_on_xml() const;

  ByteStream stream_;
  std::unique_ptr<XML_ParserStruct, void (*)(XML_ParserStruct*)> parser_;
  XmlHandler* handler_ = nullptr;
  std::exception_ptr failure_;  ///< exception of the handler, kept out of expat, which is C
  std::int64_t bytes_ = 0;      ///< bytes given to expat
  int depth_ = 0;               ///< depth of open elements
  bool stopped_ = false;
  bool ended_ = false;  ///< expat has the whole file
};

}  // namespace srcextract
