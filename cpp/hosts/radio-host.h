/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_RADIO_HOST_H
#define MFTPUBSUB_HOSTS_RADIO_HOST_H

#include "content/bytes.h"
#include "hosts/device-port.h"
#include "hosts/machine-timer.h"
#include "trace/run-trace.h"

#include "ns3/application.h"
#include "ns3/mac48-address.h"
#include "ns3/packet.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mftpubsub
{

/**
 * A device's part in a publish/subscribe system, on its network interface (DevicePort): carries
 * frames between the interface and a machine without I/O, gives the machine time, and has the
 * attributes and trace sources of every such part.
 */
class RadioHost : public ns3::Application
{
  public:
    static ns3::TypeId GetTypeId();

    ~RadioHost() override;

    /// @return whom the device has chosen, by node id; NO_NODE if there is none
    virtual NodeId GetParent() const;

    /// @return whom a broker follows (itself if it leads); NO_NODE without such a broker
    virtual NodeId GetLeader() const;

    /// @return the events that a broker holds; on a tree one for each subscriber they are for
    virtual uint32_t CountHeldEvents() const = 0;

    /// @return how fast its node moves; 0 where that has no place, as on a wire
    double GetMetresPerSecond() const;

    /**
     * TracedCallback signature of Published.
     *
     * @param event that the application on this device has published
     */
    typedef void (*EventTracedCallback)(const Event& event);

    /**
     * TracedCallback signature of Delivered.
     *
     * @param event that has reached the subscriber on this device, by its id
     * @param from whom it came, by node id
     * @param hops that this copy has made
     * @param isDuplicate whether the application has seen the event before
     */
    typedef void (*DeliveryTracedCallback)(EventId event,
                                           uint16_t from,
                                           uint8_t hops,
                                           bool isDuplicate);

    /**
     * TracedCallback signature of Migrated.
     *
     * @param kind of the message by which a role on this device migrates: "BMIG" or "MIG"
     * @param parent its new parent, or broker, by node id
     */
    typedef void (*MigrationTracedCallback)(const std::string& kind, uint16_t parent);

    /**
     * TracedCallback signature of Frame.
     *
     * @param kind of the frame that goes on the air
     * @param to its destination, by node id; NO_NODE for a broadcast
     * @param bytesOnAir its size, MAC and PHY included
     */
    typedef void (*FrameTracedCallback)(const std::string& kind, uint16_t to, uint32_t bytesOnAir);

  protected:
    /// @param protocol number of its frames on the device
    /// @param trace is told what happens; must outlive the host
    RadioHost(NodeId id, uint16_t protocol, RunTrace& trace);

    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;

    // What the machine is told

    /// The device is there from now on.
    virtual void Start() = 0;

    /// The device is there for the last time.
    virtual void Stop();

    virtual void Receive(const Bytes& frame, double rssiDbm) = 0;

    /// Its timer is due.
    virtual void Expire() = 0;

    /// A frame has left the MAC for the air.
    virtual void Sent(uint32_t bytesOnAir);

    /// The MAC has given up a frame.
    virtual void Dropped();

    // What the machine is asked

    virtual std::optional<Instant> NextTimer() const = 0;

    /// @return what a frame that goes on the air carries, as the trace names it
    virtual std::string_view NameFrame(const ns3::Ptr<const ns3::Packet>& frame) const = 0;

    // What the machine is given

    /// After an input: waits for the machine's timer.
    void SetTimer();

    /// @param to by node id; NO_NODE: everybody
    /// @return whether the device takes it; one that is off takes none
    bool SendFrame(const ns3::Ptr<ns3::Packet>& frame, NodeId to);

    /// @return nullptr before the start, and after the stop
    const ns3::Ptr<DevicePort>& GetPort() const;

    NodeId GetId() const;

    RunTrace& GetTrace() const;

    // What traces are told

    void TellPublished(const Event& event);
    void TellAttached(NodeId parent, std::string_view kind);
    void TellDelivered(EventId event, NodeId from, uint8_t hops, bool isDuplicate);

  private:
    void FrameOnAir(ns3::Ptr<const ns3::Packet> frame,
                    uint16_t protocol,
                    ns3::Mac48Address to,
                    uint32_t bytesOnAir);
    void FrameDropped(ns3::Ptr<const ns3::Packet> frame,
                      uint16_t protocol,
                      ns3::Mac48Address to,
                      uint32_t bytesOnAir);

    NodeId m_id;
    uint16_t m_protocol;
    RunTrace& m_trace;
    ns3::Ptr<DevicePort> m_port;
    MachineTimer m_timer;

    ns3::TracedCallback<const Event&> m_publishedTrace;
    ns3::TracedCallback<EventId, uint16_t, uint8_t, bool> m_deliveredTrace;
    ns3::TracedCallback<const std::string&, uint16_t> m_migratedTrace;
    ns3::TracedCallback<const std::string&, uint16_t, uint32_t> m_frameTrace;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_RADIO_HOST_H */
