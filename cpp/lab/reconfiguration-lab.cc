/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/reconfiguration-lab.h"

#include "lab/lab.h"
#include "lab/natural-order.h"
#include "lab/overlay-lab.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <sstream>

namespace mftpubsub
{

using namespace reconfiguration;

namespace
{

using Words = std::vector<std::string>;

constexpr double TIMER_SECONDS = 0.15; //!< C table I, T_u and T_s

Words
Split(const std::string& text, const std::string& separators = " ")
{
    Words words;
    size_t begin = text.find_first_not_of(separators);
    while (begin != std::string::npos)
    {
        const auto end = text.find_first_of(separators, begin);
        words.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
        begin = text.find_first_not_of(separators, end);
    }
    return words;
}

double
ParseSeconds(const std::string& text)
{
    double seconds = -1;
    const auto* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, seconds);
    if (error != std::errc() || rest != end || !(seconds >= 0))
    {
        throw LabError("'" + text + "' is no time in s");
    }
    return seconds;
}

std::string
Format(double number)
{
    std::ostringstream text;
    text << number;
    return text.str();
}

template <typename Name>
std::string
JoinNames(const Patterns& patterns, Name name)
{
    std::string joined;
    for (const auto pattern : patterns)
    {
        joined += (joined.empty() ? "" : ",") + name(pattern);
    }
    return joined;
}

} // namespace

class ReconfigurationLab::State
{
  public:
    State(const std::string& protocol, const std::string& links)
    {
        std::vector<std::pair<std::string, std::string>> edges;
        for (const auto& word : Split(links))
        {
            if (word.starts_with("tu="))
            {
                m_unsubscribe = ParseSeconds(word.substr(3));
            }
            else if (word.starts_with("ts="))
            {
                m_subscribe = ParseSeconds(word.substr(3));
            }
            else
            {
                edges.push_back(SplitLink(word));
            }
        }
        const auto make = FindFactory(protocol);
        m_lab = std::make_unique<OverlayLab>(make, MakeTree(edges), [this](const auto& sent) {
            m_printed.push_back(Describe(sent));
        });
        KeepTime();
    }

    Words Run(const std::string& command)
    {
        const auto words = Split(command);
        m_printed.clear();
        const auto found = GetCommands().find(words.empty() ? "" : words[0]);
        if (found == GetCommands().end())
        {
            throw LabError("unknown command '" + (words.empty() ? "" : words[0]) + "'");
        }
        const auto& [usage, run] = found->second;
        if (!(this->*run)(words))
        {
            throw LabError("cannot read '" + command + "': it goes '" + usage + "'");
        }
        return m_printed;
    }

  private:
    /// @return false if the words are not of this command
    using Command = bool (State::*)(const Words&);

    static const std::map<std::string, std::pair<std::string, Command>>& GetCommands()
    {
        static const std::map<std::string, std::pair<std::string, Command>> commands{
            {"subscribe", {"subscribe P ... at D", &State::Subscribe}},
            {"unsubscribe", {"unsubscribe P ... at D", &State::Unsubscribe}},
            {"publish", {"publish P ... at D", &State::Publish}},
            {"break", {"break R D-D", &State::Break}},
            {"replace", {"replace R D-D", &State::Replace}},
            {"settle", {"settle [quietly]", &State::Settle}},
            {"advance", {"advance SECONDS", &State::Advance}},
            {"table", {"table D", &State::Table}},
            {"tables", {"tables", &State::Tables}},
            {"delivered", {"delivered D", &State::Delivered}},
            {"costs", {"costs", &State::Costs}},
            {"violations", {"violations", &State::Violations}},
        };
        return commands;
    }

    static DispatcherFactory FindFactory(const std::string& protocol)
    {
        try
        {
            return GetFactory(protocol);
        }
        catch (const std::invalid_argument& error)
        {
            throw LabError(error.what());
        }
    }

    static std::pair<std::string, std::string> SplitLink(const std::string& word)
    {
        const auto ends = Split(word, "-");
        if (ends.size() != 2 || word != ends[0] + "-" + ends[1])
        {
            throw LabError("'" + word + "' is no link D-D");
        }
        return {ends[0], ends[1]};
    }

    Forest MakeTree(const std::vector<std::pair<std::string, std::string>>& edges)
    {
        for (const auto& [one, other] : edges)
        {
            m_names.insert(m_names.end(), {one, other});
        }
        std::sort(m_names.begin(), m_names.end(), NaturallyLess);
        m_names.erase(std::unique(m_names.begin(), m_names.end()), m_names.end());
        Forest tree(m_names.size());
        for (const auto& [one, other] : edges)
        {
            AddEdge(tree, one, other);
        }
        if (edges.empty() || tree.GetPart(0).size() != m_names.size())
        {
            throw LabError("the links D-D do not form one tree");
        }
        return tree;
    }

