#pragma once

#include <string_view>

#include "kube/discovery.h"
#include "kube/raw_page.h"
#include "selection/item_facts.h"

namespace landfall::backup {

// What the filters need to know of an object of a list, without a document: labels are looked at only when somebody
// asks for one that may be there. Points into the page.
selection::ItemFacts raw_facts(const kube::ApiResource& resource, const kube::RawItem& item);

}  // namespace landfall::backup
