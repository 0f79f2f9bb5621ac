/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_MESH_NODE_H
#define MFTPUBSUB_HOSTS_MESH_NODE_H

#include "protocols/mesh/station.h"
#include "trace/run-trace.h"
#include "wsn/wsn-net-device.h"

#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/mac48-address.h"
#include "ns3/packet.h"

#include <memory>
#include <optional>
#include <string_view>

namespace mftpubsub
{

/// Protocol number of the mesh's frames on a NetDevice (IEEE 802 local experimental ethertype 2).
inline constexpr uint16_t MESH_PROTOCOL_NUMBER = 0x88b6;

/**
 * Hosts a mesh::Station on a WsnNetDevice, and gives it time. All its frames are broadcasts; one is
 * in the MAC at a time.
 */
class MeshNode : public ns3::Application
{
  public:
    static ns3::TypeId GetTypeId();

    /// @param trace is told what happens; must outlive the node
    MeshNode(NodeId id, std::unique_ptr<mesh::Station> station, RunTrace& trace);
    ~MeshNode() override;

    /// The application on this device publishes @p event.
    void Publish(const EventPtr& event);

    /// The application on this device subscribes; it may do so before the node starts.
    void Subscribe(const Filter& filter);

    void Unsubscribe(const Filter& filter);

    /// Tells the trace that @p cause has befallen what the broker holds.
    void NoteHeld(LossCause cause) const;

    size_t CountHeldEvents() const
    {
        return m_station->CountHeld();
    }

    /**
     * The device has crashed: this is over and must not be used any more.
     *
     * @return what its subscriber had on stable storage
     */
    std::optional<mesh::SubscriberMemory> Crash();

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    void ReceiveFrame(const WsnFrame& frame, float rssiDbm);
    void FrameOnAir(ns3::Ptr<const ns3::Packet> frame,
                    uint16_t protocol,
                    ns3::Mac48Address to,
                    uint32_t bytesOnAir);
    void FrameDropped(ns3::Ptr<const ns3::Packet> frame,
                      uint16_t protocol,
                      ns3::Mac48Address to,
                      uint32_t bytesOnAir);
    void TimerExpired();
    void Execute(const mesh::Output& output);
    void Reschedule();

    NodeId m_id;
    std::unique_ptr<mesh::Station> m_station;
    RunTrace& m_trace;
    ns3::Ptr<WsnNetDevice> m_device;
    std::string_view m_frameName; //!< of the frame in the MAC
    ns3::EventId m_timer;
    mesh::Instant m_timerAt{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_MESH_NODE_H */
