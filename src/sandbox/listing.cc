#include "sandbox/listing.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/encoding.h"
#include "base/quote.h"
#include "base/strings.h"
#include "http/streaming.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "sandbox/api_error.h"
#include "sandbox/output.h"
#include "sandbox/selection.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::size_t kPieceBytes = std::size_t{64} << 10U;

// What a continue token says, in the form of a real server's.
struct Token {
  std::int64_t revision = 0;  // -1: whatever is there now
  std::string after;          // the last key of the page before
};

std::string write_token(const Token& token) {
  const Json document = {{"v", "meta.k8s.io/v1"}, {"rv", token.revision}, {"start", token.after}};
  return base64url_encode(json::dump(document));
}

Result<Token> read_token(std::string_view text) {
  const auto refuse = [](std::string_view why) {
    return fail("", bad_request("invalid continue token: continue key is not valid: " + std::string(why)));
  };
  // Clients may send the padding.
  std::string_view bare = text;
  while (bare.ends_with('=')) bare.remove_suffix(1);
  const auto bytes = base64url_decode(bare);
  if (!bytes) return refuse(bytes.error().message());
  const auto document = json::parse(*bytes);
  if (!document) return refuse(document.error().message());
  if (json::string_or(*document, {"v"}, "") != "meta.k8s.io/v1") {
    return refuse("server does not recognize this encoded version " + quote(json::string_or(*document, {"v"}, "")));
  }
  Token token{.revision = json::int_or(*document, {"rv"}, 0), .after = json::string_or(*document, {"start"}, "")};
  if (token.revision == 0) return refuse("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (token.after.empty()) return refuse("encoded start key empty (version meta.k8s.io/v1)");
  return token;
}

constexpr std::string_view kTokenTooOld =
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. "
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or "
    "deleted between the time the first chunk was returned and now may show up in the list.";

Result<std::uint64_t> read_revision(const std::string& text) {
  if (text.empty()) return std::uint64_t{0};
  const auto value = parse_uint64(text);
  if (!value) {
    return fail("", bad_request("invalid resource version: resourceVersion: Invalid value: " + quote(text) +
                                ": strconv.ParseUint: parsing " + quote(text) + ": invalid syntax"));
  }
  return *value;
}

struct Source {
  SnapshotPtr snapshot;
  std::size_t from = 0;
};

std::size_t first_after(const Snapshot& snapshot, const std::string& key) {
  const auto place = std::upper_bound(snapshot.objects.begin(), snapshot.objects.end(), key,
                                      [](const std::string& k, const ObjectPtr& object) { return k < object->key; });
  return static_cast<std::size_t>(place - snapshot.objects.begin());
}

Result<Source> continued(Store& store, const KindInfo& kind, std::string_view name_space, const ListOptions& options) {
  TRY_ASSIGN(const Token token, "", read_token(options.continue_token));
  if (!options.resource_version.empty() && options.resource_version != "0") {
    return fail("", bad_request("specifying resource version is not allowed when using continue"));
  }
  SnapshotPtr snapshot;
  if (token.revision < 0) {
    snapshot = std::make_shared<const Snapshot>(store.list(kind.storage, name_space));
  } else {
    auto kept = store.at(kind.storage, name_space, static_cast<std::uint64_t>(token.revision));
    if (!kept) {
      return fail("", expired(std::string(kTokenTooOld), write_token({.revision = -1, .after = token.after})));
    }
    snapshot = *kept;
  }
  const std::size_t from = first_after(*snapshot, token.after);
  return Source{std::move(snapshot), from};
}

Result<Source> source_of(Store& store, const KindInfo& kind, std::string_view name_space, const ListOptions& options) {
  if (!options.continue_token.empty()) return continued(store, kind, name_space, options);
  TRY_ASSIGN(const std::uint64_t wanted, "", read_revision(options.resource_version));
  if (wanted > store.revision()) return fail("", too_large_revision(wanted, store.revision()));
  const bool exact = options.resource_version_match == "Exact" ||
                     (options.resource_version_match.empty() && options.limit > 0 && wanted > 0);
  if (exact) {
    auto then = store.at(kind.storage, name_space, wanted);
    if (!then) return fail("", expired("The resourceVersion for the provided list is too old."));
    return Source{*then, 0};
  }
  return Source{std::make_shared<const Snapshot>(store.list(kind.storage, name_space)), 0};
}

}  // namespace

