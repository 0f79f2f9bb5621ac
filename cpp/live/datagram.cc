/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "live/datagram.h"

#include "live/hex.h"
#include "live/sha256.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::live
{

namespace
{

constexpr uint8_t MAGIC = 0xb5;
constexpr uint8_t VERSION = 1;
constexpr uint8_t HAS_KEY = 1;
constexpr uint8_t FOR_LIFE = 2;
constexpr size_t HEADER_BYTES = 19;
constexpr uint32_t WINDOW = 64;

} // namespace

std::string_view
GetName(Refusal refusal)
{
    static constexpr std::array<std::string_view, REFUSALS> NAMES{"strangers",
                                                                  "other_versions",
                                                                  "other_networks",
                                                                  "unsigned",
                                                                  "locked",
                                                                  "damaged",
                                                                  "repeated",
                                                                  "duplicate_ids"};
    return NAMES[static_cast<size_t>(refusal)];
}

std::optional<LatestLife>
ReadLatestLife(std::span<const uint8_t> frame)
{
    LatestLife latest;
    ByteReader in(frame);
    if (frame.size() != sizeof(latest.node) + sizeof(latest.life))
    {
        return std::nullopt;
    }
    latest.node = in.Get<NodeId>();
    latest.life = in.Get<uint64_t>();
    return latest;
}

Framing::Framing(std::string_view network, Bytes key)
    : m_key(std::move(key))
{
    const auto digest = Sha256({AsBytes(network)});
    m_network = static_cast<uint16_t>(digest[0] << 8 | digest[1]);
}

Framing::Tag
Framing::MakeTag(std::span<const uint8_t> bytes) const
{
    Tag tag{};
    const auto digest = Hmac(m_key, {bytes});
    std::copy_n(digest.begin(), tag.size(), tag.begin());
    return tag;
}

Bytes
Framing::Seal(const Envelope& envelope, std::span<const uint8_t> frame) const
{
    return Seal(envelope, frame, 0);
}

Bytes
Framing::Seal(const Envelope& envelope, const LatestLife& latest) const
{
    ByteWriter out;
    out.Put(latest.node);
    out.Put(latest.life);
    return Seal(envelope, out.Take(), FOR_LIFE);
}

Bytes
Framing::Seal(const Envelope& envelope, std::span<const uint8_t> frame, uint8_t flags) const
{
    ByteWriter out;
    out.Put(MAGIC);
    out.Put(VERSION);
    out.Put(static_cast<uint8_t>(flags | (m_key.empty() ? 0 : HAS_KEY)));
    out.Put(m_network);
    out.Put(envelope.source);
    out.Put(envelope.life);
    out.Put(envelope.number);
    out.PutBytes(frame);
    auto datagram = out.Take();
    const auto tag = MakeTag(datagram);
    datagram.insert(datagram.end(), tag.begin(), tag.end());
    return datagram;
}

std::variant<Opened, Refusal>
Framing::Open(std::span<const uint8_t> datagram) const
{
    if (datagram.size() < 2 || datagram[0] != MAGIC)
    {
        return Refusal::STRANGER;
    }
    if (datagram[1] != VERSION)
    {
        return Refusal::OTHER_VERSION;
    }
    if (datagram.size() < OVERHEAD)
    {
        return Refusal::DAMAGED;
    }
    const auto body = datagram.first(datagram.size() - sizeof(Tag));
    ByteReader in(body.subspan(2));
    const auto flags = in.Get<uint8_t>();
    const bool hasKey = flags & HAS_KEY;
    if (in.Get<uint16_t>() != m_network)
    {
        return Refusal::OTHER_NETWORK;
    }
    if (hasKey == m_key.empty())
    {
        return hasKey ? Refusal::LOCKED : Refusal::UNSIGNED;
    }
    uint8_t difference = 0; // all bytes are compared: time tells nothing of a wrong tag
    const auto tag = MakeTag(body);
    for (size_t at = 0; at < tag.size(); ++at)
    {
        difference |= tag[at] ^ datagram[body.size() + at];
    }
    if (difference != 0)
    {
        return Refusal::DAMAGED;
    }
    Opened opened;
    opened.isForLife = flags & FOR_LIFE;
    opened.envelope.source = in.Get<NodeId>();
    opened.envelope.life = in.Get<uint64_t>();
    opened.envelope.number = in.Get<uint32_t>();
    if (opened.envelope.source == NO_NODE)
    {
        return Refusal::DAMAGED;
    }
    opened.frame = body.subspan(HEADER_BYTES);
    return opened;
}

OwnDatagrams::OwnDatagrams(NodeId self, uint64_t life, uint32_t sent)
    : m_self(self),
      m_life(life),
      m_formerLife(life),
      m_sent(sent)
{
}

Envelope
OwnDatagrams::Next()
{
    if (m_sent == UINT32_MAX)
    {
        BeginLife(m_life + 1);
    }
    return {m_self, m_life, m_sent++};
}

bool
OwnDatagrams::Has(const Envelope& envelope) const
{
    return envelope.source == m_self && (envelope.life == m_life || envelope.life == m_formerLife);
}

void
OwnDatagrams::BeginLife(uint64_t life)
{
    m_formerLife = std::exchange(m_life, life);
    m_sent = 0;
}

HeardDatagrams::HeardDatagrams(bool isStrict)
    : m_isStrict(isStrict)
{
}

bool
HeardDatagrams::Take(const Envelope& envelope)
{
    auto& window = m_windows[envelope.source];
    if (window.life != envelope.life)
    {
        if (m_isStrict && envelope.life < window.life)
        {
            return false;
        }
        window = {envelope.life, envelope.number, 1};
        return true;
    }
    if (envelope.number > window.newest)
    {
        const auto ahead = envelope.number - window.newest;
        window.before = ahead < WINDOW ? window.before << ahead : 0;
        window.before |= 1;
        window.newest = envelope.number;
        return true;
    }
    const auto behind = window.newest - envelope.number;
    const auto bit = behind < WINDOW ? uint64_t{1} << behind : 0;
    if (bit == 0 || (window.before & bit) != 0)
    {
        return false;
    }
    window.before |= bit;
    return true;
}

std::optional<LatestLife>
HeardDatagrams::FindLater(const Envelope& envelope) const
{
    const auto found = m_windows.find(envelope.source);
    if (!m_isStrict || found == m_windows.end() || found->second.life <= envelope.life)
    {
        return std::nullopt;
    }
    return LatestLife{envelope.source, found->second.life};
}

void
HeardDatagrams::Remember(const Envelope& latest)
{
    m_windows[latest.source] = {latest.life, latest.number, ~uint64_t{0}};
}

std::vector<Envelope>
HeardDatagrams::GetLatest() const
{
    std::vector<Envelope> latest;
    for (const auto& [source, window] : m_windows)
    {
        latest.push_back({source, window.life, window.newest});
    }
    return latest;
}

} // namespace mftpubsub::live
