#pragma once

#include <string_view>

namespace landfall {

// The manifest of the sample shop (sample_shop.yaml), a document for each object, in an order in which they can be
// made.
std::string_view sample_shop();

}  // namespace landfall