Json Page::metadata() const {
  Json out = {{"resourceVersion", std::to_string(revision)}};
  if (!continue_token.empty()) out["continue"] = continue_token;
  if (remaining > 0) out["remainingItemCount"] = remaining;
  return out;
}

Result<Page> list_page(Store& store, const KindInfo& kind, std::string_view name_space, const ListOptions& options) {
  TRY_ASSIGN(const Source source, "", source_of(store, kind, name_space, options));
  const Selection selection(options.labels, options.fields);
  const std::vector<ObjectPtr>& all = source.snapshot->objects;
  const auto limit = options.limit > 0 ? static_cast<std::size_t>(options.limit) : all.size();
  Page page{.revision = source.snapshot->revision};
  std::size_t next = source.from;
  if (selection.is_everything()) page.objects.reserve(std::min(limit, all.size() - next));
  for (; next < all.size() && page.objects.size() < limit; ++next) {
    if (selection.is_everything() || selection.matches(*all[next])) page.objects.push_back(all[next]);
  }
  if (next < all.size()) {
    page.continue_token =
        write_token({.revision = static_cast<std::int64_t>(page.revision), .after = all[next - 1]->key});
    if (selection.is_everything()) page.remaining = static_cast<std::int64_t>(all.size() - next);
    store.keep(kind.storage, name_space, source.snapshot);
  }
  return page;
}

void send_page(const KindPtr& kind, Page page, const OutputFormat& format, WallTime now, http::WorkerPool& pool,
               const std::shared_ptr<http::Responder>& responder) {
  struct State {
    KindPtr kind;
    Page page;
    OutputFormat format;
    WallTime now;
    ListFrame frame;
    std::size_t next = 0;
    bool begun = false;
    bool ended = false;
  };
  auto state = std::make_shared<State>(State{kind, std::move(page), format, now, {}});
  Json metadata = state->page.metadata();
  // Lists of custom resources always have the token.
  if (kind->is_custom() && format.shape == OutputFormat::Shape::kObject && !metadata.contains("continue")) {
    metadata["continue"] = "";
  }
  state->frame = list_frame(*kind, metadata, format);
  const auto piece = [state]() -> Result<std::optional<std::string>> {
    if (state->ended) return std::optional<std::string>();
    std::string out;
    if (!std::exchange(state->begun, true)) out = state->frame.before;
    for (; state->next < state->page.objects.size() && out.size() < kPieceBytes; ++state->next) {
      if (state->next > 0) out += ',';
      ObjectPtr& object = state->page.objects[state->next];
      out += list_element(*state->kind, *object, state->format, state->now);
      object.reset();
    }
    if (state->next == state->page.objects.size()) {
      out += state->frame.after;
      state->ended = true;
    }
    return std::optional<std::string>(std::move(out));
  };
  http::ResponseHead head{.headers = {{"Content-Type", content_type(format)}, {"Cache-Control", "no-cache, private"}}};
  const auto all_pieces = [&piece] {
    std::string whole;
    while (true) {
      const auto next = piece();
      if (!next || !*next) return whole;
      whole += **next;
    }
  };
  if (format.is_yaml || format.is_pretty) {
    const auto document = json::parse(all_pieces(), {.max_bytes = std::size_t{1} << 30U});
    responder->send({.headers = head.headers, .body = body_text(document.value_or(Json::object()), format)});
    return;
  }
  if (state->page.objects.size() <= 20) {
    responder->send({.headers = head.headers, .body = all_pieces()});
    return;
  }
  http::stream(responder, std::move(head), piece, &pool);
}

}  // namespace landfall::sandbox
