/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/reconfiguration/reconfiguration-commands.h"

#include "lab/natural-order.h"

#include <algorithm>
#include <sstream>

namespace mftpubsub
{

using namespace reconfiguration;

namespace
{

std::string
Format(double number)
{
    std::ostringstream text;
    text << number;
    return text.str();
}

/// @return the place of @p name in @p names, where it is put if it is new
uint16_t
GetNumber(Words& names, const std::string& name)
{
    const auto found = std::ranges::find(names, name);
    const auto number = static_cast<uint16_t>(found - names.begin());
    if (found == names.end())
    {
        names.push_back(name);
    }
    return number;
}

DispatcherFactory
FindFactory(const std::string& protocol)
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

Instant
ToInstant(double seconds)
{
    return std::chrono::round<Instant>(std::chrono::duration<double>(seconds));
}

} // namespace

const std::vector<LabOption<ReconfigurationCommands::Options>>&
ReconfigurationCommands::GetOptions()
{
    static const std::vector<LabOption<Options>> options{
        {"tu=SECONDS",
         [](auto& made, const auto& value) { made.unsubscribe = ParseNumber(value, "seconds"); },
         "how long T_u runs; 0.15 by default"},
        {"ts=SECONDS",
         [](auto& made, const auto& value) { made.subscribe = ParseNumber(value, "seconds"); },
         "how long T_s runs; 0.15 by default"},
    };
    return options;
}

const std::vector<Command<ReconfigurationCommands>>&
ReconfigurationCommands::GetCommands()
{
    using Lab = ReconfigurationCommands;
    static const std::vector<Command<Lab>> commands{
        {Usage("subscribe P ... at D"), &Lab::Subscribe, "dispatcher D asks for patterns"},
        {Usage("unsubscribe P ... at D"), &Lab::Unsubscribe, "it asks for them no more"},
        {Usage("publish P ... at D"), &Lab::Publish, "an event that contains these patterns"},
        {Usage("break R D-D"), &Lab::Break, "reconfiguration R begins: a link is gone"},
        {Usage("replace R D-D"), &Lab::Replace, "the link that replaces it"},
        {Usage("step"), &Lab::RunStep, "the oldest message arrives"},
        {Usage("step D->D"), &Lab::StepLink, "the oldest over this link does; D~>D: out of band"},
        {Usage("expire"), &Lab::ExpireNext, "time passes until a timer expires"},
        {Usage("settle"), &Lab::RunSettle, "all messages arrive, in the order of sending"},
        {Usage("settle quietly"), &Lab::RunSettleQuietly, "prints the number of steps alone"},
        {Usage("advance SECONDS"), &Lab::Advance, "until this time; timers expire"},
        {Usage("table D"), &Lab::Table, "the patterns of each neighbour of D"},
        {Usage("tables"), &Lab::Tables, "the tables of all dispatchers"},
        {Usage("delivered D"), &Lab::Delivered, "how many events the clients of D have got"},
        {Usage("costs"), &Lab::Costs, "messages so far, and whom each reconfiguration involves"},
        {Usage("violations"), &Lab::RunViolations, "what is wrong where nothing is pending"},
    };
    return commands;
}

LabFamily
ReconfigurationCommands::GetFamily()
{
    return {{"reconfiguration",
             "dispatchers whose links others replace",
             GetProtocols(),
             ListUsages(GetOptions()),
             ListUsages(GetCommands())},
            [](const auto& protocol, const auto& words) -> std::unique_ptr<Laboratory> {
                return std::make_unique<ReconfigurationCommands>(protocol, words);
            }};
}

ReconfigurationCommands::ReconfigurationCommands(const std::string& protocol, const Words& words)
{
    const auto make = FindFactory(protocol);
    const auto links = SetOptions(GetOptions(), words, m_options);
    m_lab = std::make_unique<ReconfigurationLab>(
        make,
        MakeTree(links),
        [this](const auto& sent) { PrintSent(sent); },
        TimerOptions{ToInstant(m_options.unsubscribe), ToInstant(m_options.subscribe)});
}

void
ReconfigurationCommands::Run(const std::string& command)
{
    RunCommand(GetCommands(), *this, command);
}

bool
ReconfigurationCommands::Step()
{
    if (m_lab->GetInTransit().empty())
    {
        return false;
    }
    m_lab->Deliver(0);
    return true;
}

std::vector<std::string>
ReconfigurationCommands::FindViolations() const
{
    return m_lab->FindViolations([this](NodeId node) { return m_names[node]; });
}

LabPicture
ReconfigurationCommands::Draw() const
{
    LabPicture picture;
    for (size_t node = 0; node < m_names.size(); ++node)
    {
        picture.figures.push_back(
            {m_names[node], "B", true, "", DescribeRows(static_cast<NodeId>(node))});
    }
    for (const auto& [one, other] : m_lab->GetTree().GetEdges())
    {
        picture.links.emplace_back(m_names[one], m_names[other]);
    }
    return picture;
}

Forest
ReconfigurationCommands::MakeTree(const Words& links)
{
    for (const auto& link : links)
    {
        const auto [one, other] = SplitLink(link);
        m_names.insert(m_names.end(), {one, other});
    }
    std::sort(m_names.begin(), m_names.end(), NaturallyLess);
    m_names.erase(std::unique(m_names.begin(), m_names.end()), m_names.end());
    Forest tree(m_names.size());
    for (const auto& link : links)
    {
        AddEdge(tree, link);
    }
    if (links.empty() || tree.GetPart(0).size() != m_names.size())
    {
        throw LabError("the links D-D do not form one tree");
    }
    return tree;
}

void
ReconfigurationCommands::AddEdge(Forest& tree, const std::string& link) const
{
    const auto [one, other] = FindEdge(link);
    try
    {
        tree.Add(one, other);
    }
    catch (const std::invalid_argument&)
    {
        throw LabError("link " + link + " would close a cycle");
    }
}

NodeId
ReconfigurationCommands::Find(const std::string& name) const
{
    const auto found = std::ranges::find(m_names, name);
    if (found == m_names.end())
    {
        throw LabError("no dispatcher '" + name + "'; there are " + JoinWords(m_names));
    }
    return static_cast<NodeId>(found - m_names.begin());
}

Edge
ReconfigurationCommands::FindEdge(const std::string& link) const
{
    const auto [one, other] = SplitLink(link);
    return {Find(one), Find(other)};
}

void
ReconfigurationCommands::ForEachPattern(const Words& given, NodeCall call)
{
    const auto node = Find(given[1]);
    for (const auto& pattern : SplitWords(given[0]))
    {
        (m_lab.get()->*call)(node, GetNumber(m_patterns, pattern));
    }
}

void
ReconfigurationCommands::Subscribe(const Words& given)
{
    ForEachPattern(given, &ReconfigurationLab::Subscribe);
}

void
ReconfigurationCommands::Unsubscribe(const Words& given)
{
    ForEachPattern(given, &ReconfigurationLab::Unsubscribe);
}

void
ReconfigurationCommands::Publish(const Words& given)
{
    const auto node = Find(given[1]);
    auto publication = std::make_shared<Publication>();
    publication->id = ++m_publications;
    for (const auto& pattern : SplitWords(given[0]))
    {
        publication->patterns.push_back(GetNumber(m_patterns, pattern));
    }
    std::ranges::sort(publication->patterns);
    m_lab->Publish(node, publication);
}

void
ReconfigurationCommands::Break(const Words& given)
{
    Reconfigure(given,
                &ReconfigurationLab::Break,
                "there is no link " + given[1] + ", or " + given[0] + " has begun already");
}

void
ReconfigurationCommands::Replace(const Words& given)
{
    Reconfigure(given,
                &ReconfigurationLab::Replace,
                given[1] + " does not connect what " + given[0] + " has separated");
}

void
ReconfigurationCommands::Reconfigure(const Words& given, LinkCall call, const std::string& refusal)
{
    const auto [one, other] = FindEdge(given[1]);
    auto names = m_reconfigurations;
    const auto id = GetNumber(names, given[0]);
    try
    {
        (m_lab.get()->*call)(id, one, other);
    }
    catch (const std::invalid_argument&)
    {
        throw LabError(refusal);
    }
    m_reconfigurations = std::move(names);
}

void
ReconfigurationCommands::Advance(const Words& given)
{
    const auto until = ParseNumber(given[0], "seconds");
    if (until < m_now)
    {
        throw LabError("it is " + Format(m_now) + " s already");
    }
    m_lab->DeliverAll();
    const auto end = ToInstant(until);
    for (auto due = GetNextDue(); due && *due <= end; due = GetNextDue())
    {
        ExpireDue(*due);
        m_lab->DeliverAll();
    }
    m_now = until;
    m_lab->SetTime(end);
}

/// @return when the next timer expires, if any runs
std::optional<Instant>
ReconfigurationCommands::GetNextDue() const
{
    const auto timers = m_lab->GetTimers();
    return timers.empty() ? std::nullopt : std::optional(timers.front().due);
}

/// All timers that are due by @p now expire before any message arrives.
void
ReconfigurationCommands::ExpireDue(Instant now)
{
    for (auto due = GetNextDue(); due && *due <= now; due = GetNextDue())
    {
        const auto timer = m_lab->GetTimers().front();
        Print(m_names[timer.node] + ": " + (timer.timer == Timer::UNSUBSCRIBE ? "T_u" : "T_s") +
              " of " + m_reconfigurations[timer.reconfiguration] + " expires");
        m_lab->Expire(timer);
    }
}

void
ReconfigurationCommands::Table(const Words& given)
{
    Print(given[0] + "[" + DescribeRows(Find(given[0])) + "]");
}

void
ReconfigurationCommands::Tables(const Words&)
{
    for (const auto& name : m_names)
    {
        Table({name});
    }
}

void
ReconfigurationCommands::Delivered(const Words& given)
{
    Print(std::to_string(m_lab->GetDelivered()[Find(given[0])]));
}

void
ReconfigurationCommands::Costs(const Words&)
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
    Print(line + "cost " + Format(ledger.GetCost()));
    for (size_t id = 0; id < m_reconfigurations.size(); ++id)
    {
        std::string involved;
        for (const auto node : ledger.GetInvolved(static_cast<ReconfigurationId>(id)))
        {
            involved += " " + m_names[node];
        }
        Print(m_reconfigurations[id] + " involves" + involved);
    }
}

