/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "content/event-set.h"

#include "ns3/test.h"

#include <cmath>
#include <random>
#include <set>
#include <string>

namespace mftpubsub::event_set_test
{

namespace
{

class HoldsWhatWasInserted : public ns3::TestCase
{
  public:
    HoldsWhatWasInserted()
        : TestCase("an event is new once, whatever was inserted besides")
    {
    }

  private:
    void DoRun() override
    {
        std::mt19937 random(1);
        std::set<EventId> expected;
        EventSet events;
        for (int i = 0; i < 20000; ++i)
        {
            // of the first publisher few, of the last so many that each has a bit
            const EventId event{static_cast<NodeId>(std::sqrt(random() % 25)),
                                static_cast<uint32_t>(random() % 9000)};
            NS_TEST_ASSERT_MSG_EQ(events.Contains(event),
                                  expected.contains(event),
                                  event.publisher << "." << event.sequence);
            NS_TEST_ASSERT_MSG_EQ(events.Insert(event),
                                  expected.insert(event).second,
                                  event.publisher << "." << event.sequence);
        }
        for (const EventId& extreme : {EventId{0, UINT32_MAX}, EventId{NO_NODE, 0}})
        {
            NS_TEST_ASSERT_MSG_EQ(events.Contains(extreme), false, "in another block");
            NS_TEST_ASSERT_MSG_EQ(events.Insert(extreme), true, "another block");
            NS_TEST_ASSERT_MSG_EQ(events.Contains(extreme), true, "in the other block");
            NS_TEST_ASSERT_MSG_EQ(events.Insert(extreme), false, "there by now");
            expected.insert(extreme);
        }
        std::string text;
        for (const auto& event : expected)
        {
            text += std::to_string(event.publisher) + "." + std::to_string(event.sequence) + " ";
        }
        NS_TEST_ASSERT_MSG_EQ(events.GetText(), text, "all, in order");
    }
};

class EventSetSuite : public ns3::TestSuite
{
  public:
    EventSetSuite()
        : TestSuite("mftpubsub-event-set", Type::UNIT)
    {
        AddTestCase(new HoldsWhatWasInserted);
    }
};

EventSetSuite g_eventSetSuite;

} // namespace

} // namespace mftpubsub::event_set_test
