/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * PubSubHelper, as a script of ns-3's meets it.
 */
#include "function-case.h"
#include "helper/event-text.h"
#include "helper/pubsub-helper.h"
#include "pubsub-script.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/node.h"
#include "ns3/simple-net-device.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace mftpubsub::pubsub_helper_test
{

using namespace ns3;
using namespace script;
using script::Line;
using script::Told;

namespace
{

/// Of an event of one attribute of 4 letters, which takes 24 B beside, in a frame of 1009 B with 11
/// B around it.
constexpr uint16_t MOST_PAYLOAD = 1009 - 11 - 24;

std::string
Read(const std::string& path)
{
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

std::string
TraceOf(const std::string& protocol, int64_t stream, const std::function<void(PubSubHelper&)>& set)
{
    const std::string path = "pubsub-helper-test.trace";
    Line line(3);
    PubSubHelper pubsub(protocol);
    set(pubsub);
    pubsub.SetRole(line.nodes, "broker");
    pubsub.Subscribe(line.nodes.Get(2), "temp > 20");
    pubsub.AssignStreams(pubsub.Install(line.devices), stream);
    pubsub.PublishAt(Seconds(20), line.nodes.Get(0), "temp = 21.5", 10);
    Simulator::Stop(Seconds(40));
    Simulator::Run();
    pubsub.WriteTrace(path);
    const auto text = Read(path);
    std::filesystem::remove(path);
    return text;
}

void
Nothing(PubSubHelper&)
{
}

void
Deliver(FunctionCase& test, const std::vector<std::string>& protocols, const DeviceMaker& install)
{
    for (const auto& protocol : protocols)
    {
        Line line(3, install);
        PubSubHelper pubsub(protocol);
        pubsub.SetRole(line.nodes, "broker");
        pubsub.SetRole(line.nodes.Get(0), "publisher");
        pubsub.Subscribe(line.nodes.Get(1), "temp > 20");
        const auto applications = pubsub.Install(line.devices);
        Told told;
        told.Connect(applications);
        pubsub.PublishAt(Seconds(40), line.nodes.Get(0), "temp = 21.5, room = 'hall'", 30);
        pubsub.PublishAt(Seconds(41), line.nodes.Get(0), "temp = 19.5", 30);
        Simulator::Schedule(Seconds(42), [&] { pubsub.Publish(line.nodes.Get(0), "temp = 22"); });
        Simulator::Stop(Seconds(60));
        Simulator::Run();
        test.Expect(told.published.size() == 3, protocol + ": published");
        test.Expect(told.published.at(0) ==
                        std::pair<std::string, uint32_t>("temp = 21.5, room = 'hall'", 30),
                    protocol + ": what was published");
        const decltype(told.delivered) wanted{{0, 0, "temp = 21.5, room = 'hall'"},
                                              {0, 2, "temp = 22"}};
        test.Expect(told.delivered == wanted, protocol + ": delivered what was asked for");
        test.Expect(!told.isLate, protocol + ": the way takes time");
    }
}

void
EveryFamilyDelivers(FunctionCase& test)
{
    Deliver(test,
            {"mft-mesh",
             "epidemic",
             "mft-pubsub",
             "simple-routing",
             "aodv",
             "olsr",
             "durable",
             "reactive"},
            InstallWsn);
}

/// As ns-3's own helpers install them.
void
DevicesOfOthersDeliver(FunctionCase& test)
{
    Deliver(test, {"mft-mesh", "mft-pubsub", "aodv", "durable"}, InstallWifi);
    Deliver(test, {"mft-mesh", "mft-pubsub", "durable"}, InstallLrWpan);
    Deliver(test, {"mft-mesh", "mft-pubsub"}, InstallCsma);
}

void
NodesOnAWireNeedNoPlace(FunctionCase& test)
{
    for (const std::string protocol : {"mft-pubsub", "mft-mesh"})
    {
        const NodeContainer nodes(2);
        PubSubHelper pubsub(protocol);
        pubsub.SetPolicy("queue", "drop-oldest", {{"capacity", 1}}); // it is told of speeds
        pubsub.SetRole(nodes, "broker");
        pubsub.Subscribe(nodes.Get(1), "temp > 20");
        Told told;
        told.Connect(pubsub.Install(InstallCsma(nodes)));
        pubsub.PublishAt(Seconds(40), nodes.Get(0), "temp = 21.5");
        pubsub.PublishAt(Seconds(40), nodes.Get(0), "temp = 22");
        Simulator::Stop(Seconds(60));
        Simulator::Run();
        Simulator::Destroy();
        test.Expect(!told.delivered.empty(), protocol + ": delivered");
    }
}

void
TheSameStreamsAreTheSameRun(FunctionCase& test)
{
    for (const std::string protocol : {"mft-mesh", "mft-pubsub", "aodv-tuned-acked"})
    {
        const auto first = TraceOf(protocol, 1000, Nothing);
        test.Expect(first == TraceOf(protocol, 1000, Nothing), protocol + ": twice the same");
        test.Expect(first != TraceOf(protocol, 2000, Nothing), protocol + ": other streams");
        test.Expect(first.starts_with("# mftpubsub-trace"), protocol + ": has a header");
        test.Expect(first.find("r ") != std::string::npos &&
                        first.find(" app DELIVER ") != std::string::npos,
                    protocol + ": has the delivery");
        test.Expect(first.ends_with("- 40.000000000 - run END - - - - - -\n"),
                    protocol + ": has its end");
    }
}

void
AttributesAndPoliciesCount(FunctionCase& test)
{
    const auto usual = TraceOf("mft-mesh", 1000, Nothing);
    const auto rare = [](PubSubHelper& pubsub) {
        pubsub.SetAttribute("MeshHeartbeat", TimeValue(Seconds(7)));
    };
    test.Expect(TraceOf("mft-mesh", 1000, rare).size() < usual.size(), "rarer heartbeats");
    Config::SetDefault("mftpubsub::PubSubSettings::MeshHeartbeat", TimeValue(Seconds(7)));
    test.Expect(TraceOf("mft-mesh", 1000, Nothing) == TraceOf("mft-mesh", 1000, rare),
                "ns-3's defaults count, too");
    Config::SetDefault("mftpubsub::PubSubSettings::MeshHeartbeat", TimeValue(Seconds(3)));
    test.Expect(TraceOf("mft-mesh", 1000, Nothing) == usual, "as before");
    const auto leader = [](PubSubHelper& pubsub) { pubsub.SetPolicy("leader", "lowest-id"); };
    test.Expect(TraceOf("mft-pubsub", 1000, leader) != TraceOf("mft-pubsub", 1000, Nothing),
                "another leader");
    const auto own = [](PubSubHelper& pubsub) {
        pubsub.SetPolicy("parent", "hysteresis", {{"margin", 6}});
        pubsub.SetPolicy("client", "hysteresis", {{"margin", 6}});
        pubsub.SetPolicy("retry", "by-kind", {{"REP", 1}, {"other", 3}});
        pubsub.SetPolicy("failure", "keep-link");
    };
    const auto run = [](const std::string& trace) { return trace.substr(trace.find("\nr ")); };
    const auto tuned = run(TraceOf("mft-pubsub-tuned", 1000, Nothing));
    test.Expect(tuned == run(TraceOf("mft-pubsub", 1000, own)), "a protocol's own policies");
    test.Expect(tuned != run(TraceOf("mft-pubsub", 1000, Nothing)), "they count");
}

void
ATraceIsThereAsAWhole(FunctionCase& test)
{
    const std::string path = "pubsub-helper-early.trace";
    const auto late = TraceOf("mft-mesh", 1000, Nothing);
    std::string during;
    const auto early = [&](PubSubHelper& pubsub) {
        pubsub.WriteTrace(path);
        Simulator::Schedule(Seconds(30), [&] { during = Read(path); });
    };
    TraceOf("mft-mesh", 1000, early);
    test.Expect(!std::filesystem::exists(path), "the later name counts");
    {
        Line line(3);
        {
            PubSubHelper pubsub("mft-mesh");
            early(pubsub);
            pubsub.SetRole(line.nodes, "broker");
            pubsub.Subscribe(line.nodes.Get(2), "temp > 20");
            pubsub.AssignStreams(pubsub.Install(line.devices), 1000);
            pubsub.PublishAt(Seconds(20), line.nodes.Get(0), "temp = 21.5", 10);
        } // what it has installed stays
        Simulator::Stop(Seconds(40));
        Simulator::Run();
    }
    test.Expect(during.empty(), "nothing while it runs");
    test.Expect(Read(path) == late, "the same after Simulator::Destroy");
    std::filesystem::remove(path);
}

void
ARunThatAnExceptionEndedLeavesNoTrace(FunctionCase& test)
{
    const std::string path = "pubsub-helper-ended.trace";
    {
        Line line(2);
        auto pubsub = OfMesh(line);
        pubsub.WriteTrace(path);
        [[maybe_unused]] const Forgotten event;
        Simulator::Schedule(Seconds(20), [] { throw std::runtime_error("a script's own"); });
        Simulator::Stop(Seconds(40));
        Refuses<std::runtime_error>(test, "own", [] { Simulator::Run(); });
    }
    test.Expect(!std::filesystem::exists(path), "it would read as whole");
    std::filesystem::remove(path);
}

void
WhatIsNoRegularFileIsWrittenInPlace(FunctionCase& test)
{
    const std::string path = "pubsub-helper.fifo";
    std::filesystem::remove(path);
    test.Expect(mkfifo(path.c_str(), 0600) == 0, "a FIFO");
    const auto reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
    Line line(2);
    auto pubsub = OfMesh(line);
    Simulator::Stop(Seconds(5));
    Simulator::Run();
    pubsub.WriteTrace(path);
    char head{0};
    test.Expect(read(reader, &head, 1) == 1 && head == '#', "the trace is in it");
    close(reader);
    test.Expect(std::filesystem::is_fifo(path), "it is one still");
    std::filesystem::remove(path);
}

void
WhatIsAnothersIsRefused(FunctionCase& test)
{
    using Bad = std::invalid_argument;
    const std::string set = "PubSubHelper::SetAttribute: ";
    Refuses<Bad>(test, set + "mft-pubsub makes nothing of MeshHeartbeat; it takes Heartbeat", [] {
        PubSubHelper("mft-pubsub").SetAttribute("MeshHeartbeat", TimeValue(Seconds(1)));
    });
    Refuses<Bad>(test, set + "aodv makes nothing of Window; it takes Arp", [] {
        PubSubHelper("aodv").SetAttribute("Window", UintegerValue(2));
    });
    PubSubHelper("aodv-acked").SetAttribute("Window", UintegerValue(2));
    PubSubHelper("durable").SetAttribute("HandoffPing", TimeValue(Seconds(1)));
    Refuses<Bad>(test, "mft-pubsub-2 makes nothing of LeaderTimeout; it takes MaxFrame", [] {
        PubSubHelper("mft-pubsub-2").SetAttribute("LeaderTimeout", TimeValue(Seconds(9)));
    });
    const std::string policy = "PubSubHelper::SetPolicy: ";
    Refuses<Bad>(test, policy + "mft-mesh asks no parent policy; it asks queue, repair", [] {
        PubSubHelper("mft-mesh").SetPolicy("parent", "first-heard");
    });
    Refuses<Bad>(test, policy + "aodv asks no retry policy; it asks none", [] {
        PubSubHelper("aodv").SetPolicy("retry", "by-kind", {{"other", 3}});
    });
    Refuses<Bad>(test, policy + "flooding asks no queue policy; it asks client, failure,", [] {
        PubSubHelper("flooding").SetPolicy("queue", "drop-oldest", {{"capacity", 1}});
    });
}

void
WhoIsToPublishIsAPublisher(FunctionCase& test)
{
    Line line(2);
    PubSubHelper pubsub("mft-mesh");
    pubsub.PublishAt(Seconds(1), line.nodes.Get(0), "temp = 21.5");
    pubsub.SetRole(line.nodes, "broker");
    pubsub.Subscribe(line.nodes.Get(1), "temp > 20");
    pubsub.Install(line.devices);
    Refuses<std::logic_error>(
        test,
        "node 0 is to publish (PublishAt), and SetRole has taken its publisher role away",
        [] { Simulator::Run(); });
}

void
WhatCannotBeIsRefused(FunctionCase& test)
{
    using Bad = std::invalid_argument;
    using Order = std::logic_error;
    Refuses<Bad>(test, "'mft-mash' is no protocol; there are aodv,", [] {
        PubSubHelper("mft-mash");
    });
    Line line(3);
    PubSubHelper pubsub("mft-mesh");
    Refuses<Bad>(test, "'boker' is no role", [&] { pubsub.SetRole(line.nodes, "boker"); });
    Refuses<Bad>(test, "a role is missing", [&] { pubsub.SetRole(line.nodes, " "); });
    Refuses<Bad>(test, "PubSubHelper::Subscribe: 'temp >': expected a value", [&] {
        pubsub.Subscribe(line.nodes, "temp >");
    });
    Refuses<Bad>(test, "PubSubHelper::PublishAt: 'temp =': expected a value", [&] {
        pubsub.PublishAt(Seconds(1), line.nodes, "temp =");
    });
    Refuses<Bad>(test, "a payload of 65537 B; there may be 60000", [&] {
        pubsub.PublishAt(Seconds(1), line.nodes, "temp = 1", 65537);
    });
    Refuses<Bad>(test, "no attribute MeshHartbeat", [&] {
        pubsub.SetAttribute("MeshHartbeat", TimeValue(Seconds(1)));
    });
    const std::map<std::string, std::vector<std::string>> times{
        {"durable", {"HeartbeatInterval", "LeaderTimeout", "HandoffPing"}},
        {"mft-mesh", {"MeshHeartbeat", "MeshHeartbeatMax", "MeshForward", "MeshSettle"}},
        {"epidemic", {"EpidemicInterval"}}};
    for (const auto& [protocol, names] : times)
    {
        for (const auto& time : names)
        {
            PubSubHelper timed(protocol);
            timed.SetAttribute(time, TimeValue(Seconds(1e7)));
            for (const auto& wrong : {Time::Max(), Time(0)})
            {
                Refuses<Bad>(test, time + ": Time +1e+06ns:+1e+16ns", [&] {
                    timed.SetAttribute(time, TimeValue(wrong));
                });
            }
        }
    }
    Refuses<Bad>(test,
                 "PubSubHelper::SetPolicy: no policies decide weather; they decide parent,",
                 [&] { pubsub.SetPolicy("weather", "fine"); });
    Refuses<Bad>(test, "no leader policy", [&] { pubsub.SetPolicy("leader", "no-such-policy"); });
    pubsub.SetPolicy("queue", "drop-oldest", {{"capacity", 1}}); // what was refused is forgotten
    PubSubHelper tuned("mft-pubsub-tuned");
    Refuses<Bad>(test, "a parent policy of its own", [&] {
        tuned.SetPolicy("parent", "first-heard");
    });
    Refuses<std::runtime_error>(test, "its path is empty", [&] { pubsub.WriteTrace(""); });
    Refuses<std::runtime_error>(test, "cannot be written", [&] {
        pubsub.WriteTrace("/no/such/folder/run.trace");
    });
    Refuses<Order>(test, "does not run yet", [&] {
        pubsub.Publish(line.nodes.Get(0), "temp = 1");
    });
    Refuses<Bad>(test, "0 devices", [&] { pubsub.Install({}); });
    const auto stranger = CreateObject<SimpleNetDevice>();
    line.nodes.Get(0)->AddDevice(stranger);
    Refuses<Bad>(test, "SimpleNetDevice", [&] { pubsub.Install(NetDeviceContainer(stranger)); });
    Refuses<Bad>(test, "LrWpanNetDevice of node", [&] {
        PubSubHelper("aodv").Install(InstallLrWpan(NodeContainer(1)));
    });
    Refuses<Bad>(test, "the ns3::CsmaNetDevice of node", [&] {
        PubSubHelper("aodv").Install(InstallCsma(NodeContainer(1)));
    });
    pubsub.SetRole(NodeContainer(line.nodes.Get(0), line.nodes.Get(1)), "broker");
    {
        [[maybe_unused]] const Forgotten event;
        pubsub.Install(line.devices);
    }
    Refuses<Order>(test, "one helper, one network", [&] { pubsub.Install(line.devices); });
    Refuses<Order>(test, "node 2 has no role", [] { Simulator::Run(); });
}

void
ANetworkWithoutBrokersIsRefusedWhereTheyForward(FunctionCase& test)
{
    for (const std::string protocol : {"mft-mesh", "mft-pubsub", "durable", "aodv"})
    {
        Line line(2);
        PubSubHelper pubsub(protocol);
        pubsub.PublishAt(Seconds(1), line.nodes.Get(0), "temp = 21");
        pubsub.Subscribe(line.nodes.Get(1), "temp > 20");
        [[maybe_unused]] const Forgotten event;
        Told told;
        told.Connect(pubsub.Install(line.devices));
        Simulator::Stop(Seconds(5));
        if (protocol == "aodv")
        {
            Simulator::Run();
            test.Expect(told.published.size() == 1, "over IP nobody asks for brokers");
            continue;
        }
        Refuses<std::logic_error>(test, protocol + " needs brokers", [] { Simulator::Run(); });
    }
}

void
WhatComesTooLateIsRefused(FunctionCase& test)
{
    Line line(2);
    auto pubsub = OfMesh(line);
    Simulator::Schedule(Seconds(1), [&] {
        using Order = std::logic_error;
        Refuses<Order>(test, "not the role", [&] { pubsub.Publish(line.nodes.Get(0), "a = 1"); });
        Refuses<Order>(test, "before the simulation", [&] {
            pubsub.SetRole(line.nodes, "broker");
        });
        Refuses<Order>(test, "before the simulation", [&] {
            pubsub.Subscribe(line.nodes, "a = 1");
        });
        Refuses<Order>(test, "before the simulation", [&] {
            pubsub.PublishAt(Seconds(2), line.nodes, "a = 1");
        });
    });
    Simulator::Stop(Seconds(2));
    Simulator::Run();
}

void
NothingIsSaidAfterTheSimulation(FunctionCase& test)
{
    Line line(2);
    auto pubsub = OfMesh(line);
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    Simulator::Destroy();
    const std::map<std::string, std::function<void()>> late{
        {"SetRole", [&] { pubsub.SetRole(line.nodes, "broker"); }},
        {"Subscribe", [&] { pubsub.Subscribe(line.nodes, "a = 1"); }},
        {"PublishAt", [&] { pubsub.PublishAt(Seconds(2), line.nodes, "a = 1"); }},
        {"Publish", [&] { pubsub.Publish(line.nodes.Get(0), "a = 1"); }},
        {"Install", [&] { pubsub.Install(line.devices); }}};
    for (const auto& [name, say] : late)
    {
        Refuses<std::logic_error>(test, "PubSubHelper::" + name, say);
    }
}

void
TimesOfApplicationsAreRefused(FunctionCase& test)
{
    using Times = std::function<void(ApplicationContainer&)>;
    const std::map<std::string, Times> refused{
        {"StartTime of 2.", [](auto& applications) { applications.Start(Seconds(2)); }},
        {"StopTime of 3.", [](auto& applications) { applications.Stop(Seconds(3)); }}};
    for (const auto& [words, set] : refused)
    {
        Line line(2);
        PubSubHelper pubsub("mft-mesh");
        pubsub.SetRole(line.nodes, "broker");
        {
            [[maybe_unused]] const Forgotten event;
            auto applications = pubsub.Install(line.devices);
            set(applications);
        }
        Simulator::Stop(Seconds(5));
        Refuses<std::logic_error>(test, words, [] { Simulator::Run(); });
    }
}

/// The first payload that does not fit, and the last that does.
void
WhatNoFrameHoldsIsRefused(FunctionCase& test)
{
    for (const auto& [protocol, most] :
         std::map<std::string, uint16_t>{{"epidemic", MOST_PAYLOAD - 1},
                                         {"flooding", MOST_PAYLOAD},
                                         {"mft-mesh", MOST_PAYLOAD - 4},
                                         {"mpl", MOST_PAYLOAD}})
    {
        Line line(2);
        PubSubHelper pubsub(protocol);
        pubsub.SetRole(line.nodes, "broker");
        pubsub.SetRole(line.nodes.Get(0), "broker publisher");
        pubsub.Subscribe(line.nodes.Get(1), "temp > 20");
        Told told;
        told.Connect(pubsub.Install(line.devices));
        Simulator::Schedule(Seconds(20), [&, protocol = protocol, most = most] {
            const auto publish = [&](uint32_t bytes) {
                pubsub.Publish(line.nodes.Get(0), "temp = 21.5", bytes);
            };
            Refuses<std::invalid_argument>(test, "does not fit into a frame: " + protocol, [&] {
                publish(most + 1);
            });
            Refuses<std::invalid_argument>(test, "a payload of 65537 B", [&] { publish(65537); });
            publish(most);
        });
        Simulator::Stop(Seconds(40));
        Simulator::Run();
        test.Expect(told.published.size() == 1, protocol + ": one is published");
        test.Expect(told.delivered.size() == 1, protocol + ": what just fits arrives");
    }
}

void
WhatNoMessageHoldsIsRefused(FunctionCase& test)
{
    std::string most = "temp = 21.5";
    for (int i = 1; i < 255; ++i)
    {
        most += ", a" + std::to_string(i) + " = true";
    }
    const std::string longest = "temp = 21.5, t = '" + std::string(65535, 'x');
    using Events = std::vector<std::pair<std::string, uint16_t>>; // with the size of the payload
    const std::map<std::string, Events> events{
        {"mft-pubsub", {{most, 0}, {most + ", b = 1", 0}, {longest + "x'", 0}}},
        {"aodv", {{longest + "'", 0}, {"temp = 21.5", 60001}}}};
    for (const auto& [protocol, tried] : events)
    {
        Line line(2);
        PubSubHelper pubsub(protocol);
        pubsub.SetRole(line.nodes, "broker publisher");
        pubsub.Subscribe(line.nodes.Get(1), "temp > 20");
        Told told;
        told.Connect(pubsub.Install(line.devices));
        Simulator::Schedule(Seconds(20), [&, tried = tried] {
            const auto publish = [&](const auto& event) {
                pubsub.Publish(line.nodes.Get(0), event.first, event.second);
            };
            publish(tried.front());
            for (size_t i = 1; i < tried.size(); ++i)
            {
                Refuses<std::invalid_argument>(test, "; there may be ", [&] { publish(tried[i]); });
            }
        });
        Simulator::Stop(Seconds(60));
        Simulator::Run();
        test.Expect(told.published.size() == 1, protocol + ": one is published");
        test.Expect(told.delivered.size() == 1, protocol + ": what just fits arrives");
    }
}

void
EventsAreReadAsTheyArePrinted(FunctionCase& test)
{
    for (const std::string text : {"a = 1",
                                   "a = -1, b = 1.5, c = 'x', d = true, e = false",
                                   "a = 2.0, b = 'it''s, so'",
                                   "a = 1e+300"})
    {
        test.Expect(ToText(ParseAttributes(text)) == text, text);
    }
    for (const std::string text :
         {"", "a", "a =", "a = 1,", "a = 1 b = 2", "a = 1, a = 2", "= 1", "a = -'x'"})
    {
        Refuses<std::invalid_argument>(test, "expected", [&] { ParseAttributes(text); });
    }
}

class PubSubHelperTestSuite : public TestSuite
{
  public:
    PubSubHelperTestSuite()
        : TestSuite("mftpubsub-pubsub-helper", Type::SYSTEM)
    {
        const std::map<std::string, FunctionCase::Function> cases{
            {"Every family delivers what was asked for", EveryFamilyDelivers},
            {"Devices of others deliver", DevicesOfOthersDeliver},
            {"The same streams are the same run", TheSameStreamsAreTheSameRun},
            {"Attributes and policies count", AttributesAndPoliciesCount},
            {"A trace is there as a whole", ATraceIsThereAsAWhole},
            {"A run that an exception ended leaves no trace",
             ARunThatAnExceptionEndedLeavesNoTrace},
            {"What is no regular file is written in place", WhatIsNoRegularFileIsWrittenInPlace},
            {"What cannot be is refused", WhatCannotBeIsRefused},
            {"What is another protocol's is refused", WhatIsAnothersIsRefused},
            {"Who is to publish is a publisher", WhoIsToPublishIsAPublisher},
            {"A network without brokers is refused where they forward",
             ANetworkWithoutBrokersIsRefusedWhereTheyForward},
            {"What comes too late is refused", WhatComesTooLateIsRefused},
            {"What no frame holds is refused", WhatNoFrameHoldsIsRefused},
            {"What no message holds is refused", WhatNoMessageHoldsIsRefused},
            {"Nodes on a wire need no place", NodesOnAWireNeedNoPlace},
            {"Nothing is said after the simulation", NothingIsSaidAfterTheSimulation},
            {"Times of applications are refused", TimesOfApplicationsAreRefused},
            {"Events are read as they are printed", EventsAreReadAsTheyArePrinted},
        };
        for (const auto& [name, run] : cases)
        {
            AddTestCase(new FunctionCase(name, run), Duration::QUICK);
        }
    }
};

PubSubHelperTestSuite g_suite;

} // namespace

} // namespace mftpubsub::pubsub_helper_test
