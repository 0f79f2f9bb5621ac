/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run/air-log.h"

#include "hosts/carried-events-tag.h"
#include "hosts/ip-node.h"
#include "hosts/machine-io.h"
#include "hosts/node-address.h"
#include "hosts/protocol-numbers.h"
#include "protocols/handoff/radio-codec.h"
#include "protocols/mesh/frames.h"
#include "protocols/mesh/sums.h"
#include "protocols/own/hook-broker.h"
#include "protocols/tree/message-codec.h"
#include "session/frame.h"

#include "ns3/ipv4-l3-protocol.h"
#include "ns3/udp-l4-protocol.h"

#include <span>
#include <utility>
#include <variant>

namespace mftpubsub
{

namespace
{

constexpr size_t BLOCK = 1 << 16; //!< records handed on at once

using ReadBytes = std::span<const uint8_t>;

std::vector<AirLog::Carried>
ReadPacket(ReadBytes packet)
{
    constexpr size_t PROTOCOL_AT = 9;
    constexpr size_t DESTINATION_AT = 16;
    ByteReader protocol(packet.subspan(PROTOCOL_AT));
    if (protocol.Get<uint8_t>() != UDP_PROTOCOL_NUMBER)
    {
        return {};
    }
    ByteReader in(packet.subspan(DESTINATION_AT));
    const auto subscriber = ToNodeId(ns3::Ipv4Address(in.Get<uint32_t>()));
    in.Get<uint16_t>(); // UDP: source port
    if (in.Get<uint16_t>() != EVENT_PORT)
    {
        return {};
    }
    in.Get<uint32_t>(); // length, checksum
    const auto publisher = in.Get<NodeId>();
    return {{{publisher, in.Get<uint32_t>()}, subscriber}};
}

std::vector<AirLog::Carried>
ReadMessage(uint8_t kind, ReadBytes body, const BrokerHooks* brokers)
{
    const auto message = Decode(kind, body);
    if (const auto* own = std::get_if<Own>(&message); own && brokers)
    {
        std::vector<AirLog::Carried> carried;
        for (const auto& id : AskCarried(*brokers, *own))
        {
            carried.push_back({id});
        }
        return carried;
    }
    if (const auto* pub = std::get_if<Pub>(&message))
    {
        return {{pub->event->id}};
    }
    std::vector<AirLog::Carried> found;
    if (const auto* rep = std::get_if<Rep>(&message))
    {
        for (const auto& event : rep->events)
        {
            found.push_back({event->id, rep->subscriber});
        }
    }
    return found;
}

std::vector<AirLog::Carried>
ReadMeshFrame(ReadBytes bytes)
{
    std::vector<AirLog::Carried> found;
    const auto frame = mesh::Decode(bytes);
    const auto add = [&found](const std::vector<mesh::CarriedEvent>& events) {
        for (const auto& carried : events)
        {
            found.push_back({carried.event->id});
        }
    };
    if (const auto* pub = std::get_if<mesh::Pub>(&frame.body))
    {
        add(pub->events);
    }
    else if (const auto* rep = std::get_if<mesh::Rep>(&frame.body))
    {
        add(rep->events);
    }
    else if (const auto* mix = std::get_if<mesh::Mix>(&frame.body))
    {
        for (const auto id : mesh::GetMixed(*mix))
        {
            found.push_back({id});
        }
    }
    else if (const auto* blocks = std::get_if<mesh::BlockMix>(&frame.body))
    {
        if (blocks->blocks.size() == 1)
        {
            for (const auto& event : mesh::UnpackBlock(blocks->sum).events)
            {
                found.push_back({event->id});
            }
        }
    }
    return found;
}

std::vector<AirLog::Carried>
ReadHandoffMessage(uint8_t kind, ReadBytes body)
{
    const auto message = handoff::DecodeRadio(kind, body);
    const auto* pub = std::get_if<handoff::Pub>(&message);
    return pub ? std::vector<AirLog::Carried>{{pub->event->id}} : std::vector<AirLog::Carried>();
}

std::vector<AirLog::Carried>
ReadAckedMessage(ReadBytes body)
{
    ByteReader in(body); // an EtherType before the packet
    return in.Get<uint16_t>() == IPV4_PROTOCOL_NUMBER ? ReadPacket(body.subspan(sizeof(uint16_t)))
                                                      : std::vector<AirLog::Carried>();
}

/// @return what the message of a session carries, if @p frame completes it
/// @param read is given the message's kind and body
template <typename Read>
std::vector<AirLog::Carried>
ReadSessionFrame(ReadBytes frame, MessageParts& parts, const Read& read)
{
    const auto header = DecodeFrameHeader(frame);
    if (header.kind >= KIND_ASK)
    {
        return {};
    }
    const auto message = parts.Add(header, GetFrameBody(frame));
    return message ? read(header.kind, *message) : std::vector<AirLog::Carried>();
}

/// @return what a frame carries, as far as it and those before it tell
/// @throws DecodeError for what is no message
std::vector<AirLog::Carried>
ReadFrame(ReadBytes bytes, uint16_t protocol, MessageParts& parts, const BrokerHooks* brokers)
{
    switch (protocol)
    {
    case IPV4_PROTOCOL_NUMBER:
        return ReadPacket(bytes);
    case MESH_PROTOCOL_NUMBER:
        return ReadMeshFrame(bytes);
    case TREE_PROTOCOL_NUMBER:
        return ReadSessionFrame(bytes, parts, [brokers](uint8_t kind, ReadBytes body) {
            return ReadMessage(kind, body, brokers);
        });
    case HANDOFF_PROTOCOL_NUMBER:
        return ReadSessionFrame(bytes, parts, ReadHandoffMessage);
    case ACKED_PROTOCOL_NUMBER:
        return ReadSessionFrame(bytes, parts, [](uint8_t, ReadBytes body) {
            return ReadAckedMessage(body);
        });
    default:
        return {};
    }
}

std::vector<AirLog::Carried>
ReadTag(const ns3::Ptr<const ns3::Packet>& packet)
{
    CarriedEventsTag tag;
    packet->PeekPacketTag(tag);
    std::vector<AirLog::Carried> found;
    for (const auto& id : tag.GetEvents())
    {
        found.push_back({id});
    }
    return found;
}

} // namespace

AirLog::AirLog(const DevicePorts& ports, Medium& medium, AirSink sink, const BrokerHooks* brokers)
    : m_sink(std::move(sink)),
      m_brokers(brokers)
{
    m_records.reserve(BLOCK);
    for (NodeId id = 0; id < ports.size(); ++id)
    {
        ports[id]->TraceConnectWithoutContext("Transmit",
                                              ns3::MakeCallback(&AirLog::FrameOnAir, this, id));
    }
    medium.OnSignalEnded([this](NodeId receiver, uint64_t frame, SignalOutcome outcome) {
        SignalEnded(receiver, frame, outcome);
    });
}

void
AirLog::Flush()
{
    if (!m_records.empty())
    {
        m_sink(reinterpret_cast<uintptr_t>(m_records.data()), m_records.size() * sizeof(AirRecord));
        m_records.clear();
    }
}

std::vector<AirLog::Carried>
AirLog::GetEvents(const ns3::Ptr<const ns3::Packet>& packet, uint16_t protocol)
{
    try
    {
        auto told = ReadTag(packet);
        return told.empty() ? ReadFrame(GetBytes(packet), protocol, m_parts, m_brokers) : told;
    }
    catch (const DecodeError&)
    {
        return {};
    }
}

void
AirLog::FrameOnAir(NodeId sender,
                   ns3::Ptr<const ns3::Packet> packet,
                   uint16_t protocol,
                   ns3::Mac48Address,
                   uint32_t)
{
    for (const auto& [event, subscriber] : GetEvents(packet, protocol))
    {
        Append({.frame = m_frames,
                .sequence = event.sequence,
                .node = sender,
                .publisher = event.publisher,
                .subscriber = subscriber,
                .what = AirRecord::EVENT,
                .outcome = 0});
    }
    ++m_frames;
}

void
AirLog::SignalEnded(NodeId receiver, uint64_t frame, SignalOutcome outcome)
{
    if (outcome != SignalOutcome::FAIL_SENSITIVITY)
    {
        Append({.frame = static_cast<uint32_t>(frame),
                .sequence = 0,
                .node = receiver,
                .publisher = NO_NODE,
                .subscriber = NO_NODE,
                .what = AirRecord::SIGNAL,
                .outcome = static_cast<uint8_t>(outcome)});
    }
}

void
AirLog::Append(const AirRecord& record)
{
    m_records.push_back(record);
    if (m_records.size() == BLOCK)
    {
        Flush();
    }
}

} // namespace mftpubsub
