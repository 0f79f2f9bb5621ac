/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_MESH_NODE_H
#define MFTPUBSUB_HOSTS_MESH_NODE_H

#include "hosts/device-port.h"
#include "hosts/machine-timer.h"
#include "hosts/protocol-numbers.h"
#include "protocols/mesh/station.h"
#include "trace/run-trace.h"

#include "ns3/application.h"
#include "ns3/mac48-address.h"
#include "ns3/packet.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mftpubsub
{

/**
 * Hosts a mesh::Station on a device, and gives it time. All its frames are broadcasts; one is
 * in the MAC at a time.
 */
class MeshNode : public ns3::Application
{
  public:
    static ns3::TypeId GetTypeId();

    /// @param trace is told what happens; must outlive the node
    /// @param protocol EtherType of its frames
    MeshNode(NodeId id,
             std::unique_ptr<mesh::Station> station,
             RunTrace& trace,
             uint16_t protocol = MESH_PROTOCOL_NUMBER);
    ~MeshNode() override;

    /// The application on this device publishes @p event.
    void Publish(const EventPtr& event);

    /// The application on this device subscribes; it may do so before the node starts.
    void Subscribe(const Filter& filter);

    void Unsubscribe(const Filter& filter);

    /// Tells the trace that @p cause has befallen what the broker holds.
    void NoteHeld(LossCause cause) const;

    /// @return the events that the broker holds
    uint32_t CountHeldEvents() const;

    /**
     * The device has crashed: this is over and must not be used any more.
     *
     * @return what its subscriber had on stable storage
     */
    std::optional<mesh::SubscriberMemory> Crash();

    /**
     * TracedCallback signature of Published.
     *
     * @param event that the application on this device has published
     */
    typedef void (*EventTracedCallback)(const Event& event);

    /**
     * TracedCallback signature of Delivered.
     *
     * @param event of which the subscriber on this device has heard a copy, by its id
     * @param from whom it has heard, by node id
     * @param hops that this copy has made
     * @param isDuplicate whether the application has seen the event before
     */
    typedef void (*DeliveryTracedCallback)(EventId event,
                                           uint16_t from,
                                           uint8_t hops,
                                           bool isDuplicate);

    /**
     * TracedCallback signature of Frame.
     *
     * @param kind of the frame that goes on the air
     * @param bytesOnAir its size, MAC and PHY included
     */
    typedef void (*FrameTracedCallback)(const std::string& kind, uint32_t bytesOnAir);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    void ReceiveFrame(const ns3::Ptr<const ns3::Packet>& frame, double rssiDbm);
    void FrameOnAir(ns3::Ptr<const ns3::Packet> frame,
                    uint16_t protocol,
                    ns3::Mac48Address to,
                    uint32_t bytesOnAir);
    void FrameDropped(ns3::Ptr<const ns3::Packet> frame,
                      uint16_t protocol,
                      ns3::Mac48Address to,
                      uint32_t bytesOnAir);
    void Tell(const mesh::Station::Input& input);
    void Execute(const mesh::Output& output);

    NodeId m_id;
    std::unique_ptr<mesh::Station> m_station;
    RunTrace& m_trace;
    uint16_t m_protocol;
    ns3::Ptr<DevicePort> m_device;
    std::string_view m_frameName; //!< of the frame in the MAC
    bool m_isFrameOut{false};     //!< the station waits for what becomes of it
    MachineTimer m_timer;

    ns3::TracedCallback<const Event&> m_publishedTrace;
    ns3::TracedCallback<EventId, uint16_t, uint8_t, bool> m_deliveredTrace;
    ns3::TracedCallback<const std::string&, uint32_t> m_frameTrace;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_MESH_NODE_H */
