/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/session-port.h"

#include "hosts/node-address.h"

#include <utility>

namespace mftpubsub
{

SessionPort::SessionPort(NodeId self,
                         uint16_t protocol,
                         const TransportOptions& options,
                         ns3::Ptr<ns3::UniformRandomVariable> uniform,
                         RetryDecision retry,
                         Handlers handlers)
    : m_protocol(protocol),
      m_handlers(std::move(handlers)),
      m_sessions(
          self,
          options,
          [uniform] { return uniform->GetValue(); },
          std::move(retry)),
      m_usesLinkAcks(options.usesLinkAcks),
      m_timer([this] { TimerExpired(); })
{
}

SessionPort::~SessionPort() = default;

void
SessionPort::Start(ns3::Ptr<DevicePort> port)
{
    m_port = port;
    const auto gone = ns3::MakeCallback(&SessionPort::FrameGone, this);
    m_port->TraceConnectWithoutContext("MacDrop", gone);
    if (!m_port->HasAcks())
    {
        m_port->TraceConnectWithoutContext("Transmit", gone);
    }
    else // it may send a frame several times, and tells when it is done with it
    {
        m_port->TraceConnectWithoutContext("Transmit",
                                           ns3::MakeCallback(&SessionPort::FrameOnAir, this));
        m_port->TraceConnectWithoutContext(
            "Acknowledged",
            ns3::MakeCallback(&SessionPort::FrameAcknowledged, this));
        m_port->TraceConnectWithoutContext("GivenUp",
                                           ns3::MakeCallback(&SessionPort::FrameGivenUp, this));
    }
}

void
SessionPort::Stop()
{
    m_timer.Cancel();
    m_tickets.clear();
    const auto gone = ns3::MakeCallback(&SessionPort::FrameGone, this);
    m_port->TraceDisconnectWithoutContext("Transmit", gone);
    m_port->TraceDisconnectWithoutContext("MacDrop", gone);
    m_port->TraceDisconnectWithoutContext("Transmit",
                                          ns3::MakeCallback(&SessionPort::FrameOnAir, this));
    m_port->TraceDisconnectWithoutContext("Acknowledged",
                                          ns3::MakeCallback(&SessionPort::FrameAcknowledged, this));
    m_port->TraceDisconnectWithoutContext("GivenUp",
                                          ns3::MakeCallback(&SessionPort::FrameGivenUp, this));
    m_port = nullptr;
}

void
SessionPort::Send(MessageHandle handle, NodeId to, uint8_t kind, Bytes body)
{
    TransportOutput output;
    m_sessions.Send(handle, to, kind, std::move(body), output);
    Execute(output);
}

void
SessionPort::Broadcast(uint8_t kind, const Bytes& body)
{
    TransportOutput output;
    m_sessions.Broadcast(kind, body, output);
    Execute(output);
}

void
SessionPort::BroadcastHeartbeat(const Bytes& body)
{
    TransportOutput output;
    m_sessions.BroadcastHeartbeat(body, output);
    Execute(output);
}

void
SessionPort::Receive(const Bytes& frame, const BroadcastReceiver& broadcast)
try
{
    const auto header = DecodeFrameHeader(frame);
    if (header.destination == NO_NODE)
    {
        ReceiveBroadcast(header, frame, broadcast);
        return;
    }
    TransportOutput output;
    m_sessions.Receive(Now(), frame, output);
    Execute(output);
}
catch (const DecodeError&)
{
    // somebody else's
}

void
SessionPort::ReceiveBroadcast(const FrameHeader& header,
                              const Bytes& frame,
                              const BroadcastReceiver& receiver)
{
    TransportOutput output;
    const auto body = m_sessions.ReceiveBroadcast(header, frame, output);
    Execute(output);
    receiver(header, body);
}

void
SessionPort::Close(NodeId neighbour)
{
    TransportOutput output;
    m_sessions.Close(neighbour, output);
    Execute(output);
}

void
SessionPort::SendFrame(const OutgoingFrame& frame)
{
    const auto packet =
        ns3::Create<ns3::Packet>(frame.bytes.data(), static_cast<uint32_t>(frame.bytes.size()));
    if (frame.ticket != 0)
    {
        m_tickets.emplace(packet->GetUid(), frame.ticket);
        m_handlers.queued(packet->GetUid(), frame.message);
    }
    if (!m_port->Send(packet, frame.to, m_protocol))
    {
        FrameGone(packet, m_protocol, {}, 0); // the device is off: as if lost on the air
    }
}

void
SessionPort::FrameGone(ns3::Ptr<const ns3::Packet> frame, uint16_t, ns3::Mac48Address, uint32_t)
{
    if (const auto ticket = TakeTicket(*frame))
    {
        m_sessions.Transmitted(Now(), *ticket, m_usesLinkAcks);
        m_timer.Set(m_sessions.NextTimer());
    }
}

/// From its last attempt on a frame's acknowledgement is waited for: earlier, a session would give
/// the device a second copy while that still repeats the first.
void
SessionPort::FrameOnAir(ns3::Ptr<const ns3::Packet> frame, uint16_t, ns3::Mac48Address, uint32_t)
{
    if (const auto ticket = m_tickets.find(frame->GetUid()); ticket != m_tickets.end())
    {
        m_sessions.Transmitted(Now(), ticket->second);
        m_timer.Set(m_sessions.NextTimer());
    }
}

void
SessionPort::FrameAcknowledged(ns3::Ptr<const ns3::Packet> frame)
{
    const auto ticket = TakeTicket(*frame);
    if (ticket && m_usesLinkAcks)
    {
        TransportOutput output;
        m_sessions.Acknowledged(Now(), *ticket, output);
        Execute(output);
    }
}

void
SessionPort::FrameGivenUp(ns3::Ptr<const ns3::Packet> frame)
{
    const auto ticket = TakeTicket(*frame);
    if (ticket && m_usesLinkAcks)
    {
        TransportOutput output;
        m_sessions.GivenUp(Now(), *ticket, output);
        Execute(output);
    }
}

std::optional<uint64_t>
SessionPort::TakeTicket(const ns3::Packet& frame)
{
    const auto ticket = m_tickets.extract(frame.GetUid());
    if (!ticket)
    {
        return std::nullopt;
    }
    m_handlers.gone(frame.GetUid());
    return ticket.mapped();
}

void
SessionPort::TimerExpired()
{
    TransportOutput output;
    m_sessions.Expire(Now(), output);
    Execute(output);
}

void
SessionPort::Execute(const TransportOutput& output)
{
    for (const auto& frame : output.frames)
    {
        SendFrame(frame);
    }
    m_timer.Set(m_sessions.NextTimer());
    for (const auto& event : output.events)
    {
        m_handlers.happened(event);
    }
}

} // namespace mftpubsub
