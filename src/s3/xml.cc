#include "s3/xml.h"

#include <pugixml.hpp>

namespace landfall::s3 {
namespace {

std::string_view without_namespace(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

}  // namespace

std::string_view XmlElement::name() const { return without_namespace(pugi::xml_node(node_).name()); }
std::string XmlElement::text() const { return pugi::xml_node(node_).text().get(); }

XmlElement XmlElement::child(std::string_view name) const {
  for (const pugi::xml_node& node : pugi::xml_node(node_)) {
    if (without_namespace(node.name()) == name) {
      return XmlElement(node.internal_object());
    }
  }
  return {};
}

std::vector<XmlElement> XmlElement::children(std::string_view name) const {
  std::vector<XmlElement> found;
  for (const pugi::xml_node& node : pugi::xml_node(node_)) {
    if (without_namespace(node.name()) == name) {
      found.emplace_back(node.internal_object());
    }
  }
  return found;
}

struct XmlDocument::Impl {
  pugi::xml_document document;
};

XmlDocument::XmlDocument(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
XmlDocument::XmlDocument(XmlDocument&&) noexcept = default;
XmlDocument& XmlDocument::operator=(XmlDocument&&) noexcept = default;
XmlDocument::~XmlDocument() = default;

Result<XmlDocument> XmlDocument::parse(std::string_view text) {
  // A text node of blanks only is kept where it is all there is: a key may be a blank.
  constexpr unsigned kFlags = pugi::parse_cdata | pugi::parse_escapes | pugi::parse_eol | pugi::parse_ws_pcdata_single;
  auto impl = std::make_unique<Impl>();
  const pugi::xml_parse_result result =
      impl->document.load_buffer(text.data(), text.size(), kFlags, pugi::encoding_utf8);
  if (!result) {
    return fail(Code::kDataLoss,
                "not XML: " + std::string(result.description()) + " at byte " + std::to_string(result.offset));
  }
  return XmlDocument(std::move(impl));
}

XmlElement XmlDocument::root() const { return XmlElement(impl_->document.document_element().internal_object()); }

std::string xml_escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace landfall::s3
