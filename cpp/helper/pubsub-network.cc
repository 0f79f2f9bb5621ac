/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "helper/pubsub-network.h"

#include "content/content-codec.h"
#include "content/filter.h"
#include "helper/device-checks.h"
#include "helper/event-text.h"
#include "helper/protocol-checks.h"
#include "hosts/node-address.h"
#include "policies/own-policies.h"
#include "stacks/ip-protocols.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <iostream>
#include <set>
#include <stdexcept>
#include <utility>

namespace mftpubsub
{

NS_LOG_COMPONENT_DEFINE("PubSubNetwork");

namespace
{

/// Streams of the IP stack's own parts, at most, a node.
constexpr int64_t INTERNET_STREAMS = 8;

constexpr uint32_t MOST_PAYLOAD_BYTES = 60000; //!< as in scenarios of Python

/// @throws FilterError which names the @p call of the script and the @p text
template <typename Parse>
auto
ParseFor(const std::string& call, const std::string& text, Parse parse)
{
    try
    {
        return parse(text);
    }
    catch (const FilterError& error)
    {
        throw FilterError("PubSubHelper::" + call + ": '" + text + "': " + error.what(),
                          error.GetPosition());
    }
}

/// @throws std::invalid_argument for more than Python's scenarios may have, too
void
CheckPayload(uint32_t payloadBytes)
{
    if (payloadBytes > MOST_PAYLOAD_BYTES)
    {
        throw std::invalid_argument("PubSubHelper::Publish: a payload of " +
                                    std::to_string(payloadBytes) + " B; there may be " +
                                    std::to_string(MOST_PAYLOAD_BYTES));
    }
}

} // namespace

PubSubNetwork::PubSubNetwork(const std::string& protocol)
    : m_settings(ns3::CreateObject<PubSubSettings>()),
      m_trace([this](const char* text, size_t bytes) {
          if (!m_isFinished)
          {
              m_spool.Write(text, bytes);
          }
      })
{
    CheckProtocol(protocol);
    m_scenario.protocol = protocol;
    m_policies = GetOwnPolicies(protocol);
    m_scenario.policies = MakePolicies(m_policies);
}

PubSubNetwork::~PubSubNetwork() = default;

void
PubSubNetwork::SetAttribute(const std::string& name, const ns3::AttributeValue& value)
{
    if (!m_settings->SetAttributeFailSafe(name, value))
    {
        ns3::TypeId::AttributeInformation known;
        const bool isKnown = PubSubSettings::GetTypeId().LookupAttributeByName(name, &known);
        throw std::invalid_argument("PubSubHelper::SetAttribute: mftpubsub::PubSubSettings " +
                                    (isKnown ? "takes other values for " + name + ": " +
                                                   known.checker->GetUnderlyingTypeInformation()
                                             : "has no attribute " + name));
    }
    CheckTakesAttribute(m_scenario.protocol, name);
}

void
PubSubNetwork::CheckBeforeStart(const std::string& what) const
{
    if (m_stack || IsReleased())
    {
        throw std::logic_error("PubSubHelper::" + what + " counts before the simulation runs");
    }
}

bool
PubSubNetwork::IsReleased() const
{
    return m_applications.empty() && !m_published.empty(); // what was published stays
}

void
PubSubNetwork::CheckRuns() const
{
    if (!m_stack)
    {
        throw std::logic_error("PubSubHelper::Publish: the simulation does not run yet, or no "
                               "longer; PublishAt says what is to come");
    }
}

void
PubSubNetwork::CheckFits(const Event& event) const
{
    if (const auto problem = FindUnencodable(event.attributes); !problem.empty())
    {
        throw std::invalid_argument("PubSubHelper::Publish: " + problem);
    }
    const auto bytes = CountBytes(event);
    if (m_mostEventBytes && bytes > *m_mostEventBytes)
    {
        throw std::invalid_argument(
            "PubSubHelper::Publish: an event of " + std::to_string(bytes) + " B, " +
            std::to_string(event.payloadBytes) + " B of them payload, does not fit into a frame: " +
            m_scenario.protocol + " has room for " + std::to_string(*m_mostEventBytes) +
            " B there, and does not split events");
    }
}

void
PubSubNetwork::SetPolicy(const std::string& kind,
                         const std::string& name,
                         const PolicyParameters& parameters)
{
    CheckBeforeStart("SetPolicy");
    if (GetOwnPolicies(m_scenario.protocol).contains(kind))
    {
        throw std::invalid_argument("PubSubHelper::SetPolicy: " + m_scenario.protocol + " has a " +
                                    kind + " policy of its own");
    }
    auto policies = m_policies;
    policies[kind] = {name, parameters};
    try
    {
        auto made = MakePolicies(policies);
        CheckAsksPolicy(m_scenario.protocol, kind);
        m_scenario.policies = std::move(made);
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument("PubSubHelper::SetPolicy: " + std::string(error.what()));
    }
    m_policies = std::move(policies);
}

void
PubSubNetwork::SetRoles(const ns3::NodeContainer& nodes, uint8_t roles)
{
    CheckBeforeStart("SetRole");
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        auto& part = m_parts[(*node)->GetId()];
        part.roles = roles;
        part.isTold = true;
    }
}

