/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Brokers and clients of the overlay, one heartbeat at a time.
 */
#include "function-case.h"
#include "overlay/broker-overlay.h"
#include "overlay/client-attachment.h"

#include "ns3/test.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::overlay_machines_test
{

using namespace std::chrono_literals;

namespace
{

using Nodes = std::vector<NodeId>;

constexpr NodeId SELF = 5;
constexpr double RSSI = -70; // dBm, where it does not matter

BrokerOverlay
MakeBroker(const Policies& policies = {})
{
    return {SELF,
            3,
            OverlayOptions(),
            [] { return 0.5; },
            policies,
            [](NodeView& me) {
                me.speedMetresPerSecond = 2;
                me.queuedEvents = 7;
            }};
}

OverlayOutput
Hear(BrokerOverlay& broker, Instant now, NodeId from, const Heartbeat& heartbeat)
{
    OverlayOutput output;
    broker.Receive(now, from, heartbeat, RSSI, output);
    return output;
}

OverlayOutput
Expire(BrokerOverlay& broker, Instant now)
{
    OverlayOutput output;
    broker.Expire(now, output);
    return output;
}

void
ALeaderBeginsRounds(FunctionCase& test)
{
    auto broker = MakeBroker();
    OverlayOutput output;
    broker.Start(2s, output);
    test.Expect(output.broadcasts.empty() && broker.GetLeader() == SELF, "it leads");
    test.Expect(broker.NextTimer() == Instant(2005ms), "and says so after half of the jitter");
    const auto said = Expire(broker, 2005ms);
    test.Expect(said.broadcasts == std::vector{Heartbeat{{2000, SELF}, 1, 0, NO_NODE, 3, {}}},
                "so");
    test.Expect(Expire(broker, 2006ms).broadcasts.empty(), "once");
    test.Expect(broker.NextTimer() == Instant(3s), "the next round");
    test.Expect(Expire(broker, 3s).broadcasts.empty(), "begins with a wait");
    test.Expect(Expire(broker, 3005ms).broadcasts.at(0).round == 2, "and is the second");
    test.Expect(Hear(broker, 4s, 9, {{3000, 9}, 8, 0, NO_NODE, 1}).linksUp.empty(),
                "a worse leader");
    test.Expect(broker.GetLeader() == SELF && broker.GetParent() == NO_NODE, "is not followed");
}

void
ABetterLeaderIsFollowed(FunctionCase& test)
{
    auto broker = MakeBroker();
    OverlayOutput output;
    broker.Start(2s, output);
    const auto heard = Hear(broker, 10s, 9, {{1000, 1}, 4, 2, 8, 1});
    test.Expect(heard.linksUp == Nodes{9} && heard.linksDown.empty(), "a link");
    test.Expect(heard.parentChange && heard.parentChange->previous == NO_NODE &&
                    heard.parentChange->current == 9,
                "to the first parent");
    test.Expect(broker.GetParent() == 9 && broker.GetLeader() == 1 && broker.IsNeighbour(9), "9");
    test.Expect(broker.NextTimer() == Instant(10005ms), "it passes the round on");
    test.Expect(Expire(broker, 10005ms).broadcasts ==
                    std::vector{Heartbeat{{1000, 1}, 4, 3, 9, 3, {}}},
                "one hop on");
    test.Expect(broker.NextTimer() == Instant(13005ms), "and waits for the next one");
    test.Expect(Hear(broker, 11s, 8, {{1000, 1}, 4, 1, 1, 1}).linksUp.empty(), "not the first");
    const auto other = Hear(broker, 12s, 8, {{1000, 1}, 5, 1, 1, 1});
    test.Expect(other.linksDown == Nodes{9} && other.linksUp == Nodes{8}, "the first of the next");
    test.Expect(other.parentChange && other.parentChange->previous == 9, "instead of the old one");
    test.Expect(broker.NextTimer() == Instant(12005ms), "passed on, too");
}

void
ASilentLeaderIsReplaced(FunctionCase& test)
{
    auto broker = MakeBroker();
    OverlayOutput output;
    broker.Start(2s, output);
    Expire(broker, 2005ms);
    Hear(broker, 10s, 9, {{1000, 1}, 4, 2, 8, 1});
    Expire(broker, 10005ms);
    test.Expect(Expire(broker, 13004ms).linksDown.empty(), "not yet");
    const auto alone = Expire(broker, 13005ms);
    test.Expect(alone.linksDown == Nodes{9} && alone.linksUp.empty(), "the parent is gone");
    test.Expect(broker.GetLeader() == SELF && broker.GetParent() == NO_NODE, "it leads itself");
    test.Expect(!broker.IsNeighbour(9), "without the link");
    test.Expect(!broker.IsNeighbour(NO_NODE), "no parent is no neighbour");
    const auto said = Expire(broker, 13010ms);
    test.Expect(said.broadcasts.at(0).leadership == Leadership{13005, SELF}, "since now");
    test.Expect(said.broadcasts.at(0).round == 2, "its rounds go on");
    const auto back = Hear(broker, 14s, 8, {{1000, 1}, 9, 0, NO_NODE, 1});
    test.Expect(back.parentChange && back.parentChange->previous == 9, "the last one lost");
}

/// Its policy keeps the parent while another broker brings the rounds.
void
AParentThatWasSilentIsANewOne(FunctionCase& test)
{
    Policies policies;
    policies.parent = std::make_shared<StrongestLink>(6);
    auto broker = MakeBroker(policies);
    OverlayOutput output;
    broker.Start(2s, output);
    Hear(broker, 10s, 9, {{1000, 1}, 4, 1, 1, 1});
    test.Expect(Hear(broker, 12s, 8, {{1000, 1}, 5, 1, 1, 1}).linksDown.empty(), "it is kept");
    const auto again = Hear(broker, 13009ms, 9, {{1000, 1}, 6, 1, 1, 1});
    test.Expect(again.linksDown.empty() && again.linksUp.empty(),
                "after 3 s and less than a jitter");
    test.Expect(Hear(broker, 15s, 8, {{1000, 1}, 7, 1, 1, 1}).linksDown.empty(), "again");
    const auto late = Hear(broker, 16019ms, 9, {{1000, 1}, 8, 1, 1, 1});
    test.Expect(late.linksDown == Nodes{9} && late.linksUp == Nodes{9}, "3 s and a jitter later");
    test.Expect(late.parentChange && late.parentChange->current == 9, "it is told so");
}

/// It chooses anew when the parent is due, and before it has waited for the jitter.
void
WhoeverChoosesItsParentAgainStays(FunctionCase& test)
{
    Policies policies;
    policies.parent = std::make_shared<StrongestLink>(6);
    auto broker = MakeBroker(policies);
    OverlayOutput output;
    broker.Start(2s, output);
    Hear(broker, 10s, 9, {{1000, 1}, 4, 1, 1, 1});
    const auto again = Hear(broker, 13002ms, 8, {{1000, 1}, 4, 1, 1, 1});
    test.Expect(again.linksDown.empty() && broker.GetParent() == 9, "the same");
    test.Expect(broker.Describe(14s).attachedSeconds == 4, "since the first time");
}

void
NeighboursAreToldForAsLongAsTheyMayKeepUs(FunctionCase& test)
{
    const auto count = [](Instant interval, Instant timeout) {
        OverlayOptions options;
        options.heartbeatInterval = interval;
        options.leaderTimeout = timeout;
        return int{HeartbeatsUntilLost(options)};
    };
    test.Expect(count(1s, 3s) == 3 && count(6s, 18s) == 3, "three intervals");
    test.Expect(count(1s, 3001ms) == 4 && count(1s, 10s) == 10, "more");
    test.Expect(count(1s, 1000s) == 255, "as many as can be counted");
}

void
HopsStayWhereTheyEnd(FunctionCase& test)
{
    auto broker = MakeBroker();
    OverlayOutput output;
    broker.Start(2s, output);
    Hear(broker, 10s, 9, {{1000, 1}, 4, 255, 8, 1});
    test.Expect(Expire(broker, 10005ms).broadcasts.at(0).hops == 255, "255 are no 0");
}

void
ChildrenComeAndGo(FunctionCase& test)
{
    auto broker = MakeBroker();
    OverlayOutput output;
    broker.Start(2s, output);
    Expire(broker, 2005ms);
    const Heartbeat child{{2000, SELF}, 1, 1, SELF, 1};
    test.Expect(Hear(broker, 2100ms, 7, child).linksUp == Nodes{7}, "it names us");
    test.Expect(Hear(broker, 2200ms, 7, child).linksUp.empty(), "once");
    test.Expect(broker.IsNeighbour(7) && broker.Describe(3s).children == 1, "a child");
    OverlayOutput joined;
    broker.ChildJoined(2300ms, 8, joined);
    test.Expect(joined.linksUp == Nodes{8}, "it says so by BMIG");
    auto other = child;
    other.parent = 8;
    test.Expect(Hear(broker, 2400ms, 7, other).linksDown == Nodes{7}, "it names another");
    Expire(broker, 3s);
    Expire(broker, 3005ms);
    Expire(broker, 4s);
    Expire(broker, 4005ms);
    Expire(broker, 5s);
    Expire(broker, 5005ms);
    test.Expect(broker.NextTimer() == Instant(5300ms), "a silent one");
    test.Expect(Expire(broker, 5299ms).linksDown.empty(), "is waited for");
    test.Expect(Expire(broker, 5300ms).linksDown == Nodes{8}, "for so long");
    test.Expect(!broker.IsNeighbour(8), "and is no child");
}

void
LinksFail(FunctionCase& test)
{
    auto broker = MakeBroker();
    OverlayOutput output;
    broker.Start(2s, output);
    Hear(broker, 10s, 9, {{1000, 1}, 4, 2, 8, 1});
    Hear(broker, 10s, 7, {{1000, 1}, 4, 4, SELF, 1});
    const auto fail = [&](NodeId node) {
        OverlayOutput failed;
        broker.LinkFailed(node, failed);
        return failed.linksDown;
    };
    test.Expect(fail(6).empty(), "a stranger's");
    test.Expect(fail(7) == Nodes{7} && fail(7).empty(), "a child's, once");
    test.Expect(fail(9) == Nodes{9} && broker.GetParent() == NO_NODE, "the parent's");
    test.Expect(fail(9).empty(), "once, too");
    test.Expect(Hear(broker, 10500ms, 6, {{1000, 1}, 4, 2, 8, 1}).linksUp.empty(),
                "not this round");
    const auto again = Hear(broker, 11s, 9, {{1000, 1}, 5, 2, 8, 1});
    test.Expect(again.linksUp == Nodes{9}, "the next one");
    test.Expect(again.parentChange && again.parentChange->previous == 9, "it was the last");
}

void
BrokersAreDescribed(FunctionCase& test)
{
    auto broker = MakeBroker();
    OverlayOutput output;
    broker.Start(2s, output);
    Hear(broker, 10s, 9, {{1000, 1}, 4, 2, 8, 1});
    Hear(broker, 10s, 7, {{1000, 1}, 4, 4, SELF, 1});
    const auto me = broker.Describe(12s);
    test.Expect(me.id == SELF && me.roles == 3 && me.timeNanoseconds == 12'000'000'000, "itself");
    test.Expect(me.leader == 1 && me.round == 4 && me.parent == 9 && me.hops == 3, "its place");
    test.Expect(me.attachedSeconds == 2 && me.children == 1, "its links");
    test.Expect(me.speedMetresPerSecond == 2 && me.queuedEvents == 7, "what its host knows");
}

void
ClientsAreDescribed(FunctionCase& test)
{
    ClientAttachment client(SELF, 6, {}, {}, [](NodeView& me) { me.speedMetresPerSecond = 2; });
    test.Expect(client.GetBroker() == NO_NODE && !client.NextTimer(), "nobody is heard");
    client.Receive(10s, 9, {{1000, 1}, 4, 2, 8, 1}, RSSI);
    const auto me = client.Describe(12s);
    test.Expect(me.id == SELF && me.roles == 6 && me.timeNanoseconds == 12'000'000'000, "itself");
    test.Expect(me.leader == 1 && me.round == 4 && me.parent == 9 && me.hops == 3, "its place");
    test.Expect(me.attachedSeconds == 2 && me.speedMetresPerSecond == 2, "and what its host knows");
}

void
ClientsFollow(FunctionCase& test)
{
    ClientAttachment client(SELF, 6, {});
    const auto hear = [&](Instant now, NodeId from, uint32_t round, uint32_t priority = 1000) {
        return client.Receive(now, from, {{priority, 1}, round, 2, 8, 1}, RSSI);
    };
    test.Expect(hear(10s, 9, 4) == AttachmentChange::MOVED, "to the first");
    test.Expect(hear(10100ms, 7, 4) == AttachmentChange::NONE, "not to the second");
    test.Expect(hear(11s, 9, 5) == AttachmentChange::ALIVE, "it is there");
    test.Expect(hear(11100ms, 9, 5) == AttachmentChange::NONE, "said once a round");
    test.Expect(hear(11200ms, 7, 3) == AttachmentChange::NONE, "an old round");
    test.Expect(hear(11300ms, 7, 9, 1001) == AttachmentChange::NONE, "a worse leader");
    test.Expect(hear(12s, 7, 6) == AttachmentChange::MOVED && client.GetBroker() == 7, "the first");
    test.Expect(client.NextTimer() == Instant(15s), "after the newest round");
    test.Expect(client.Expire(Instant(15s) - 1ns) == AttachmentChange::NONE, "not yet");
    test.Expect(client.Expire(15s) == AttachmentChange::LOST, "all are silent");
    test.Expect(client.GetBroker() == NO_NODE && !client.NextTimer(), "nobody is there");
    test.Expect(client.Expire(20s) == AttachmentChange::NONE, "nor lost again");
    test.Expect(hear(21s, 7, 1, 5000) == AttachmentChange::MOVED, "any leader will do");
}

class OverlayMachinesSuite : public ns3::TestSuite
{
  public:
    OverlayMachinesSuite()
        : TestSuite("mftpubsub-overlay-machines", Type::UNIT)
    {
        Add("A leader begins rounds", ALeaderBeginsRounds);
        Add("A better leader is followed", ABetterLeaderIsFollowed);
        Add("A silent leader is replaced", ASilentLeaderIsReplaced);
        Add("A parent that was silent is a new one", AParentThatWasSilentIsANewOne);
        Add("Whoever chooses its parent again stays", WhoeverChoosesItsParentAgainStays);
        Add("Neighbours are told for as long as they may keep us",
            NeighboursAreToldForAsLongAsTheyMayKeepUs);
        Add("Hops stay where they end", HopsStayWhereTheyEnd);
        Add("Children come and go", ChildrenComeAndGo);
        Add("Links fail", LinksFail);
        Add("Brokers are described", BrokersAreDescribed);
        Add("Clients are described", ClientsAreDescribed);
        Add("Clients follow", ClientsFollow);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

OverlayMachinesSuite g_overlayMachines;

} // namespace

} // namespace mftpubsub::overlay_machines_test
