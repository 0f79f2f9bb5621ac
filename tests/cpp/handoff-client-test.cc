/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Subscribers of hand-off schemes: whom they name, hear and acknowledge.
 */
#include "function-case.h"
#include "protocols/handoff/client.h"

#include "ns3/test.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::handoff::handoff_client_test
{

namespace
{

constexpr NodeId SELF = 1000;
const Filter ALL = Filter::Parse("1 = 1");

Held
MakeHeld(uint32_t sequence, uint32_t timestamp = 0)
{
    auto event = std::make_shared<Event>();
    event->id = {1, sequence};
    return {std::move(event), false, timestamp};
}

Client
MakeClient(const ClientOptions& options = {})
{
    Client client(SELF, options);
    client.Subscribe(1, ALL);
    return client;
}

void
ARedirectedClientHearsBothBrokers(FunctionCase& test)
{
    auto client = MakeClient();
    test.Expect(client.Hears(1) && !client.Hears(2), "its broker only");
    client.Redirect(2);
    test.Expect(client.Hears(1) && client.Hears(2), "both");
    test.Expect(client.GetBroker() == 2 && client.GetLeaving() == 1, "it leaves the first");
    client.Accept(client.GetSession() - 1);
    test.Expect(client.Hears(1), "an older connection says nothing");
    client.Accept(client.GetSession());
    test.Expect(!client.Hears(1) && client.GetLeaving() == NO_NODE, "the new one only");
    client.Redirect(3);
    client.Disconnect();
    test.Expect(!client.Hears(2) && !client.Hears(3), "nobody");
    test.Expect(client.GetBroker() == NO_NODE && client.GetLastBroker() == 3, "it was at the last");
    client.Connect(4);
    test.Expect(!client.Hears(2) && client.Hears(4), "not the one that it left before");
}

/// @return whom a client names that was at 1, tried 2, which did not accept it, and comes to 3
NodeId
GetNamed(const ClientOptions& options)
{
    auto client = MakeClient(options);
    client.Disconnect();
    client.Connect(4);
    client.Accept(client.GetSession());
    client.Disconnect();
    client.Connect(2);
    client.Disconnect();
    client.Accept(client.GetSession()); // too late
    return client.Connect(3).old;
}

void
ClientsNameTheirOldBroker(FunctionCase& test)
{
    test.Expect(GetNamed({}) == 2, "the last tried");
    test.Expect(GetNamed({.namesAccepted = true}) == 4, "the last that accepted it");
    test.Expect(GetNamed({.namesHome = true}) == 1, "the first");
}

void
ClientsBringTheirFilters(FunctionCase& test)
{
    auto client = MakeClient({.carriesFilters = true});
    test.Expect(client.Connect(2).filters == std::vector{ALL}, "if nobody else does");
    test.Expect(MakeClient().Connect(2).filters.empty(), "else not");
    client.Unsubscribe();
    test.Expect(client.Connect(3).filters.empty(), "nor when there are none any more");
}

void
ConnectionsAreCounted(FunctionCase& test)
{
    auto client = MakeClient();
    test.Expect(client.GetSession() == 0, "the first is that of the subscription");
    test.Expect(client.Connect(2).session == 1 && client.Connect(2).session == 2, "then one each");
}

/// Phoenix
void
TheLastTimestampIsOfTheBrokerBefore(FunctionCase& test)
{
    auto client = MakeClient();
    client.Receive(MakeHeld(1, 70));
    test.Expect(client.Connect(1).lastReceived == 70, "of the same");
    test.Expect(client.Connect(2).lastReceived == 70, "to the next");
    test.Expect(client.Connect(3).lastReceived == 0, "of which nothing came");
}

void
EveryEventIsGivenOnce(FunctionCase& test)
{
    auto client = MakeClient({.ackBatch = 2});
    test.Expect(!client.Has({1, 1}), "not yet");
    const auto first = client.Receive(MakeHeld(1));
    test.Expect(!first.isDuplicate && !first.acknowledgement, "new, one of two");
    const auto again = client.Receive(MakeHeld(1));
    test.Expect(again.isDuplicate && client.Has({1, 1}), "it has it");
    test.Expect(again.acknowledgement && again.acknowledgement->id == mftpubsub::EventId{1, 1},
                "copies are acknowledged too");
    test.Expect(!client.Receive(MakeHeld(2)).acknowledgement, "the next batch");
    test.Expect(client.Connect(2).last.GetIds() == std::vector<mftpubsub::EventId>{{1, 2}},
                "what it has");
}

class HandoffClientSuite : public ns3::TestSuite
{
  public:
    HandoffClientSuite()
        : TestSuite("mftpubsub-handoff-client", Type::UNIT)
    {
        Add("A redirected client hears both brokers", ARedirectedClientHearsBothBrokers);
        Add("Clients name their old broker", ClientsNameTheirOldBroker);
        Add("Clients bring their filters", ClientsBringTheirFilters);
        Add("Connections are counted", ConnectionsAreCounted);
        Add("The last timestamp is of the broker before", TheLastTimestampIsOfTheBrokerBefore);
        Add("Every event is given once", EveryEventIsGivenOnce);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

HandoffClientSuite g_handoffClient;

} // namespace

} // namespace mftpubsub::handoff::handoff_client_test
