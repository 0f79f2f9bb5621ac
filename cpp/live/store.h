/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What a node must know after a crash or a loss of power.
 */
#ifndef MFTPUBSUB_LIVE_STORE_H
#define MFTPUBSUB_LIVE_STORE_H

#include "content/event.h"
#include "json/fields.h"
#include "live/clocks.h"
#include "live/datagram.h"
#include "live/file.h"
#include "protocols/mesh/station.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::live
{

/// What outlives the process.
struct Memory
{
    uint64_t life{0};                        //!< the latest
    uint32_t nextSequence{0};                //!< of the node's own events
    std::map<std::string, UnixTime> filters; //!< and since when the subscriber has had them
    uint32_t timestamp{0};                   //!< of its newest word
    mesh::Summary done;
    std::vector<Envelope> heard; //!< the latest of each sender
    std::deque<EventPtr> inbox;  //!< that the application has not taken yet
    /// That the node has published, or keeps for others, and since when; the newest last.
    std::deque<std::pair<UnixTime, EventPtr>> recent;
    size_t recentBytes{0};

    // How many are recent, and for how long: by then others have them
    static constexpr size_t RECENT = 16384;
    static constexpr size_t RECENT_BYTES = 8 << 20; //!< small devices read and write all at once
    static constexpr UnixTime RECENT_TIME = std::chrono::minutes(10);

    /// Keeps @p event among the recent ones.
    void Keep(UnixTime now, EventPtr event);

    /// Lets go of those that are not recent at @p now.
    void Forget(UnixTime now);
};

/**
 * The file of a Memory: the whole as of some time, and beside it a journal of what has happened to
 * events since.
 *
 * The whole is written to another file, synchronized and renamed. A write to the journal survives
 * the end of the process; Sync makes it survive a loss of power. So after a loss of power the last
 * events may be given to the application once more.
 */
class Store
{
  public:
    /**
     * Reads what is there, and locks it for this process.
     *
     * @throws std::runtime_error if another process has it, it is damaged, or of another node
     */
    Store(std::string path, NodeId node);

    /// @return what the file told when it was opened
    Memory& GetMemory()
    {
        return m_memory;
    }

    /// @return when the whole was written; none if its journal is lost, or of version 0.2.0
    const std::optional<Clocks>& GetSaved() const
    {
        return m_saved;
    }

    /// Writes the whole, and begins an empty journal.
    void Save(const Memory& memory, const Clocks& now);

    // What happens between two wholes

    /// The application is to get @p event.
    void Delivered(const Event& event);

    /// It has taken it.
    void Taken(EventId event);

    /// The node publishes it, or keeps it for others.
    void Kept(UnixTime now, const Event& event);

    /// Makes the journal survive a loss of power.
    void Sync();

    /// @return bytes of the journal
    size_t GetJournalBytes() const
    {
        return m_journalBytes;
    }

  private:
    void ReadJournal();
    void Replay(ByteReader& in);
    void Append(char kind, const Bytes& body);
    void BeginJournal(const Clocks& now);

    std::string m_path;
    std::string m_journalPath;
    NodeId m_node;
    Memory m_memory;
    std::optional<Clocks> m_saved;
    uint64_t m_generation{0}; //!< of the whole; a journal of another one is over
    File m_journal;
    File m_lock;
    size_t m_journalBytes{0};
    bool m_isSynced{true};
};

/// Whatever node has it just now; what is not there is right.
/// @throws std::runtime_error if what is at @p path is damaged, or of another node
void CheckStore(const std::string& path, NodeId node);

} // namespace mftpubsub::live

#endif /* MFTPUBSUB_LIVE_STORE_H */
