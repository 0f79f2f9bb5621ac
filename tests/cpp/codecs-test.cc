/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What goes over the air comes back as it was, field by field, in as many bytes as it is said to
 * take; what ends too early, or too late, is refused.
 */
#include "content/content-codec.h"
#include "function-case.h"
#include "overlay/heartbeat.h"
#include "protocols/handoff/radio-codec.h"
#include "protocols/tree/message-codec.h"
#include "session/sessions.h"

#include "ns3/test.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::codecs_test
{

namespace
{

const Filter CHEAP = Filter::Parse("price < 10");
const Filter URGENT = Filter::Parse("urgent = TRUE");

EventPtr
MakeEvent()
{
    const std::vector<std::pair<std::string, Value>> attributes{{"count", int64_t{-3}},
                                                                {"price", 2.5},
                                                                {"topic", std::string("a")},
                                                                {"urgent", true}};
    auto event = std::make_shared<Event>();
    event->id = {258, 0x01020304};
    event->attributes = attributes;
    Bytes payload(20);
    payload.back() = 7;
    event->SetPayload(payload);
    return event;
}

bool
Equal(const Event& one, const Event& other)
{
    return one.id == other.id && one.attributes == other.attributes &&
           one.payloadBytes == other.payloadBytes && one.payload == other.payload;
}

/// @return whether @p decode refuses every beginning of @p bytes but those of @p whole sizes, and
///         what is a byte too long
bool
RefusesOthers(const Bytes& bytes,
              const std::function<void(std::span<const uint8_t>)>& decode,
              const std::vector<size_t>& whole = {})
{
    auto longer = bytes;
    longer.push_back(0);
    for (size_t size = 0; size <= longer.size(); ++size)
    {
        if (size == bytes.size() || std::ranges::find(whole, size) != whole.end())
        {
            continue;
        }
        try
        {
            decode(std::span(longer).first(size));
            return false;
        }
        catch (const DecodeError&)
        {
        }
    }
    return true;
}

void
EventsAndFilters(FunctionCase& test)
{
    const auto event = MakeEvent();
    ByteWriter out;
    WriteEvent(out, *event);
    WriteFilter(out, CHEAP);
    const auto bytes = out.Take();
    test.Expect(bytes.size() == CountBytes(*event) + CountBytes(CHEAP), "as many bytes as told");
    test.Expect(CountBytes(*event) == 9 + 20 + (7 + 9) + (7 + 9) + (7 + 4) + (8 + 2), "counted");
    test.Expect(Bytes(bytes.begin(), bytes.begin() + 2) == Bytes{1, 2}, "most significant first");
    ByteReader in(bytes);
    test.Expect(Equal(*ReadEvent(in), *event), "the event");
    test.Expect(ReadFilter(in) == CHEAP, "the filter");
    test.Expect(in.IsAtEnd(), "and no more");
}

void
Payloads(FunctionCase& test)
{
    Event told;
    told.payloadBytes = 3;
    Event filled;
    filled.SetPayload(Bytes{0, 0, 0});
    test.Expect(filled == told, "zeros are a size only");
    filled.SetPayload(Bytes{0, 1, 0});
    ByteWriter out;
    WriteEvent(out, told);
    WriteEvent(out, filled);
    const auto bytes = out.Take();
    test.Expect(bytes.size() == 2 * CountBytes(told), "content takes no more bytes than its size");
    ByteReader in(bytes);
    test.Expect(ReadEvent(in)->payload.empty(), "nothing is kept of zeros");
    test.Expect(ReadEvent(in)->payload == Bytes{0, 1, 0}, "each byte comes back");
    filled.SetPayload({});
    test.Expect(filled.payloadBytes == 0 && filled.payload.empty(), "a payload of its own size");
    try
    {
        filled.SetPayload(Bytes(65536));
        test.Expect(false, "its size fits in two bytes");
    }
    catch (const std::length_error&)
    {
    }
}

void
Heartbeats(FunctionCase& test)
{
    for (const auto advertised : {std::optional<uint8_t>(), std::optional<uint8_t>(7)})
    {
        const mftpubsub::Heartbeat heartbeat{{100000, 3}, 70000, 4, 9, 5, advertised};
        const auto bytes = Encode(heartbeat);
        test.Expect(bytes.size() == (advertised ? 15 : 14), "as small as it is told to be");
        test.Expect(DecodeHeartbeat(bytes) == heartbeat, "all fields");
        const std::vector<size_t> whole{14, 15};
        test.Expect(RefusesOthers(bytes, DecodeHeartbeat, whole), "others are none");
    }
}

void
Sessions(FunctionCase& test)
{
    for (const auto hasMore : {false, true})
    {
        const FrameHeader header{1, 2, 3, 40000, 50000, 127, hasMore};
        const auto bytes = EncodeFrame(header, Bytes{8, 9});
        test.Expect(bytes.size() == FRAME_HEADER_BYTES + 2, "a header of ten bytes");
        test.Expect(DecodeFrameHeader(bytes) == header, "all fields");
        const auto body = GetFrameBody(bytes);
        test.Expect(Bytes(body.begin(), body.end()) == Bytes{8, 9}, "the body");
    }
    const std::vector<SessionNotice> notices{{4, 50000}, {5, 1}};
    ByteWriter out;
    Write(out, notices);
    const auto bytes = out.Take();
    test.Expect(bytes.size() == 9, "four bytes each");
    ByteReader in(bytes);
    test.Expect(ReadNotices(in) == notices, "notices");
}

/// @return whether @p one and @p other are the same message
bool
IsSame(const Message& one, const Message& other)
{
    if (const auto *pub = std::get_if<Pub>(&one), *read = std::get_if<Pub>(&other); pub && read)
    {
        return Equal(*pub->event, *read->event) && pub->hops == read->hops &&
               pub->subscribers == read->subscribers && pub->addressed == read->addressed &&
               pub->timestamp == read->timestamp;
    }
    if (const auto *rep = std::get_if<Rep>(&one), *read = std::get_if<Rep>(&other); rep && read)
    {
        return rep->subscriber == read->subscriber && rep->hops == read->hops &&
               rep->timestamp == read->timestamp && rep->events.size() == read->events.size() &&
               std::ranges::equal(rep->events, read->events, [](const auto& a, const auto& b) {
                   return Equal(*a, *b);
               });
    }
    return one.index() == other.index() && Encode(one) == Encode(other) &&
           std::visit(
               [&other](const auto& m) {
                   if constexpr (requires { m == m; })
                   {
                       return m == std::get<std::decay_t<decltype(m)>>(other);
                   }
                   return true;
               },
               one);
}

void
TreeMessages(FunctionCase& test)
{
    const Freshness word{70000, 3};
    const std::vector<SubscriberFreshness> some{{7, word}, {8, {1, 200}}};
    const std::vector<Filter> filters{CHEAP, URGENT};
    const auto event = MakeEvent();
    const std::vector<Message> messages{Attach{},
                                        Sub{7, CHEAP, word},
                                        Uns{7, URGENT, word},
                                        Pub{event, 4, {}, false, 0},
                                        Pub{event, 4, {}, false, 90000},
                                        Pub{event, 4, {}, true, 0},
                                        Pub{event, 4, {7, 8}, true, 90000},
                                        Mig{7, 2, word, 0},
                                        Mig{7, 2, word, 90000},
                                        Rep{7, {event, event}, 5, 0},
                                        Rep{7, {event}, 5, 90000},
                                        Filters{filters},
                                        Bmig{some, {some[1]}, 6},
                                        Bquery{7, word},
                                        Bsub{7, filters, word, 6},
                                        CascadingBmig{{7, 8}, 2},
                                        Btab{{{7, filters}, {8, {}}}},
                                        Fmig{},
                                        OpeningBmig{some, {some[0]}},
                                        ClaimingBmig{some},
                                        Yield{},
                                        ClaimingBsub{7, filters, word, 90000, true},
                                        ClaimingBsub{7, filters, word, 0, false},
                                        OpeningLink{{2, 90000}, {3, 5}},
                                        Flush{{2, 90000}},
                                        Have{7, {{2, 90000, 1ull << 63 | 1}, {3, 1, 1}}}};
    for (const auto& message : messages)
    {
        const auto kind = GetKind(message);
        const auto name = std::string(GetName(message));
        const auto bytes = Encode(message);
        test.Expect(GetKindName(kind) == name, "its name");
        test.Expect(IsSame(message, Decode(kind, bytes)), name + " comes back");
    }
    const auto format = std::make_shared<const OwnFormat>(OwnFormat{{"ROUTE", "DATA"}, {}});
    for (const auto isForParent : {false, true})
    {
        const Message own = Own{1, isForParent, {1, 2, 3}, {}, format};
        const auto kind = GetKind(own);
        test.Expect(kind >= MESSAGE_KINDS, "a kind that none of those that ship has");
        test.Expect(GetName(own) == "DATA", "its format names it");
        test.Expect(GetKindName(kind, format->names) == "DATA", "so do names beside it");
        test.Expect(GetKindName(kind) == "OWN", "without them it has none");
        test.Expect(IsSame(own, Decode(kind, Encode(own))), "one's own comes back");
        test.Expect(ComesFromChild(5, own) == isForParent,
                    "it says whether the receiver is the parent");
    }
    const Bytes sub = Encode(messages[1]);
    test.Expect(RefusesOthers(sub, [](auto bytes) { Decode(1, bytes); }), "others are no SUB");
    try
    {
        Decode(MESSAGE_KINDS + 2 * MOST_OWN_KINDS, {});
        test.Expect(false, "there is no such kind");
    }
    catch (const DecodeError&)
    {
    }
}

/// What brokers that are no neighbours say of routes is of a link that has gone.
void
WordsOfClientsComeFromAnybody(FunctionCase& test)
{
    for (const Message& own : std::vector<Message>{Sub{7, CHEAP, {}},
                                                   Uns{7, CHEAP, {}},
                                                   Mig{7, 5, {}},
                                                   Attach{},
                                                   Pub{MakeEvent(), 1, {}},
                                                   Rep{20, {MakeEvent()}, 1},
                                                   Have{}})
    {
        test.Expect(!IsAmongNeighbours(7, own), "a client may be new here");
    }
    for (const Message& passedOn : std::vector<Message>{Sub{7, CHEAP, {}},
                                                        Uns{7, CHEAP, {}},
                                                        Mig{7, 5, {}},
                                                        Bmig{},
                                                        CascadingBmig{},
                                                        Btab{},
                                                        Fmig{}})
    {
        test.Expect(IsAmongNeighbours(2, passedOn), "routes are agreed upon by neighbours");
    }
}

void
HandoffMessages(FunctionCase& test)
{
    using namespace mftpubsub::handoff;
    Consumed last;
    last.Add({3, 90000});
    last.Add({4, 5});
    const Reconnect reconnect{7, 2, last, 90000, {CHEAP, URGENT}, 0};
    const auto bytes = Encode(RadioMessage(reconnect));
    const auto read = std::get<Reconnect>(DecodeRadio(0, bytes));
    test.Expect(read.subscriber == 7 && read.old == 2 && read.session == 90000, "RECONNECT");
    test.Expect(read.last.GetIds() == last.GetIds(), "what it has");
    test.Expect(read.filters == reconnect.filters, "what it wants");
    test.Expect(RefusesOthers(bytes, [](auto b) { DecodeRadio(0, b); }), "others are none");
    const auto evack = std::get<Evack>(DecodeRadio(1, Encode(RadioMessage(Evack{7, {3, 90000}}))));
    test.Expect(evack.subscriber == 7 && evack.id == mftpubsub::EventId{3, 90000}, "EVACK");
    const handoff::Pub pub{MakeEvent(), {}};
    const auto again = std::get<handoff::Pub>(DecodeRadio(2, Encode(RadioMessage(pub))));
    test.Expect(Equal(*again.event, *pub.event), "PUB");
    test.Expect(Encode(RadioMessage(AreYouThere())).empty(), "PING has no body");
    const std::vector<std::string_view> names{"RECONNECT", "EVACK", "PUB", "PING", "UNKNOWN"};
    for (uint8_t kind = 0; kind < names.size(); ++kind)
    {
        test.Expect(GetRadioName(kind) == names[kind], "its name");
    }
    try
    {
        DecodeRadio(4, {});
        test.Expect(false, "there is no such kind");
    }
    catch (const DecodeError&)
    {
    }
}

class CodecsSuite : public ns3::TestSuite
{
  public:
    CodecsSuite()
        : TestSuite("mftpubsub-codecs", Type::UNIT)
    {
        Add("Events and filters survive the air", EventsAndFilters);
        Add("Payloads survive the air, and zeros cost no memory", Payloads);
        Add("Heartbeats survive the air", Heartbeats);
        Add("Frames of sessions survive the air", Sessions);
        Add("Messages of the trees survive the air", TreeMessages);
        Add("Words of clients come from anybody", WordsOfClientsComeFromAnybody);
        Add("Messages of hand-offs survive the air", HandoffMessages);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

CodecsSuite g_codecs;

} // namespace

} // namespace mftpubsub::codecs_test