void
PubSubNetwork::AddRole(const ns3::NodeContainer& nodes, Roles role)
{
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        auto& part = m_parts[(*node)->GetId()];
        part.roles |= role;
        part.isTold = true;
    }
}

void
PubSubNetwork::Subscribe(const ns3::NodeContainer& nodes, const std::string& filter)
{
    CheckBeforeStart("Subscribe");
    ParseFor("Subscribe", filter, Filter::Parse); // throws
    AddRole(nodes, ROLE_SUBSCRIBER);
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        m_parts[(*node)->GetId()].filters.push_back(filter);
    }
}

ns3::ApplicationContainer
PubSubNetwork::Install(const ns3::NetDeviceContainer& devices)
{
    if (!m_applications.empty() || IsReleased())
    {
        throw std::logic_error("PubSubHelper::Install was called before: one helper, one network");
    }
    CheckDevices(m_scenario.protocol, devices);
    ns3::ApplicationContainer applications;
    for (NodeId id = 0; id < devices.GetN(); ++id)
    {
        const auto node = devices.Get(id)->GetNode();
        GiveAddress(*devices.Get(id), id);
        m_installed.addresses.push_back(devices.Get(id)->GetAddress());
        m_installed.ports.push_back(DevicePort::For(devices.Get(id)));
        m_installed.nodes.Add(node);
        m_applications.push_back(ns3::CreateObject<PubSubApplication>(id, shared_from_this()));
        node->AddApplication(m_applications.back());
        applications.Add(m_applications.back());
    }
    m_installed.devices = devices;
    m_published.resize(devices.GetN());
    // Not while a node initializes itself: it goes through its applications.
    ns3::Simulator::ScheduleNow([self = weak_from_this()] {
        if (const auto network = self.lock())
        {
            network->Start();
        }
    });
    // What hosts refer to outlives them, whatever becomes of the helper.
    ns3::Simulator::ScheduleDestroy([self = shared_from_this()] { self->Release(); });
    return applications;
}

int64_t
PubSubNetwork::AssignStreams(int64_t first)
{
    CheckBeforeStart("AssignStreams");
    const int64_t nodes = m_installed.nodes.GetN();
    m_streams = {first, first + nodes, first + 2 * nodes};
    return FindIpProtocol(m_scenario.protocol) ? (2 + INTERNET_STREAMS) * nodes : nodes;
}

