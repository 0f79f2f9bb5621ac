/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_SESSION_PORT_H
#define MFTPUBSUB_HOSTS_SESSION_PORT_H

#include "hosts/device-port.h"
#include "hosts/machine-timer.h"
#include "session/sessions.h"

#include "ns3/mac48-address.h"
#include "ns3/packet.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>

namespace mftpubsub
{

/**
 * Sessions on a device: gives them time and randomness, carries their frames, and tells what
 * becomes of messages. Whoever owns it hands it the frames that arrive.
 */
class SessionPort
{
  public:
    struct Handlers
    {
        std::function<void(const SessionEvent&)> happened;
        /// A packet with (a part of) a message has been given to the device.
        std::function<void(uint64_t uid, MessageHandle)> queued{[](uint64_t, MessageHandle) {}};
        /// The device is done with such a packet.
        std::function<void(uint64_t uid)> gone{[](uint64_t) {}};
    };

    /**
     * @param protocol number of its frames on the device
     * @param uniform for this node's random draws
     * @param retry whether a frame is sent once more
     */
    SessionPort(NodeId self,
                uint16_t protocol,
                const TransportOptions& options,
                ns3::Ptr<ns3::UniformRandomVariable> uniform,
                RetryDecision retry,
                Handlers handlers);
    ~SessionPort();

    SessionPort(const SessionPort&) = delete;
    SessionPort& operator=(const SessionPort&) = delete;

    /// Sends and receives from now on.
    void Start(ns3::Ptr<DevicePort> port);

    /// Does neither any more. What was under way is forgotten.
    void Stop();

    void Send(MessageHandle handle, NodeId to, uint8_t kind, Bytes body);

    /// @throws std::length_error when it does not fit in a frame: broadcasts are not split
    void Broadcast(uint8_t kind, const Bytes& body);

    /// A heartbeat: it tells of ended sessions, in front of @p body.
    void BroadcastHeartbeat(const Bytes& body);

    /// @param body of a broadcast; of a heartbeat what stood behind its notices
    /// @throws DecodeError when @p body is none of the protocol's
    using BroadcastReceiver =
        std::function<void(const FrameHeader& header, std::span<const uint8_t> body)>;

    /// A frame has arrived. One that cannot be read is somebody else's, who uses our number.
    void Receive(const Bytes& frame, const BroadcastReceiver& broadcast);

    /// Ends the session with @p neighbour.
    void Close(NodeId neighbour);

  private:
    void FrameGone(ns3::Ptr<const ns3::Packet> frame, uint16_t, ns3::Mac48Address, uint32_t);
    void FrameOnAir(ns3::Ptr<const ns3::Packet> frame, uint16_t, ns3::Mac48Address, uint32_t);
    void FrameAcknowledged(ns3::Ptr<const ns3::Packet> frame);
    void FrameGivenUp(ns3::Ptr<const ns3::Packet> frame);
    std::optional<uint64_t> TakeTicket(const ns3::Packet& frame);
    void ReceiveBroadcast(const FrameHeader& header,
                          const Bytes& frame,
                          const BroadcastReceiver& receiver);
    void SendFrame(const OutgoingFrame& frame);
    void TimerExpired();
    void Execute(const TransportOutput& output);

    uint16_t m_protocol;
    Handlers m_handlers;
    Sessions m_sessions;
    ns3::Ptr<DevicePort> m_port;
    std::unordered_map<uint64_t, uint64_t> m_tickets; //!< packet uid -> the sessions' ticket
    bool m_usesLinkAcks;
    MachineTimer m_timer;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_SESSION_PORT_H */
