/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_MESSAGE_PORT_H
#define MFTPUBSUB_HOSTS_MESSAGE_PORT_H

#include "hosts/node-services.h"
#include "hosts/session-port.h"

#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mftpubsub
{

/// @return what a frame of ours carries, as the trace names it ("HEARTBEAT", "ACK", "PUB", ...)
std::string_view GetFrameKind(ns3::Ptr<const ns3::Packet> frame,
                              std::span<const std::string> own = {});

/// The messages of a node's roles over its SessionPort: knows those that are under way.
class MessagePort
{
  public:
    struct Handlers
    {
        std::function<void(NodeId from, const Message&)> received;
        std::function<void(NodeId to)> delivered; //!< a message
        /// The session with @p neighbour is over, and what was under way has failed.
        std::function<void(NodeId neighbour, SessionEnd why, const std::vector<FailedSend>& failed)>
            ended;
    };

    /// As SessionPort's
    MessagePort(NodeId self,
                const TransportOptions& options,
                ns3::Ptr<ns3::UniformRandomVariable> uniform,
                RetryDecision retry,
                Handlers handlers);

    /// What arrives, and what else is to be sent, goes straight there.
    SessionPort& GetSessions();

    /**
     * Sends @p send, or broadcasts it. A replay of more than a frame goes as several, so that what
     * arrives need not be repeated.
     *
     * @param failures times that the transport has given it up before
     */
    void Send(const mftpubsub::Send& send, uint32_t failures = 0);

    /// @return the messages to one neighbour that are under way, each with the failures before
    std::vector<FailedSend> GetUnderway() const;

    /// Nobody wants to know any more what becomes of them.
    void Forget();

  private:
    void Happened(const SessionEvent& event);

    Handlers m_handlers;
    uint16_t m_maxFrameBytes;
    SessionPort m_sessions;
    std::unordered_map<MessageHandle, FailedSend> m_underway;
    MessageHandle m_lastHandle{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_MESSAGE_PORT_H */
