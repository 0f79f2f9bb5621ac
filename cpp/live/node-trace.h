/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LIVE_NODE_TRACE_H
#define MFTPUBSUB_LIVE_NODE_TRACE_H

#include "content/event.h"
#include "live/datagram.h"
#include "live/file.h"
#include "live/store.h"
#include "protocols/mesh/station.h"
#include "trace/trace-writer.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace mftpubsub::live
{

/**
 * What one node tells of a run: records of our trace format, times since 1970, and for `live merge`
 * lines that begin with #: when the process started, what is published and subscribed, and when a
 * sample of the datagrams was sent and heard. The sample is of the first ones that two processes
 * exchange, so that their clocks can be compared soon, and of one in 16.
 */
class NodeTrace
{
  public:
    /// @param path of the file, which is added to; empty: nothing is written
    /// @throws std::runtime_error if another node writes it
    NodeTrace(const std::string& path, NodeId node);

    void Started(UnixTime now, uint8_t roles, uint64_t life);
    void Published(UnixTime now, const Event& event);
    void Subscribed(UnixTime now, std::string_view filter);
    void Unsubscribed(UnixTime now, std::string_view filter);
    void Matched(UnixTime now, const Pair& pair);
    void Delivered(UnixTime now, const mesh::Delivery& delivery);
    void GivenUp(UnixTime now, const Pair& pair);
    void Sent(UnixTime now, std::string_view kind, const Envelope& envelope, size_t bytes);
    void Heard(UnixTime now, const Envelope& envelope);

    /// Hands what was told to the system.
    void Flush();

  private:
    /// So many datagrams that two processes exchange are told of without a gap.
    static constexpr uint32_t FIRST = 8;

    struct Neighbour
    {
        uint64_t life{0};
        uint32_t left{0}; //!< of its first datagrams
    };

    void Note(UnixTime now, std::string_view what, const std::string& rest);
    void Write(TraceRecord record);

    std::string m_path;
    int64_t m_node;
    File m_file;
    std::optional<TraceWriter> m_writer;
    bool m_skipsHeader{false}; //!< the file has one
    std::map<NodeId, Neighbour> m_neighbours;
    uint32_t m_left{FIRST}; //!< of its own datagrams, the first since a neighbour began a life
};

} // namespace mftpubsub::live

#endif /* MFTPUBSUB_LIVE_NODE_TRACE_H */
