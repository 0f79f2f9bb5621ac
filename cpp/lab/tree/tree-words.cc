/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/tree/tree-words.h"

#include "lab/natural-order.h"
#include "protocols/own/hook-broker.h"

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
        if (static_cast<unsigned char>(c) < ' ') // as JSON has them
        {
            constexpr auto digits = "0123456789abcdef";
            quoted += "\\u00";
            quoted += digits[c / 16];
            quoted += digits[c % 16];
            continue;
        }
        quoted += c;
    }
    return quoted + "\"";
}

/// Writes the fields of one message.
class FieldWriter
{
  public:
    FieldWriter(const std::string& protocol, const LabProcesses& processes, bool isJson)
        : m_protocol(protocol),
          m_processes(processes),
          m_isJson(isJson)
    {
    }

    std::string GetText() const
    {
        return m_isJson ? "{" + m_fields + "}" : m_fields;
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
        if (m_protocol != "mft-pubsub-r" && m_protocol != "mft-pubsub-2")
        {
            Put("h", Number(m.hops));
        }
    }

    void operator()(const OpeningBmig& m)
    {
        PutList("C", Sort(m.children), &FieldWriter::Word);
        PutList("O", Sort(m.others), &FieldWriter::Word);
    }

    void operator()(const ClaimingBmig& m)
    {
        PutList("C", Sort(m.children), &FieldWriter::Word);
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

    void operator()(const Have& m)
    {
        Put("s", Name(m.subscriber));
        PutList("has", m.rows, &FieldWriter::Row);
    }

    void operator()(const Yield&)
    {
    }

    void operator()(const ClaimingBsub& m)
    {
        PutSubscriptions(m);
        Put("claim", String(m.isFirst ? "first" : "again"));
        PutIfSet("home", m.home);
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

    void operator()(const Own& m)
    {
        if (m.format)
        {
            m_fields += WithNames(m.format->describe(m, m_isJson));
        }
    }

  private:
    /// @p text with names for what OwnFormat marks.
    std::string WithNames(const std::string& text) const
    {
        constexpr char MARK = '\x01';
        std::string named;
        for (size_t at = 0; at < text.size();)
        {
            const auto begin = text.find(MARK, at);
            const auto end = begin == std::string::npos ? begin : text.find(MARK, begin + 1);
            if (end == std::string::npos)
            {
                return named + text.substr(at);
            }
            named += text.substr(at, begin - at);
            const auto quoted = Quote(Resolve(text.substr(begin + 1, end - begin - 1)));
            named += m_isJson ? quoted.substr(1, quoted.size() - 2)
                              : Resolve(text.substr(begin + 1, end - begin - 1));
            at = end + 1;
        }
        return named;
    }

    /// @param what "5", a node, or "5#7", an event
    std::string Resolve(const std::string& what) const
    {
        const auto hash = what.find('#');
        const auto node = static_cast<NodeId>(std::stoul(what.substr(0, hash)));
        const auto& known = m_processes.Name(node);
        return (known.empty() ? what.substr(0, hash) : known) +
               (hash == std::string::npos ? "" : what.substr(hash));
    }

    void Put(const std::string& key, const std::string& value)
    {
        if (m_isJson)
        {
            m_fields += (m_fields.empty() ? "" : ",") + Quote(key) + ":" + value;
        }
        else
        {
            m_fields += " " + key + "=" + value;
        }
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
        Put(key, "[" + ListItems(items, describe) + "]");
    }

    /// The fields of Sub and Uns: who subscribes is part of it from T 2.4 on.
    template <typename M>
    void PutSubscription(const M& m)
    {
        Put("f", Text(m.filter));
        const auto isAnonymous = m_protocol == "simple-routing" || m_protocol == "flooding" ||
                                 m_protocol == PYTHON_BROKERS;
        if (!isAnonymous && m.subscriber != NO_NODE)
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
        Put("T", Tuple(Number(m.freshness.timestamp) + "," + Number(m.freshness.hops)));
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
    std::string ListItems(const std::vector<T>& items,
                          std::string (FieldWriter::*describe)(U) const) const
    {
        std::string text;
        for (const auto& item : items)
        {
            text += (text.empty() ? "" : ",") + (this->*describe)(item);
        }
        return text;
    }

    std::string Tuple(const std::string& items) const
    {
        return m_isJson ? "[" + items + "]" : "(" + items + ")";
    }

    std::string String(const std::string& text) const
    {
        return m_isJson ? Quote(text) : text;
    }

    static std::string Number(uint32_t value)
    {
        return std::to_string(value);
    }

    std::string Name(NodeId id) const
    {
        return String(m_processes.Name(id));
    }

    std::string Link(const LinkName& link) const
    {
        return link.opener == NO_NODE ? (m_isJson ? "null" : "none")
                                      : Tuple(Name(link.opener) + "," + Number(link.number));
    }

    std::string Text(const Filter& filter) const
    {
        return String(filter.GetText());
    }

    std::string Event(const EventPtr& event) const
    {
        return String(m_processes.NameEvent(event->id));
    }

    std::string Word(const SubscriberFreshness& word) const
    {
        return Tuple(Name(word.subscriber) + "," + Number(word.freshness.timestamp) + "," +
                     Number(word.freshness.hops));
    }

    std::string Row(const RecentRow& row) const
    {
        return Tuple(Name(row.publisher) + "," + Number(row.last) + "," + std::to_string(row.bits));
    }

    std::string Entry(const TableEntry& entry) const
    {
        const auto filters = ListItems(entry.filters, &FieldWriter::Text);
        return Tuple(Name(entry.subscriber) + "," + Tuple(filters));
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
    bool m_isJson;
    std::string m_fields;
};

} // namespace

std::string
DescribeFields(const Message& message, const std::string& protocol, const LabProcesses& processes)
{
    FieldWriter writer(protocol, processes, true);
    std::visit(writer, message);
    return writer.GetText();
}

std::string
DescribeWords(const Message& message, const std::string& protocol, const LabProcesses& processes)
{
    FieldWriter writer(protocol, processes, false);
    std::visit(writer, message);
    return writer.GetText();
}

} // namespace mftpubsub
