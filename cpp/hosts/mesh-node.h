/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_MESH_NODE_H
#define MFTPUBSUB_HOSTS_MESH_NODE_H

#include "hosts/protocol-numbers.h"
#include "hosts/radio-host.h"
#include "protocols/mesh/station.h"
#include "protocols/own/station-checks.h"

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
class MeshNode : public RadioHost
{
  public:
    static ns3::TypeId GetTypeId();

    /// @param trace is told what happens; must outlive the node
    /// @param protocol EtherType of its frames
    /// @param checks of what its station answers, if there are any
    MeshNode(NodeId id,
             std::unique_ptr<mesh::Station> station,
             RunTrace& trace,
             uint16_t protocol = MESH_PROTOCOL_NUMBER,
             std::optional<mesh::StationChecks> checks = {});
    ~MeshNode() override;

    /// The application on this device publishes @p event.
    void Publish(const EventPtr& event);

    /// The application on this device subscribes; it may do so before the node starts.
    void Subscribe(const Filter& filter);

    void Unsubscribe(const Filter& filter);

    /// Tells the trace that @p cause has befallen what the broker holds.
    void NoteHeld(LossCause cause) const;

    uint32_t CountHeldEvents() const override;

    /**
     * The device has crashed: this is over and must not be used any more.
     *
     * @return what its subscriber had on stable storage
     */
    std::optional<mesh::SubscriberMemory> Crash();

  private:
    // From RadioHost
    void Start() override;
    void Receive(const Bytes& frame, double rssiDbm) override;
    void Expire() override;
    void Sent(uint32_t bytesOnAir) override;
    void Dropped() override;
    std::optional<Instant> NextTimer() const override;
    std::string_view NameFrame(const ns3::Ptr<const ns3::Packet>& frame) const override;

    void Tell(const mesh::Station::Input& input);
    void Execute(const mesh::Output& output);

    std::unique_ptr<mesh::Station> m_station;
    std::optional<mesh::StationChecks> m_checks;
    std::string m_frameName;  //!< of the frame in the MAC
    bool m_isFrameOut{false}; //!< the station waits for what becomes of it
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_MESH_NODE_H */
