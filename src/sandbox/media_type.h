#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace landfall::sandbox {

// One entry of an Accept header: application/json;as=Table;v=v1;g=meta.k8s.io.
struct MediaType {
  std::string type;  // "application/json", lower case
  std::map<std::string, std::string> parameters;
  double quality = 1.0;

  std::string_view parameter(const std::string& name) const {
    const auto found = parameters.find(name);
    return found == parameters.end() ? std::string_view() : std::string_view(found->second);
  }
};

// The best first; equal ones in their order. Entries that cannot be read are left out.
std::vector<MediaType> parse_accept(std::string_view header);
MediaType parse_media_type(std::string_view text);

}  // namespace landfall::sandbox
