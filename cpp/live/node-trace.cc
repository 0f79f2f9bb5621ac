/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "live/node-trace.h"

#include "content/content-codec.h"
#include "json/json-writer.h"
#include "live/hex.h"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <stdexcept>
#include <sys/file.h>
#include <sys/stat.h>

namespace mftpubsub::live
{

namespace
{

/// Of later datagrams one in so many tells of the clocks.
constexpr uint32_t SAMPLE = 16;

std::string
GetRoles(uint8_t roles)
{
    std::string letters;
    letters += roles & mesh::BROKER ? "B" : "";
    letters += roles & mesh::SUBSCRIBER ? "S" : "";
    letters += roles & mesh::PUBLISHER ? "P" : "";
    return letters.empty() ? "R" : letters;
}

/// @return whether to tell of a datagram. @param left of those that are told of without a gap
bool
IsInSample(uint32_t& left, const Envelope& envelope)
{
    if (left > 0)
    {
        --left;
        return true;
    }
    return envelope.number % SAMPLE == 0;
}

/// Locks @p file, until it is closed. @return whether somebody else has; some file systems know no
/// locks
bool
IsTaken(const File& file)
{
    return flock(file.Get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

/// @return whether the file at @p path begins as a trace does, as far as it goes
bool
BeginsAsTrace(const std::string& path)
{
    std::string begin(TraceWriter::HEADER.size(), '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    begin.resize(static_cast<size_t>(file.gcount()));
    return TraceWriter::HEADER.starts_with(begin);
}

} // namespace

NodeTrace::NodeTrace(const std::string& path, NodeId node)
    : m_path(path),
      m_node(node)
{
    if (path.empty())
    {
        return;
    }
    m_file = OpenFile(path, O_WRONLY | O_CREAT | O_APPEND);
    struct stat state{};
    const bool isKnown = fstat(m_file.Get(), &state) == 0;
    const bool isRegular = isKnown && S_ISREG(state.st_mode);
    if (isRegular && IsTaken(m_file))
    {
        throw std::runtime_error(path + ": another node writes this trace; each node has its own");
    }
    if (isRegular && !BeginsAsTrace(path))
    {
        throw std::runtime_error(path + ": a file that is no trace; a node writes behind it only "
                                        "where it has written before");
    }
    m_skipsHeader = isKnown && state.st_size > 0;
    if (m_skipsHeader)
    {
        WriteAll(m_file, "\n", path); // a killed process may have left half a line
    }
    m_writer.emplace([this](const char* text, size_t bytes) {
        std::string_view block(text, bytes);
        if (std::exchange(m_skipsHeader, false))
        {
            block.remove_prefix(block.find('\n') + 1);
        }
        WriteAll(m_file, block, m_path);
    });
}

void
NodeTrace::Write(TraceRecord record)
{
    if (m_writer)
    {
        record.node = m_node;
        m_writer->Write(record);
    }
}

void
NodeTrace::Note(UnixTime now, std::string_view what, const std::string& rest)
{
    if (m_writer)
    {
        Flush();
        WriteAll(m_file,
                 "# " + std::string(what) + " " + std::to_string(now.count()) + " " + rest + "\n",
                 m_path);
    }
}

void
NodeTrace::Started(UnixTime now, uint8_t roles, uint64_t life)
{
    Write({.op = '+', .timeNs = now.count(), .node = 0, .layer = "node", .kind = GetRoles(roles)});
    Note(now, "started", std::to_string(m_node) + " " + std::to_string(life));
}

void
NodeTrace::Published(UnixTime now, const Event& event)
{
    Write({.op = '+',
           .timeNs = now.count(),
           .node = 0,
           .layer = "app",
           .kind = "PUBLISH",
           .bytes = event.payloadBytes,
           .publisher = event.id.publisher,
           .sequence = event.id.sequence});
    ByteWriter out;
    Event told{event.id, event.attributes}; // payloads stay out of traces
    WriteEvent(out, told);
    Note(now, "event", ToHex(out.Take()));
}

void
NodeTrace::Subscribed(UnixTime now, std::string_view filter)
{
    Note(now, "subscribed", ToJson(std::string(filter))); // its texts may have line breaks
}

void
NodeTrace::Unsubscribed(UnixTime now, std::string_view filter)
{
    Note(now, "unsubscribed", ToJson(std::string(filter)));
}

void
NodeTrace::Matched(UnixTime now, const Pair& pair)
{
    Write({.op = '+',
           .timeNs = now.count(),
           .node = 0,
           .layer = "broker",
           .kind = "MATCH",
           .publisher = pair.event.publisher,
           .sequence = pair.event.sequence,
           .subscriber = pair.subscriber});
}

void
NodeTrace::Delivered(UnixTime now, const mesh::Delivery& delivery)
{
    const auto* copy = delivery.isAddressed ? "DUPLICATE" : "OVERHEARD";
    Write({.op = delivery.isNew ? 'r' : 'd',
           .timeNs = now.count(),
           .node = 0,
           .layer = "app",
           .kind = delivery.isNew ? "DELIVER" : copy,
           .peer = delivery.from == NO_NODE ? -1 : int64_t{delivery.from},
           .publisher = delivery.event.publisher,
           .sequence = delivery.event.sequence,
           .subscriber = m_node,
           .hops = delivery.hops});
}

void
NodeTrace::GivenUp(UnixTime now, const Pair& pair)
{
    Note(now,
         "gave-up",
         std::to_string(pair.event.publisher) + " " + std::to_string(pair.event.sequence) + " " +
             std::to_string(pair.subscriber));
}

void
NodeTrace::Sent(UnixTime now, std::string_view kind, const Envelope& envelope, size_t bytes)
{
    Write({.op = 't',
           .timeNs = now.count(),
           .node = 0,
           .layer = "radio",
           .kind = kind,
           .bytes = static_cast<int64_t>(bytes) + AROUND_DATAGRAM});
    if (IsInSample(m_left, envelope))
    {
        Note(now, "sent", std::to_string(envelope.life) + " " + std::to_string(envelope.number));
    }
}

void
NodeTrace::Heard(UnixTime now, const Envelope& envelope)
{
    auto& neighbour = m_neighbours[envelope.source];
    if (neighbour.life != envelope.life)
    {
        neighbour = {envelope.life, FIRST};
        m_left = FIRST;
    }
    if (IsInSample(neighbour.left, envelope))
    {
        Note(now,
             "heard",
             std::to_string(envelope.source) + " " + std::to_string(envelope.life) + " " +
                 std::to_string(envelope.number));
    }
}

void
NodeTrace::Flush()
{
    if (m_writer)
    {
        m_writer->Flush();
    }
}

} // namespace mftpubsub::live
