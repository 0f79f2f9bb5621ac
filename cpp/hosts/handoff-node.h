/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_HANDOFF_NODE_H
#define MFTPUBSUB_HOSTS_HANDOFF_NODE_H

#include "hosts/handoff-broker-host.h"
#include "hosts/handoff-client-host.h"
#include "hosts/machine-timer.h"
#include "hosts/session-port.h"
#include "overlay/client-attachment.h"

#include "ns3/application.h"
#include "ns3/traced-callback.h"

#include <deque>
#include <string>
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
class HandoffNode : public ns3::Application, private HandoffServices
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

    /// @return a client's broker; NO_NODE if there is none
    NodeId GetParent() const;

    /// @return the events that a broker holds, one for each subscriber they are held for
    uint32_t CountHeldEvents() const;

    /// Tells the trace that @p cause has befallen what the broker holds.
    void NoteHeld(LossCause cause) const;

    /// Tells the trace that @p cause has befallen what the broker has given to the transport.
    void NoteUnderway(LossCause cause) const;

    /**
     * TracedCallback signature of Published.
     *
     * @param event that the application on this device has published
     */
    typedef void (*EventTracedCallback)(const Event& event);

    /**
     * TracedCallback signature of Delivered.
     *
     * @param event that has reached the subscriber on this device
     * @param from the broker that it came from, by node id
     * @param isDuplicate whether the application has seen it before
     */
    typedef void (*DeliveryTracedCallback)(const Event& event, uint16_t from, bool isDuplicate);

    /**
     * TracedCallback signature of Migrated.
     *
     * @param broker that the subscriber on this device moves to, by node id
     */
    typedef void (*MigrationTracedCallback)(uint16_t broker);

    /**
     * TracedCallback signature of Frame.
     *
     * @param kind of the frame that goes on the air
     * @param to its destination, by node id; NO_NODE for a broadcast
     * @param bytesOnAir its size, MAC and PHY included
     */
    typedef void (*FrameTracedCallback)(const std::string& kind, uint16_t to, uint32_t bytesOnAir);

  protected:
    void DoDispose() override;

  private:
    /// A message that the transport has, and to whom it goes.
    struct Underway
    {
        NodeId to{NO_NODE};
        handoff::RadioMessage message;
    };

    void StartApplication() override;
    void StopApplication() override;

    // From HandoffServices
    void SendToBroker(NodeId broker, const handoff::RadioMessage& message) override;
    void SendToClient(NodeId client, const handoff::RadioMessage& message) override;
    void CloseSession(NodeId neighbour) override;
    void Attached(NodeId broker) override;
    void Delivered(const EventPtr& event, NodeId from, bool isDuplicate) override;
    RunTrace& GetTrace() override;

    void Transmit(NodeId to, const handoff::RadioMessage& message);
    void ReceiveFrame(const ns3::Ptr<const ns3::Packet>& frame, double rssiDbm);
    void ReceiveBroadcast(const FrameHeader& header, const Bytes& frame, double rssiDbm);
    void AttachmentChanged(AttachmentChange change);
    void Happened(const SessionEvent& event);
    void ReceiveMessage(const ReceivedMessage& received);
    void HasEnded(const SessionEnded& ended);
    void FrameOnAir(ns3::Ptr<const ns3::Packet> frame,
                    uint16_t protocol,
                    ns3::Mac48Address to,
                    uint32_t bytesOnAir);
    void ScheduleHeartbeat();
    void BroadcastHeartbeat();
    void Ping();
    void TimerExpired();
    NodeView Describe() const;
    void CompleteView(NodeView& me) const;

    /// After an input: carries local messages, and sets the timer.
    void Finish();

    HandoffNodeOptions m_options;
    RunTrace& m_trace;
    ns3::Ptr<DevicePort> m_device;
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
    MachineTimer m_timer;

    ns3::TracedCallback<const Event&> m_publishedTrace;
    ns3::TracedCallback<const Event&, uint16_t, bool> m_deliveredTrace;
    ns3::TracedCallback<uint16_t> m_migratedTrace;
    ns3::TracedCallback<const std::string&, uint16_t, uint32_t> m_frameTrace;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_HANDOFF_NODE_H */
