#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "restore/item_book.h"
#include "testkit/gate.h"

namespace landfall::restore {
namespace {

using Claim = ItemBook::Claim;

TEST(ItemBook, GivesAnItemToOneAndTellsTheOthersHowItEnded) {
  constexpr int kWorkers = 8;
  constexpr std::uint32_t kItems = 50;
  ItemBook book(kItems);
  std::array<std::atomic<int>, kItems> handled{};
  {
    std::vector<std::jthread> workers;
    for (int w = 0; w < kWorkers; ++w) {
      workers.emplace_back([&, w] {
        for (std::uint32_t i = 0; i < kItems; ++i) {
          // From both ends, so that they meet.
          const std::uint32_t number = w % 2 == 0 ? i : kItems - 1 - i;
          const Claim claim = book.claim(number, static_cast<ItemBook::Worker>(w), system_clock(), {});
          if (claim == Claim::kMine) {
            ++handled[number];
            book.end(number, {.exists = number % 2 == 0, .type = "v1/Pod"});
          } else {
            EXPECT_EQ(claim, Claim::kOver);
          }
          EXPECT_EQ(book.exists(number), number % 2 == 0);
        }
      });
    }
  }
  for (const auto& count : handled) EXPECT_EQ(count, 1);
  EXPECT_EQ(book.ended().size(), kItems);
}

TEST(ItemBook, LetsNobodyWaitInACircle) {
  ItemBook book(3);
  ASSERT_EQ(book.claim(0, 0, system_clock(), {}), Claim::kMine);
  ASSERT_EQ(book.claim(1, 1, system_clock(), {}), Claim::kMine);
  ASSERT_EQ(book.claim(2, 2, system_clock(), {}), Claim::kMine);
  // 0 waits for 1, 1 waits for 2; whoever closes the circle goes on. Which one that is depends on who comes last.
  std::atomic<int> circles = 0;
  {
    std::vector<std::jthread> workers;
    for (std::uint32_t w = 0; w < 3; ++w) {
      workers.emplace_back([&, w] {
        const Claim claim = book.claim((w + 1) % 3, w, system_clock(), {});
        if (claim == Claim::kCycle) ++circles;
        EXPECT_TRUE(claim == Claim::kCycle || claim == Claim::kOver);
        book.end(w, {});
      });
    }
  }
  EXPECT_EQ(circles, 1);
}

TEST(ItemBook, DoesNotLetAnItemWaitForItself) {
  ItemBook book(1);
  ASSERT_EQ(book.claim(0, 0, system_clock(), {}), Claim::kMine);
  EXPECT_EQ(book.claim(0, 0, system_clock(), {}), Claim::kCycle);
}

TEST(ItemBook, StopsWaitingWhenItIsTold) {
  ItemBook book(1);
  ASSERT_EQ(book.claim(0, 0, system_clock(), {}), Claim::kMine);
  std::stop_source stop;
  std::jthread waits([&] { EXPECT_EQ(book.claim(0, 1, system_clock(), stop.get_token()), Claim::kStopped); });
  stop.request_stop();
  waits.join();
  // Nobody is left in anybody's way.
  book.end(0, {});
  EXPECT_EQ(book.claim(0, 1, system_clock(), {}), Claim::kOver);
}

TEST(ItemBook, AnItemThatWasGivenUpGoesToWhoeverWaits) {
  ItemBook book(1);
  ASSERT_EQ(book.claim(0, 0, system_clock(), {}), Claim::kMine);
  testkit::Gate got;
  std::jthread waits([&] {
    EXPECT_EQ(book.claim(0, 1, system_clock(), {}), Claim::kMine);
    got.open();
  });
  book.give_up(0);
  EXPECT_TRUE(got.await());
  EXPECT_FALSE(book.is_over(0));
  EXPECT_TRUE(book.ended().empty());
}

TEST(ItemBook, KeepsWhatThereIsToSay) {
  ItemBook book(3);
  book.end(2, {.outcome = progress::Outcome::kFailed,
               .listed = Listed::kFailed,
               .type = "v1/Pod",
               .findings = {error_in("shop", "late")}});
  book.end(0, {.outcome = progress::Outcome::kCreated,
               .listed = Listed::kCreated,
               .exists = true,
               .type = "v1/Secret",
               .created_name = "new",
               .findings = {warning_in("shop", "early")}});
  const std::vector<ItemBook::Entry> entries = book.ended();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].number, 0U);
  EXPECT_EQ(entries[0].created_name, "new");
  EXPECT_EQ(entries[0].type, "v1/Secret");
  EXPECT_EQ(entries[1].type, "v1/Pod");
  EXPECT_EQ(to_string(entries[1].listed), "failed");
  // By number, whichever ended first.
  ASSERT_EQ(book.findings().size(), 2U);
  EXPECT_EQ(book.findings()[0].text, "early");
}

}  // namespace
}  // namespace landfall::restore
