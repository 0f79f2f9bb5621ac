/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Nodes on datagrams: what is refused, what outlives the process, and that events arrive in spite
 * of losses. No sockets: datagrams go from node to node by hand.
 */
#include "content/content-codec.h"
#include "function-case.h"
#include "live/datagram.h"
#include "live/hex.h"
#include "live/node-trace.h"
#include "live/node.h"
#include "live/sha256.h"
#include "live/store.h"

#include "ns3/test.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace mftpubsub::live::live_test
{

using mesh::Seconds;

namespace
{

const Bytes KEY{1, 2, 3};

std::span<const uint8_t>
AsBytes(std::string_view text)
{
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

void
Hashes(FunctionCase& test)
{
    // FIPS 180-4's examples and RFC 4231's test cases 2 and 6
    test.Expect(ToHex(Sha256({AsBytes("abc")})) ==
                    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                "one block");
    const std::string two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    const auto whole = ToHex(Sha256({AsBytes(two)}));
    test.Expect(whole == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
                "two blocks");
    const std::string_view view(two);
    test.Expect(ToHex(Sha256({AsBytes(view.substr(0, 13)), AsBytes(view.substr(13))})) == whole,
                "in parts");
    test.Expect(ToHex(Hmac(AsBytes("Jefe"), {AsBytes("what do ya want for nothing?")})) ==
                    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
                "a short key");
    const Bytes longKey(131, 0xaa);
    test.Expect(
        ToHex(Hmac(longKey, {AsBytes("Test Using Larger Than Block-Size Key - Hash Key First")})) ==
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        "a long key");
}

Refusal
GetRefusal(const Framing& framing, std::span<const uint8_t> datagram)
{
    return std::get<Refusal>(framing.Open(datagram));
}

void
Datagrams(FunctionCase& test)
{
    const Framing open("site", {});
    const Framing locked("site", KEY);
    const Bytes frame{7, 8, 9};
    const Envelope envelope{258, 1ULL << 40, 70000};
    const auto datagram = locked.Seal(envelope, frame);
    test.Expect(datagram.size() == frame.size() + Framing::OVERHEAD, "as much around as told");
    const auto opened = std::get<Opened>(locked.Open(datagram));
    test.Expect(opened.envelope == envelope, "who has sent it");
    test.Expect(Bytes(opened.frame.begin(), opened.frame.end()) == frame, "what it carries");
    test.Expect(GetRefusal(open, datagram) == Refusal::LOCKED, "without the key");
    test.Expect(GetRefusal(locked, open.Seal(envelope, frame)) == Refusal::UNSIGNED, "no key");
    test.Expect(GetRefusal(Framing("site", {4}), datagram) == Refusal::DAMAGED, "another key");
    test.Expect(GetRefusal(Framing("other", KEY), datagram) == Refusal::OTHER_NETWORK, "network");
    test.Expect(GetRefusal(open, open.Seal({NO_NODE}, frame)) == Refusal::DAMAGED, "of nobody");
    test.Expect(GetRefusal(locked, {}) == Refusal::STRANGER, "nothing");
    test.Expect(GetRefusal(locked, frame) == Refusal::STRANGER, "something else");
    for (size_t at = 0; at < datagram.size(); ++at)
    {
        for (const uint8_t bit : {1, 128})
        {
            auto damaged = datagram;
            damaged[at] ^= bit;
            test.Expect(std::holds_alternative<Refusal>(locked.Open(damaged)), "a bit is wrong");
        }
    }
    for (size_t size = 0; size < datagram.size(); ++size)
    {
        const auto cut = std::span(datagram).first(size);
        test.Expect(std::holds_alternative<Refusal>(locked.Open(cut)), "it ends too early");
    }
}

void
Repetitions(FunctionCase& test)
{
    HeardDatagrams heard(true);
    test.Expect(heard.Take({1, 5, 10}), "the first");
    test.Expect(!heard.Take({1, 5, 10}), "the same");
    test.Expect(heard.Take({1, 5, 12}) && heard.Take({1, 5, 11}), "out of order");
    test.Expect(!heard.Take({1, 5, 11}) && !heard.Take({1, 5, 12}), "each once");
    test.Expect(heard.Take({1, 5, 100}), "far ahead");
    test.Expect(heard.Take({1, 5, 37}) && !heard.Take({1, 5, 36}), "too old to be known");
    test.Expect(heard.Take({2, 1, 10}), "another sender");
    test.Expect(heard.Take({1, 6, 0}), "a later life");
    test.Expect(!heard.Take({1, 5, 101}), "its former life is over");
    HeardDatagrams restarted(true);
    for (const auto& latest : heard.GetLatest())
    {
        restarted.Remember(latest);
    }
    test.Expect(!restarted.Take({1, 6, 0}) && restarted.Take({1, 6, 1}), "remembered");
    const auto later = heard.FindLater({1, 5, 101});
    test.Expect(later && later->node == 1 && later->life == 6, "it can be told");
    test.Expect(!heard.FindLater({1, 6, 0}) && !heard.FindLater({3, 0, 0}), "others cannot");
    OwnDatagrams own(7, 100, UINT32_MAX - 1);
    test.Expect(own.Next() == Envelope{7, 100, UINT32_MAX - 1}, "the last of a life");
    test.Expect(own.Next() == Envelope{7, 101, 0}, "no number twice");
    test.Expect(own.Has({7, 100, 3}) && !own.Has({7, 99, 3}) && !own.Has({8, 101, 0}), "its own");
    HeardDatagrams lenient(false);
    test.Expect(lenient.Take({1, 5, 10}) && lenient.Take({1, 4, 0}), "a clock has gone back");
}

/// A folder that goes with it.
class Folder
{
  public:
    Folder()
    {
        std::string pattern = std::filesystem::temp_directory_path() / "mftpubsub-live-XXXXXX";
        m_path = mkdtemp(pattern.data());
    }

    ~Folder()
    {
        std::filesystem::remove_all(m_path);
    }

    std::string operator/(const std::string& name) const
    {
        return m_path / name;
    }

  private:
    std::filesystem::path m_path;
};

/// Nodes that hear each other, but for what is lost.
class Site
{
  public:
    struct Place
    {
        Settings settings;
        std::unique_ptr<Node> node;
        std::vector<EventId> got;
    };

    /// Adds a node, or restarts it: as its process would, without its end.
    Place& Start(Settings settings)
    {
        auto& place = m_places[settings.id];
        place.settings = settings;
        place.node.reset();
        place.node = std::make_unique<Node>(
            settings,
            nullptr,
            [this](std::span<const uint8_t> datagram) {
                m_onAir.emplace_back(datagram.begin(), datagram.end());
                return true;
            },
            Clocks{std::chrono::hours(24 * 365) + m_now + m_ahead, m_boot, m_now});
        m_started[settings.id] = m_now;
        place.node->Start(Instant(0));
        return place;
    }

    void Kill(NodeId id)
    {
        m_places.erase(id);
    }

    /// Nodes that start from now on have a clock that was set, after a boot of the machine or not.
    void SetClock(UnixTime ahead, bool boots)
    {
        m_ahead = ahead;
        m_boot += boots ? "again" : "";
    }

    /// What was sent, and did not arrive yet; what is put there arrives.
    std::deque<Bytes>& OnAir()
    {
        return m_onAir;
    }

    Instant Since(NodeId id) const
    {
        return m_now - m_started.at(id);
    }

    /// Carries datagrams and lets timers expire for @p span. @param loss of receptions
    void Run(Instant span, double loss = 0)
    {
        for (const auto end = m_now + span; m_now < end; m_now += Seconds(0.001))
        {
            auto datagrams = std::exchange(m_onAir, {});
            for (const auto& datagram : datagrams)
            {
                for (auto& [id, place] : m_places)
                {
                    if (std::generate_canonical<double, 32>(m_random) >= loss)
                    {
                        place.node->Hear(Since(id), datagram);
                    }
                }
            }
            for (auto& [id, place] : m_places)
            {
                if (place.node->NextTimer().value_or(Instant::max()) <= Since(id))
                {
                    place.node->Expire(Since(id));
                }
                while (const auto event = place.node->Take())
                {
                    place.got.push_back(event->id);
                }
            }
        }
    }

    uint32_t Publish(NodeId id, int64_t temp, const Bytes& payload = {})
    {
        Event event;
        event.attributes.emplace_back("temp", temp);
        event.SetPayload(payload);
        return m_places.at(id).node->Publish(Since(id), std::move(event));
    }

    Place& At(NodeId id)
    {
        return m_places.at(id);
    }

    void Subscribe(NodeId id, const std::string& filter)
    {
        At(id).node->Subscribe(Since(id), Filter::Parse(filter));
    }

  private:
    std::map<NodeId, Place> m_places;
    std::map<NodeId, Instant> m_started;
    std::deque<Bytes> m_onAir;
    std::mt19937_64 m_random{7};
    Instant m_now{0};
    UnixTime m_ahead{0};
    std::string m_boot{"boot"};
};

Settings
MakeSettings(NodeId id, uint8_t roles, const std::string& store = "")
{
    Settings settings;
    settings.id = id;
    settings.roles = roles;
    settings.network = "test";
    settings.store = store;
    return settings;
}

void
Exchange(FunctionCase& test)
{
    Site site;
    site.Start(MakeSettings(0, mesh::PUBLISHER));
    site.Start(MakeSettings(1, mesh::BROKER));
    site.Start(MakeSettings(2, mesh::BROKER));
    site.Start(MakeSettings(3, mesh::SUBSCRIBER));
    site.Subscribe(3, "temp > 20");
    site.Run(Seconds(3), 0.3);
    for (int64_t temp = 0; temp < 42; ++temp)
    {
        site.Publish(0, temp, Bytes{1, 2, 3});
        site.Run(Seconds(0.1), 0.3);
    }
    site.Run(Seconds(30), 0.3);
    const auto& got = site.At(3).got;
    test.Expect(got.size() == 21, "what it wants, in spite of losses");
    test.Expect(std::set<EventId>(got.begin(), got.end()).size() == 21, "each once");
    test.Expect(site.At(3).node->GetCounters()["delivered"] == 21, "and counted");
}

void
WithoutTheKey(FunctionCase& test)
{
    Site site;
    auto inside = MakeSettings(0, mesh::BROKER | mesh::SUBSCRIBER);
    inside.keyHex = ToHex(KEY);
    site.Start(inside);
    inside.id = 1;
    site.Start(inside);
    site.Start(MakeSettings(2, mesh::BROKER | mesh::SUBSCRIBER));
    auto wrong = MakeSettings(3, mesh::BROKER | mesh::SUBSCRIBER);
    wrong.keyHex = "00";
    site.Start(wrong);
    for (const NodeId id : {0, 1, 2, 3})
    {
        site.Subscribe(id, "temp > 0");
    }
    site.Run(Seconds(3));
    for (const NodeId id : {0, 2, 3})
    {
        site.Publish(id, 1);
    }
    site.Run(Seconds(20));
    test.Expect(site.At(1).got == std::vector<EventId>{{0, 0}}, "inside");
    test.Expect(site.At(0).got == std::vector<EventId>{{0, 0}}, "nothing comes in");
    test.Expect(site.At(2).got == std::vector<EventId>{{2, 0}}, "nothing comes out");
    test.Expect(site.At(3).got == std::vector<EventId>{{3, 0}}, "nor with another key");
    test.Expect(site.At(0).node->GetCounters()["unsigned"] > 0, "counted");
    test.Expect(site.At(2).node->GetCounters()["locked"] > 0, "and there");
}

void
DuplicateIds(FunctionCase& test)
{
    Site one;
    Bytes datagram;
    Node other(
        MakeSettings(1, mesh::BROKER),
        nullptr,
        [&datagram](std::span<const uint8_t> sent) {
            datagram.assign(sent.begin(), sent.end());
            return true;
        },
        Clocks{UnixTime(5)});
    other.Start(Instant(0));
    other.Expire(Seconds(2));
    auto& node = *one.Start(MakeSettings(1, mesh::BROKER)).node;
    node.Hear(Seconds(1), datagram);
    test.Expect(node.GetCounters()["duplicate_ids"] == 1, "somebody else has its id");
    other.Hear(Seconds(3), datagram);
    test.Expect(!other.GetCounters().contains("duplicate_ids"), "one's own datagram comes back");
}

void
Restarts(FunctionCase& test)
{
    const Folder folder;
    Site site;
    const auto all = mesh::BROKER | mesh::SUBSCRIBER | mesh::PUBLISHER;
    const auto settings = MakeSettings(0, all, folder / "0");
    site.Start(settings);
    site.Start(MakeSettings(1, all, folder / "1"));
    site.Subscribe(0, "temp > 0");
    site.Subscribe(1, "temp > 0");
    site.Run(Seconds(3));
    test.Expect(site.Publish(0, 1) == 0 && site.Publish(0, 2) == 1, "counted from 0");
    site.Run(Seconds(3));
    test.Expect(site.At(1).got.size() == 2, "received");
    site.Kill(0);
    site.Run(Seconds(1));
    site.Start(settings);
    test.Expect(site.At(0).node->GetFilters() == std::vector<std::string>{"temp > 0"}, "filters");
    site.Publish(1, 3);
    site.Run(Seconds(10));
    test.Expect(site.At(0).got == std::vector<EventId>{{1, 0}}, "new events only, unasked");
    const auto sequence = site.Publish(0, 4);
    test.Expect(sequence > 1, "no number twice");
    site.Run(Seconds(10));
    test.Expect(site.At(1).got.back() == EventId{0, sequence}, "others take it for new");
    test.Expect(site.At(1).got.size() == 4, "and nothing twice");
    site.At(0).node->Stop(site.Since(0), true);
    site.Kill(0);
    site.Start(settings);
    test.Expect(site.Publish(0, 5) == sequence + 1, "an orderly end wastes no number");
}

/// The only broker between two nodes that do not hear each other is killed with what it alone has.
void
KilledInBetween(FunctionCase& test)
{
    const Folder folder;
    Site site;
    const auto between = MakeSettings(1, mesh::BROKER, folder / "1");
    site.Start(MakeSettings(0, mesh::PUBLISHER)).node->GetEther().reach = {1};
    site.Start(between);
    site.Start(MakeSettings(2, mesh::SUBSCRIBER)).node->GetEther().reach = {1};
    site.Subscribe(2, "temp > 0");
    site.Run(Seconds(5));
    site.At(2).node->GetEther().reach.emplace();
    site.Publish(0, 1);
    site.Publish(0, 2);
    site.Run(Seconds(5));
    test.Expect(site.At(2).got.empty(), "out of reach");
    site.Kill(1);
    site.Start(between);
    site.Kill(1);
    site.Start(between);
    site.At(2).node->GetEther().reach = {1};
    site.Run(Seconds(30));
    test.Expect(site.At(2).got == std::vector<EventId>{{0, 0}, {0, 1}}, "none was lost");
    site.Kill(1);
    Store store(between.store, 1);
    const auto& kept = store.GetMemory().recent;
    test.Expect(kept.size() == 2 && kept[0].second->id < kept[1].second->id,
                "restarts neither repeat what is stored nor change its order");
}

/// A broker of the tree is back, beside one that knows nobody, before it hears one that does.
void
BackOnTheTree(FunctionCase& test)
{
    const Folder folder;
    Site site;
    const auto start = [&site, &folder](NodeId id, uint8_t roles, std::set<NodeId> reach) {
        auto settings = MakeSettings(id, roles, folder / std::to_string(id));
        settings.protocol = "mft-pubsub-r";
        site.Start(settings).node->GetEther().reach = std::move(reach);
    };
    start(1, mesh::BROKER, {3});
    start(3, mesh::BROKER, {1, 4});
    start(4, mesh::SUBSCRIBER, {3});
    site.Subscribe(4, "temp > 0");
    site.Run(Seconds(20));
    site.Kill(1);
    site.At(3).node->GetEther().reach = {4};
    start(2, mesh::BROKER, {1});
    start(1, mesh::BROKER, {2});
    site.Run(Seconds(10));
    site.Publish(1, 1);
    site.Run(Seconds(5));
    test.Expect(site.At(4).got.empty(), "out of reach");
    site.At(1).node->GetEther().reach = {2, 3};
    site.At(3).node->GetEther().reach = {1, 4};
    site.Run(Seconds(30));
    test.Expect(site.At(4).got.size() == 1, "it asks whoever comes whom the event is for");
}

/// A subscriber of the tree says many words as it moves between brokers, and is killed.
void
MovesAndIsKilled(FunctionCase& test)
{
    for (const bool hasStore : {true, false})
    {
        const Folder folder;
        Site site;
        const auto start = [&](NodeId id, uint8_t roles, std::set<NodeId> reach) {
            const bool isStored = hasStore || roles != mesh::SUBSCRIBER;
            auto settings =
                MakeSettings(id, roles, isStored ? folder / std::to_string(id) : std::string());
            settings.protocol = "mft-pubsub-r";
            site.Start(settings).node->GetEther().reach = std::move(reach);
        };
        start(1, mesh::BROKER, {2, 3});
        start(2, mesh::BROKER, {1, 3});
        start(3, mesh::SUBSCRIBER, {1});
        site.Subscribe(3, "temp > 0");
        site.Run(Seconds(10));
        for (const NodeId broker : {2, 1, 2, 1})
        {
            site.At(3).node->GetEther().reach = {broker};
            site.Run(Seconds(10));
        }
        site.Kill(3);
        start(3, mesh::SUBSCRIBER, {2});
        if (!hasStore)
        {
            site.Subscribe(3, "temp > 0");
        }
        site.Run(Seconds(10));
        site.Publish(1, 1);
        site.Run(Seconds(10));
        test.Expect(site.At(3).got.size() == 1, "brokers do not take its new words for old ones");
    }
}

/// A subscriber gets soon what only nodes have that were killed, whoever was.
void
SoonAfterRestarts(FunctionCase& test)
{
    for (const auto& killed : std::vector<std::set<NodeId>>{{1}, {0, 1}, {1, 2}, {0, 1, 2}})
    {
        const Folder folder;
        Site site;
        std::vector<Settings> settings{
            MakeSettings(0, mesh::PUBLISHER, folder / "0"),
            MakeSettings(1, mesh::BROKER, folder / "1"),
            MakeSettings(2, mesh::BROKER | mesh::SUBSCRIBER, folder / "2")};
        const std::vector<std::set<NodeId>> reach{{1}, {0, 2}, {1}};
        const auto start = [&](NodeId id) {
            site.Start(settings[id]).node->GetEther().reach = reach[id];
        };
        for (const NodeId id : {0, 1, 2})
        {
            start(id);
        }
        site.Subscribe(2, "temp > 0");
        site.Run(Seconds(5));
        site.At(2).node->GetEther().reach.emplace();
        site.At(1).node->GetEther().reach = {0};
        for (int64_t temp = 1; temp <= 300; ++temp)
        {
            site.Publish(0, temp);
            site.Run(Seconds(0.02));
        }
        site.Run(Seconds(5));
        for (const auto id : killed)
        {
            site.Kill(id);
        }
        for (const auto id : killed)
        {
            start(id);
        }
        site.At(1).node->GetEther().reach = reach[1];
        site.At(2).node->GetEther().reach = reach[2];
        double seconds = 0;
        for (; seconds < 100 && site.At(2).got.size() < 300; ++seconds)
        {
            site.Run(Seconds(1));
        }
        test.Expect(seconds < 10, "in simulated time, killed " + std::to_string(killed.size()));
    }
}

/// What others have is not said again, so that a node that is killed over and over gets on.
void
KilledOverAndOver(FunctionCase& test)
{
    for (const auto* protocol : {"mft-mesh", "mpl", "epidemic"})
    {
        const Folder folder;
        Site site;
        auto publisher = MakeSettings(0, mesh::PUBLISHER, folder / "0");
        auto broker = MakeSettings(1, mesh::BROKER, folder / "1");
        publisher.protocol = broker.protocol = protocol;
        site.Start(broker);
        site.Start(publisher);
        for (int64_t temp = 0; temp < 500; ++temp)
        {
            site.Publish(0, temp);
            site.Run(Seconds(0.1));
        }
        for (uint64_t time = 1; time <= 5; ++time)
        {
            site.Kill(0);
            site.Start(publisher);
            site.Publish(0, 1);
            site.Run(Seconds(3));
            const auto what = std::string(protocol) + ", restart " + std::to_string(time);
            test.Expect(site.At(1).node->GetCounters()["held"] == 500 + time, what + ": the new");
            test.Expect(site.At(0).node->GetCounters()["sent"] < 50, what + ": not the old");
        }
        site.Kill(1);
        site.Start(broker);
        site.Run(Seconds(10));
        test.Expect(site.At(1).node->GetCounters()["sent"] < 50, "nor does a broker repeat them");
        test.Expect(site.At(1).node->GetCounters()["held"] == 505, "but has them");
    }
}

/// Nodes restart with clocks that were set, or only the subscriber does. What it has not got
/// arrives, once.
void
SetClock(FunctionCase& test, UnixTime ahead, bool boots, bool isAlone)
{
    const auto what = " (" + std::to_string(ahead / std::chrono::hours(1)) + " h ahead, " +
                      (boots ? "another" : "the same") + " boot of " + (isAlone ? "one)" : "all)");
    const Folder folder;
    Site site;
    std::vector<Settings> settings{MakeSettings(0, mesh::PUBLISHER, folder / "0"),
                                   MakeSettings(1, mesh::BROKER, folder / "1"),
                                   MakeSettings(2, mesh::SUBSCRIBER, folder / "2")};
    for (auto& each : settings)
    {
        each.keyHex = ToHex(KEY);
        site.Start(each);
    }
    site.Subscribe(2, "temp > 0");
    site.Run(Seconds(5));
    site.Publish(0, 1);
    site.Run(Seconds(5));
    site.Kill(2); // it hears nothing of what follows
    site.Publish(0, 2);
    site.Run(Seconds(5));
    if (!isAlone)
    {
        site.Kill(1);
    }
    site.Publish(0, 3); // nobody else has it
    site.Run(Seconds(1));
    if (!isAlone)
    {
        site.Kill(0);
    }
    site.Run(Seconds(60));
    site.SetClock(ahead, boots);
    for (NodeId id = isAlone ? 2 : 0; id <= 2; ++id)
    {
        site.Start(settings[id]);
    }
    site.Run(Seconds(30));
    site.Publish(0, 4);
    site.Run(Seconds(30));
    auto got = site.At(2).got;
    std::ranges::sort(got);
    test.Expect(got.size() == 3, "all that it had not got" + what);
    test.Expect(std::ranges::adjacent_find(got) == got.end(), "each once" + what);
}

void
SetClocks(FunctionCase& test)
{
    using std::chrono::hours;
    for (const auto ahead : {UnixTime(0), UnixTime(hours(1)), UnixTime(hours(-24))})
    {
        for (const bool boots : {false, true})
        {
            SetClock(test, ahead, boots, false);
            SetClock(test, ahead, boots, true);
        }
    }
}

/// Its peers know a later life of it, and refuse former ones.
void
BackWithoutAStore(FunctionCase& test)
{
    Site site;
    auto publisher = MakeSettings(0, mesh::PUBLISHER);
    auto other = MakeSettings(1, mesh::BROKER | mesh::SUBSCRIBER);
    publisher.keyHex = other.keyHex = ToHex(KEY);
    site.Start(publisher);
    site.Start(other);
    site.Subscribe(1, "temp > 0");
    site.Run(Seconds(1));
    site.Publish(0, 1);
    site.Publish(0, 2);
    const auto old = site.OnAir();
    site.Run(Seconds(5));
    test.Expect(site.At(1).got.size() == 2, "received");
    site.Kill(0);
    site.SetClock(std::chrono::hours(-24), true);
    site.Start(publisher);
    for (int64_t temp = 1; temp <= 4; ++temp)
    {
        site.Publish(0, temp); // it counts from 0: two are old to others
    }
    site.Run(Seconds(10));
    test.Expect(site.At(1).got.size() == 4, "its peers listen to it again");
    test.Expect(site.At(0).node->GetCounters()["lives_corrected"] == 1, "told once");
    test.Expect(site.At(0).node->GetCounters()["duplicate_ids"] == 0, "nobody else has its id");
    const auto sent = site.At(1).node->GetCounters()["repeated"];
    size_t answers = 0;
    for (int n = 0; n < 1000; ++n)
    {
        site.OnAir().insert(site.OnAir().end(), old.begin(), old.end());
        site.Run(Seconds(0.001));
        answers += site.OnAir().size();
    }
    test.Expect(site.At(1).node->GetCounters()["repeated"] - sent >= 1000,
                "what is old is refused");
    test.Expect(site.At(1).got.size() == 4, "and brings nothing");
    test.Expect(answers < 30, "nor a storm of answers: " + std::to_string(answers));
    test.Expect(site.At(0).node->GetCounters()["lives_corrected"] == 1, "nor another life");
}

/// Datagrams of before come once more when the node has restarted.
void
HeardInAFormerLife(FunctionCase& test)
{
    const Folder folder;
    Site site;
    auto publisher = MakeSettings(0, mesh::PUBLISHER);
    auto other = MakeSettings(1, mesh::BROKER, folder / "1");
    publisher.keyHex = other.keyHex = ToHex(KEY);
    site.Start(publisher);
    site.Start(other);
    site.Run(Seconds(1));
    site.Publish(0, 1);
    const auto old = site.OnAir();
    site.Run(Seconds(1));
    site.Kill(0);
    site.At(1).node->Stop(site.Since(1), true);
    site.Kill(1);
    site.Start(other);
    site.OnAir() = old;
    site.Run(Seconds(0.001));
    test.Expect(!old.empty() && site.At(1).node->GetCounters()["repeated"] == old.size(),
                "they are known");
}

void
NotTaken(FunctionCase& test)
{
    const Folder folder;
    Site site;
    const auto settings = MakeSettings(0, mesh::BROKER | mesh::SUBSCRIBER, folder / "0");
    site.Start(settings);
    site.Subscribe(0, "temp > 0");
    site.Publish(0, 1);
    site.Publish(0, 2);
    auto& node = *site.At(0).node;
    test.Expect(node.Take()->id.sequence == 0, "the application has the first");
    site.Kill(0);
    auto& again = *site.Start(settings).node;
    test.Expect(again.Take()->id.sequence == 0, "and was not done with it");
    test.Expect(again.Take()->id.sequence == 1, "the second");
    site.Kill(0);
    auto& third = *site.Start(settings).node;
    test.Expect(third.Take()->id.sequence == 1, "the first is done with");
    test.Expect(!third.Take(), "no more");
    third.Stop(Seconds(1), true);
    site.Kill(0);
    test.Expect(!site.Start(settings).node->Take(), "all are done with");
}

/// There is room for two events, and the application is busy with the first of three.
void
TooManyNotTaken(FunctionCase& test)
{
    const Folder folder;
    Site site;
    auto settings = MakeSettings(0, mesh::BROKER | mesh::SUBSCRIBER, folder / "0");
    settings.inbox = 2;
    auto& node = *site.Start(settings).node;
    site.Subscribe(0, "temp > 0");
    site.Publish(0, 1);
    site.Publish(0, 2);
    test.Expect(node.Take()->id.sequence == 0, "the first");
    site.Publish(0, 3);
    test.Expect(node.GetCounters()["inbox_overflows"] == 1, "one has no room");
    node.Stop(Seconds(1), false);
    site.Kill(0);
    auto& again = *site.Start(settings).node;
    test.Expect(again.Take()->id.sequence == 0, "not the one that it was busy with");
    test.Expect(again.Take()->id.sequence == 2, "but the next one");
}

std::string
Refuse(const std::function<void()>& act)
{
    try
    {
        act();
    }
    catch (const std::exception& error)
    {
        return error.what();
    }
    return "";
}

/// The subscriber's filters go into one frame: what has no room is refused, or left out if the
/// store has it.
void
ManyFilters(FunctionCase& test)
{
    for (const uint8_t role : {0, static_cast<int>(mesh::BROKER)})
    {
        const Folder folder;
        Site site;
        auto settings = MakeSettings(3, mesh::SUBSCRIBER | role, folder / "3");
        site.Start(MakeSettings(1, mesh::BROKER));
        site.Start(settings);
        std::string said;
        int64_t temp = 999; // descending, so that the oldest are last as texts
        for (; said.empty(); --temp)
        {
            const auto number = std::to_string(temp);
            const auto filter = "temp = " + number + " OR place = '" + std::string(50, 'p') + "'";
            said = Refuse([&] { site.Subscribe(3, filter); });
            site.Run(Seconds(0.01));
        }
        const auto count = site.At(3).node->GetFilters().size();
        test.Expect(count == static_cast<size_t>(998 - temp), "what was refused is not kept");
        test.Expect(said.find(" bytes; a subscriber has one frame") != std::string::npos, said);
        site.Run(Seconds(3));
        site.Publish(1, temp + 2);
        site.Run(Seconds(3));
        test.Expect(site.At(3).got.size() == 1, "what was taken counts");
        site.Kill(3);
        settings.port.maxFrameBytes = 700;
        auto& node = *site.Start(settings).node;
        const auto filters = node.GetFilters();
        test.Expect(filters.size() < count && node.GetLeftOut().size() + filters.size() == count,
                    "it runs with those that fit");
        test.Expect(filters.back().starts_with("temp = 999 "), "which are the oldest");
        site.Run(Seconds(3));
        site.Publish(1, 999);
        site.Run(Seconds(3));
        test.Expect(site.At(3).got.size() == 1, "and these count");
    }
}

void
Bounds(FunctionCase& test)
{
    Memory memory;
    for (uint32_t number = 0; number < 9000; ++number)
    {
        Event event{{7, number}, {}};
        event.SetPayload(Bytes(1100, 1));
        memory.Keep(UnixTime(number), std::make_shared<const Event>(std::move(event)));
    }
    size_t bytes = 0;
    for (const auto& [at, event] : memory.recent)
    {
        bytes += CountBytes(*event);
    }
    test.Expect(bytes <= Memory::RECENT_BYTES && bytes + 2000 > Memory::RECENT_BYTES, "room used");
    test.Expect(memory.recent.back().second->id.sequence == 8999, "by the newest");
    const Folder folder;
    memory.inbox.push_back(memory.recent.front().second);
    Store(folder / "many", 7).Save(memory, {});
    Store many(folder / "many", 7);
    test.Expect(many.GetMemory().recent.size() == memory.recent.size(), "as saved");
    test.Expect(many.GetMemory().inbox.size() == 1, "and what waits");
    Site site;
    site.Start(MakeSettings(0, mesh::PUBLISHER, folder / "0"));
    site.Publish(0, 1);
    site.Kill(0);
    site.Run(Memory::RECENT_TIME + Seconds(1));
    site.Start(MakeSettings(0, mesh::PUBLISHER, folder / "0"));
    site.Kill(0);
    test.Expect(Store(folder / "0", 0).GetMemory().recent.empty(),
                "what is old is not saved again");
}

void
Damage(FunctionCase& test)
{
    const Folder folder;
    const auto path = folder / "store";
    size_t begin = 0; // of what happens
    {
        Store store(path, 4);
        Memory memory;
        memory.nextSequence = 1000;
        memory.filters["temp > 0"] = UnixTime(9);
        store.Save(memory, Clocks{UnixTime(10), "boot", Seconds(5)});
        begin = std::filesystem::file_size(path + ".journal");
        Event event{{7, 1}, {{"temp", int64_t{1}}}};
        store.Delivered(event);
        event.id.sequence = 2;
        store.Delivered(event);
        const auto said = Refuse([&path] { Store(path, 4); });
        test.Expect(said.find("another process") != std::string::npos, "it is in use");
    }
    const auto journal = std::filesystem::file_size(path + ".journal");
    for (auto size = journal + 1; size-- > 0;)
    {
        std::filesystem::resize_file(path + ".journal", size);
        Store store(path, 4);
        auto& memory = store.GetMemory();
        test.Expect(memory.nextSequence == 1000 && memory.filters.size() == 1, "the whole");
        const auto half = begin + (journal - begin) / 2;
        test.Expect(memory.inbox.size() == (size == journal ? 2 : size >= half),
                    "as many events as were written to their end");
        test.Expect(store.GetSaved().has_value() == (size >= begin), "what the clocks said");
    }
    test.Expect(Refuse([&path] { Store(path, 5); }).find("of node 4") != std::string::npos, "id");
    std::fstream(path).seekp(20).put('x');
    test.Expect(Refuse([&path] { Store(path, 4); }).find("damaged") != std::string::npos, "damage");
    test.Expect(Refuse([] { CheckStore("/dev/full", 4); }) ==
                    "/dev/full: no regular file, as a store is",
                "it would be read without end");
}

void
Misuse(FunctionCase& test)
{
    Site site;
    site.Start(MakeSettings(0, mesh::SUBSCRIBER));
    site.Start(MakeSettings(1, mesh::BROKER));
    test.Expect(!Refuse([&site] { site.Publish(0, 1); }).empty(), "no publisher");
    test.Expect(!Refuse([&site] { site.Subscribe(1, "temp > 0"); }).empty(), "no subscriber");
    test.Expect(!Refuse([&site] { site.Publish(1, 1, Bytes(1400, 1)); }).empty(), "too large");
    test.Expect(site.Publish(1, 1, Bytes(1200, 1)) == 0, "it has not counted");
    site.Subscribe(0, "temp > 0");
    site.Run(Seconds(10)); // the largest that is taken fits into frames of every kind
    test.Expect(site.At(0).node->GetCounters()["heard"] > 0, "and goes out");
    test.Expect(!Refuse([&site] { site.Start(MakeSettings(2, 0)); }).empty(), "no role");
    auto settings = MakeSettings(3, mesh::BROKER);
    settings.protocol = "aodv";
    test.Expect(!Refuse([&] { site.Start(settings); }).empty(), "no such protocol");
    settings = MakeSettings(3, mesh::BROKER);
    settings.inbox = 1;
    test.Expect(Refuse([&] { site.Start(settings); }).find("inbox: 1;") == 0, "no room for news");
    settings.inbox = 2;
    settings.mesh.heartbeatMaxSeconds = 0;
    test.Expect(
        Refuse([&] { site.Start(settings); }) ==
            "mesh.heartbeatMaxSeconds: 0.000000; a time between signs of life is more than 0 s",
        "no time at all");
}

/// What a trace tells of, without the times.
std::vector<std::string>
ReadNotes(const std::string& path)
{
    std::vector<std::string> notes;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
    {
        if (const auto at = line.find(' ', 2); line.starts_with("# ") && at != std::string::npos)
        {
            notes.push_back(line.substr(2, at - 2) + line.substr(line.find(' ', at + 1)));
        }
    }
    return notes;
}

void
SampleOfATrace(FunctionCase& test)
{
    const Folder folder;
    NodeTrace trace(folder / "trace", 1);
    uint32_t sent = 0;
    const auto send = [&](uint32_t count) {
        for (const auto end = sent + count; sent < end; ++sent)
        {
            trace.Sent(UnixTime(0), "STATE", {1, 5, sent}, 10);
        }
    };
    std::vector<std::string> expected;
    const auto expect = [&](const std::string& what, const std::vector<int>& numbers) {
        for (const auto number : numbers)
        {
            expected.push_back(what + " " + std::to_string(number));
        }
    };
    send(20);
    expect("sent 5", {0, 1, 2, 3, 4, 5, 6, 7, 16});
    for (const uint64_t life : {70, 71})
    {
        for (uint32_t number = 20; number < 40; ++number)
        {
            trace.Heard(UnixTime(0), {2, life, number});
        }
        expect("heard 2 " + std::to_string(life), {20, 21, 22, 23, 24, 25, 26, 27, 32});
    }
    send(20);
    expect("sent 5", {20, 21, 22, 23, 24, 25, 26, 27, 32});
    trace.Flush();
    auto told = ReadNotes(folder / "trace");
    told.erase(told.begin()); // the header
    test.Expect(told == expected, "the first of each life, and one in 16");
}

void
TraceOfOneNode(FunctionCase& test)
{
    const Folder folder;
    const auto path = folder / "trace";
    {
        const NodeTrace trace(path, 1);
        const auto said = Refuse([&path] { NodeTrace(path, 2); });
        test.Expect(said == path + ": another node writes this trace; each node has its own", said);
    }
    test.Expect(Refuse([&path] { NodeTrace(path, 1); }).empty(), "it is free again");
    const NodeTrace one("/dev/null", 1);
    test.Expect(Refuse([] { NodeTrace("/dev/null", 2); }).empty(), "what is no file is for all");
}

void
FilterOfATrace(FunctionCase& test)
{
    const Folder folder;
    NodeTrace trace(folder / "trace", 1);
    const std::string filter = "note = 'a\n# sent 1 2 3'";
    trace.Subscribed(UnixTime(0), filter);
    trace.Unsubscribed(UnixTime(0), filter);
    const auto told = ReadNotes(folder / "trace");
    const std::string text = R"( "note = 'a\u000a# sent 1 2 3'")";
    test.Expect(told.size() == 3, "a header, and a line for each");
    test.Expect(told[1] == "subscribed" + text && told[2] == "unsubscribed" + text, "escaped");
}

class LiveSuite : public ns3::TestSuite
{
  public:
    LiveSuite()
        : TestSuite("mftpubsub-live", Type::UNIT)
    {
        Add("Hashes are those of the standards", Hashes);
        Add("Datagrams of others, and damaged ones, are refused", Datagrams);
        Add("A datagram is taken once", Repetitions);
        Add("Events arrive in spite of losses, once", Exchange);
        Add("Without the key no event comes in or out", WithoutTheKey);
        Add("Two nodes of one id are told", DuplicateIds);
        Add("Numbers and filters outlive the process", Restarts);
        Add("What a broker keeps for others outlives it", KilledInBetween);
        Add("A broker of the tree that is back asks later neighbours too", BackOnTheTree);
        Add("A subscriber of the tree that has moved is killed", MovesAndIsKilled);
        Add("What a killed node has arrives soon after its restart", SoonAfterRestarts);
        Add("A node that is killed over and over says nothing again", KilledOverAndOver);
        Add("Clocks that are set between lives cost no event", SetClocks);
        Add("A node whose clock has gone back is heard again", BackWithoutAStore);
        Add("What was heard in a former life is refused", HeardInAFormerLife);
        Add("Events that the application has not done with come again", NotTaken);
        Add("An event that the application has is not given up for room", TooManyNotTaken);
        Add("Filters that have no room in a frame are refused, or left out", ManyFilters);
        Add("A store has what is recent, and not too much", Bounds);
        Add("A store that was being written is read, a damaged one refused", Damage);
        Add("Traces tell of the first datagrams of each life, and of a sample", SampleOfATrace);
        Add("A filter writes one line into a trace", FilterOfATrace);
        Add("A trace is of one node at a time", TraceOfOneNode);
        Add("What roles and frames do not allow is refused", Misuse);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

LiveSuite g_live;

} // namespace

} // namespace mftpubsub::live::live_test