std::string
ReconfigurationCommands::Join(const Patterns& patterns) const
{
    std::string joined;
    for (const auto pattern : patterns)
    {
        joined += (joined.empty() ? "" : ",") + m_patterns[pattern];
    }
    return joined;
}

/// @return the rows of a table, that of its own clients first
std::string
ReconfigurationCommands::DescribeRows(NodeId node) const
{
    const auto& table = m_lab->GetDispatcher(node).GetTable();
    std::string local;
    std::string others;
    for (const auto row : table.GetRows())
    {
        const auto patterns = Join(table.GetRow(row));
        if (row == LOCAL)
        {
            local = "local:" + patterns;
        }
        else
        {
            others += " " +
                      (IsNeighbour(row) ? m_names[row]
                                        : "ghost of " + m_reconfigurations[row - Ghost(0)]) +
                      ":" + patterns;
        }
    }
    const auto rows = local + others;
    return rows.substr(rows.starts_with(" ") ? 1 : 0);
}

void
ReconfigurationCommands::PrintSent(const ReconfigurationLab::InTransit& sent)
{
    const auto detail =
        std::visit([this](const auto& message) { return Describe(message); }, sent.message);
    const std::string kind(GetName(sent.message));
    const auto& from = m_names[sent.from];
    const auto& to = m_names[sent.to];
    Print({from + (sent.isOutOfBand ? " ~> " : " -> ") + to + " " + kind + detail,
           kind,
           from,
           {to},
           false});
}

std::string
ReconfigurationCommands::Describe(const Sub& sub) const
{
    return " " + m_patterns[sub.pattern];
}

std::string
ReconfigurationCommands::Describe(const Unsub& unsub) const
{
    return " " + m_patterns[unsub.pattern];
}

std::string
ReconfigurationCommands::Describe(const reconfiguration::Event& event) const
{
    return " " + Join(event.publication->patterns);
}

std::string
ReconfigurationCommands::Describe(const reconfiguration::Flush& flush) const
{
    return " " + m_reconfigurations[flush.reconfiguration];
}

std::string
ReconfigurationCommands::Describe(const Activate& activate) const
{
    return " " + m_reconfigurations[activate.reconfiguration] + " P=[" + Join(*activate.patterns) +
           "] neighbour=" + m_names[activate.neighbour];
}

std::string
ReconfigurationCommands::Describe(const Rec& rec) const
{
    return " " + m_reconfigurations[rec.reconfiguration] + " add=[" + Join(rec.change->add) +
           "] del=[" + Join(rec.change->remove) + "]";
}

std::string
ReconfigurationCommands::Describe(const RecAck& ack) const
{
    return " " + m_reconfigurations[ack.reconfiguration];
}

} // namespace mftpubsub
