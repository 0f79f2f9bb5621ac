// SPDX-License-Identifier: GPL-2.0-only
//
// Flooding with duplicate suppression: every broker broadcasts each event once, up to `jitter` s
// after it has heard it.
#include "content/content-codec.h"
#include "protocols/own/simple-station.h"

#include <map>
#include <string>

using namespace mftpubsub;
using namespace mftpubsub::mesh;

class Flood : public SimpleStation
{
  public:
    explicit Flood(StationSeat seat)
        : SimpleStation(std::move(seat), {"DATA"})
    {
    }

  private:
    enum Kind : uint8_t
    {
        DATA
    };

    void OnStart() override
    {
        m_jitter = GetParameter("jitter", 0.05);
    }

    void OnPublish(const EventPtr& event) override
    {
        TakeCopy(event, GetId(), 0);
    }

    void OnReceive(const OwnMessage& message, NodeId sender, double) override
    {
        ByteReader in(message.body);
        const auto hops = in.Get<uint8_t>();
        TakeCopy(ReadEvent(in), sender, hops);
    }

    void OnTimer(uint64_t key) override
    {
        const auto& [event, hops] = m_copies.at(key);
        ByteWriter body;
        body.Put(static_cast<uint8_t>(hops + 1));
        WriteEvent(body, *event);
        Broadcast({DATA, NO_NODE, body.Take(), {event->id}});
    }

    void TakeCopy(const EventPtr& event, NodeId sender, uint8_t hops)
    {
        Deliver(event, sender, hops);
        const auto key = uint64_t{event->id.publisher} << 32 | event->id.sequence;
        if (m_copies.emplace(key, Copy{event, hops}).second && (Has(BROKER) || sender == GetId()))
        {
            SetTimer(key, Times(mesh::Seconds(m_jitter), Draw()));
        }
    }

    struct Copy
    {
        EventPtr event;
        uint8_t hops{0};
    };

    double m_jitter{0};
    std::map<uint64_t, Copy> m_copies; //!< by event
};

const bool REGISTERED = Register<Flood>("flood-cc");
