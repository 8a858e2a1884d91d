#include "pipeline/sextractor/run_xml.hpp"

#include <string_view>

#include "io/files/xml_text.hpp"
#include "stages/core/shortest_number.hpp"
#include "stages/core/words.hpp"

namespace srcextract {
namespace {

void add_text_parameter(std::string& out, std::string_view name, std::string_view ucd, std::string_view value) {
  out += R"(  <PARAM name=")" + xml_text(name) + R"(" datatype="char" arraysize="*" ucd=")" + std::string(ucd) +
         R"(" value=")" + xml_text(value) + "\"/>\n";
}

/// A field of the table Extension_Data. `value` gives the field's value for an image; `number` is the image's number in
/// the file, from 1.
struct ExtensionField {
  const char *name, *type, *ucd, *unit;
  std::string (*value)(const CatalogPiece& piece);
};

constexpr ExtensionField fields[] = {
    {"Extension", "int", "meta.record", "", [](const CatalogPiece& piece) { return std::to_string(piece.extension); }},
    {"NSextracted", "long", "meta.number;src.sample", "",
     [](const CatalogPiece& piece) { return std::to_string(piece.sources.size()); }},
    {"Image_Ident", "char\" arraysize=\"*", "meta.id;obs", "",
     [](const CatalogPiece& piece) { return xml_text(piece.name); }},
    {"Background_Mean", "double", "instr.skyLevel;obs.image", "ct",
     [](const CatalogPiece& piece) { return shortest(piece.facts.level); }},
    {"Background_StDev", "double", "stat.stdev;obs.image", "ct",
     [](const CatalogPiece& piece) { return shortest(piece.facts.noise); }},
    {"Threshold", "double", "instr.sensitivity;obs.image", "ct",
     [](const CatalogPiece& piece) { return shortest(piece.facts.threshold); }},
};

std::string extension_table(const std::vector<CatalogPiece>& pieces) {
  std::string out =
      "  <TABLE ID=\"Extension_Data\" name=\"Extension_Data\">\n"
      "   <DESCRIPTION>Data gathered for every image of the file</DESCRIPTION>\n"
      "   <PARAM name=\"NExtensions\" datatype=\"int\" ucd=\"meta.number;meta.dataset\" value=\"" +
      std::to_string(pieces.size()) + "\"/>\n";
  for (const ExtensionField& field : fields)
    out += std::string("   <FIELD name=\"") + field.name + "\" datatype=\"" + field.type + "\" ucd=\"" + field.ucd +
           (*field.unit == 0 ? "" : std::string("\" unit=\"") + field.unit) + "\"/>\n";
  out += "   <DATA><TABLEDATA>\n";
  for (const CatalogPiece& piece : pieces) {
    out += "    <TR>";
    for (const ExtensionField& field : fields) out += "<TD>" + field.value(piece) + "</TD>";
    out += "</TR>\n";
  }
  return out + "   </TABLEDATA></DATA>\n  </TABLE>\n";
}

std::string settings_resource(const sextractor::Request& request) {
  std::string out = "  <RESOURCE ID=\"Config\" name=\"Config\">\n   <DESCRIPTION>Settings of the run</DESCRIPTION>\n";
  add_text_parameter(out, "Prefs_Name", "meta.id;meta.file", request.path);
  for (const sextractor::Setting& setting : request.configuration.settings())
    add_text_parameter(out, setting.key->name, "obs.param", join(setting.values));
  return out + "  </RESOURCE>\n";
}

}  // namespace

OutputFile write_run_xml(const std::string& path, const sextractor::Request& request,
                         const std::vector<CatalogPiece>& pieces) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<?xml-stylesheet type=\"text/xsl\" href=\"" +
                    xml_text(request["XSL_URL"].word()) +
                    "\"?>\n<VOTABLE version=\"1.4\" xmlns=\"http://www.ivoa.net/xml/VOTable/v1.3\">\n"
                    "<DESCRIPTION>produced by srcextract</DESCRIPTION>\n<RESOURCE ID=\"srcextract\" name=\"" +
                    xml_text(pieces.front().name) + "\">\n <RESOURCE ID=\"MetaData\" name=\"MetaData\">\n";
  add_text_parameter(out, "Software", "meta.title;meta.software", "srcextract");
  add_text_parameter(out, "Version", "meta.version;meta.software", pieces.front().metadata.version);
  add_text_parameter(out, "Image_Name", "meta.id;obs.image", pieces.front().name);
  out += extension_table(pieces) + settings_resource(request) + " </RESOURCE>\n</RESOURCE>\n</VOTABLE>\n";
  OutputFile file(path);
  file.write(out);
  return file;
}

}  // namespace srcextract
