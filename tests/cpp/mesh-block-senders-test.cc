/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Rule 12: when publishers gather events for blocks, and when brokers send sums of these.
 */
#include "function-case.h"
#include "mesh-blocks.h"
#include "protocols/mesh/block-mixer.h"
#include "protocols/mesh/gathering.h"
#include "protocols/mesh/mesh-station.h"

#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh::mesh_block_senders_test
{

namespace
{

using namespace blocks;

/// What a device has, beside the machine under test.
struct Device
{
    explicit Device(uint8_t roles, const Options& options = {})
        : context(MakeContext(SELF, roles, options))
    {
        context.options.isScoped = false;
        context.uniform = MakeUniform(SELF + 1);
        context.load = [this] { return load; };
        context.stuck = [this](Instant) { return stuck; };
        context.heard = [this](Instant) { return heard; };
        context.airTime = [](size_t bytes) { return Seconds(1e-5 * static_cast<double>(bytes)); };
        context.blocks = std::make_shared<BlockSums>(options.limits.block, MakeUniform(SELF));
    }

    Device(const Device&) = delete; // the context refers to it
    Device& operator=(const Device&) = delete;

    const BlockLimits& GetLimits() const
    {
        return context.options.limits.block;
    }

    Context context;
    double load{1};
    size_t stuck{0};
    size_t heard{0};
};

void
ABrokerSendsSumsWhileThereIsNews(FunctionCase& test)
{
    Device device(BROKER);
    const auto& limits = device.GetLimits();
    BlockMixer mixer(device.context);
    test.Expect(mixer.Due() == NEVER, "none before anything is heard");
    auto maker = MakeSums(1);
    const auto blocks = MakeBlocks(maker, Seconds(1), MAKER, 3);
    for (const auto& block : blocks)
    {
        device.context.blocks->Hear(Seconds(1), block);
        mixer.Hear(Seconds(1), 0);
    }
    const auto pause = Times(device.context.airTime(BUDGET), 1 / limits.share);
    test.Expect(mixer.Due() >= Seconds(1) && mixer.Due() <= Seconds(1) + 2 * pause, "then soon");
    auto now = mixer.Due();
    for (size_t sum = 0; sum < blocks.size(); ++sum)
    {
        test.Expect(mixer.Take(now, 0), "one for each that said something new");
        test.Expect(mixer.Due() >= now + pause / 2 && mixer.Due() <= now + 2 * pause, "and apart");
        now = mixer.Due();
    }
    int taken = 0;
    for (int time = 0; time < 3000; ++time)
    {
        taken += mixer.Take(Seconds(2), 0);
    }
    test.Expect(std::abs(taken - 3000 / limits.idle) < 150, "then more rarely");
    test.Expect(!mixer.Take(Seconds(1.1) + limits.window, 0) && mixer.Due() == NEVER,
                "none once there has been nothing new for long");
    device.context.blocks->Hear(Seconds(90), MakeBlocks(maker, Seconds(90), OTHER, 1)[0]);
    mixer.Hear(Seconds(90), 0);
    test.Expect(mixer.Due() < Seconds(91), "until there is");

    device.context.uniform = [] { return 0.5; };
    mixer.Take(Seconds(90), 0);
    const auto alone = mixer.Due() - Seconds(90);
    mixer.Take(Seconds(90), 9);
    test.Expect(std::abs((mixer.Due() - Seconds(90) - 10 * alone).count()) < 100,
                "ten brokers share the air");
}

void
OnlyFastPublishersGather(FunctionCase& test)
{
    const auto gathers = [](double load, double gap, size_t stuck) {
        Device device(PUBLISHER);
        device.load = load;
        device.stuck = stuck;
        Gathering gathering(device.context);
        auto waits = false;
        for (uint32_t sequence = 0; sequence < 100; ++sequence)
        {
            const auto now = Seconds(1 + gap * sequence);
            waits = gathering.Publish(now, MakeEvent({SELF, sequence}, "a")) > now || waits;
        }
        return waits;
    };
    const PaceLimits pace;
    const BlockLimits limits;
    const auto slow = limits.counted / Seconds(1) / (static_cast<double>(limits.often) - 1.5);
    test.Expect(gathers(5, 0.05, 0), "a fast publisher on a busy channel does");
    test.Expect(!gathers(1, 0.05, 0), "not on a quiet one");
    test.Expect(!gathers(5, slow, 0) && gathers(5, slow - 0.01, 0), "nor a slower one");
    test.Expect(gathers(pace.load, slow, pace.stuck + 1), "but where sums are stuck it does");
    test.Expect(!gathers(pace.load, 1.01, pace.stuck + 1), "unless it is very slow");
}

void
EventsOfOthersMakePublishersGather(FunctionCase& test)
{
    Device device(PUBLISHER);
    const auto& limits = device.GetLimits();
    Gathering gathering(device.context);
    device.load = device.context.options.limits.mix.load;
    device.heard = limits.many - 1;
    test.Expect(!gathering.IsGathering(Seconds(1)), "events of others are few");
    device.heard = limits.many;
    test.Expect(gathering.IsGathering(Seconds(1)), "they are many");
    uint32_t sequence = 0;
    const auto waits = [&](Instant now) {
        return gathering.Publish(now, MakeEvent({SELF, sequence++}, "a")) > now;
    };
    const auto last = Seconds(1.1) + limits.counted;
    test.Expect(!waits(Seconds(1.1)) && waits(last), "an event that follows another waits");
    test.Expect(!waits(last + limits.counted + Seconds(0.1)), "one alone does not");
    device.load -= 0.1;
    test.Expect(!gathering.IsGathering(Seconds(1)), "a channel that is not busy has room for all");

    auto maker = MakeSums(1);
    device.context.blocks->Hear(Seconds(1), MakeBlocks(maker, Seconds(1), MAKER, 1).front());
    device.heard = limits.fewest;
    test.Expect(gathering.IsGathering(Seconds(1)), "where there are blocks it stays so with fewer");
    test.Expect(!gathering.IsGathering(Seconds(1.1) + limits.heard), "for as long as there are");
    --device.heard;
    test.Expect(!gathering.IsGathering(Seconds(1)), "but not with too few");
}

void
AFullBlockGoesAtOnce(FunctionCase& test)
{
    Device device(PUBLISHER);
    device.load = 5;
    Gathering gathering(device.context);
    uint32_t sequence = 0;
    for (; sequence < device.GetLimits().often; ++sequence)
    {
        gathering.Publish(Seconds(1), MakeEvent({SELF, sequence}, "a"));
    }
    for (uint32_t gone = 0; gone < sequence; ++gone)
    {
        gathering.Went({SELF, gone});
    }
    const auto most = static_cast<size_t>(BUDGET * device.GetLimits().part);
    std::vector<EventPtr> events;
    for (auto at = Seconds(1); at < Seconds(2); at += Seconds(1e-3))
    {
        events.push_back(MakeEvent({SELF, sequence++}, "a"));
        const auto until = gathering.Publish(at, events.back());
        if (until == at)
        {
            break;
        }
        test.Expect(until == Seconds(1) + device.GetLimits().gather, "soon after the first");
        test.Expect(PackBlock(events).size() <= most, "it would be full");
        gathering.Went({SELF, 0}); // again: what has gone is repeated meanwhile
    }
    test.Expect(PackBlock(events).size() <= most && gathering.Fit(events) == events, "all fit");
    events.push_back(MakeEvent({SELF, sequence}, "a"));
    test.Expect(PackBlock(events).size() > most, "and no more do");
    test.Expect(gathering.Fit(events).size() == events.size() - 1, "which is left");
    const auto large =
        std::make_shared<const Event>(Event{{SELF, 0}, {{"topic", std::string("a")}}, 2000});
    test.Expect(gathering.Fit({large, large}).size() == 1, "what is alone need not fit");
    events.resize(2);
    const std::vector fresh{events[0], large, events[1]};
    test.Expect(gathering.ChooseBlock(Seconds(1), fresh) == events, "what is long goes as it is");
}

/// What a publisher has said.
struct Said
{
    std::set<EventId> plain;
    std::set<EventId> inBlocks;
    size_t blocks{0};
    size_t repeated{0};
    size_t waiting{0}; //!< events, for others
    size_t sums{0};    //!< of several blocks
};

/// Twenty events a second for some seconds. Nobody answers.
Said
PublishFast(Publisher& publisher, uint32_t count)
{
    Said said;
    auto hearer = MakeSums(5);
    for (uint32_t sequence = 0; sequence <= count; ++sequence)
    {
        const auto now = Seconds(1 + 0.05 * sequence);
        if (sequence < count)
        {
            publisher.Publish(now, MakeEvent({SELF, sequence}, "a"));
        }
        for (const auto& outgoing :
             Listen(publisher,
                    Turn::OWN_EVENTS,
                    now + (sequence < count ? Seconds(0.04) : BlockLimits().gather)))
        {
            if (const auto* mix = std::get_if<BlockMix>(&outgoing.body))
            {
                const auto events = GetIds(hearer.Hear(now, *mix));
                ++(mix->blocks.size() > 1 ? said.sums
                   : events.empty()       ? said.repeated
                                          : said.blocks);
                said.inBlocks.insert(events.begin(), events.end());
            }
            else
            {
                said.plain.merge(GetIds(std::get<Pub>(outgoing.body).events));
            }
        }
    }
    return said;
}

void
AFastPublisherSendsBlocks(FunctionCase& test)
{
    Device device(PUBLISHER);
    device.load = 5;
    Publisher publisher(device.context, {});
    constexpr uint32_t COUNT = 200;
    const auto said = PublishFast(publisher, COUNT);
    test.Expect(said.blocks > 1 && said.blocks < COUNT / 8, "blocks of several events");
    test.Expect(said.repeated > 1, "which go again, as nobody names them");
    test.Expect(said.inBlocks.size() >= COUNT - device.GetLimits().often, "with most events");
    test.Expect(said.sums == 0, "each by itself");
    auto all = said.inBlocks;
    all.insert(said.plain.begin(), said.plain.end());
    test.Expect(all.size() == COUNT, "all events go");
    test.Expect(publisher.CountHeld() == COUNT, "it keeps them");
    auto maker = MakeSums(7);
    const auto mix = maker.MakeBlock(Seconds(12), MAKER, MakeNews(SELF, 0, 9));
    publisher.Receive(Seconds(12), MakeFrame(NEIGHBOUR, mix), 1);
    test.Expect(publisher.CountHeld() == COUNT, "also when it hears a sum");
    auto state = mix;
    state.state = State{BROKER, 0, MakePart(MakeSummary(SELF, {0, 150})), {}, {}, {}, {}};
    publisher.Receive(Seconds(12), MakeFrame(NEIGHBOUR, state), 1);
    test.Expect(publisher.CountHeld() == COUNT - 150 && !publisher.Holds({SELF, 149}),
                "until a STATE names them");
    std::set<EventId> repeated;
    for (const auto& outgoing : Listen(publisher, Turn::OWN_EVENTS, Seconds(60)))
    {
        const auto* pub = std::get_if<Pub>(&outgoing.body);
        repeated.merge(pub ? GetIds(pub->events) : std::set<EventId>());
    }
    test.Expect(repeated.size() == COUNT - 150 && *repeated.begin() == EventId{SELF, 150},
                "it repeats the others as they are");
}

/// Twenty events a second are published on a broker.
Said
PublishOnABroker(BrokerPolicies policies, double load, bool isScoped = false)
{
    Device device(BROKER | PUBLISHER);
    device.load = load;
    device.context.options.isScoped = isScoped;
    device.context.options.crowd = 0; // one subscriber is few wherever it is
    Broker broker(device.context, std::move(policies));
    Output output;
    broker.Start(Seconds(0));
    broker.Receive(
        Seconds(0),
        MakeFrame(NEIGHBOUR, Sub{{{NEIGHBOUR, 1, {{Filter::Parse("topic LIKE 'a%'"), 0}}}}}),
        1,
        output);
    auto hearer = MakeSums(5);
    Said said;
    for (uint32_t sequence = 0; sequence <= 200; ++sequence)
    {
        const auto now = Seconds(1 + 0.05 * sequence);
        if (sequence < 200)
        {
            broker.Publish(now, MakeEvent({SELF, sequence}, "a"), output);
            said.waiting += broker.Due(Turn::FORWARDS) > now;
        }
        for (const auto& outgoing :
             Listen(broker,
                    Turn::FORWARDS,
                    now + (sequence < 200 ? Seconds(0.04) : BlockLimits().gather)))
        {
            if (const auto* mix = std::get_if<BlockMix>(&outgoing.body))
            {
                const auto events = GetIds(hearer.Hear(now, *mix));
                ++(events.empty() ? said.repeated : said.blocks);
                said.inBlocks.insert(events.begin(), events.end());
            }
        }
    }
    return said;
}

void
AFastPublisherOnABrokerSendsBlocks(FunctionCase& test)
{
    const auto said = PublishOnABroker({}, 5);
    const BlockLimits limits;
    test.Expect(said.inBlocks.size() >= 200 - limits.often, "most events are in blocks");
    test.Expect(said.blocks < said.inBlocks.size() / 6, "of several");
    test.Expect(said.repeated > 0, "its sums have them again");
    test.Expect(PublishOnABroker({}, 1).blocks == 0, "none where it has the channel");
    test.Expect(PublishOnABroker({}, 5, true).blocks == 0, "nor of what one subscriber wants");
    BrokerPolicies forgetful;
    forgetful.queue = std::make_shared<ExpiringQueue>(5);
    const auto its = PublishOnABroker(forgetful, 5);
    test.Expect(said.waiting > 0 && its.waiting == 0, "where events are soon given up each goes");
    test.Expect(its.blocks == 0, "as it is");
}

constexpr std::array<NodeId, 3> MANY{60, 61, 62};

/// More than a few want the events of topic a.
void
SubscribeMany(Broker& broker)
{
    Output output;
    for (const auto subscriber : MANY)
    {
        const Word word{subscriber, 1, {{Filter::Parse("topic = 'a'"), 0}}};
        broker.Receive(Seconds(0), MakeFrame(subscriber, Sub{{word}}), 1, output);
    }
}

/// They say that they have so many events of this device.
void
AcknowledgeByMany(Broker& broker, Instant now, uint32_t events)
{
    Output output;
    for (const auto subscriber : MANY)
    {
        const Hello hello{1, MakePart(MakeSummary(SELF, {0, events}))};
        broker.Receive(now, MakeFrame(subscriber, hello), 1, output);
    }
}

void
WhatIsForgottenIsGatheredNoMore(FunctionCase& test)
{
    Options options;
    options.forgetAfter = Seconds(0.5);
    Device device(BROKER | PUBLISHER, options);
    device.context.options.isScoped = true;
    device.load = 5;
    device.heard = device.GetLimits().many;
    Broker broker(device.context, {});
    Output output;
    broker.Start(Seconds(0));
    SubscribeMany(broker);
    uint32_t sequence = 0;
    const auto waitsUntil = [&](Instant now) {
        broker.Publish(now, MakeEvent({SELF, sequence++}, "a"), output);
        Listen(broker, Turn::FORWARDS, now);
        return broker.Due(Turn::FORWARDS);
    };
    waitsUntil(Seconds(1));
    test.Expect(waitsUntil(Seconds(1.1)) == Seconds(1.1) + device.GetLimits().gather, "it waits");
    AcknowledgeByMany(broker, Seconds(1.2), 2);
    Listen(broker, Turn::HEARTBEATS, Seconds(20));
    test.Expect(!broker.Holds({SELF, 1}), "whoever wants it has it, and it is forgotten");
    waitsUntil(Seconds(20));
    test.Expect(waitsUntil(Seconds(20.1)) == Seconds(20.1) + device.GetLimits().gather,
                "another block begins by itself");
}

void
WhatIsSettledWaitsForNoBlock(FunctionCase& test)
{
    Device device(BROKER | PUBLISHER);
    device.context.options.isScoped = true;
    device.load = 5;
    device.heard = device.GetLimits().many;
    Broker broker(device.context, {});
    Output output;
    broker.Start(Seconds(0));
    SubscribeMany(broker);
    for (const uint32_t sequence : {0, 1, 2})
    {
        const auto now = Seconds(1 + 0.1 * sequence);
        broker.Publish(now, MakeEvent({SELF, sequence}, "a"), output);
        Listen(broker, Turn::FORWARDS, now);
    }
    const auto due = Seconds(1.1) + device.GetLimits().gather;
    test.Expect(broker.Due(Turn::FORWARDS) == due, "they wait");
    AcknowledgeByMany(broker, Seconds(2), 3);
    test.Expect(Listen(broker, Turn::FORWARDS, due + Seconds(9)).empty(), "until all have them");
    const auto next = due + Seconds(9);
    broker.Publish(next, MakeEvent({SELF, 3}, "a"), output);
    Listen(broker, Turn::FORWARDS, next);
    broker.Publish(next + Seconds(0.1), MakeEvent({SELF, 4}, "a"), output);
    test.Expect(broker.Due(Turn::FORWARDS) == next + Seconds(0.1) + device.GetLimits().gather,
                "another block begins by itself");
}

void
WhatAFewWantWaitsForNoBlock(FunctionCase& test)
{
    Device device(BROKER | PUBLISHER);
    device.context.options.isScoped = true;
    device.context.options.crowd = 0;
    device.load = 5;
    device.heard = device.GetLimits().many;
    Broker broker(device.context, {});
    Output output;
    broker.Start(Seconds(0));
    const Word word{NEIGHBOUR, 1, {{Filter::Parse("topic = 'a'"), 0}}};
    broker.Receive(Seconds(0), MakeFrame(NEIGHBOUR, Sub{{word}}), 1, output);
    for (const uint32_t sequence : {0, 1, 2})
    {
        const auto now = Seconds(1 + 0.1 * sequence);
        broker.Publish(now, MakeEvent({SELF, sequence}, "a"), output);
        std::set<EventId> said;
        for (const auto& outgoing : Listen(broker, Turn::FORWARDS, now + Seconds(0.09)))
        {
            const auto* pub = std::get_if<Pub>(&outgoing.body);
            said.merge(pub ? GetIds(pub->events) : std::set<EventId>());
        }
        test.Expect(said.contains({SELF, sequence}), "it goes at once");
    }
}

void
BlocksFitIntoSmallFrames(FunctionCase& test)
{
    for (const auto roles : {PUBLISHER, static_cast<Role>(BROKER | PUBLISHER)})
    {
        for (const size_t bytes : {76, 90, 114, 127, 136, 200}) // 114: of ns-3's 802.15.4
        {
            Options options;
            options.isScoped = false;
            options.maxFrameBytes = bytes;
            options.limits.mix.load = 1; // any channel is busy
            MeshStation station(SELF, roles, options, MakeUniform(4), {});
            size_t largest = 0;
            size_t blocks = 0;
            const auto tell = [&](Instant now, const Station::Input& input) {
                Output output;
                station.Step(now, input, output);
                while (output.frame)
                {
                    largest = std::max(largest, output.frame->bytes.size());
                    blocks += output.frame->name == GetName(BlockMix());
                    output = {};
                    station.Step(now, input::Transmitted{Instant(1)}, output);
                }
            };
            tell(Seconds(0), input::Started{});
            for (uint32_t sequence = 0; sequence < 300; ++sequence)
            {
                const auto now = Seconds(1 + 0.05 * sequence);
                const auto payload = static_cast<uint16_t>(sequence * 5 % 8);
                const Event event{{SELF, sequence}, {{"t", int64_t{3}}}, payload};
                tell(now, input::Published{std::make_shared<const Event>(event)});
                while (station.NextTimer() && *station.NextTimer() < now + Seconds(0.05))
                {
                    tell(*station.NextTimer(), input::Expired{});
                }
            }
            const auto about = " of " + std::to_string(bytes) + " bytes";
            test.Expect(blocks > 0 && largest <= bytes, "blocks go in frames" + about);
        }
    }
}

void
WhatWentAloneIsGatheredNoMore(FunctionCase& test)
{
    const auto waits = [&test](Speaker& speaker, Turn turn, const auto& publish) {
        for (const auto& [sequence, at] : {std::pair(0U, 1.0), {1U, 1.1}, {2U, 8.0}, {3U, 8.1}})
        {
            Listen(speaker, turn, Seconds(at - 0.05)); // what has waited goes
            publish(Seconds(at), MakeEvent({SELF, sequence}, "a"));
            std::set<EventId> said;
            for (const auto& outgoing : Listen(speaker, turn, Seconds(at)))
            {
                const auto* pub = std::get_if<Pub>(&outgoing.body);
                said.merge(pub ? GetIds(pub->events) : std::set<EventId>());
            }
            test.Expect(said.contains({SELF, sequence}) == (sequence % 2 == 0),
                        "each second one waits for more: " + std::to_string(sequence));
        }
    };
    Device device(PUBLISHER);
    device.load = 5;
    device.heard = device.GetLimits().many;
    Publisher publisher(device.context, {});
    waits(publisher, Turn::OWN_EVENTS, [&](Instant now, const EventPtr& event) {
        publisher.Publish(now, event);
    });
    Broker broker(device.context, {});
    Output output;
    broker.Start(Seconds(0));
    const Word word{NEIGHBOUR, 1, {{Filter::Parse("topic = 'a'"), 0}}};
    broker.Receive(Seconds(0), MakeFrame(NEIGHBOUR, Sub{{word}}), 1, output);
    waits(broker, Turn::FORWARDS, [&](Instant now, const EventPtr& event) {
        broker.Publish(now, event, output);
    });
}

void
OtherPublishersSendNoBlocks(FunctionCase& test)
{
    Device busy(PUBLISHER);
    busy.load = 5;
    Publisher forgetful(busy.context,
                        {std::make_shared<ExpiringQueue>(5), [] { return NodeView(); }});
    const auto said = PublishFast(forgetful, 200);
    test.Expect(said.blocks + said.sums == 0 && said.plain.size() == 200,
                "who soon gives events up does not");
    Device quiet(PUBLISHER);
    Publisher publisher(quiet.context, {});
    test.Expect(PublishFast(publisher, 200).blocks == 0, "nor does who has the channel");
}

/// Others' events make a broker gather: not what goes to one subscriber only.
void
WhatFewWantIsInNoBlock(FunctionCase& test)
{
    for (const uint32_t crowd : {0, 4})
    {
        Options options;
        options.crowd = crowd;
        Device device(BROKER | PUBLISHER, options);
        device.context.options.isScoped = true;
        device.load = 5;
        device.heard = device.GetLimits().many;
        Broker broker(device.context, {});
        Output output;
        broker.Start(Seconds(0));
        const Word word{NEIGHBOUR, 1, {{Filter::Parse("topic = 'a'"), 0}}};
        broker.Receive(Seconds(0), MakeFrame(NEIGHBOUR, Sub{{word}}), 1, output);
        for (const uint32_t sequence : {0, 1, 2})
        {
            broker.Publish(Seconds(1), MakeEvent({SELF, sequence}, "a"), output);
        }
        const auto said = Listen(broker, Turn::FORWARDS, Seconds(9));
        const auto isBlock = [](const Outgoing& outgoing) {
            return std::holds_alternative<BlockMix>(outgoing.body);
        };
        test.Expect(!said.empty() && std::ranges::any_of(said, isBlock) == (crowd > 0),
                    "one subscriber is few without a crowd");
    }
}

void
ABlockHasRoomForSomeEvents(FunctionCase& test)
{
    Options options;
    options.maxFrameBytes = 9000;
    Device device(PUBLISHER, options);
    device.load = 5;
    device.heard = device.GetLimits().many;
    Gathering gathering(device.context);
    std::vector<EventPtr> events;
    for (uint32_t sequence = 0; sequence < 200; ++sequence)
    {
        const Event event{{SELF, sequence}, {{"", int64_t{sequence}}}, 0};
        events.push_back(std::make_shared<const Event>(event));
    }
    const auto block = gathering.Fit(events);
    test.Expect(block.size() == MAX_BLOCK, "as many as its bytes count");
    test.Expect(UnpackBlock(PackBlock(block)).events.size() == MAX_BLOCK, "all come back");
    gathering.Publish(Seconds(1), events[0]);
    test.Expect(gathering.Publish(Seconds(1), events[1]) > Seconds(1),
                "a short one waits for more");
    const Event longest{{SELF, 2}, {}, 3000};
    test.Expect(gathering.Publish(Seconds(1), std::make_shared<const Event>(longest)) == Seconds(1),
                "one of a third of a frame does not");
}

/// Others' events would make blocks of its own.
void
WhoSoonGivesEventsUpSendsNoBlocks(FunctionCase& test)
{
    const auto countBlocks = [](Speaker& speaker, Turn turn) {
        const auto said = Listen(speaker, turn, Seconds(9));
        return std::ranges::count_if(said, [](const Outgoing& outgoing) {
            return std::holds_alternative<BlockMix>(outgoing.body);
        });
    };
    const std::shared_ptr<QueuePolicy> queues[] = {nullptr,
                                                   std::make_shared<ExpiringQueue>(10),
                                                   std::make_shared<ExpiringQueue>(9.9),
                                                   std::make_shared<BoundedQueue>(100, false)};
    for (const auto& queue : queues)
    {
        const auto soon = queue && queue->GetPatienceSeconds() < 10;
        Device device(BROKER | PUBLISHER);
        device.context.options.isScoped = false;
        device.load = 5;
        device.heard = device.GetLimits().many;
        Publisher publisher(device.context, {queue, [] { return NodeView(); }});
        BrokerPolicies policies;
        policies.queue = queue;
        Broker broker(device.context, std::move(policies));
        Output output;
        for (const uint32_t sequence : {0, 1, 2})
        {
            const auto event = MakeEvent({SELF, sequence}, "a");
            publisher.Publish(Seconds(1), event);
            broker.Publish(Seconds(1), event, output);
        }
        test.Expect((countBlocks(publisher, Turn::OWN_EVENTS) == 0) == soon, "a publisher");
        test.Expect((countBlocks(broker, Turn::FORWARDS) == 0) == soon, "a broker");
    }
}

/// A broker that hears blocks, whose neighbour wants their events.
class Hearing
{
  public:
    Hearing()
        : m_device(BROKER),
          broker(m_device.context, {})
    {
        broker.Start(Seconds(0));
        Hear(Seconds(0), NEIGHBOUR, Sub{{{NEIGHBOUR, 1, {{Filter::Parse("topic LIKE 'a%'"), 0}}}}});
    }

    void Hear(Instant now, NodeId from, Body body)
    {
        auto frame = MakeFrame(from, std::move(body));
        frame.header.destination = SELF; // where it is a question
        broker.Receive(now, frame, 1, m_output);
    }

    /// As MeshStation does.
    void HearBlock(Instant now, uint32_t first)
    {
        const auto mix = m_maker.MakeBlock(now, MAKER, MakeNews(MAKER, first, 3));
        auto events = m_device.context.blocks->Hear(now, mix);
        Hear(now, MAKER, mix);
        Hear(now, MAKER, Pub{{}, {}, std::move(events)});
    }

    /// A neighbour has so many events.
    void HearState(Instant now, uint32_t has)
    {
        const auto part = MakePart(MakeSummary(MAKER, {0, has}));
        Hear(now, NEIGHBOUR, Heartbeat{State{BROKER, 0, part, {}, {}, {}, {}}});
    }

  private:
    Device m_device; // the broker refers to it
    BlockSums m_maker{MakeSums(9)};
    Output m_output;

  public:
    Broker broker;
};

void
ABrokerSendsSumsOfBlocks(FunctionCase& test)
{
    Hearing hearing;
    hearing.HearBlock(Seconds(1), 0);
    hearing.HearBlock(Seconds(1), 3);
    test.Expect(hearing.broker.Holds({MAKER, 0}) && hearing.broker.CountHeld() == 6, "it has all");
    auto hearer = MakeSums(3);
    std::set<EventId> heard;
    const auto said = Listen(hearing.broker, Turn::FORWARDS, Seconds(20) + BlockLimits().window);
    for (const auto& outgoing : said)
    {
        const auto* mix = std::get_if<BlockMix>(&outgoing.body);
        test.Expect(mix && mix->hops == 2, "nothing goes as it is");
        heard.merge(mix ? GetIds(hearer.Hear(Seconds(1), *mix)) : std::set<EventId>());
        test.Expect(Encode(MakeFrame(SELF, outgoing.body)).size() <= BUDGET, "in a frame");
    }
    test.Expect(said.size() >= 2 && heard == GetIds(MakeNews(MAKER, 0, 6)), "sums have all");
    test.Expect(hearing.broker.Due(Turn::FORWARDS) == NEVER, "and end");
}

void
SumsRepairWhileBlocksCome(FunctionCase& test)
{
    Hearing hearing;
    const BlockLimits limits;
    hearing.HearBlock(Seconds(1), 0);
    hearing.HearState(Seconds(2), 0);
    test.Expect(Listen(hearing.broker, Turn::REPAIRS, Seconds(9)).empty(),
                "sums of it are on their way");
    const auto later = Seconds(2) + limits.window;
    hearing.HearBlock(later, 3);
    hearing.HearState(later, 0);
    const auto said = Listen(hearing.broker, Turn::REPAIRS, later + Seconds(2));
    const auto* mix = said.empty() ? nullptr : std::get_if<BlockMix>(&said.front().body);
    auto hearer = MakeSums(3);
    test.Expect(said.size() == 1 && mix &&
                    GetIds(hearer.Hear(later, *mix)) == GetIds(MakeNews(MAKER, 0, 3)),
                "one sum, of the older block");
    const auto nack = [&](Instant now) {
        hearing.Hear(now, NEIGHBOUR, Nack{1, 60000, MakePart({})});
        return Listen(hearing.broker, Turn::ANSWERS, now + Seconds(1));
    };
    const auto answer = nack(later);
    test.Expect(!answer.empty() && std::holds_alternative<BlockMix>(answer[0].body) &&
                    answer[0].destination == NEIGHBOUR,
                "so are NACKs answered");

    const auto after = later + Seconds(0.1) + limits.window;
    hearing.HearState(after, 0);
    std::set<EventId> repaired;
    for (const auto& outgoing : Listen(hearing.broker, Turn::REPAIRS, after + Seconds(2)))
    {
        const auto* rep = std::get_if<Rep>(&outgoing.body);
        test.Expect(rep, "where none come events go as they are");
        repaired.merge(rep ? GetIds(rep->events) : std::set<EventId>());
    }
    test.Expect(repaired == GetIds(MakeNews(MAKER, 0, 6)), "all of them");
    const auto last = nack(after);
    test.Expect(!last.empty() && std::holds_alternative<Rep>(last[0].body), "to subscribers too");
}

void
WhatIsInNoBlockIsRepairedBeforeBlocks(FunctionCase& test)
{
    constexpr EventId alone{3, 0};
    Hearing hearing;
    const BlockLimits limits;
    hearing.Hear(Seconds(0.5), alone.publisher, Pub{{}, {}, {{MakeEvent(alone, "a"), 1, {}}}});
    Listen(hearing.broker, Turn::FORWARDS, Seconds(0.9));
    hearing.HearBlock(Seconds(1), 0);
    const auto later = Seconds(2) + limits.window;
    hearing.HearBlock(later, 3);
    const auto expect = [&](const std::vector<Outgoing>& said, const std::string& about) {
        test.Expect(said.size() >= 2, "two frames " + about);
        const auto* rep = said.empty() ? nullptr : std::get_if<Rep>(&said.front().body);
        test.Expect(rep && GetIds(rep->events) == std::set<EventId>{alone},
                    "the event that is in no block comes first " + about);
        test.Expect(std::ranges::all_of(said.begin() + !said.empty(),
                                        said.end(),
                                        [](const auto& outgoing) {
                                            return std::holds_alternative<BlockMix>(outgoing.body);
                                        }),
                    "sums follow " + about);
        return rep ? rep->cover : std::nullopt;
    };
    hearing.HearState(later, 0);
    expect(Listen(hearing.broker, Turn::REPAIRS, later + Seconds(2)), "to a neighbour");
    hearing.Hear(later, NEIGHBOUR, Nack{1, 60000, MakePart({})});
    const auto cover =
        expect(Listen(hearing.broker, Turn::ANSWERS, later + Seconds(1)), "to a NACK");
    test.Expect(cover && !cover->events.GetSummary().Has({MAKER, 0}),
                "it does not say that the subscriber needs no more of the block");
}

void
WeakLinksGetNoSums(FunctionCase& test)
{
    Hearing hearing;
    hearing.HearBlock(Seconds(1), 0);
    const auto later = Seconds(2) + BlockLimits().window;
    hearing.HearBlock(later, 3);
    Summary others;
    for (NodeId publisher = 200; publisher < 216; ++publisher)
    {
        others.Add(publisher, {0, 5});
    }
    const auto makeSmallPart = [&others] {
        EventId from{0, 0};
        return SummaryPart(others, 40, from);
    };
    std::vector<Outgoing> said;
    for (const double after : {0, 5, 10})
    {
        hearing.Hear(later + Seconds(after),
                     NEIGHBOUR,
                     Heartbeat{State{BROKER, 0, makeSmallPart(), {}, {}, {}, {}}});
        said = Listen(hearing.broker, Turn::REPAIRS, later + Seconds(after + 2));
    }
    const auto isSmallRep = [](const Outgoing& outgoing) {
        return std::holds_alternative<Rep>(outgoing.body) &&
               Encode(MakeFrame(SELF, outgoing.body)).size() <= 126;
    };
    test.Expect(!said.empty() && std::ranges::all_of(said, isSmallRep),
                "who says small STATEs alone gets events as they are");
    hearing.Hear(later + Seconds(11), NEIGHBOUR, Nack{1, 60000, makeSmallPart()});
    said = Listen(hearing.broker, Turn::ANSWERS, later + Seconds(12));
    test.Expect(!said.empty() && std::ranges::all_of(said, isSmallRep),
                "as who asks by small NACKs");
}

void
WhoeverSendsABlockNeedNotHaveAnother(FunctionCase& test)
{
    Options options;
    options.crowd = 0; // one subscriber is few wherever it is
    MeshStation station(SELF, BROKER, options, MakeUniform(4), {});
    Output output;
    station.Step(Seconds(0), input::Started{}, output);
    uint8_t number = 0;
    const auto hear = [&](NodeId from, const Body& body, double at) {
        output = {};
        const auto bytes = Encode({{from, NO_NODE, 0, 1, ++number}, body});
        station.Step(Seconds(at), input::Heard{bytes, -60}, output);
    };
    const Word word{NEIGHBOUR, 1, {{Filter::Parse("topic LIKE 'a%'"), 100000}}};
    hear(NEIGHBOUR, Sub{{word}}, 0.1);
    auto first = MakeSums(1);
    auto second = MakeSums(2);
    auto relay = MakeSums(3);
    const auto its = first.MakeBlock(Seconds(1), NEIGHBOUR, MakeNews(NEIGHBOUR, 0, 3));
    relay.Hear(Seconds(1), its);
    relay.Hear(Seconds(1), second.MakeBlock(Seconds(1), OTHER, MakeNews(OTHER, 0, 3)));
    hear(60, relay.MakeSum(Seconds(1), BUDGET).value(), 1.0);
    hear(NEIGHBOUR, its, 1.1);
    const auto* broker = station.GetBroker();
    test.Expect(broker->Holds({OTHER, 0}) && broker->IsSettled({NEIGHBOUR, 0}),
                "both blocks are solved, and the sender has its own");
    test.Expect(!broker->IsSettled({OTHER, 0}), "it still wants the other");
}

void
ASumThatSaysNothingDoesNotStopABroker(FunctionCase& test)
{
    MeshStation station(SELF, BROKER, {}, MakeUniform(4), {});
    const auto tell = [&station](Instant now, const Station::Input& input) {
        Output output;
        station.Step(now, input, output);
        while (output.frame)
        {
            output = {};
            station.Step(now, input::Transmitted{Instant(0)}, output); // a very fast channel
        }
    };
    tell(Seconds(0), input::Started{});
    const BlockMix mix{{}, 1, {{OTHER, 9}}, {1}, Bytes(50, 3)};
    const auto bytes = Encode({{NEIGHBOUR, NO_NODE, 0, 1, 1}, mix});
    tell(Seconds(0.001), input::Heard{bytes, -60}); // before it has sent anything
    auto now = Seconds(0.001);
    for (int time = 0; time < 100 && station.NextTimer(); ++time)
    {
        now = *station.NextTimer();
        tell(now, input::Expired{});
    }
    test.Expect(now > Seconds(0.05), "its time goes on, by a millisecond at least");
}

void
AStationHearsWhatSumsOfBlocksSay(FunctionCase& test)
{
    MeshStation station(SELF, SUBSCRIBER, {}, [] { return 0.5; }, {});
    Output output;
    station.Step(Seconds(0), input::Started{}, output);
    station.Step(Seconds(0), input::Subscribed{Filter::Parse("topic LIKE 'a%'")}, output);
    auto maker = MakeSums(1);
    const auto blocks = MakeBlocks(maker, Seconds(1), MAKER, 2);
    const auto hear = [&](uint8_t number, const Body& body) {
        output = {};
        const auto bytes = Encode({{NEIGHBOUR, NO_NODE, 0, 1, number}, body});
        station.Step(Seconds(1), input::Heard{bytes, -60}, output);
        return output.deliveries.size();
    };
    test.Expect(hear(1, maker.MakeSum(Seconds(1), BUDGET).value()) == 0, "a sum of two blocks");
    test.Expect(hear(2, blocks[1]) == 6, "and one of them are both");
    test.Expect(hear(3, blocks[0]) == 0, "which come once");
}

void
AStationCountsWhatItHears(FunctionCase& test)
{
    Options options;
    options.limits.mix.load = 1; // any channel is busy
    options.limits.block.many = 10;
    options.limits.block.fewest = 2;
    const auto gathersAfter = [&options](const std::vector<Body>& bodies) {
        MeshStation station(SELF, PUBLISHER, options, [] { return 0.5; }, {});
        Output output;
        station.Step(Seconds(0), input::Started{}, output);
        station.Step(Seconds(1), input::Published{MakeEvent({SELF, 0}, "a")}, output);
        station.Step(Seconds(1), input::Transmitted{Seconds(0.001)}, output);
        uint8_t number = 0;
        for (const auto& body : bodies)
        {
            const auto bytes = Encode({{NEIGHBOUR, NO_NODE, 0, 1, ++number}, body});
            station.Step(Seconds(1.1), input::Heard{bytes, -60}, output);
        }
        output = {};
        station.Step(Seconds(1.2), input::Published{MakeEvent({SELF, 1}, "a")}, output);
        return !output.frame;
    };
    std::vector<Body> pubs;
    for (uint32_t sequence = 0; sequence < 7; ++sequence)
    {
        pubs.push_back(Pub{{}, {}, {{MakeEvent({MAKER, sequence}, "a"), 1, {}}}});
    }
    test.Expect(!gathersAfter(pubs), "with its own it has heard nine");
    pubs.push_back(Pub{{}, {}, {{MakeEvent({MAKER, 7}, "a"), 1, {}}}});
    test.Expect(gathersAfter(pubs), "ten events are many");
    auto maker = MakeSums(1);
    MakeBlocks(maker, Seconds(1), MAKER, 2);
    test.Expect(gathersAfter({maker.MakeSum(Seconds(1), BUDGET).value()}),
                "two blocks that it does not know are two events");
}

class MeshBlockSendersSuite : public ns3::TestSuite
{
  public:
    MeshBlockSendersSuite()
        : TestSuite("mftpubsub-mesh-block-senders", Type::UNIT)
    {
        Add("A broker sends sums while there is news", ABrokerSendsSumsWhileThereIsNews);
        Add("Only fast publishers gather", OnlyFastPublishersGather);
        Add("Events of others make publishers gather", EventsOfOthersMakePublishersGather);
        Add("A full block goes at once", AFullBlockGoesAtOnce);
        Add("A fast publisher sends blocks", AFastPublisherSendsBlocks);
        Add("A fast publisher on a broker sends blocks", AFastPublisherOnABrokerSendsBlocks);
        Add("What is forgotten is gathered no more", WhatIsForgottenIsGatheredNoMore);
        Add("What is settled waits for no block", WhatIsSettledWaitsForNoBlock);
        Add("What a few want waits for no block", WhatAFewWantWaitsForNoBlock);
        Add("Blocks fit into small frames", BlocksFitIntoSmallFrames);
        Add("What went alone is gathered no more", WhatWentAloneIsGatheredNoMore);
        Add("Other publishers send no blocks", OtherPublishersSendNoBlocks);
        Add("What few want is in no block", WhatFewWantIsInNoBlock);
        Add("A block has room for some events", ABlockHasRoomForSomeEvents);
        Add("Who soon gives events up sends no blocks", WhoSoonGivesEventsUpSendsNoBlocks);
        Add("A broker sends sums of blocks", ABrokerSendsSumsOfBlocks);
        Add("Sums repair while blocks come", SumsRepairWhileBlocksCome);
        Add("What is in no block is repaired before blocks", WhatIsInNoBlockIsRepairedBeforeBlocks);
        Add("Weak links get no sums", WeakLinksGetNoSums);
        Add("Whoever sends a block need not have another", WhoeverSendsABlockNeedNotHaveAnother);
        Add("A sum that says nothing does not stop a broker",
            ASumThatSaysNothingDoesNotStopABroker);
        Add("A station hears what sums of blocks say", AStationHearsWhatSumsOfBlocksSay);
        Add("A station counts what it hears", AStationCountsWhatItHears);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

MeshBlockSendersSuite g_meshBlockSenders;

} // namespace

} // namespace mftpubsub::mesh::mesh_block_senders_test
