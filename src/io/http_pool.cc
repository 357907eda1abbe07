#include "io/http_pool.h"

#include <curl/curl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace landfall::io {
namespace {

// True when there is nothing to read: no end, no error and no stray bytes.
bool is_quiet(int socket) {
  char byte = 0;
  return ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace

void HttpSlot::EasyRelease::operator()(void* handle) const { curl_easy_cleanup(handle); }
void HttpSlot::MultiRelease::operator()(void* handle) const { curl_multi_cleanup(handle); }

HttpPool::HttpPool(std::size_t max_idle, Duration max_age, Clock& clock)
    : max_idle_(max_idle), max_age_(max_age), clock_(clock) {}

std::unique_ptr<HttpSlot> HttpPool::make(const std::string& origin) {
  auto slot = std::make_unique<HttpSlot>();
  slot->multi.reset(curl_multi_init());
  slot->easy.reset(curl_easy_init());
  slot->origin = origin;
  if (slot->multi == nullptr || slot->easy == nullptr) {
    return nullptr;
  }
  curl_multi_setopt(slot->multi.get(), CURLMOPT_MAXCONNECTS, 1L);
  return slot;
}

std::unique_ptr<HttpSlot> HttpPool::take(const std::string& origin, bool peek) {
  while (std::unique_ptr<HttpSlot> slot = find_idle(origin)) {
    if (!peek || is_quiet(slot->socket)) {
      return slot;
    }
  }
  return make(origin);
}

std::unique_ptr<HttpSlot> HttpPool::find_idle(const std::string& origin) {
  const SteadyTime now = clock_.now();
  const std::thread::id self = std::this_thread::get_id();
  Slots old;  // closed after the lock is free
  return idle_.with([&](Slots& slots) -> std::unique_ptr<HttpSlot> {
    while (!slots.empty() && now - slots.front()->idle_since > max_age_) {
      old.push_back(std::move(slots.front()));
      slots.pop_front();
    }
    auto found = slots.rend();
    for (auto it = slots.rbegin(); it != slots.rend(); ++it) {
      if ((*it)->origin != origin) {
        continue;
      }
      if ((*it)->user == self) {
        found = it;
        break;
      }
      found = found == slots.rend() ? it : found;
    }
    if (found == slots.rend()) {
      return nullptr;
    }
    std::unique_ptr<HttpSlot> slot = std::move(*found);
    slots.erase(std::next(found).base());
    return slot;
  });
}

void HttpPool::give_back(std::unique_ptr<HttpSlot> slot) {
  slot->idle_since = clock_.now();
  slot->user = std::this_thread::get_id();
  std::unique_ptr<HttpSlot> surplus;
  idle_.with([&](Slots& slots) {
    slots.push_back(std::move(slot));
    if (slots.size() > max_idle_) {
      surplus = std::move(slots.front());
      slots.pop_front();
    }
  });
}

void HttpPool::clear() {
  Slots all;
  idle_.with([&](Slots& slots) { all.swap(slots); });
}

}  // namespace landfall::io
