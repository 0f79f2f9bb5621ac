/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "live/store.h"

#include "content/content-codec.h"
#include "json/json-reader.h"
#include "json/json-writer.h"
#include "live/hex.h"
#include "live/sha256.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <sys/file.h>
#include <utility>

namespace mftpubsub::live
{

namespace
{

constexpr char DELIVERED = 'D';
constexpr char TAKEN = 'T';
constexpr char KEPT = 'K';
constexpr char SAVED = 'S';
constexpr size_t CHECK_BYTES = 4;
/// What the JSON of a Whole without events ends with.
constexpr std::string_view NO_EVENTS = R"("inbox":[],"recent":[]})";

/// A Memory as the file has it.
struct Whole
{
    uint32_t version{1};
    uint16_t node{0};
    uint64_t generation{0};
    uint64_t life{0};
    uint32_t nextSequence{0};
    uint32_t timestamp{0};
    std::map<std::string, int64_t> filters;                                //!< ns since 1970
    std::vector<std::pair<uint16_t, std::pair<uint32_t, uint32_t>>> done;  //!< publisher, run
    std::vector<std::pair<uint16_t, std::pair<uint64_t, uint32_t>>> heard; //!< source, life, number
    std::vector<std::string> inbox;                                        //!< events, in hex
    std::vector<std::pair<int64_t, std::string>> recent;
};

std::string
ToText(const EventPtr& event)
{
    ByteWriter out;
    WriteEvent(out, *event);
    return ToHex(out.Take());
}

EventPtr
ToEvent(const std::string& text)
{
    const auto bytes = FromHex(text);
    ByteReader in(bytes);
    return ReadEvent(in);
}

/// @return but for events, which are many (WriteEvents)
Whole
MakeWhole(const Memory& memory)
{
    Whole whole;
    whole.life = memory.life;
    whole.nextSequence = memory.nextSequence;
    whole.timestamp = memory.timestamp;
    for (const auto& [text, since] : memory.filters)
    {
        whole.filters[text] = since.count();
    }
    for (const auto& [publisher, sequences] : memory.done.GetPublishers())
    {
        for (const auto& run : sequences.GetRuns())
        {
            whole.done.push_back({publisher, {run.begin, run.end}});
        }
    }
    for (const auto& [source, life, number] : memory.heard)
    {
        whole.heard.push_back({source, {life, number}});
    }
    return whole;
}

/// Writes the end of a Whole's JSON: an event at a time, as all as text take much memory.
template <typename Put>
void
WriteEvents(const Memory& memory, const Put& put)
{
    std::string before = R"("inbox":[)";
    for (const auto& event : memory.inbox)
    {
        put(before + '"' + ToText(event) + '"');
        before = ",";
    }
    before = (before == "," ? "" : before) + R"(],"recent":[)";
    for (const auto& [at, event] : memory.recent)
    {
        put(before + '[' + std::to_string(at.count()) + ",\"" + ToText(event) + "\"]");
        before = ",";
    }
    put((before == "," ? "" : before) + "]}");
}

Memory
MakeMemory(Whole whole)
{
    Memory memory;
    memory.life = whole.life;
    memory.nextSequence = whole.nextSequence;
    memory.timestamp = whole.timestamp;
    for (const auto& [text, since] : whole.filters)
    {
        memory.filters[text] = UnixTime(since);
    }
    for (const auto& [publisher, run] : whole.done)
    {
        memory.done.Add(publisher, {run.first, run.second});
    }
    for (const auto& [source, last] : whole.heard)
    {
        memory.heard.push_back({source, last.first, last.second});
    }
    for (auto& text : whole.inbox)
    {
        memory.inbox.push_back(ToEvent(std::exchange(text, {})));
    }
    for (auto& [at, text] : whole.recent)
    {
        memory.Keep(UnixTime(at), ToEvent(std::exchange(text, {})));
    }
    return memory;
}

std::string_view
AsText(const Bytes& bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace

} // namespace mftpubsub::live

namespace mftpubsub
{

template <>
inline constexpr auto FIELDS<live::Whole> =
    MakeFields<live::Whole>(MFTPUBSUB_FIELD(live::Whole, version),
                            MFTPUBSUB_FIELD(live::Whole, node),
                            MFTPUBSUB_FIELD(live::Whole, generation),
                            MFTPUBSUB_FIELD(live::Whole, life),
                            MFTPUBSUB_FIELD(live::Whole, nextSequence),
                            MFTPUBSUB_FIELD(live::Whole, timestamp),
                            MFTPUBSUB_FIELD(live::Whole, filters),
                            MFTPUBSUB_FIELD(live::Whole, done),
                            MFTPUBSUB_FIELD(live::Whole, heard),
                            MFTPUBSUB_FIELD(live::Whole, inbox),
                            MFTPUBSUB_FIELD(live::Whole, recent));

} // namespace mftpubsub

namespace mftpubsub::live
{

namespace
{

/// @throws std::runtime_error if it is none, damaged, or of another node
Whole
ReadWhole(const std::string& path, NodeId node)
{
    if (!std::filesystem::is_regular_file(path))
    {
        throw std::runtime_error(path + ": no regular file, as a store is");
    }
    auto text = ReadAll(OpenFile(path, O_RDONLY), path);
    const auto end = text.find('\n');
    const auto json = std::string_view(text).substr(0, end);
    if (end == std::string::npos || text.substr(end + 1) != ToHex(Sha256({AsBytes(json)})) + "\n")
    {
        throw std::runtime_error(path + ": no store, or a damaged one; without it the node would "
                                        "count its events from 0 again: give it another id, or "
                                        "remove the file");
    }
    auto whole = FromJson<Whole>(json, path);
    if (whole.node != node)
    {
        throw std::runtime_error(path + ": this is the store of node " +
                                 std::to_string(whole.node) + ", not of node " +
                                 std::to_string(node));
    }
    return whole;
}

} // namespace

void
CheckStore(const std::string& path, NodeId node)
{
    std::error_code unseen;
    if (std::filesystem::exists(path, unseen))
    {
        ReadWhole(path, node);
    }
}

void
Memory::Keep(UnixTime now, EventPtr event)
{
    recentBytes += CountBytes(*event);
    recent.emplace_back(now, std::move(event));
    Forget(now);
}

void
Memory::Forget(UnixTime now)
{
    while (!recent.empty() && (recent.size() > RECENT || recentBytes > RECENT_BYTES ||
                               recent.front().first + RECENT_TIME < now))
    {
        recentBytes -= CountBytes(*recent.front().second);
        recent.pop_front();
    }
}

Store::Store(std::string path, NodeId node)
    : m_path(std::move(path)),
      m_journalPath(m_path + ".journal"),
      m_node(node),
      m_lock(OpenFile(m_path + ".lock", O_RDWR | O_CREAT))
{
    if (flock(m_lock.Get(), LOCK_EX | LOCK_NB) != 0)
    {
        throw std::runtime_error(m_path +
                                 ": another process has this store; each node has its own");
    }
    if (std::filesystem::exists(m_path))
    {
        auto whole = ReadWhole(m_path, node);
        m_generation = whole.generation;
        m_memory = MakeMemory(std::move(whole));
        ReadJournal();
    }
}

void
Store::ReadJournal()
{
    if (!std::filesystem::exists(m_journalPath))
    {
        return;
    }
    const auto text = ReadAll(OpenFile(m_journalPath, O_RDONLY), m_journalPath);
    try
    {
        ByteReader in(AsBytes(text));
        if (in.Get<uint64_t>() != m_generation)
        {
            return; // the whole has what it tells
        }
        while (!in.IsAtEnd())
        {
            Replay(in);
        }
    }
    catch (const DecodeError&)
    {
        // The last record was being written.
    }
}

void
Store::Replay(ByteReader& in)
{
    const auto record = in.GetBytes(in.Get<uint32_t>());
    const auto check = in.GetBytes(CHECK_BYTES);
    const auto digest = Sha256({record});
    if (!std::ranges::equal(check, std::span(digest).first(CHECK_BYTES)))
    {
        throw DecodeError("a record that was not written to its end");
    }
    ByteReader body(record);
    const auto kind = static_cast<char>(body.Get<uint8_t>());
    if (kind == TAKEN)
    {
        const auto publisher = body.Get<NodeId>();
        const EventId id{publisher, body.Get<uint32_t>()};
        std::erase_if(m_memory.inbox, [id](const EventPtr& event) { return event->id == id; });
        return;
    }
    if (kind == DELIVERED)
    {
        const auto event = ReadEvent(body);
        m_memory.done.Add(event->id);
        m_memory.inbox.push_back(event);
        return;
    }
    const auto at = UnixTime(body.Get<int64_t>());
    if (kind == SAVED)
    {
        const auto sinceBoot = Instant(body.Get<int64_t>());
        m_saved = Clocks{at, body.GetText(), sinceBoot};
        return;
    }
    m_memory.Keep(at, ReadEvent(body));
}

void
Store::Save(const Memory& memory, const Clocks& now)
{
    auto whole = MakeWhole(memory);
    whole.node = m_node;
    whole.generation = ++m_generation;
    FreshFile file(m_path);
    Hasher hasher;
    const auto put = [&file, &hasher](std::string_view text) {
        hasher.Add(AsBytes(text));
        file.Write(text);
    };
    const auto json = ToJson(whole);
    put(std::string_view(json).substr(0, json.size() - NO_EVENTS.size()));
    WriteEvents(memory, put);
    file.Write("\n" + ToHex(hasher.Finish()) + "\n");
    file.Replace();
    BeginJournal(now);
}

void
Store::BeginJournal(const Clocks& now)
{
    m_journal = OpenFile(m_journalPath, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
    ByteWriter out;
    out.Put(m_generation);
    WriteAll(m_journal, AsText(out.Take()), m_journalPath);
    ByteWriter clocks;
    clocks.Put(now.unixTime.count());
    clocks.Put(now.sinceBoot.count());
    clocks.PutText(now.boot);
    Append(SAVED, clocks.Take());
    m_journalBytes = 0;
}

void
Store::Append(char kind, const Bytes& body)
{
    ByteWriter record;
    record.Put(static_cast<uint8_t>(kind));
    record.PutBytes(body);
    const auto bytes = record.Take();
    const auto digest = Sha256({bytes});
    ByteWriter out;
    out.Put(static_cast<uint32_t>(bytes.size()));
    out.PutBytes(bytes);
    out.PutBytes(std::span(digest).first(CHECK_BYTES));
    const auto written = out.Take();
    WriteAll(m_journal, AsText(written), m_journalPath);
    m_journalBytes += written.size();
    m_isSynced = false;
}

void
Store::Delivered(const Event& event)
{
    ByteWriter out;
    WriteEvent(out, event);
    Append(DELIVERED, out.Take());
}

void
Store::Taken(EventId event)
{
    ByteWriter out;
    out.Put(event.publisher);
    out.Put(event.sequence);
    Append(TAKEN, out.Take());
}

void
Store::Kept(UnixTime now, const Event& event)
{
    ByteWriter out;
    out.Put(now.count());
    WriteEvent(out, event);
    Append(KEPT, out.Take());
}

void
Store::Sync()
{
    if (!std::exchange(m_isSynced, true))
    {
        live::Sync(m_journal, m_journalPath);
    }
}

} // namespace mftpubsub::live