void
PubSubNetwork::CheckRoles(const ns3::Node& node, const Part& part)
{
    std::string wrong;
    if (!part.isTold)
    {
        wrong = "has no role; SetRole(node, \"router\") if it has none";
    }
    else if (!part.filters.empty() && !(part.roles & ROLE_SUBSCRIBER))
    {
        wrong = "has a filter, and SetRole has taken its subscriber role away";
    }
    else if (part.isToPublish && !(part.roles & ROLE_PUBLISHER))
    {
        wrong = "is to publish (PublishAt), and SetRole has taken its publisher role away";
    }
    if (!wrong.empty())
    {
        throw std::logic_error("PubSubHelper: " + NameOf(node) + " " + wrong);
    }
}

void
PubSubNetwork::FillScenario()
{
    m_settings->Apply(m_scenario);
    std::set<uint32_t> installed;
    for (auto node = m_installed.nodes.Begin(); node != m_installed.nodes.End(); ++node)
    {
        const auto& part = m_parts[(*node)->GetId()];
        CheckRoles(**node, part);
        NodeSpec spec;
        spec.isBroker = part.roles & ROLE_BROKER;
        spec.isSubscriber = part.roles & ROLE_SUBSCRIBER;
        spec.isPublisher = part.roles & ROLE_PUBLISHER;
        spec.filters = part.filters;
        m_scenario.nodes.push_back(std::move(spec));
        installed.insert((*node)->GetId());
    }
    for (const auto& [node, part] : m_parts)
    {
        if (!installed.contains(node))
        {
            throw std::logic_error("PubSubHelper: node " + std::to_string(node) +
                                   " has a role, and Install was given no device of it");
        }
    }
}

void
PubSubNetwork::Start()
{
    if (m_stack)
    {
        return;
    }
    NS_LOG_FUNCTION(this << m_scenario.protocol);
    for (const auto& application : m_applications)
    {
        application->CheckTimes();
    }
    CheckCanSend(m_installed.devices);
    CheckAddresses(m_installed.devices, m_installed.addresses);
    CheckTakeInternet(m_scenario.protocol, m_installed.nodes);
    FillScenario();
    CheckHasBrokers(m_scenario);
    for (NodeId id = 0; id < m_scenario.nodes.size(); ++id)
    {
        m_trace.Role(id, GetRoles(m_scenario.nodes[id]));
        for (const auto& text : m_scenario.nodes[id].filters)
        {
            m_registry.Subscribe(id, Filter::Parse(text));
        }
    }
    m_trace.SetDeliveryCallback([this](NodeId subscriber, EventId event, uint8_t hops, bool again) {
        Delivered(subscriber, event, hops, again);
    });
    const StackSite site{m_scenario,
                         m_installed.nodes,
                         m_installed.devices,
                         m_installed.ports,
                         m_trace,
                         m_streams};
    m_mostEventBytes = GetMostEventBytes(site);
    m_stack = MakeStack(site);
    for (auto node = m_installed.nodes.Begin(); node != m_installed.nodes.End(); ++node)
    {
        (*node)->Initialize(); // what the stack has aggregated, as ns-3's routing protocols
    }
}

void
PubSubNetwork::PublishAt(ns3::Time time,
                         const ns3::NodeContainer& nodes,
                         const std::string& attributes,
                         uint32_t payloadBytes)
{
    CheckBeforeStart("PublishAt");
    ParseFor("PublishAt", attributes, ParseAttributes); // throws
    CheckPayload(payloadBytes);
    if (time < ns3::Simulator::Now())
    {
        throw std::invalid_argument("PubSubHelper::PublishAt: the time is over");
    }
    AddRole(nodes, ROLE_PUBLISHER);
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        m_parts[(*node)->GetId()].isToPublish = true;
        ns3::Simulator::ScheduleWithContext(
            (*node)->GetId(),
            time - ns3::Simulator::Now(),
            [self = weak_from_this(), node = *node, attributes, payloadBytes] {
                if (const auto network = self.lock())
                {
                    network->Start(); // unless it has: this may be the first event of all
                    network->Publish(*node, attributes, payloadBytes);
                }
            });
    }
}

