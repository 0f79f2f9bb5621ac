/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Protocols of one's own in C++, and the C functions by which others ask Python.
 */
#include "content/content-codec.h"
#include "function-case.h"
#include "protocols/own/hook-broker.h"
#include "protocols/own/hook-station.h"
#include "protocols/own/station-checks.h"

#include "ns3/test.h"

#include <array>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh::own_station_test
{

namespace
{

const Filter HOT = Filter::Parse("temp > 20");

EventPtr
MakeEvent(uint32_t sequence, int64_t temp = 21)
{
    return std::make_shared<const Event>(Event{{9, sequence}, {{"temp", temp}}, 0});
}

StationSeat
MakeSeat(uint8_t roles, std::map<std::string, std::string> parameters = {})
{
    StationSeat seat;
    seat.self = 3;
    seat.roles = roles;
    seat.uniform = [] { return 0.0; };
    seat.parameters = std::move(parameters);
    return seat;
}

void
TimersGoOffInTheirOrder(FunctionCase& test)
{
    StationTimers timers;
    test.Expect(timers.NextDue() == NEVER, "none is set");
    timers.Set(1, Instant(20));
    timers.Set(2, Instant(10));
    timers.Set(3, Instant(10));
    timers.Set(1, Instant(10));
    timers.Cancel(2);
    timers.Cancel(7);
    test.Expect(timers.NextDue() == Instant(10), "the first one");
    test.Expect(!timers.TakeDue(Instant(9)), "nothing is due before");
    test.Expect(timers.TakeDue(Instant(10)) == 3, "those of one instant as they were set");
    test.Expect(timers.TakeDue(Instant(10)) == 1, "one that was moved comes last");
    test.Expect(!timers.TakeDue(Instant(99)), "each goes off once");
}

/// Does what the test asks for.
class Obedient : public SimpleStation
{
  public:
    explicit Obedient(StationSeat seat)
        : SimpleStation(std::move(seat), {"DATA", "OTHER"})
    {
    }

    void OnStart() override
    {
        SetTimer(5, Instant(100));
    }

    void OnPublish(const EventPtr& event) override
    {
        for (uint8_t kind : {0, 1})
        {
            Broadcast({kind, NO_NODE, {kind, 7}, {event->id}});
        }
    }

    void OnReceive(const OwnMessage& message, NodeId sender, double) override
    {
        heard.push_back("receive " + std::to_string(message.body.at(0)));
        const auto event = MakeEvent(message.body.at(0), message.body.at(1));
        Deliver(event, sender, 2);
        DeliverCopy(event->id, sender, 3);
    }

    void OnOverhear(const OwnMessage& message, NodeId, double) override
    {
        heard.push_back("overhear " + std::to_string(message.to));
    }

    void OnTimer(uint64_t key) override
    {
        heard.push_back("timer " + std::to_string(key));
        Broadcast({0, 4, Bytes(5000), {}});
    }

    void OnSubscribed(const Filter& filter) override
    {
        heard.push_back("subscribed " + filter.GetText());
    }

    void OnUnsubscribed(const Filter& filter) override
    {
        heard.push_back("unsubscribed " + filter.GetText());
    }

    void OnDropped(const OwnMessage& message) override
    {
        heard.push_back("dropped " + std::to_string(message.kind));
    }

    double GetJitter() const
    {
        return GetParameter("jitter", 0.5);
    }

    std::vector<std::string> heard;
};

Output
Tell(mesh::Station& station, int64_t now, const mesh::Station::Input& input)
{
    Output output;
    station.Step(Instant(now), input, output);
    return output;
}

void
OneFrameAtATimeIsInTheMac(FunctionCase& test)
{
    Obedient station(MakeSeat(PUBLISHER));
    Tell(station, 0, input::Started());
    const auto first = Tell(station, 1, input::Published{MakeEvent(1)});
    test.Expect(first.frame && first.frame->name == "DATA", "the first goes");
    test.Expect(first.frame->bytes == Bytes({0, 0, 3, 0xff, 0xff, 0, 7}), "kind, source, to, body");
    test.Expect(first.frame->events == std::vector<EventId>{{9, 1}}, "what it carries");
    test.Expect(!Tell(station, 2, input::Published{MakeEvent(2)}).frame, "the next one waits");
    const auto second = Tell(station, 3, input::Transmitted{Instant(0)});
    test.Expect(second.frame && second.frame->name == "OTHER", "until the channel is free");
    Tell(station, 4, input::Dropped());
    test.Expect(station.heard.back() == "dropped 1", "it is told what the MAC gave up");
}

void
SubscribersGetAnEventOnce(FunctionCase& test)
{
    Obedient station(MakeSeat(SUBSCRIBER));
    Tell(station, 0, input::Subscribed{HOT});
    Tell(station, 0, input::Started());
    test.Expect(station.heard.back() == "subscribed temp > 20", "filters come after the start");
    const auto hear = [&](Bytes frame) { return Tell(station, 1, input::Heard{frame, -60}); };
    const auto output = hear({0, 0, 8, 0xff, 0xff, 1, 21});
    test.Expect(output.deliveries.size() == 2 && output.deliveries[0].isNew &&
                    !output.deliveries[1].isNew,
                "once, and a copy");
    test.Expect(output.matches.size() == 1, "who wants it");
    test.Expect(!output.deliveries[1].isAddressed, "one of a broadcast costs nothing");
    const auto again = hear({0, 0, 8, 0, 3, 1, 21});
    test.Expect(again.deliveries.size() == 2 && !again.deliveries[0].isNew &&
                    again.deliveries[0].isAddressed && again.deliveries[1].isAddressed,
                "a frame for this device alone does");
    test.Expect(!hear({0, 0, 8, 0xff, 0xff, 1, 21}).deliveries[0].isAddressed, "for once");
    test.Expect(hear({0, 0, 8, 0, 3, 2, 5}).deliveries.empty(), "not what no filter matches");
    hear({0, 0, 8, 0, 4, 2, 5});
    test.Expect(station.heard.back() == "overhear 4", "what is for others");
    hear({0, 0, 8, 0, 6});
    test.Expect(station.heard.back() == "overhear 6", "without a body, too");
    const auto before = station.heard.size();
    hear({2, 0, 8, 0, 3, 2, 5});
    hear({0, 0, 8});
    test.Expect(station.heard.size() == before, "no kind, or too short");
    hear({0, 0, 3, 0xff, 0xff, 1, 21});
    hear({0, 0xff, 0xff, 0xff, 0xff, 1, 21});
    test.Expect(station.heard.size() == before, "of itself, or of nobody");
    Tell(station, 2, input::Unsubscribed{HOT});
    test.Expect(station.heard.back() == "unsubscribed temp > 20", "a filter less");
}

void
WhatIsPublishedEarlyWaitsForTheStart(FunctionCase& test)
{
    Obedient station(MakeSeat(PUBLISHER));
    test.Expect(!Tell(station, 0, input::Published{MakeEvent(1)}).frame, "not started");
    const auto output = Tell(station, 1, input::Started());
    test.Expect(output.frame && output.frame->events == std::vector<EventId>{{9, 1}},
                "then it goes");
}

void
WhatIsWrongIsSaid(FunctionCase& test)
{
    Obedient station(MakeSeat(BROKER, {{"jitter", "0.25"}}));
    test.Expect(station.GetJitter() == 0.25, "the parameter");
    test.Expect(Obedient(MakeSeat(BROKER)).GetJitter() == 0.5, "or what stands for it");
    Tell(station, 0, input::Started());
    test.Expect(station.NextTimer() == Instant(100), "a timer");
    try
    {
        Tell(station, 100, input::Expired());
        test.Expect(false, "a frame that is too large");
    }
    catch (const std::length_error& error)
    {
        test.Expect(std::string(error.what()).find("a DATA of 5000 bytes") == 0, "names it");
    }
    for (const auto* text : {"much", "", "0.25s"})
    {
        try
        {
            Obedient(MakeSeat(BROKER, {{"jitter", text}})).GetJitter();
            test.Expect(false, "no number");
        }
        catch (const std::invalid_argument&)
        {
        }
    }
}

/// Does when its timer goes off what the test asks for, and lets it call all that a station may.
class Timed : public SimpleStation
{
  public:
    using SimpleStation::Broadcast;
    using SimpleStation::Deliver;
    using SimpleStation::DeliverCopy;
    using SimpleStation::GiveUp;
    using SimpleStation::Match;
    using SimpleStation::SetTimer;
    using SimpleStation::Take;

    explicit Timed(std::vector<std::string> kinds = {"DATA", "ACK"})
        : SimpleStation(MakeSeat(SUBSCRIBER), std::move(kinds))
    {
    }

    explicit Timed(StationSeat seat)
        : SimpleStation(std::move(seat), {"DATA"})
    {
    }

    std::optional<OwnMessage> NextMessage() override
    {
        return std::exchange(next, {});
    }

    void OnStart() override
    {
        SetTimer(1, Instant(100));
    }

    void OnPublish(const EventPtr&) override
    {
    }

    void OnReceive(const OwnMessage&, NodeId, double) override
    {
    }

    void OnTimer(uint64_t) override
    {
        act();
    }

    std::function<void()> act;
    std::optional<OwnMessage> next;
};

/// @return what is wrong with @p act when the station's timer goes off
std::string
Fault(Timed& station, std::function<void()> act)
{
    station.act = std::move(act);
    try
    {
        Tell(station, 0, input::Started());
        Tell(station, 100, input::Expired());
        return "nothing";
    }
    catch (const std::exception& error)
    {
        return error.what();
    }
}

void
WhatIsForNeverDoesNotGoOff(FunctionCase& test)
{
    Timed station;
    test.Expect(Fault(station, [&] { station.SetTimer(1, NEVER); }) == "nothing", "it ends");
    test.Expect(!station.NextTimer(), "and is not due");
}

void
TimersWithoutEndAreTold(FunctionCase& test)
{
    Timed station;
    const auto fault = Fault(station, [&] { station.SetTimer(1, Instant(0)); });
    test.Expect(fault == "100000 timers have gone off without time passing, the last is 1: set it "
                         "for later",
                fault);
}

void
UnknownKindsAreTold(FunctionCase& test)
{
    Timed station;
    const auto fault = Fault(station, [&] { station.Broadcast({9, NO_NODE, {}, {}}); });
    test.Expect(fault == "a message of kind 9: the kinds that the constructor names are 0 DATA, "
                         "1 ACK",
                fault);
}

void
NodesThatDoNotExistAreTold(FunctionCase& test)
{
    auto seat = MakeSeat(BROKER);
    const auto faultOf = [&](NodeId to, bool isLate) {
        Timed station(seat);
        const OwnMessage message{0, to, {}, {}};
        return Fault(station,
                     [&] { isLate ? void(station.next = message) : station.Broadcast(message); });
    };
    test.Expect(faultOf(99, false) == "nothing", "nobody knows how many there are");
    seat.nodes = 10;
    for (const auto isLate : {false, true})
    {
        test.Expect(faultOf(9, isLate) == "nothing", "the last one");
        test.Expect(faultOf(NO_NODE, isLate) == "nothing", "everybody");
        const auto fault = faultOf(10, isLate);
        test.Expect(fault == "a message for node 10: there are 0 to 9", fault);
    }
}

void
CopiesComeFromNodesThatExist(FunctionCase& test)
{
    auto seat = MakeSeat(BROKER);
    seat.nodes = 10;
    Timed station(seat);
    const auto fault = Fault(station, [&] { station.Deliver(MakeEvent(1), 10, 1); });
    test.Expect(fault == "Deliver: from node 10: there are 0 to 9", fault);
    test.Expect(Fault(station, [&] { station.Deliver(MakeEvent(1), 9, 1); }) == "nothing",
                "the last one");
    const auto ofCopy = Fault(station, [&] { station.DeliverCopy({9, 1}, 10, 1); });
    test.Expect(ofCopy == "DeliverCopy: from node 10: there are 0 to 9", ofCopy);
}

void
WhatAConstructorMayNotCallIsTold(FunctionCase& test)
{
    Timed station; // it has not started, as in a constructor
    const std::vector<std::pair<std::string, std::function<void()>>> calls{
        {"Deliver", [&] { station.Deliver(MakeEvent(1), 8, 1); }},
        {"DeliverCopy", [&] { station.DeliverCopy({9, 1}, 8, 1); }},
        {"Take", [&] { station.Take({9, 1}); }},
        {"Match", [&] { station.Match({9, 1}, 8); }},
        {"GiveUp", [&] { station.GiveUp({9, 1}, 8); }},
        {"SetTimer", [&] { station.SetTimer(1, Instant(5)); }},
    };
    for (const auto& [name, call] : calls)
    {
        try
        {
            call();
            test.Expect(false, name);
        }
        catch (const std::logic_error& error)
        {
            test.Expect(error.what() ==
                            name + ": call it in OnStart or later, not in the constructor",
                        name);
        }
    }
}

/// @return what @p act throws
std::string
Thrown(const std::function<void()>& act)
{
    try
    {
        act();
        return "nothing";
    }
    catch (const std::exception& error)
    {
        return error.what();
    }
}

void
AnEventThatIsNoneIsNotDelivered(FunctionCase& test)
{
    Timed station;
    const auto fault = Fault(station, [&] { station.Deliver(nullptr, 8, 1); });
    test.Expect(fault == "Deliver: the event is nullptr: give one that was published", fault);
}

void
KindsAreWordsThatDiffer(FunctionCase& test)
{
    for (const std::string kind : {"MY DATA", "", "A\nB", "PUB,"})
    {
        const auto fault = Thrown([&] { Timed station({"DATA", kind}); });
        test.Expect(fault == "a kind of frames is called '" + kind +
                                 "', which is no word of letters, digits, _ and -: traces name "
                                 "frames by it",
                    fault);
    }
    const auto twice = Thrown([] { Timed station({"DATA", "ACK", "DATA"}); });
    test.Expect(twice == "two kinds of frames are called DATA: traces could not tell them apart",
                twice);
    test.Expect(Thrown([] { Timed station({"PUB-2", "data_3", "GRÜSSE"}); }) == "nothing", "words");
}

void
WhatAFullStationAnswersIsChecked(FunctionCase& test)
{
    const auto event = MakeEvent(1);
    const PublishedEvents published{{event->id, event}};
    const auto check = [&](const Output& output) {
        return Thrown([&] {
            StationChecks(100, &published, 10).Check(Instant(0), input::Started(), output, {});
        });
    };
    const auto send = [&](const std::string& name, size_t bytes) {
        Output output;
        output.frame = OutgoingFrame{name, Bytes(bytes)};
        return check(output);
    };
    test.Expect(send("PUB", 100) == "nothing", "the largest frame");
    test.Expect(send("PUB", 101) == "a PUB of 101 bytes does not fit in a frame (100 bytes), and "
                                    "broadcasts are not split",
                "one that is larger");
    Output early;
    early.frame = OutgoingFrame{"PUB", Bytes(1)};
    const auto beforeStart = Thrown([&] {
        StationChecks(100, &published).Check(Instant(0), input::Subscribed{HOT}, early, {});
    });
    test.Expect(beforeStart == "a PUB before Start, when the device is off: keep it until then",
                beforeStart);
    test.Expect(send("A PUB", 1).find("a kind of frames is called 'A PUB', which is no") == 0,
                "a name that is no word");
    const auto deliver = [&](EventId id, bool isNew, const EventPtr& content, NodeId from = 8) {
        Output output;
        output.deliveries.push_back({id, from, 1, isNew, content});
        return check(output);
    };
    test.Expect(deliver({9, 1}, true, MakeEvent(1)) == "nothing", "an equal event");
    test.Expect(deliver({9, 1}, false, nullptr) == "nothing", "a copy has none");
    test.Expect(deliver({9, 1}, true, nullptr) ==
                    "deliver: 9:1 is new here, but its event is nullptr: give the event",
                "what is new has one");
    test.Expect(deliver({9, 5001}, true, event) == "deliver: nobody has published 9:5001",
                "invented");
    test.Expect(deliver({9, 1}, true, event, 9) == "nothing", "from the last node");
    test.Expect(deliver({9, 1}, true, event, NO_NODE) == "nothing", "from nobody");
    const auto stranger = deliver({9, 1}, false, nullptr, 10);
    test.Expect(stranger == "deliver: from node 10: there are 0 to 9", stranger);
    Output taken;
    taken.taken.push_back({9, 7});
    test.Expect(check(taken) == "deliver: nobody has published 9:7", "by brokers, too");
    test.Expect(deliver({9, 1}, true, MakeEvent(1, 99)) ==
                    "deliver: 9:1 was published with other attributes or payload",
                "changed");
}

void
ExpiriesWithoutEndAreTold(FunctionCase& test)
{
    const auto expire = [](Instant now, Instant step, Instant due, Instant dueStep) {
        StationChecks checks(100, nullptr);
        return Thrown([&] {
            for (int turn = 0; turn <= MOST_AT_ONCE; ++turn)
            {
                checks.Check(now + turn * step, input::Expired(), {}, due + turn * dueStep);
            }
        });
    };
    const auto stands = Instant(0);
    test.Expect(expire(Instant(7), stands, Instant(8), stands) == "nothing",
                "the next one is later");
    const std::string told = "100000 times in a row Expire has left NextDue at what has passed, "
                             "0.500000 s: it has to be later than now, or NEVER";
    const auto fault = expire(Seconds(2), stands, Seconds(0.5), stands);
    test.Expect(fault == told, fault);
    const auto live = expire(Seconds(2), Instant(1), Seconds(0.5), stands);
    test.Expect(live == told, "where the clock goes on: " + live);
    test.Expect(expire(Seconds(2), Instant(1), Seconds(0.5), Instant(2)) == "nothing",
                "a station catches up, as after a machine's sleep");
}

void
WhateverIsThrownIsLocated(FunctionCase& test)
{
    const auto locate = [](auto thrown) {
        try
        {
            throw thrown;
        }
        catch (...)
        {
            return std::string(LocateFailure("Receive", 4, Seconds(1.5)).what());
        }
    };
    test.Expect(locate(std::runtime_error("boom")) == "Receive at node 4, 1.500000 s: boom",
                "text");
    test.Expect(locate(42) == "Receive at node 4, 1.500000 s: it throws what is no std::exception, "
                              "so without a text",
                "a number");
}

// A hook that answers what a test has put there.

std::array<uint8_t, 256> g_input;
Bytes g_effects;
std::vector<uint32_t> g_asked;
bool g_fails = false;

int64_t
Answer(uint32_t what)
{
    g_asked.push_back(what);
    return g_fails ? 0 : static_cast<int64_t>(g_effects.size()) + 1;
}

void
HooksOfStationsCarryOutEffects(FunctionCase& test)
{
    StationView view;
    g_effects = Bytes(256);
    StationHooks hooks{
        [](uint32_t what, uint32_t, int64_t, uint64_t, double) { return Answer(what); },
        g_input.data(),
        g_effects.data(),
        g_input.size(),
        &view,
        "DATA OTHER"};
    const auto answer = [](const Bytes& effects) {
        g_effects.assign(effects.begin(), effects.end());
        g_asked.clear();
    };
    HookStation station(MakeSeat(BROKER), hooks);
    answer({static_cast<uint8_t>(StationEffect::WISHES), WANTS_OVERHEARD});
    Tell(station, 0, input::Started());
    test.Expect(view.load == 1, "how busy the channel is");
    answer({static_cast<uint8_t>(StationEffect::SEND), 1, 0xff, 0xff, 0, 0, 2, 5, 6});
    const auto output = Tell(station, 1, input::Published{MakeEvent(1)});
    test.Expect(output.frame && output.frame->bytes == Bytes({1, 0, 3, 0xff, 0xff, 5, 6}),
                "a frame");
    answer({static_cast<uint8_t>(StationEffect::SET),
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            7,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            50});
    const Bytes frame{0, 0, 8, 0, 4, 1};
    Tell(station, 2, input::Heard{frame, -60});
    test.Expect(g_asked == std::vector{static_cast<uint32_t>(StationInput::OVERHEAR)},
                "it asked for it");
    test.Expect(station.NextTimer() == Instant(52), "a timer");
    answer({});
    Tell(station, 3, input::Dropped());
    test.Expect(g_asked.empty(), "it did not ask for that");
    g_fails = true;
    try
    {
        Tell(station, 4, input::Published{MakeEvent(2)});
        test.Expect(false, "the hook has failed");
    }
    catch (const StationFailure&)
    {
    }
    g_fails = false;
}

StationView g_view;
std::vector<double> g_found;

/// A hook that looks up where its station is.
int64_t
LookUp(uint32_t, uint32_t, int64_t, uint64_t, double)
{
    std::array<double, 3> position{};
    g_found.clear();
    if (g_view.locate(g_view.station, position.data()))
    {
        g_found.assign(position.begin(), position.end());
    }
    return 1;
}

void
HooksLookUpWhereTheirStationIs(FunctionCase& test)
{
    g_effects = Bytes(256);
    const StationHooks hooks{&LookUp,
                             g_input.data(),
                             g_effects.data(),
                             g_input.size(),
                             &g_view,
                             "DATA"};
    auto seat = MakeSeat(BROKER);
    HookStation nowhere(seat, hooks);
    Tell(nowhere, 0, input::Started());
    test.Expect(g_found.empty(), "nobody knows");
    test.Expect(!g_view.station, "between two calls nothing is looked up");
    double x = 1;
    seat.position = [&x] { return Position{x, 2, 3}; };
    HookStation moving(seat, hooks);
    Tell(moving, 0, input::Started());
    test.Expect(g_found == std::vector<double>{1, 2, 3}, "where it starts");
    x = 5;
    Tell(moving, 1, input::Published{MakeEvent(1)});
    test.Expect(g_found == std::vector<double>{5, 2, 3}, "where it is by now");
}

void
AllThatIsSaidWhenAskedForTheNextIsSent(FunctionCase& test)
{
    StationView view;
    g_effects = Bytes(256);
    const StationHooks hooks{
        [](uint32_t what, uint32_t, int64_t, uint64_t, double) { return Answer(what); },
        g_input.data(),
        g_effects.data(),
        g_input.size(),
        &view,
        "DATA OTHER"};
    HookStation station(MakeSeat(BROKER), hooks);
    g_effects.assign({static_cast<uint8_t>(StationEffect::WISHES), WANTS_NEXT});
    Tell(station, 0, input::Started());
    const Bytes broadcast{static_cast<uint8_t>(StationEffect::SEND), 0, 0xff, 0xff, 0, 0, 1, 5};
    const Bytes answer{static_cast<uint8_t>(StationEffect::SEND), 1, 0xff, 0xff, 0, 0, 1, 6};
    g_effects.assign(broadcast.begin(), broadcast.end());
    g_effects.insert(g_effects.end(), answer.begin(), answer.end());
    g_asked.clear();
    const auto first = Tell(station, 1, input::Unsubscribed{HOT}).frame;
    test.Expect(!first && g_asked.empty(), "nothing has happened");
    const auto sent = Tell(station, 2, input::Transmitted{Instant(0)}).frame;
    test.Expect(sent && sent->bytes == Bytes({0, 0, 3, 0xff, 0xff, 5}), "what it broadcasts");
    const auto next = Tell(station, 3, input::Transmitted{Instant(0)}).frame;
    test.Expect(next && next->bytes == Bytes({1, 0, 3, 0xff, 0xff, 6}), "then what it answers");
    test.Expect(g_asked.size() == 1, "it was asked once");
}

/// HEAD of an answer: a state, no timer, nothing stored.
Bytes
State(uint8_t state, const Bytes& effects = {})
{
    ByteWriter head;
    head.Put(uint64_t{state});
    head.Put(std::numeric_limits<uint64_t>::max());
    head.Put(uint64_t{0});
    head.PutBytes(effects);
    return head.Take();
}

void
BrokersAreCopiedAsNumbers(FunctionCase& test)
{
    static BrokerHooks hooks;
    g_effects = Bytes(256);
    hooks = {[](uint32_t what, uint64_t, int64_t, uint64_t) { return Answer(what); },
             g_input.data(),
             g_effects.data(),
             g_input.size(),
             "ROUTE DATA",
             0};
    const auto answer = [](const Bytes& effects) {
        g_effects.assign(effects.begin(), effects.end());
        g_asked.clear();
    };
    answer(State(1));
    HookBroker broker(2, hooks, Instant(0));
    const auto copy = broker.Clone();
    test.Expect(g_asked.size() == 1, "to copy it asks nobody");
    test.Expect(copy->GetDigest() == broker.GetDigest(), "equal states, equal digests");
    const auto tell = [&](const mftpubsub::Broker::Input& input) {
        BrokerOutput output;
        static_cast<mftpubsub::Broker&>(broker).Step(Instant(1), input, output);
        return output;
    };
    answer(State(2, {0, 1, 0, 5, 1, 0, 9, 0, 0, 0, 1, 0, 1, 42}));
    tell(input::LinkUp{5});
    const auto sent = tell(input::ParentChanged{NO_NODE, 5}).sends;
    const auto& own = std::get<Own>(sent.at(0).message);
    test.Expect(sent[0].to == 5 && own.kind == 1 && own.body == Bytes{42}, "a message");
    test.Expect(own.isForParent && own.events == std::vector<EventId>{{9, 1}}, "for its parent");
    test.Expect(GetName(sent[0].message) == "DATA", "its name");
    test.Expect(copy->GetDigest() != broker.GetDigest(), "another state");
    test.Expect(!broker.NextTimer() && broker.GetState() == 2, "no timer");
    using Asked = std::vector<uint32_t>;
    const auto isAsked = [&](const mftpubsub::Broker::Input& input, BrokerInput what) {
        answer(State(2));
        tell(input);
        return g_asked == Asked{static_cast<uint32_t>(what)};
    };
    test.Expect(isAsked(input::LinkUp{6}, BrokerInput::LINK_UP), "who came");
    test.Expect(isAsked(input::LinkReset{6}, BrokerInput::LINK_RESET), "who has restarted");
    test.Expect(isAsked(input::LinkDown{6}, BrokerInput::LINK_DOWN), "who went");
    test.Expect(isAsked(input::ParentChanged{5, 6}, BrokerInput::PARENT_CHANGED), "its parent");
    answer(State(2));
    tell(input::NeighbourAlive{5});
    test.Expect(g_asked.empty(), "it did not ask for signs of life");
    test.Expect(broker.GetTable().empty() && !broker.HasTable(), "nor has it a table");
    answer(State(3, {4, 0, 9, 0, 0, 0, 1, 0, 7}));
    tell(input::Received<Message>{7, Message(Attach{})});
    test.Expect(broker.CountHeld() == 1 && broker.GetQueues().at(0).subscriber == 7,
                "it holds an event");
}

int64_t g_now = 0;

void
BrokersAreLookedAtWhenTheyWereAskedLast(FunctionCase& test)
{
    static BrokerHooks hooks;
    g_effects = Bytes(256);
    hooks = {[](uint32_t what, uint64_t, int64_t now, uint64_t) {
                 g_now = now;
                 return Answer(what);
             },
             g_input.data(),
             g_effects.data(),
             g_input.size(),
             "ROUTE",
             HAS_TABLE | HAS_QUEUES};
    const auto state = State(1);
    g_effects.assign(state.begin(), state.end());
    HookBroker broker(2, hooks, Instant(7));
    g_effects.clear();
    for (const auto& look : {+[](const HookBroker& at) { return at.GetTable().empty(); },
                             +[](const HookBroker& at) { return at.GetQueues().empty(); }})
    {
        g_now = 0;
        test.Expect(look(broker) && g_now == 7, "errors say this time");
    }
}

class OwnStationSuite : public ns3::TestSuite
{
  public:
    OwnStationSuite()
        : TestSuite("mftpubsub-own-station", Type::UNIT)
    {
        Add("Timers go off in their order", TimersGoOffInTheirOrder);
        Add("One frame at a time is in the MAC", OneFrameAtATimeIsInTheMac);
        Add("Subscribers get an event once", SubscribersGetAnEventOnce);
        Add("What is published early waits for the start", WhatIsPublishedEarlyWaitsForTheStart);
        Add("What is wrong is said", WhatIsWrongIsSaid);
        Add("What is for never does not go off", WhatIsForNeverDoesNotGoOff);
        Add("Timers without end are told", TimersWithoutEndAreTold);
        Add("Unknown kinds are told", UnknownKindsAreTold);
        Add("Nodes that do not exist are told", NodesThatDoNotExistAreTold);
        Add("Copies come from nodes that exist", CopiesComeFromNodesThatExist);
        Add("What a constructor may not call is told", WhatAConstructorMayNotCallIsTold);
        Add("An event that is none is not delivered", AnEventThatIsNoneIsNotDelivered);
        Add("Kinds are words that differ", KindsAreWordsThatDiffer);
        Add("What a full station answers is checked", WhatAFullStationAnswersIsChecked);
        Add("Expiries without end are told", ExpiriesWithoutEndAreTold);
        Add("Whatever is thrown is located", WhateverIsThrownIsLocated);
        Add("All that is said when asked for the next is sent",
            AllThatIsSaidWhenAskedForTheNextIsSent);
        Add("Brokers are looked at when they were asked last",
            BrokersAreLookedAtWhenTheyWereAskedLast);
        Add("Hooks of stations carry out effects", HooksOfStationsCarryOutEffects);
        Add("Hooks look up where their station is", HooksLookUpWhereTheirStationIs);
        Add("Brokers are copied as numbers", BrokersAreCopiedAsNumbers);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

OwnStationSuite g_ownStation;

} // namespace

} // namespace mftpubsub::mesh::own_station_test
