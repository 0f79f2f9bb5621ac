/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/wired-links.h"

#include "ns3/test.h"

#include <string>
#include <tuple>
#include <vector>

namespace mftpubsub::wired_links_test
{

using ns3::MicroSeconds;
using ns3::Simulator;

namespace
{

using Links = WiredLinks<std::string>;

/// When (us), where, from whom, what.
using Arrival = std::tuple<int64_t, NodeId, NodeId, std::string>;

/// Links, and what arrived over them.
class Fixture
{
  public:
    Links links{[this](NodeId to, NodeId from, std::string message) {
        arrivals.emplace_back(Simulator::Now().GetMicroSeconds(), to, from, std::move(message));
    }};
    std::vector<Arrival> arrivals;

    ~Fixture()
    {
        Simulator::Destroy();
    }

    void At(int64_t microseconds, std::function<void()> action)
    {
        Simulator::Schedule(MicroSeconds(microseconds), std::move(action));
    }
};

class OneAfterTheOther : public ns3::TestCase
{
  public:
    OneAfterTheOther()
        : TestCase("messages leave one after the other, in each direction for itself")
    {
    }

  private:
    void DoRun() override
    {
        Fixture f;
        f.links.Up(1, 2);
        f.links.Up(2, 3, {1e6, MicroSeconds(7)});
        f.links.Send(1, 2, "a", 1000);
        f.links.Send(1, 2, "b", 100);
        f.links.Send(2, 1, "c", 500);
        f.links.Send(2, 3, "d", 10);
        f.links.Send(3, 2, "e", 0);
        f.At(200, [&f] { f.links.Send(1, 2, "f", 1000); });
        Simulator::Run();
        const std::vector<Arrival> expected{{7, 2, 3, "e"},
                                            {17, 3, 2, "d"},
                                            {50, 1, 2, "c"},
                                            {100, 2, 1, "a"},
                                            {110, 2, 1, "b"},
                                            {300, 2, 1, "f"}};
        NS_TEST_ASSERT_MSG_EQ((f.arrivals == expected), true, "times and order");
    }
};

class NoTimeKeepsTheOrderOfSending : public ns3::TestCase
{
  public:
    NoTimeKeepsTheOrderOfSending()
        : TestCase("messages that take no time arrive in the order of sending, over all links")
    {
    }

  private:
    void DoRun() override
    {
        Fixture f;
        f.links.Up(1, 2);
        f.links.Up(2, 3);
        f.links.Send(2, 3, "a", 0);
        f.links.Send(1, 2, "b", 0);
        f.links.SendOutOfBand(1, 3, "c", {});
        f.links.Send(2, 3, "d", 0);
        Simulator::Run();
        const std::vector<Arrival> expected{{0, 3, 2, "a"},
                                            {0, 2, 1, "b"},
                                            {0, 3, 1, "c"},
                                            {0, 3, 2, "d"}};
        NS_TEST_ASSERT_MSG_EQ((f.arrivals == expected), true, "one global order");
    }
};

class WhatIsOnABrokenLinkIsLost : public ns3::TestCase
{
  public:
    WhatIsOnABrokenLinkIsLost()
        : TestCase("a break loses what is on the link, also if the link comes again before")
    {
    }

  private:
    void DoRun() override
    {
        Fixture f;
        f.links.Up(1, 2);
        f.links.Send(1, 2, "in time", 100);
        f.links.Send(1, 2, "lost", 1000);
        f.links.SendOutOfBand(1, 2, "out of band", MicroSeconds(400));
        f.At(50, [&f] { f.links.Down(1, 2); });
        f.At(60, [&f] {
            f.links.Up(2, 1);
            f.links.Send(1, 2, "anew", 1000); // does not wait for what is lost
        });
        Simulator::Run();
        const std::vector<Arrival> expected{{10, 2, 1, "in time"},
                                            {160, 2, 1, "anew"},
                                            {400, 2, 1, "out of band"}};
        NS_TEST_ASSERT_MSG_EQ((f.arrivals == expected), true, "incarnations are told apart");
    }
};

class DeadLinksSaySo : public ns3::TestCase
{
  public:
    DeadLinksSaySo()
        : TestCase("sending where no link is does nothing and says so")
    {
    }

  private:
    void DoRun() override
    {
        Fixture f;
        NS_TEST_ASSERT_MSG_EQ(f.links.Send(1, 2, "x", 1), false, "never a link");
        NS_TEST_ASSERT_MSG_EQ(f.links.GetIncarnation(1, 2), 0, "never up");
        f.links.Up(1, 2);
        NS_TEST_ASSERT_MSG_EQ(f.links.GetIncarnation(2, 1), 1, "first");
        f.links.Down(2, 1);
        NS_TEST_ASSERT_MSG_EQ(f.links.Send(1, 2, "x", 1), false, "no more");
        NS_TEST_ASSERT_MSG_EQ(f.links.IsUp(1, 2), false, "down");
        f.links.Up(1, 2);
        NS_TEST_ASSERT_MSG_EQ(f.links.GetIncarnation(1, 2), 2, "second");
        NS_TEST_ASSERT_MSG_EQ(f.links.Send(2, 1, "y", 1), true, "up");
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(f.arrivals.size(), 1, "only what was sent");
        unsigned int refused = 0;
        for (const std::function<void()>& wrong : std::vector<std::function<void()>>{
                 [&f] { f.links.Up(1, 2); },
                 [&f] { f.links.Up(3, 3); },
                 [&f] { f.links.Up(1, 3, {0, {}}); },
                 [&f] { f.links.Up(1, 3, {1, MicroSeconds(-1)}); },
                 [&f] { f.links.Down(1, 3); },
             })
        {
            try
            {
                wrong();
            }
            catch (const std::invalid_argument&)
            {
                ++refused;
            }
        }
        NS_TEST_ASSERT_MSG_EQ(refused, 5, "what makes no sense is refused");
    }
};

class WiredLinksTestSuite : public ns3::TestSuite
{
  public:
    WiredLinksTestSuite()
        : TestSuite("mftpubsub-wired-links", Type::UNIT)
    {
        AddTestCase(new OneAfterTheOther, Duration::QUICK);
        AddTestCase(new NoTimeKeepsTheOrderOfSending, Duration::QUICK);
        AddTestCase(new WhatIsOnABrokenLinkIsLost, Duration::QUICK);
        AddTestCase(new DeadLinksSaySo, Duration::QUICK);
    }
};

WiredLinksTestSuite g_wiredLinksTestSuite;

} // namespace

} // namespace mftpubsub::wired_links_test