    void AddEdge(Forest& tree, const std::string& one, const std::string& other) const
    {
        try
        {
            tree.Add(GetDispatcher(one), GetDispatcher(other));
        }
        catch (const std::invalid_argument&)
        {
            throw LabError("link " + one + "-" + other + " would close a cycle");
        }
    }

    NodeId GetDispatcher(const std::string& name) const
    {
        const auto found = std::find(m_names.begin(), m_names.end(), name);
        if (found == m_names.end())
        {
            throw LabError("no dispatcher '" + name + "'");
        }
        return static_cast<NodeId>(found - m_names.begin());
    }

    Edge GetEdge(const std::string& word) const
    {
        const auto [one, other] = SplitLink(word);
        return {GetDispatcher(one), GetDispatcher(other)};
    }

    /// @return the place of @p name in @p names, where it is put if it is new
    static uint16_t GetNumber(Words& names, const std::string& name)
    {
        const auto found = std::find(names.begin(), names.end(), name);
        const auto number = static_cast<uint16_t>(found - names.begin());
        if (found == names.end())
        {
            names.push_back(name);
        }
        return number;
    }

    bool ForEachPattern(const Words& words, void (OverlayLab::*call)(NodeId, Pattern))
    {
        if (words.size() < 4 || words[words.size() - 2] != "at")
        {
            return false;
        }
        const auto node = GetDispatcher(words.back());
        for (size_t index = 1; index + 2 < words.size(); ++index)
        {
            (m_lab.get()->*call)(node, GetNumber(m_patterns, words[index]));
        }
        return true;
    }

    bool Subscribe(const Words& words)
    {
        return ForEachPattern(words, &OverlayLab::Subscribe);
    }

    bool Unsubscribe(const Words& words)
    {
        return ForEachPattern(words, &OverlayLab::Unsubscribe);
    }

    bool Publish(const Words& words)
    {
        if (words.size() < 4 || words[words.size() - 2] != "at")
        {
            return false;
        }
        const auto node = GetDispatcher(words.back());
        auto publication = std::make_shared<Publication>();
        publication->id = ++m_publications;
        for (size_t index = 1; index + 2 < words.size(); ++index)
        {
            publication->patterns.push_back(GetNumber(m_patterns, words[index]));
        }
        std::sort(publication->patterns.begin(), publication->patterns.end());
        m_lab->Publish(node, publication);
        return true;
    }

    bool Break(const Words& words)
    {
        return Reconfigure(words, &OverlayLab::Break);
    }

    bool Replace(const Words& words)
    {
        return Reconfigure(words, &OverlayLab::Replace);
    }

    bool Reconfigure(const Words& words,
                     void (OverlayLab::*call)(ReconfigurationId, NodeId, NodeId))
    {
        if (words.size() != 3)
        {
            return false;
        }
        const auto [one, other] = GetEdge(words[2]);
        auto names = m_reconfigurations;
        const auto id = GetNumber(names, words[1]);
        try
        {
            (m_lab.get()->*call)(id, one, other);
        }
        catch (const std::invalid_argument&)
        {
            throw LabError(
                words[0] == "break"
                    ? "there is no link " + words[2] + ", or " + words[1] + " has begun already"
                    : words[2] + " does not connect what " + words[1] + " has separated");
        }
        m_reconfigurations = std::move(names);
        return true;
    }

    bool Settle(const Words& words)
    {
        const bool isQuiet = words.size() == 2 && words[1] == "quietly";
        if (!isQuiet && words.size() != 1)
        {
            return false;
        }
        m_lab->DeliverAll();
        if (isQuiet)
        {
            m_printed.clear();
        }
        return true;
    }

    bool Advance(const Words& words)
    {
        if (words.size() != 2)
        {
            return false;
        }
        const auto until = ParseSeconds(words[1]);
        if (until < m_now)
        {
            throw LabError("it is " + Format(m_now) + " s already");
        }
        m_lab->DeliverAll();
        for (auto due = GetNextDue(until); due; due = GetNextDue(until))
        {
            m_now = *due;
            KeepTime();
            ExpireDue();
            m_lab->DeliverAll();
        }
        m_now = until;
        KeepTime();
        return true;
    }

    /// @return when the next timer expires, if not after @p until
    std::optional<double> GetNextDue(double until) const
    {
        std::optional<double> next;
        for (const auto& timer : m_lab->GetTimers())
        {
            if (timer.due <= until && (!next || timer.due < *next))
            {
                next = timer.due;
            }
        }
        return next;
    }

    /// All timers that are due expire before any message arrives.
    void ExpireDue()
    {
        for (size_t place = 0; place < m_lab->GetTimers().size();)
        {
            const auto timer = m_lab->GetTimers()[place];
            if (timer.due > m_now)
            {
                ++place;
                continue;
            }
            m_printed.push_back(m_names[timer.node] + ": " +
                                (timer.timer == Timer::UNSUBSCRIBE ? "T_u" : "T_s") + " of " +
                                m_reconfigurations[timer.reconfiguration] + " expires");
            m_lab->Expire(place);
        }
    }

