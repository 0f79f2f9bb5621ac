/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/message-json.h"

#include "lab/natural-order.h"

#include <algorithm>

namespace mftpubsub
{

namespace
{

std::string
Quote(const std::string& text)
{
    std::string quoted = "\"";
    for (const auto c : text)
    {
        if (c == '"' || c == '\\')
        {
            quoted += '\\';
        }
        quoted += c;
    }
    return quoted + "\"";
}

/// Writes the fields of one message.
class FieldWriter
{
  public:
    FieldWriter(const std::string& protocol, const LabProcesses& processes)
        : m_protocol(protocol),
          m_processes(processes)
    {
    }

    std::string GetText() const
    {
        return "{" + m_fields + "}";
    }

    void operator()(const Attach&)
    {
    }

    void operator()(const Sub& m)
    {
        PutSubscription(m);
    }

    void operator()(const Uns& m)
    {
        PutSubscription(m);
    }

    void operator()(const Pub& m)
    {
        Put("e", Event(m.event));
        if (m.addressed)
        {
            PutList("for", m.subscribers, &FieldWriter::Name);
        }
        PutIfSet("ts", m.timestamp);
    }

    void operator()(const Mig& m)
    {
        Put("s", Name(m.subscriber));
        Put("b", Name(m.previous));
        PutFreshness(m.freshness);
        if (m_protocol == "phoenix")
        {
            Put("ts", Number(m.lastReceived));
        }
    }

    void operator()(const Rep& m)
    {
        Put("s", Name(m.subscriber));
        PutList("e", m.events, &FieldWriter::Event);
        PutIfSet("ts", m.timestamp);
    }

    void operator()(const Filters& m)
    {
        PutList("f", m.filters, &FieldWriter::Text);
    }

    void operator()(const Bmig& m)
    {
        PutList("C", Sort(m.children), &FieldWriter::Word);
        PutList("O", Sort(m.others), &FieldWriter::Word);
        Put("h", Number(m.hops));
    }

    void operator()(const Bquery& m)
    {
        Put("s", Name(m.subscriber));
        PutFreshness(m.freshness);
    }

    void operator()(const Bsub& m)
    {
        PutSubscriptions(m);
        Put("h", Number(m.hops));
        if (m_protocol == "mft-pubsub-r")
        {
            Put("home", Number(0));
        }
    }

    // The repaired protocol's messages, as BMIG and BSUB: h tells an opening (0) from a claim that
    // goes on, no claim (0) from one (1) and a link's first one (2).

    void operator()(const OpeningBmig& m)
    {
        (*this)(Bmig{m.children, m.others, 0});
    }

    void operator()(const ClaimingBmig& m)
    {
        (*this)(Bmig{m.children, {}, 1});
    }

    void operator()(const OpeningLink& m)
    {
        Put("link", Link(m.link));
        Put("replaced", Link(m.replaced));
    }

    void operator()(const Flush& m)
    {
        Put("lost", Link(m.lost));
    }

    void operator()(const Yield&)
    {
    }

    void operator()(const ClaimingBsub& m)
    {
        PutSubscriptions(m);
        Put("h", Number(m.isFirst ? 2 : 1));
        Put("home", Number(m.home));
    }

    void operator()(const CascadingBmig& m)
    {
        PutList("C", m.subscribers, &FieldWriter::Name);
        Put("b", Name(m.origin));
    }

    void operator()(const Btab& m)
    {
        PutList("R", m.entries, &FieldWriter::Entry);
    }

    void operator()(const Fmig&)
    {
    }

  private:
    void Put(const std::string& key, const std::string& value)
    {
        m_fields += (m_fields.empty() ? "" : ",") + Quote(key) + ":" + value;
    }

    void PutIfSet(const std::string& key, uint32_t value)
    {
        if (value > 0)
        {
            Put(key, Number(value));
        }
    }

    template <typename T, typename U>
    void PutList(const std::string& key,
                 const std::vector<T>& items,
                 std::string (FieldWriter::*describe)(U) const)
    {
        Put(key, List(items, describe));
    }

    /// The fields of Sub and Uns: who subscribes is part of it from T 2.4 on.
    template <typename M>
    void PutSubscription(const M& m)
    {
        Put("f", Text(m.filter));
        if (m_protocol != "simple-routing" && m_protocol != "flooding" && m.subscriber != NO_NODE)
        {
            Put("s", Name(m.subscriber));
        }
        PutFreshness(m.freshness);
    }

    /// What all kinds of BSUB say.
    template <typename M>
    void PutSubscriptions(const M& m)
    {
        Put("s", Name(m.subscriber));
        PutList("S", m.filters, &FieldWriter::Text);
        Put("T", "[" + Number(m.freshness.timestamp) + "," + Number(m.freshness.hops) + "]");
    }

    /// From T 4.3 on.
    void PutFreshness(const Freshness& freshness)
    {
        if (m_protocol.starts_with("mft-pubsub"))
        {
            Put("t", Number(freshness.timestamp));
            Put("h", Number(freshness.hops));
        }
    }

    template <typename T, typename U>
    std::string List(const std::vector<T>& items,
                     std::string (FieldWriter::*describe)(U) const) const
    {
        std::string text;
        for (const auto& item : items)
        {
            text += (text.empty() ? "" : ",") + (this->*describe)(item);
        }
        return "[" + text + "]";
    }

    static std::string Number(uint32_t value)
    {
        return std::to_string(value);
    }

    std::string Name(NodeId id) const
    {
        return Quote(m_processes.Name(id));
    }

    std::string Link(const LinkName& link) const
    {
        return link.opener == NO_NODE ? "null"
                                      : "[" + Name(link.opener) + "," + Number(link.number) + "]";
    }

    std::string Text(const Filter& filter) const
    {
        return Quote(filter.GetText());
    }

    std::string Event(const EventPtr& event) const
    {
        return Quote(m_processes.NameEvent(event->id));
    }

    std::string Word(const SubscriberFreshness& word) const
    {
        return "[" + Name(word.subscriber) + "," + Number(word.freshness.timestamp) + "," +
               Number(word.freshness.hops) + "]";
    }

    std::string Entry(const TableEntry& entry) const
    {
        return "[" + Name(entry.subscriber) + "," + List(entry.filters, &FieldWriter::Text) + "]";
    }

    /// By the subscribers' names: ids go by who came first.
    std::vector<SubscriberFreshness> Sort(std::vector<SubscriberFreshness> words) const
    {
        std::ranges::sort(words, NaturallyLess, [this](const auto& word) {
            return m_processes.Name(word.subscriber);
        });
        return words;
    }

    const std::string& m_protocol;
    const LabProcesses& m_processes;
    std::string m_fields;
};

} // namespace

std::string
DescribeFields(const Message& message, const std::string& protocol, const LabProcesses& processes)
{
    FieldWriter writer(protocol, processes);
    std::visit(writer, message);
    return writer.GetText();
}

} // namespace mftpubsub
