/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/handoff/handoff-commands.h"

namespace mftpubsub
{

namespace
{

template <bool HandoffLabOptions::* SWITCH>
void
Set(HandoffLabOptions& made, const std::string& value)
{
    made.*SWITCH = ParseBoolean(value);
}

/// @throws LabError for what is no link between two brokers
std::pair<std::string, std::string>
SplitEdge(const std::string& word)
{
    auto edge = SplitLink(word);
    if (edge.first == edge.second)
    {
        throw LabError(word + " has one end: a link is between two brokers");
    }
    return edge;
}

} // namespace

const std::vector<LabOption<HandoffLabOptions>>&
HandoffCommands::GetOptions()
{
    using Options = HandoffLabOptions;
    static const std::vector<LabOption<Options>> options{
        {"neighbours=B-B,B-B,...",
         [](auto& made, const auto& value) {
             for (const auto& edge : SplitList(value))
             {
                 made.neighbours.push_back(SplitEdge(edge));
             }
         },
         "pro-active: the graph that brokers know at the start"},
        {"root=B",
         [](auto& made, const auto& value) { made.root = value; },
         "of the tree, where a scheme routes; the first broker by default"},
        {"publishers=B,B,...",
         [](auto& made, const auto& value) { made.publishers = SplitList(value); },
         "brokers that advertise, where a scheme does; the first broker by default"},
        {"ack-batch=N",
         [](auto& made, const auto& value) {
             made.ackBatch = static_cast<uint32_t>(ParseCount(value));
         },
         "durable: an acknowledgement for so many events"},
        {"queue-bytes=N",
         [](auto& made, const auto& value) { made.queueBytes = ParseCount(value); },
         "for how many bytes of events a broker has room"},
        {"home=true", &Set<&Options::home>, "reactive: subscribers have a home broker"},
        {"filters-in-reconnect=true",
         &Set<&Options::filtersInReconnect>,
         "reactive: RECONNECT carries filters"},
        {"implicit-move-out=true",
         &Set<&Options::implicitMoveOut>,
         "jedi: a link that breaks counts as an announced departure"},
    };
    return options;
}

const std::vector<Command<HandoffCommands>>&
HandoffCommands::GetCommands()
{
    using Lab = HandoffCommands;
    static const std::vector<Command<Lab>> commands{
        {Usage("subscribe S at B [as S] [where CONDITION]"),
         &Lab::Subscribe,
         "as: both are clients of one user; S may subscribe again after unsubscribe, as a new "
         "client"},
        {Usage("unsubscribe S"), &Lab::Tell<&HandoffLab::Unsubscribe>, "where S is"},
        {Usage("publish E [at B]"),
         &Lab::Tell<&HandoffLab::Publish>,
         "E names the event; at the first broker by default"},
        {Usage("disconnect S"),
         &Lab::Tell<&HandoffLab::Disconnect>,
         "S leaves, and its broker sees it"},
        {Usage("connect S [to] B"), &Lab::Tell<&HandoffLab::Connect>, "S comes to a broker"},
        {Usage("moveout S"), &Lab::Leave, "S announces that it leaves, and does"},
        {Usage("moveout S drop"), &Lab::LeaveAndDrop, "the same, and wants nothing stored"},
        {Usage("timeout S [at] B"),
         &Lab::Tell<&HandoffLab::TimeOut>,
         "what B keeps of S expires; in schemes of related work all that can"},
        {Usage("edge B-B"), &Lab::AddEdge, "both learn that subscribers move between them"},
        {Usage("ping S B MILLISECONDS"), &Lab::Ping, "emma: what the controller is told"},
        {Usage("balance"), &Lab::Balance, "emma: the controller sends each S where it should be"},
        {Usage("hold B->B ..."), &Lab::Hold, "nothing arrives over these links"},
        {Usage("release B->B ..."), &Lab::Release, "it does again"},
        {Usage("step"), &Lab::RunStep, "the oldest message between brokers arrives"},
        {Usage("step B->B"), &Lab::StepLink, "the oldest over this link does"},
        {Usage("settle"), &Lab::RunSettle, "steps until nothing is pending"},
        {Usage("settle quietly"), &Lab::RunSettleQuietly, "prints the number of steps alone"},
        {Usage("states S"), &Lab::States, "what each broker knows and holds of S"},
        {Usage("violations"), &Lab::RunViolations, "what is wrong where nothing is pending"},
    };
    return commands;
}

LabFamily
HandoffCommands::GetFamily()
{
    return {{"handoff",
             "subscribers that move between brokers that stay",
             GetHandoffSchemes(),
             ListUsages(GetOptions()),
             ListUsages(GetCommands())},
            [](const auto& scheme, const auto& words) -> std::unique_ptr<Laboratory> {
                return std::make_unique<HandoffCommands>(scheme, words);
            }};
}

HandoffLabOptions
HandoffCommands::ReadOptions(const std::string& scheme, const Words& words)
{
    HandoffLabOptions options;
    options.scheme = scheme;
    for (const auto& link : SetOptions(GetOptions(), words, options))
    {
        options.links.push_back(SplitEdge(link));
    }
    if (options.links.empty())
    {
        throw LabError("say which brokers there are: B-B B-B ...");
    }
    return options;
}

HandoffCommands::HandoffCommands(const std::string& scheme, const Words& words)
    : m_lab(ReadOptions(scheme, words))
{
}

void
HandoffCommands::Run(const std::string& command)
{
    RunCommand(GetCommands(), *this, command);
    PrintLog();
}

bool
HandoffCommands::Step()
{
    const auto isDone = m_lab.Step();
    PrintLog();
    return isDone;
}

std::vector<std::string>
HandoffCommands::FindViolations() const
{
    return m_lab.FindViolations();
}

LabPicture
HandoffCommands::Draw() const
{
    return m_lab.Draw();
}

std::vector<LabMove>
HandoffCommands::GetMoves() const
{
    std::vector<LabMove> moves;
    for (const auto& [from, to] : m_lab.GetReady())
    {
        moves.push_back({"step " + from + "->" + to, LabMove::STEP, to});
    }
    return moves;
}

void
HandoffCommands::StepLink(const Words& given)
{
    const auto [from, to] = SplitLink(given[0], "->");
    m_lab.StepLink(from, to);
}

void
HandoffCommands::PrintLog()
{
    for (auto& line : m_lab.TakeLog())
    {
        Print(std::move(line));
    }
}

void
HandoffCommands::Subscribe(const Words& given)
{
    m_lab.Subscribe(given[0], given[1], given[3], given[2]);
}

void
HandoffCommands::Leave(const Words& given)
{
    m_lab.MoveOut(given[0], true);
}

void
HandoffCommands::LeaveAndDrop(const Words& given)
{
    m_lab.MoveOut(given[0], false);
}

void
HandoffCommands::Ping(const Words& given)
{
    m_lab.Ping(given[0], given[1], ParseNumber(given[2], "ms"));
}

void
HandoffCommands::Balance(const Words&)
{
    m_lab.Balance();
}

void
HandoffCommands::AddEdge(const Words& given)
{
    const auto [one, other] = SplitEdge(given[0]);
    m_lab.AddEdge(one, other);
}

void
HandoffCommands::Hold(const Words& given)
{
    for (const auto& link : SplitWords(given[0]))
    {
        const auto [from, to] = SplitLink(link, "->");
        m_lab.Hold(from, to);
    }
}

void
HandoffCommands::Release(const Words& given)
{
    for (const auto& link : SplitWords(given[0]))
    {
        const auto [from, to] = SplitLink(link, "->");
        m_lab.Release(from, to);
    }
}

void
HandoffCommands::States(const Words& given)
{
    for (const auto& line : m_lab.GetStates(given[0]))
    {
        Print(line);
    }
}

} // namespace mftpubsub
