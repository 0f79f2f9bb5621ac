/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What hand-off schemes keep: buffers of brokers and of publishers, and what has been consumed.
 */
#include "function-case.h"
#include "protocols/handoff/event-buffer.h"
#include "protocols/handoff/make-broker.h"
#include "protocols/handoff/publisher.h"
#include "protocols/handoff/tree.h"

#include "ns3/test.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::handoff::handoff_buffers_test
{

namespace
{

using Sequences = std::vector<uint32_t>;

EventPtr
MakeEvent(uint32_t sequence, uint16_t payloadBytes = 10, NodeId publisher = 1)
{
    auto event = std::make_shared<Event>();
    event->id = {publisher, sequence};
    event->payloadBytes = payloadBytes;
    return event;
}

template <typename Events>
Sequences
GetSequences(const Events& events)
{
    Sequences sequences;
    for (const auto& held : events)
    {
        sequences.push_back(held.event->id.sequence);
    }
    return sequences;
}

Sequences
GetSequences(const std::vector<EventPtr>& events)
{
    Sequences sequences;
    for (const auto& event : events)
    {
        sequences.push_back(event->id.sequence);
    }
    return sequences;
}

/// @return room for @p events of 10 B of payload
uint64_t
RoomFor(uint64_t events)
{
    return events * GetSize(*MakeEvent(1));
}

void
BuffersDropTheOldest(FunctionCase& test)
{
    EventBuffer buffer(RoomFor(2));
    test.Expect(buffer.IsEmpty(), "nothing yet");
    buffer.Append({MakeEvent(1)});
    buffer.Append({MakeEvent(2)});
    test.Expect(GetSequences(buffer.GetEvents()) == Sequences{1, 2}, "just full");
    buffer.Append({MakeEvent(3)});
    test.Expect(GetSequences(buffer.GetEvents()) == Sequences{2, 3}, "the oldest goes");
    buffer.Append({MakeEvent(4, 11)});
    test.Expect(GetSequences(buffer.GetEvents()) == Sequences{4}, "a byte too much");
    buffer.Append({MakeEvent(5, 1000)});
    test.Expect(buffer.IsEmpty(), "larger than all");
    buffer.Append({MakeEvent(6)});
    buffer.Append({MakeEvent(7)});
    test.Expect(GetSequences(buffer.GetEvents()) == Sequences{6, 7}, "its room is all there");
}

void
BuffersTakeBack(FunctionCase& test)
{
    EventBuffer buffer(RoomFor(3));
    buffer.Append({MakeEvent(4)});
    buffer.Return({{MakeEvent(2)}, {MakeEvent(3)}});
    test.Expect(GetSequences(buffer.GetEvents()) == Sequences{2, 3, 4}, "before those held");
    buffer.Return({{MakeEvent(1)}});
    test.Expect(GetSequences(buffer.GetEvents()) == Sequences{2, 3, 4}, "the oldest goes");
    test.Expect(GetSequences(EventsOf(buffer)) == Sequences{2, 3, 4}, "a copy");
    test.Expect(GetSequences(buffer.Take()) == Sequences{2, 3, 4} && buffer.IsEmpty(), "all");
    for (const uint32_t sequence : {5, 6, 7})
    {
        buffer.Append({MakeEvent(sequence)});
    }
    test.Expect(buffer.GetEvents().size() == 3, "what was taken takes no room");
    buffer.Clear();
    buffer.Return({{MakeEvent(1)}, {MakeEvent(2)}, {MakeEvent(3)}});
    test.Expect(buffer.GetEvents().size() == 3, "nor what was cleared");
}

void
ConsumedIsTheHighestOfEach(FunctionCase& test)
{
    Consumed consumed;
    test.Expect(!consumed.Covers({1, 0}), "nothing yet");
    consumed.Add({5, 7});
    consumed.Add({1, 3});
    consumed.Add({9, 1});
    consumed.Add({5, 6});
    test.Expect(consumed.GetIds() == std::vector<EventId>{{1, 3}, {5, 7}, {9, 1}}, "ascending");
    test.Expect(consumed.Covers({5, 7}) && consumed.Covers({5, 1}), "and what is older");
    test.Expect(!consumed.Covers({5, 8}) && !consumed.Covers({1, 4}), "not what is newer");
    test.Expect(!consumed.Covers({2, 1}), "nor another's");
    Consumed other;
    other.Add({1, 9});
    other.Add({4, 2});
    other.Add({5, 5});
    consumed.Add(other);
    test.Expect(consumed.GetIds() == std::vector<EventId>{{1, 9}, {4, 2}, {5, 7}, {9, 1}}, "both");
}

void
MissingIsWhatWasNotConsumed(FunctionCase& test)
{
    Consumed last;
    last.Add({1, 2});
    const auto other = MakeEvent(1, 10, 2);
    const std::vector<Held> events{{MakeEvent(4)},
                                   {other},
                                   {MakeEvent(3), true},
                                   {MakeEvent(3)},
                                   {MakeEvent(2)},
                                   {MakeEvent(1)}};
    const auto missing = Missing(events, last);
    test.Expect(GetSequences(missing) == Sequences{3, 4, 1}, "in order, each once");
    test.Expect(missing[0].transferred && missing[2].event == other, "the first of equal ones");
    test.Expect(GetSequences(Sorted(events)) == Sequences{1, 2, 3, 3, 4, 1}, "all");
    auto all = Transferred({{MakeEvent(8)}});
    test.Expect(all[0].transferred, "it came in a hand-off");
    AppendTo(all, {{MakeEvent(7)}});
    test.Expect(GetSequences(all) == Sequences{8, 7} && !all[1].transferred, "behind");
}

void
PublishersWaitForABroker(FunctionCase& test)
{
    Publisher publisher(RoomFor(2));
    test.Expect(publisher.Publish(MakeEvent(1)).empty() && publisher.CountHeld() == 1, "none yet");
    publisher.Publish(MakeEvent(2));
    publisher.Publish(MakeEvent(3));
    test.Expect(publisher.CountHeld() == 2, "its buffer is bounded");
    test.Expect(GetSequences(publisher.Connect()) == Sequences{2, 3}, "in order");
    test.Expect(publisher.CountHeld() == 0 && publisher.Connect().empty(), "once");
    test.Expect(GetSequences(publisher.Publish(MakeEvent(4))) == Sequences{4}, "at once");
    test.Expect(publisher.CountHeld() == 0, "and not kept");
    publisher.Disconnect({MakeEvent(4), MakeEvent(5)});
    test.Expect(publisher.CountHeld() == 2, "what nobody took");
    test.Expect(publisher.Publish(MakeEvent(6)).empty(), "it waits");
    test.Expect(GetSequences(publisher.Connect()) == Sequences{5, 6}, "behind it");
    publisher.Disconnect();
    publisher.Publish(MakeEvent(8));
    publisher.Disconnect({MakeEvent(7)});
    test.Expect(GetSequences(publisher.Connect()) == Sequences{7, 8}, "the older first");
}

void
AProxyForgetsWhatHasExpired(FunctionCase& test)
{
    constexpr NodeId client = 1000;
    Options options;
    options.tree = std::make_shared<const Tree>(std::vector<std::pair<NodeId, NodeId>>{{1, 2}}, 1);
    options.eventExpiry = std::chrono::seconds(60);
    const auto proxy = FindScheme("elvin").make(1, options);
    const auto tell = [&](int64_t seconds, const handoff::Broker::Input& input) {
        Output output;
        proxy->Step(std::chrono::seconds(seconds), input, output);
        return output.deliveries.size();
    };
    const auto get = [&](int64_t seconds, NodeId from, const Message& message) {
        return tell(seconds, input::Received<Message>{from, message});
    };
    get(1, client, handoff::Sub{client, Filter::Parse("1 = 1")});
    tell(2, input::LinkDown{client});
    get(10, 2, handoff::Pub{MakeEvent(1), {}});
    get(30, 2, handoff::Pub{MakeEvent(2), {}});
    test.Expect(proxy->CountHeld() == 2, "both wait");
    test.Expect(proxy->NextTimer() == handoff::Instant(std::chrono::seconds(70)), "the first one");
    tell(69, input::Expired());
    test.Expect(proxy->CountHeld() == 2, "not yet");
    tell(70, input::Expired());
    test.Expect(proxy->CountHeld() == 1, "it has expired");
    test.Expect(proxy->NextTimer() == handoff::Instant(std::chrono::seconds(90)), "the second");
    tell(95, input::Expired());
    test.Expect(proxy->CountHeld() == 0 && !proxy->NextTimer(), "none is left");
}

class HandoffBuffersSuite : public ns3::TestSuite
{
  public:
    HandoffBuffersSuite()
        : TestSuite("mftpubsub-handoff-buffers", Type::UNIT)
    {
        Add("Buffers drop the oldest", BuffersDropTheOldest);
        Add("Buffers take back", BuffersTakeBack);
        Add("Consumed is the highest of each publisher", ConsumedIsTheHighestOfEach);
        Add("Missing is what was not consumed", MissingIsWhatWasNotConsumed);
        Add("A proxy forgets what has expired", AProxyForgetsWhatHasExpired);
        Add("Publishers wait for a broker", PublishersWaitForABroker);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

HandoffBuffersSuite g_handoffBuffers;

} // namespace

} // namespace mftpubsub::handoff::handoff_buffers_test
