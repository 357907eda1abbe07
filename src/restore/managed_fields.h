#pragma once

#include <string>

namespace landfall::restore {

// Empties metadata.managedFields in the text of an object, which then costs less to read: in many objects it is most of
// the text. A text that cannot be read stays as it is, and so does one whose fields somebody manages by server-side
// apply: there they are put back.
void cut_managed_fields(std::string& text);

}  // namespace landfall::restore