uint32_t
PubSubNetwork::Publish(const ns3::Node& node, const std::string& attributes, uint32_t payloadBytes)
{
    CheckRuns();
    for (NodeId id = 0; id < m_installed.nodes.GetN(); ++id)
    {
        if (m_installed.nodes.Get(id)->GetId() == node.GetId())
        {
            return Publish(id, attributes, payloadBytes);
        }
    }
    throw std::logic_error("PubSubHelper::Publish: Install was given no device of " + NameOf(node));
}

uint32_t
PubSubNetwork::Publish(NodeId publisher, const std::string& attributes, uint32_t payloadBytes)
{
    CheckRuns();
    if (!m_scenario.nodes[publisher].isPublisher)
    {
        throw std::logic_error(
            "PubSubHelper::Publish: " + NameOf(*m_installed.nodes.Get(publisher)) +
            " has not the role of a publisher");
    }
    auto event = std::make_shared<Event>();
    event->id = {publisher, static_cast<uint32_t>(m_published[publisher].size())};
    event->attributes = ParseFor("Publish", attributes, ParseAttributes);
    CheckPayload(payloadBytes);
    event->payloadBytes = static_cast<uint16_t>(payloadBytes);
    CheckFits(*event);
    NS_LOG_INFO("node " << publisher << " publishes " << attributes);
    const auto subscribers = m_registry.WhoWants(*event);
    m_published[publisher].push_back({event, ns3::Simulator::Now()});
    if (!m_isFinished)
    {
        m_trace.Published(publisher, *event);
        for (const auto subscriber : subscribers)
        {
            m_trace.Sent(publisher, event->id, subscriber);
        }
    }
    const auto application = m_applications[publisher];
    application->m_publishedTrace(publisher, event->id.sequence, attributes, payloadBytes);
    m_stack->Publish(publisher, event, subscribers);
    return event->id.sequence;
}

void
PubSubNetwork::Delivered(NodeId subscriber, EventId event, uint8_t hops, bool isDuplicate)
{
    if (event.publisher >= m_published.size() ||
        event.sequence >= m_published[event.publisher].size())
    {
        throw std::logic_error(
            "PubSubHelper: " + NameOf(*m_installed.nodes.Get(subscriber)) +
            " has got an event that its network has not published; does a bridge "
            "join it with that of another helper?");
    }
    const auto& [what, when] = m_published[event.publisher][event.sequence];
    const auto text = ToText(what->attributes);
    const auto delay = ns3::Simulator::Now() - when;
    NS_LOG_INFO("node " << subscriber << " has got " << text << " of node " << event.publisher);
    const auto application = m_applications[subscriber];
    auto& source = isDuplicate ? application->m_duplicateTrace : application->m_deliveredTrace;
    source(event.publisher, event.sequence, text, delay, hops);
}

void
PubSubNetwork::Finish()
{
    if (!m_stack || m_isFinished)
    {
        return;
    }
    NS_LOG_FUNCTION(this);
    m_stack->NoteRemaining();
    m_stack->NoteShape();
    for (NodeId id = 0; id < m_installed.devices.GetN(); ++id)
    {
        if (const auto joules = m_installed.ports[id]->GetEnergyJoules())
        {
            m_trace.Energy(id, *joules);
        }
    }
    m_trace.End();
    m_isFinished = true;
    if (m_tracePath.empty())
    {
        return;
    }
    if (!ns3::Simulator::IsFinished())
    {
        std::cerr << "PubSubHelper: the simulation has not come to its end: its trace "
                  << m_tracePath << " is not written\n";
        return;
    }
    m_spool.CopyTo(m_tracePath);
}

void
PubSubNetwork::WriteTrace(const std::string& path)
{
    TraceSpool::CheckPath(path);
    m_tracePath = path;
    if (m_isFinished)
    {
        m_spool.CopyTo(path);
    }
    else if (m_stack && ns3::Simulator::IsFinished())
    {
        Finish();
    }
}

void
PubSubNetwork::Release()
{
    m_applications.clear();
    m_stack = nullptr;
    m_installed = {};
}

} // namespace mftpubsub