    void KeepTime()
    {
        m_lab->SetTime(m_now, m_unsubscribe, m_subscribe);
    }

    bool Table(const Words& words)
    {
        if (words.size() != 2)
        {
            return false;
        }
        m_printed.push_back(DescribeTable(GetDispatcher(words[1])));
        return true;
    }

    bool Tables(const Words& words)
    {
        for (size_t node = 0; node < m_names.size(); ++node)
        {
            m_printed.push_back(DescribeTable(static_cast<NodeId>(node)));
        }
        return words.size() == 1;
    }

    bool Delivered(const Words& words)
    {
        if (words.size() != 2)
        {
            return false;
        }
        m_printed.push_back(std::to_string(m_lab->GetDelivered()[GetDispatcher(words[1])]));
        return true;
    }

    bool Costs(const Words& words)
    {
        const auto& ledger = m_lab->GetLedger();
        std::string line;
        ForEachKind([&](std::string_view kind) {
            const auto found = ledger.GetEntries().find(kind);
            if (found != ledger.GetEntries().end())
            {
                line += std::string(kind) + " " + std::to_string(found->second.count) + ", ";
            }
        });
        m_printed.push_back(line + "cost " + Format(ledger.GetCost()));
        for (size_t id = 0; id < m_reconfigurations.size(); ++id)
        {
            std::string involved;
            for (const auto node : ledger.GetInvolved(static_cast<ReconfigurationId>(id)))
            {
                involved += " " + m_names[node];
            }
            m_printed.push_back(m_reconfigurations[id] + " involves" + involved);
        }
        return words.size() == 1;
    }

    bool Violations(const Words& words)
    {
        m_printed = m_lab->FindViolations();
        if (m_printed.empty())
        {
            m_printed.emplace_back("none");
        }
        return words.size() == 1;
    }

    std::string JoinPatterns(const Patterns& patterns) const
    {
        return JoinNames(patterns, [this](auto pattern) { return m_patterns[pattern]; });
    }

    std::string DescribeTable(NodeId node) const
    {
        const auto& table = m_lab->GetDispatcher(node).GetTable();
        std::string local;
        std::string others;
        for (const auto row : table.GetRows())
        {
            const auto patterns = JoinPatterns(table.GetRow(row));
            if (row == LOCAL)
            {
                local = "local:" + patterns;
            }
            else
            {
                others += " " + DescribeRow(row) + ":" + patterns;
            }
        }
        const auto rows = local + others;
        return m_names[node] + "[" + rows.substr(rows.starts_with(" ") ? 1 : 0) + "]";
    }

    std::string DescribeRow(Subscriber row) const
    {
        return IsNeighbour(row) ? m_names[row] : "ghost of " + m_reconfigurations[row - Ghost(0)];
    }

    std::string Describe(const OverlayLab::InTransit& sent) const
    {
        const auto detail =
            std::visit([this](const auto& message) { return DescribeFields(message); },
                       sent.message);
        return m_names[sent.from] + (sent.isOutOfBand ? " ~> " : " -> ") + m_names[sent.to] + " " +
               std::string(GetName(sent.message)) + detail;
    }

    std::string DescribeFields(const Sub& sub) const
    {
        return " " + m_patterns[sub.pattern];
    }

    std::string DescribeFields(const Unsub& unsub) const
    {
        return " " + m_patterns[unsub.pattern];
    }

    std::string DescribeFields(const Event& event) const
    {
        return " " + JoinPatterns(event.publication->patterns);
    }

    std::string DescribeFields(const Flush& flush) const
    {
        return " " + m_reconfigurations[flush.reconfiguration];
    }

    std::string DescribeFields(const Activate& activate) const
    {
        return " " + m_reconfigurations[activate.reconfiguration] + " P=[" +
               JoinPatterns(*activate.patterns) + "] neighbour=" + m_names[activate.neighbour];
    }

    std::string DescribeFields(const Rec& rec) const
    {
        return " " + m_reconfigurations[rec.reconfiguration] + " add=[" +
               JoinPatterns(rec.change->add) + "] del=[" + JoinPatterns(rec.change->remove) + "]";
    }

    std::string DescribeFields(const RecAck& ack) const
    {
        return " " + m_reconfigurations[ack.reconfiguration];
    }

    double m_now{0}; //!< s
    double m_unsubscribe{TIMER_SECONDS};
    double m_subscribe{TIMER_SECONDS};
    uint32_t m_publications{0};
    Words m_names;            //!< of dispatchers
    Words m_patterns;         //!< by number
    Words m_reconfigurations; //!< by number
    Words m_printed;
    std::unique_ptr<OverlayLab> m_lab;
};

ReconfigurationLab::ReconfigurationLab(const std::string& protocol, const std::string& links)
    : m_state(std::make_unique<State>(protocol, links))
{
}

ReconfigurationLab::~ReconfigurationLab() = default;

std::vector<std::string>
ReconfigurationLab::Run(const std::string& command)
{
    return m_state->Run(command);
}

} // namespace mftpubsub
