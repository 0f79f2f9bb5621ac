/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Clients of the tree, and what brokers keep: queues, routes, copies.
 */
#include "function-case.h"
#include "protocols/tree/event-queues.h"
#include "protocols/tree/publisher.h"
#include "protocols/tree/recent-copies.h"
#include "protocols/tree/routing-table.h"
#include "protocols/tree/subscriber.h"
#include "tree-sends.h"

#include "ns3/test.h"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::tree_clients_test
{

namespace
{

using Sends = std::vector<Send>;

constexpr NodeId SELF = 7;
constexpr NodeId BROKER = 2;
constexpr NodeId OTHER = 3;
constexpr NodeId PUBLISHER = 8;
const Filter F = Filter::Parse("topic = 'f'");
const Filter G = Filter::Parse("topic = 'g'");
const EventPtr FIRST = MakeEvent(PUBLISHER, 1);
const EventPtr SECOND = MakeEvent(PUBLISHER, 2);

void
PublishersKeepWhatNobodyTook(FunctionCase& test)
{
    Publisher publisher;
    Sends sends;
    publisher.Publish(FIRST, sends);
    publisher.BrokerAlive(sends);
    test.Expect(sends.empty() && publisher.CountHeld() == 1, "there is no broker");
    publisher.Attached(BROKER, sends);
    test.Expect(AreSame(sends, {{BROKER, Pub{FIRST, 1, {}}}}), "to the first broker");
    test.Expect(publisher.CountHeld() == 0, "taken");
    sends.clear();
    const Message lost = Pub{FIRST, 1, {}};
    const Message word = Sub{SELF, F, {}};
    publisher.DeliveryFailed(lost);
    publisher.DeliveryFailed(word);
    test.Expect(publisher.CountHeld() == 1, "not taken");
    publisher.Publish(SECOND, sends);
    test.Expect(AreSame(sends, {{BROKER, Pub{SECOND, 1, {}}}}), "the next one is tried");
    sends.clear();
    publisher.BrokerAlive(sends);
    test.Expect(AreSame(sends, {{BROKER, Pub{FIRST, 1, {}}}}), "again, with a sign of life");
    sends.clear();
    publisher.Detached();
    publisher.Publish(FIRST, sends);
    publisher.Publish(SECOND, sends);
    test.Expect(sends.empty() && publisher.CountHeld() == 2, "none any more");
    publisher.Attached(OTHER, sends);
    test.Expect(AreSame(sends, {{OTHER, Pub{FIRST, 1, {}}}, {OTHER, Pub{SECOND, 1, {}}}}),
                "in order");
}

void
SubscribersCountTheirWords(FunctionCase& test)
{
    Subscriber subscriber(SELF);
    SubscriberOutput output;
    subscriber.Subscribe(F, output);
    subscriber.Subscribe(G, output);
    subscriber.Unsubscribe(G, output);
    test.Expect(output.sends.empty() && subscriber.GetBroker() == NO_NODE, "to nobody yet");
    subscriber.Attached(BROKER, output);
    test.Expect(AreSame(output.sends, {{BROKER, Sub{SELF, F, {1, 0}}}}), "the first");
    output = {};
    subscriber.Subscribe(F, output);
    subscriber.Unsubscribe(G, output);
    test.Expect(output.sends.empty(), "no news");
    subscriber.Subscribe(G, output);
    subscriber.Unsubscribe(F, output);
    test.Expect(
        AreSame(output.sends, {{BROKER, Sub{SELF, G, {2, 0}}}, {BROKER, Uns{SELF, F, {3, 0}}}}),
        "each with its own number");
    test.Expect(subscriber.GetFilters() == std::set{G}, "what is left");
    test.Expect(subscriber.Wants(*MakeEvent(PUBLISHER, 1, "g")) && !subscriber.Wants(*FIRST),
                "what it wants");
}

void
SubscribersWithoutFiltersAttach(FunctionCase& test)
{
    Subscriber subscriber(SELF);
    SubscriberOutput output;
    subscriber.Attached(BROKER, output);
    test.Expect(AreSame(output.sends, {{BROKER, Attach{}}}), "it is there");
    output = {};
    subscriber.Attached(OTHER, output);
    test.Expect(AreSame(output.sends, {{OTHER, Attach{}}}), "and there: no word to move yet");
    test.Expect(subscriber.GetBroker() == OTHER, "at the other");
}

/// @return a subscriber to F at BROKER
Subscriber
MakeSubscriber()
{
    Subscriber subscriber(SELF);
    SubscriberOutput output;
    subscriber.Subscribe(F, output);
    subscriber.Attached(BROKER, output);
    return subscriber;
}

Sends
Attach(Subscriber& subscriber, NodeId broker)
{
    SubscriberOutput output;
    subscriber.Attached(broker, output);
    return output.sends;
}

void
SubscribersMigrate(FunctionCase& test)
{
    auto subscriber = MakeSubscriber();
    SubscriberOutput output;
    subscriber.Receive(BROKER, Pub{FIRST, 4, {}, false, 17}, output);
    subscriber.Detached();
    test.Expect(AreSame(Attach(subscriber, OTHER), {{OTHER, Mig{SELF, BROKER, {2, 0}, 17}}}),
                "from where it was, with the clock there");
    test.Expect(AreSame(Attach(subscriber, 4), {{4, Mig{SELF, OTHER, {3, 0}, 0}}}),
                "the clock of another broker says nothing");
    subscriber.Receive(4, Rep{SELF, {SECOND}, 2, 18}, output);
    subscriber.DeliveryFailed(OTHER);
    output = {};
    subscriber.BrokerAlive(output);
    test.Expect(output.sends.empty(), "the present broker took its word");
    test.Expect(AreSame(Attach(subscriber, 5), {{5, Mig{SELF, NO_NODE, {4, 0}, 0}}}),
                "which one knows it last is in doubt");
}

void
SubscribersOweTheirWord(FunctionCase& test)
{
    auto subscriber = MakeSubscriber();
    SubscriberOutput output;
    subscriber.DeliveryFailed(BROKER);
    test.Expect(subscriber.GetBroker() == BROKER, "it stays");
    subscriber.BrokerAlive(output);
    test.Expect(AreSame(output.sends, {{BROKER, Mig{SELF, NO_NODE, {2, 0}}}}), "the next sign");
    output = {};
    subscriber.BrokerAlive(output);
    test.Expect(output.sends.empty(), "once");
    subscriber.SessionLost();
    subscriber.Detached();
    subscriber.BrokerAlive(output);
    test.Expect(output.sends.empty(), "there is nobody");
    test.Expect(AreSame(Attach(subscriber, BROKER), {{BROKER, Mig{SELF, BROKER, {3, 0}}}}),
                "what the session lost");
    subscriber.SessionLost();
    subscriber.DeliveryFailed(BROKER + 1);
    subscriber.BrokerAlive(output);
    test.Expect(AreSame(output.sends, {{BROKER, Mig{SELF, NO_NODE, {4, 0}}}}),
                "also after another broker did not answer");
    output = {};
    subscriber.BrokerAlive(output);
    test.Expect(output.sends.empty(), "once, too");
}

void
SubscribersReconcile(FunctionCase& test)
{
    auto subscriber = MakeSubscriber();
    SubscriberOutput output;
    subscriber.Receive(OTHER, Filters{{G}}, output);
    test.Expect(output.sends.empty(), "not by who is not its broker");
    subscriber.Receive(BROKER, Filters{{F}}, output);
    test.Expect(output.sends.empty(), "nothing to mend");
    subscriber.Receive(BROKER, Filters{{G}}, output);
    test.Expect(
        AreSame(output.sends, {{BROKER, Sub{SELF, F, {2, 0}}}, {BROKER, Uns{SELF, G, {3, 0}}}}),
        "what lacks, then what is too much");
    test.Expect(output.deliveries.empty(), "no events");
}

void
ApplicationsSeeAnEventOnce(FunctionCase& test)
{
    auto subscriber = MakeSubscriber();
    SubscriberOutput output;
    subscriber.Receive(OTHER, Pub{FIRST, 4, {}}, output);
    subscriber.Receive(BROKER, Rep{SELF, {FIRST, SECOND}, 2}, output);
    const auto& [first, again, second] =
        std::tie(output.deliveries.at(0), output.deliveries.at(1), output.deliveries.at(2));
    test.Expect(output.deliveries.size() == 3, "three copies");
    test.Expect(first.event == FIRST && first.from == OTHER && first.hops == 4, "where from");
    test.Expect(!first.duplicate && again.duplicate && !second.duplicate, "one is too much");
    test.Expect(second.event == SECOND && second.hops == 2, "replayed");
    auto other = MakeSubscriber();
    test.Expect(subscriber.GetDigest() != other.GetDigest(), "what it has seen counts");
    const auto before = other.GetDigest();
    other.DeliveryFailed(OTHER);
    test.Expect(other.GetDigest() != before, "so does doubt");
}

void
CopiesAreKnownForAWhile(FunctionCase& test)
{
    RecentCopies copies(2);
    test.Expect(copies.Take({8, 1}, SELF) && copies.Take({8, 2}, SELF), "new");
    test.Expect(!copies.Take({8, 1}, SELF) && !copies.Take({8, 2}, SELF), "known");
    test.Expect(copies.Take({8, 1}, OTHER), "another client's are its own");
    test.Expect(copies.Take({8, 3}, SELF) && !copies.Take({8, 2}, SELF), "two are kept");
    test.Expect(copies.Take({8, 1}, SELF), "the oldest is not");
    const auto before = copies.GetDigest();
    const Message pub = Pub{FIRST, 1, {}};
    copies.GiveBack(SELF, pub);
    test.Expect(copies.GetDigest() != before, "remembered");
    test.Expect(copies.Take({8, 1}, SELF) && !copies.Take({8, 3}, SELF), "it did not get that");
    const Message rep = Rep{SELF, {MakeEvent(8, 3), MakeEvent(8, 9)}, 1};
    copies.GiveBack(SELF, rep);
    test.Expect(copies.Take({8, 3}, SELF) && !copies.Take({8, 1}, SELF), "nor this");
    const Message word = Sub{SELF, F, {}};
    copies.GiveBack(SELF, word);
    test.Expect(!copies.Take({8, 1}, SELF), "a word has no events");
}

void
QueuesKeepTheOrder(FunctionCase& test)
{
    EventQueues queues;
    BrokerOutput output;
    queues.Enqueue(9, FIRST, output, 5);
    queues.Enqueue(SELF, FIRST, output);
    queues.Enqueue(SELF, SECOND, output);
    const auto view = queues.GetView();
    test.Expect(queues.Count() == 3 && view.size() == 2, "two queues");
    test.Expect(view[0].subscriber == SELF && view[0].events == std::vector{FIRST->id, SECOND->id},
                "oldest first");
    test.Expect(queues.GetTimestamps() == "@0@0;@5;", "with the times given");
    queues.Replay(SELF, BROKER, output);
    test.Expect(AreSame(output.sends, {{BROKER, Rep{SELF, {FIRST, SECOND}, 1}}}), "one REP");
    queues.Replay(SELF, BROKER, output);
    test.Expect(output.sends.size() == 1 && output.drops.empty(), "nothing is left");
    test.Expect(queues.Take(9, output).at(0).timestamp == 5 && queues.Count() == 0, "all taken");
    const Message pub = Pub{FIRST, 1, {9, SELF}};
    const Message rep = Rep{SELF, {SECOND}, 1};
    const Message word = Sub{SELF, F, {}};
    test.Expect(queues.TakeBack(pub, output) == std::set<NodeId>{SELF, 9}, "for both");
    test.Expect(queues.TakeBack(rep, output) == std::set<NodeId>{SELF}, "for one");
    test.Expect(queues.TakeBack(word, output).empty() && queues.Count() == 3, "no events");
}

/// A policy that drops the positions it is told to, and notes what it was asked.
class DropsPositions : public QueuePolicy
{
  public:
    std::vector<size_t> Decide(const NodeView&,
                               NodeId subscriber,
                               const std::vector<QueuedEvent>& events) override
    {
        asked = subscriber;
        seen = events;
        return drops;
    }

    std::vector<size_t> drops;
    NodeId asked{NO_NODE};
    std::vector<QueuedEvent> seen;
};

void
QueuesAskTheirPolicy(FunctionCase& test)
{
    const auto policy = std::make_shared<DropsPositions>();
    NodeView me;
    EventQueues queues({policy, [&me] { return me; }});
    BrokerOutput output;
    queues.Enqueue(SELF, FIRST, output);
    me.timeNanoseconds = 2'500'000'000;
    queues.Enqueue(SELF, SECOND, output);
    const auto& oldest = policy->seen.at(0);
    test.Expect(policy->asked == SELF && policy->seen.size() == 2, "of the whole queue");
    test.Expect(oldest.publisher == PUBLISHER && oldest.sequence == 1, "which event");
    test.Expect(oldest.ageSeconds == 2.5 && oldest.payloadBytes == 10, "its age and its size");
    test.Expect(policy->seen.at(1).ageSeconds == 0, "this one is new");
    policy->drops = {0};
    me.timeNanoseconds = 3'000'000'000;
    const auto taken = queues.Take(SELF, output);
    test.Expect(taken.size() == 1 && taken[0].event == SECOND, "asked before a replay, too");
    test.Expect(output.drops.size() == 1 && output.drops[0].event == FIRST->id &&
                    output.drops[0].subscriber == SELF,
                "given up");
    queues.Enqueue(SELF, FIRST, output);
    test.Expect(queues.GetView().empty() && output.drops.size() == 2, "an empty queue is none");
    policy->drops = {1};
    std::string refused;
    try
    {
        queues.Enqueue(SELF, FIRST, output);
    }
    catch (const std::out_of_range& error)
    {
        refused = error.what();
    }
    test.Expect(refused == "a queue policy dropped event 1 of 1", "there is none such");
}

void
TablesTakeTheNewest(FunctionCase& test)
{
    using News = RoutingTable::News;
    RoutingTable table;
    test.Expect(table.GetTimestamp(SELF) == 0 && table.GetNextHop(SELF) == NO_NODE, "unknown");
    test.Expect(table.TakeNewer(SELF, 1, {}) == News::FIRST, "the first, and none");
    test.Expect(table.TakeNewer(SELF, 2, {}) == News::KNOWN, "none again");
    test.Expect(table.TakeNewer(SELF, 3, {F, G}) == News::CHANGED, "others");
    test.Expect(table.TakeNewer(SELF, 4, {G, F}) == News::KNOWN, "the same");
    test.Expect(table.GetFreshness(SELF) == Freshness{4, 0}, "as fresh as said");
    test.Expect(table.TakeNewer(SELF, 4, {F}) == News::KNOWN, "nothing new");
    test.Expect(table.TakeNewer(SELF, 3, {F}) == News::OLDER, "older");
    test.Expect(table.Match(*FIRST) == std::vector<NodeId>{SELF}, "wanted");
    RoutingTable copy(table);
    table.SetFilters(SELF, {G});
    test.Expect(table.Match(*FIRST).empty(), "not any more");
    test.Expect(copy.Match(*FIRST).size() == 1 && copy.GetFilters(SELF).size() == 2, "a copy");
    copy.RemoveFilter(SELF, F);
    copy.RemoveFilter(SELF, F);
    test.Expect(copy.Match(*FIRST).empty() && copy.Find(SELF), "removed, and the route is kept");
    copy.Erase(SELF);
    test.Expect(!copy.Find(SELF) && copy.Match(*MakeEvent(8, 1, "g")).empty(), "erased");
    test.Expect(table.TakeNewer(9, 7, {F}) == News::CHANGED, "the first, and one");
}

class TreeClientsSuite : public ns3::TestSuite
{
  public:
    TreeClientsSuite()
        : TestSuite("mftpubsub-tree-clients", Type::UNIT)
    {
        Add("Publishers keep what nobody took", PublishersKeepWhatNobodyTook);
        Add("Subscribers count their words", SubscribersCountTheirWords);
        Add("Subscribers without filters attach", SubscribersWithoutFiltersAttach);
        Add("Subscribers migrate", SubscribersMigrate);
        Add("Subscribers owe their word", SubscribersOweTheirWord);
        Add("Subscribers reconcile", SubscribersReconcile);
        Add("Applications see an event once", ApplicationsSeeAnEventOnce);
        Add("Copies are known for a while", CopiesAreKnownForAWhile);
        Add("Queues keep the order", QueuesKeepTheOrder);
        Add("Queues ask their policy", QueuesAskTheirPolicy);
        Add("Tables take the newest", TablesTakeTheNewest);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

TreeClientsSuite g_treeClients;

} // namespace

} // namespace mftpubsub::tree_clients_test
