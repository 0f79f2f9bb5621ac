/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_HANDOFF_NODE_H
#define MFTPUBSUB_HOSTS_HANDOFF_NODE_H

#include "hosts/handoff-broker-host.h"
#include "hosts/handoff-client-host.h"
#include "hosts/radio-host.h"
#include "hosts/session-port.h"
#include "overlay/client-attachment.h"

#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>

namespace mftpubsub
{

/// Parameters of a HandoffNode.
struct HandoffNodeOptions
{
    NodeId id{NO_NODE};
    uint8_t roles{0}; //!< Roles
    OverlayOptions overlay;
    Policies policies;
    TransportOptions transport;
    int64_t stream{0}; //!< of this node's random draws
    handoff::ClientOptions client;
    uint64_t queueBytes{1 << 20}; //!< bound of a publisher's buffer
    ns3::Time pingInterval;       //!< of brokers
    Heartbeat heartbeat;          //!< of brokers: all the same, but for its round
    ns3::Time heartbeatOffset;    //!< of a broker in a round, so that they do not collide
};

/**
 * A device's part in one of G's hand-off schemes on the radio: fixed brokers, which a wire connects
 * (Backbone), and clients that walk and attach to one broker that they hear (ClientAttachment).
 *
 * Brokers send heartbeats in common rounds, so that clients choose among those of one round by the
 * same policies as under the other protocols.
 */
class HandoffNode : public RadioHost, private HandoffServices
{
  public:
    static ns3::TypeId GetTypeId();

    /// @param machine of a broker, nullptr without the role
    /// @param backbone and @param trace outlive the node
    HandoffNode(HandoffNodeOptions options,
                std::unique_ptr<handoff::Broker> machine,
                Backbone& backbone,
                RunTrace& trace);
    ~HandoffNode() override;

    /// The application on this device publishes @p event.
    void Publish(const EventPtr& event);

    /// The application on this device subscribes, before the node starts.
    void Subscribe(const Filter& filter);

    /// @return a client's broker; NO_NODE if there is none, and of a broker
    NodeId GetParent() const override;

    uint32_t CountHeldEvents() const override;

    /// Tells the trace that @p cause has befallen what the broker holds.
    void NoteHeld(LossCause cause) const;

    /// Tells the trace that @p cause has befallen what the broker has given to the transport.
    void NoteUnderway(LossCause cause) const;

  protected:
    void DoDispose() override;

  private:
    /// A message that the transport has, and to whom it goes.
    struct Underway
    {
        NodeId to{NO_NODE};
        handoff::RadioMessage message;
    };

    // From RadioHost
    void Start() override;
    void Stop() override;
    void Receive(const Bytes& frame, double rssiDbm) override;
    void Expire() override;
    std::optional<Instant> NextTimer() const override;
    std::string_view NameFrame(const ns3::Ptr<const ns3::Packet>& frame) const override;

    // From HandoffServices
    void SendToBroker(NodeId broker, const handoff::RadioMessage& message) override;
    void SendToClient(NodeId client, const handoff::RadioMessage& message) override;
    void CloseSession(NodeId neighbour) override;
    void Attached(NodeId broker) override;
    void Delivered(const EventPtr& event, NodeId from, bool isDuplicate) override;
    EventLog& GetLog() override;

    void Transmit(NodeId to, const handoff::RadioMessage& message);
    void Hear(NodeId broker, std::span<const uint8_t> body, double rssiDbm);
    void AttachmentChanged(AttachmentChange change);
    void Happened(const SessionEvent& event);
    void ReceiveMessage(const ReceivedMessage& received);
    void HasEnded(const SessionEnded& ended);
    void ScheduleHeartbeat();
    void BroadcastHeartbeat();
    void Ping();
    NodeView Describe() const;
    void CompleteView(NodeView& me) const;

    /// After an input: carries local messages, and sets the timer.
    void Finish();

    HandoffNodeOptions m_options;
    SessionPort m_sessions;
    std::unordered_map<MessageHandle, Underway> m_underway;
    MessageHandle m_lastHandle{0};
    std::optional<HandoffBrokerHost> m_broker;    //!< with the broker role
    std::optional<ClientAttachment> m_attachment; //!< without it
    HandoffClientHost m_clients;
    std::deque<handoff::RadioMessage> m_toBroker; //!< from the clients on its device
    std::deque<handoff::RadioMessage> m_toClients;
    ns3::EventId m_heartbeatTimer;
    ns3::EventId m_pingTimer;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_HANDOFF_NODE_H */
