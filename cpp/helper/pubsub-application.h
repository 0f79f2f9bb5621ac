/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * This header stands alone: it names no type of the module's but its own.
 */
#ifndef MFTPUBSUB_HELPER_PUBSUB_APPLICATION_H
#define MFTPUBSUB_HELPER_PUBSUB_APPLICATION_H

#include "ns3/application.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <memory>
#include <string>

namespace mftpubsub
{

class PubSubNetwork;

/**
 * What a script sees of a device's part in publish/subscribe, the same for all protocols.
 * PubSubHelper makes it. What the protocol does on the device is in an application of its own
 * beside it (MeshNode, PubSubNode, HandoffNode, IpNode).
 */
class PubSubApplication : public ns3::Application
{
  public:
    static ns3::TypeId GetTypeId();

    PubSubApplication();

    /// @param id of the device in @p network, which it belongs to
    PubSubApplication(uint32_t id, std::shared_ptr<PubSubNetwork> network);
    ~PubSubApplication() override;

    /// @return the id in events, in filters' answers and in the trace: the place of the device
    uint32_t GetId() const;

    /**
     * Publishes an event now.
     *
     * @param attributes as in "temp = 21.5, room = 'kitchen'"
     * @param payloadBytes size of what it carries besides, at most 60000
     * @return its sequence number
     * @throws std::invalid_argument for attributes that cannot be read, a larger payload, and for
     * an event that does not fit into a frame where the protocol does not split it
     * @throws std::logic_error without the publisher role, or before the simulation runs
     */
    uint32_t Publish(const std::string& attributes, uint32_t payloadBytes = 0);

    /**
     * TracedCallback signature of Published.
     *
     * @param publisher its id
     * @param sequence the event's number among the publisher's
     * @param attributes as Publish takes them
     * @param payloadBytes size of the payload
     */
    typedef void (*PublishedTracedCallback)(uint32_t publisher,
                                            uint32_t sequence,
                                            const std::string& attributes,
                                            uint32_t payloadBytes);

    /**
     * TracedCallback signature of Delivered and Duplicate.
     *
     * @param publisher its id
     * @param sequence the event's number among the publisher's
     * @param attributes of the event, as Publish takes them
     * @param delay since it was published
     * @param hops that this copy has made
     */
    typedef void (*DeliveredTracedCallback)(uint32_t publisher,
                                            uint32_t sequence,
                                            const std::string& attributes,
                                            ns3::Time delay,
                                            uint32_t hops);

  protected:
    void DoDispose() override;

  private:
    friend class PubSubNetwork;

    /// @throws std::logic_error if a script has said when it is to start or to stop
    void CheckTimes() const;

    uint32_t m_id{0};
    std::shared_ptr<PubSubNetwork> m_network;

    ns3::TracedCallback<uint32_t, uint32_t, const std::string&, uint32_t> m_publishedTrace;
    ns3::TracedCallback<uint32_t, uint32_t, const std::string&, ns3::Time, uint32_t>
        m_deliveredTrace;
    ns3::TracedCallback<uint32_t, uint32_t, const std::string&, ns3::Time, uint32_t>
        m_duplicateTrace;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HELPER_PUBSUB_APPLICATION_H */
