/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_DEVICE_PORT_H
#define MFTPUBSUB_HOSTS_DEVICE_PORT_H

#include "content/link.h"
#include "content/node-id.h"

#include "ns3/event-id.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace mftpubsub
{

/**
 * What a host needs of a network interface, whichever radio it is. Aggregated to the node that has
 * the device: On finds it, or makes the one for the device that is there.
 *
 * Nodes are told apart by the addresses that node-address.h gives them; where a device has shorter
 * ones, by their last two bytes.
 */
class DevicePort : public ns3::Object
{
  public:
    /// Takes a frame that was heard, and its strength in dBm (0 where the device cannot tell).
    using Receiver = std::function<void(const ns3::Ptr<const ns3::Packet>& frame, double rssiDbm)>;

    static ns3::TypeId GetTypeId();

    /// @return the port of @p node
    /// @throws std::logic_error if it has no device
    static ns3::Ptr<DevicePort> On(ns3::Node& node);

    /// @return the port of the node of @p device, which is made for @p device if there is none yet
    /// @throws std::logic_error if there is none, and @p device cannot have one
    static ns3::Ptr<DevicePort> For(const ns3::Ptr<ns3::NetDevice>& device);

    virtual ns3::Ptr<ns3::NetDevice> GetDevice() const = 0;

    /**
     * @param to a node, or NO_NODE for all
     * @param protocol EtherType
     * @return whether the device has taken the frame
     */
    virtual bool Send(const ns3::Ptr<ns3::Packet>& frame, NodeId to, uint16_t protocol) = 0;

    /// Frames of @p protocol go to @p receiver from now on; none to take them no longer.
    virtual void SetReceiver(uint16_t protocol, Receiver receiver) = 0;

    virtual LinkTiming GetTiming() const = 0;

    /// @return how long a frame of @p bytesOnAir, as Transmit tells it, is on the air
    virtual ns3::Time GetAirTime(uint32_t bytesOnAir) const;

    /// @return the largest frame that the device takes, bytes
    virtual uint16_t GetMaxFrameBytes() const;

    /// @return whether the device acknowledges and repeats frames to one node (trace source
    /// Acknowledged)
    virtual bool HasAcks() const;

    /// Switches the device off, or on again: off it neither sends nor receives. A start that is
    /// still to come (StartLate) does not.
    void SetOn(bool on);

    /// Lets the radio sleep, or wakes it up: asleep it hears nothing, and what it is given waits.
    virtual void SetAsleep(bool asleep) = 0;

    /// The node starts at @p start or a little later, and its device is off until then. To be
    /// called before it starts.
    virtual void StartLate(ns3::Time start);

    /// @return what it has taken from its battery so far; nothing where the device cannot tell
    virtual std::optional<double> GetEnergyJoules();

    /// @return when the node starts
    virtual ns3::Time GetStartTime();

    /// What the devices of a network have in common; by default the thesis's.
    const LinkBudget& GetBudget() const
    {
        return m_budget;
    }

    void SetBudget(const LinkBudget& budget)
    {
        m_budget = budget;
    }

    /**
     * TracedCallback signature of Transmit and MacDrop.
     *
     * @param packet what the upper layer gave
     * @param protocol EtherType
     * @param destination link-layer destination
     * @param bytesOnAir size with MAC and PHY overhead, bytes
     */
    typedef void (*FrameTracedCallback)(ns3::Ptr<const ns3::Packet> packet,
                                        uint16_t protocol,
                                        ns3::Mac48Address destination,
                                        uint32_t bytesOnAir);

    /**
     * TracedCallback signature of Acknowledged and GivenUp.
     *
     * @param packet that its destination has acknowledged, or has not, however often it was sent
     */
    typedef void (*AckTracedCallback)(ns3::Ptr<const ns3::Packet> packet);

    /**
     * TracedCallback signature of MacWait.
     *
     * @param wait from the MAC's taking a frame to its going on the air
     */
    typedef void (*WaitTracedCallback)(ns3::Time wait);

  protected:
    using FrameTrace =
        ns3::TracedCallback<ns3::Ptr<const ns3::Packet>, uint16_t, ns3::Mac48Address, uint32_t>;

    FrameTrace m_transmit;
    FrameTrace m_macDrop;
    ns3::TracedCallback<ns3::Time> m_macWait;
    ns3::TracedCallback<ns3::Ptr<const ns3::Packet>> m_acknowledged;
    ns3::TracedCallback<ns3::Ptr<const ns3::Packet>> m_givenUp;

  private:
    virtual void DoSetOn(bool on) = 0;

    LinkBudget m_budget;
    ns3::Time m_start;
    ns3::EventId m_starting;
};

/// Those of a network, by node.
using DevicePorts = std::vector<ns3::Ptr<DevicePort>>;

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_DEVICE_PORT_H */
