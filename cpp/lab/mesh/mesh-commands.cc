/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/mesh/mesh-commands.h"

#include "lab/mesh/mesh-words.h"
#include "protocols/mesh/make-station.h"

#include <charconv>

namespace mftpubsub
{

namespace
{

constexpr std::pair<char, uint8_t> ROLES[] = {
    {'B', mesh::BROKER},
    {'S', mesh::SUBSCRIBER},
    {'P', mesh::PUBLISHER},
};

uint8_t
ParseRoles(const std::string& word)
{
    uint8_t roles = 0;
    for (const auto letter : word)
    {
        const auto before = roles;
        for (const auto& [known, role] : ROLES)
        {
            roles |= letter == known ? role : 0;
        }
        if (roles == before)
        {
            throw LabError("'" + word + "' is no link N-N and no device: B, S, P, or BS");
        }
    }
    return roles;
}

std::string
DescribeRoles(uint8_t roles)
{
    std::string text;
    for (const auto& [letter, role] : ROLES)
    {
        text += roles & role ? std::string(1, letter) : "";
    }
    return text;
}

double
ParseProbability(const std::string& text)
{
    const auto probability = ParseNumber(text, "frames of one");
    if (probability > 1)
    {
        throw LabError("'" + text + "' is no probability: one goes 0.15");
    }
    return probability;
}

Filter
ParseFilter(const std::string& text)
{
    try
    {
        return Filter::Parse(text);
    }
    catch (const FilterError& error)
    {
        throw LabError("bad filter \"" + text + "\": " + error.what());
    }
}

} // namespace

const std::vector<LabOption<MeshLabOptions>>&
MeshCommands::GetOptions()
{
    static const std::vector<LabOption<MeshLabOptions>> options{
        {"seed=N",
         [](auto& made, const auto& value) {
             made.seed = static_cast<uint32_t>(ParseCount(value, 0));
         },
         "of all that is drawn; 1 by default"},
        {"loss=P",
         [](auto& made, const auto& value) { made.loss = ParseProbability(value); },
         "probability that a device in reach does not hear a frame; 0 by default"},
        {"duplicates=P",
         [](auto& made, const auto& value) { made.duplicates = ParseProbability(value); },
         "probability that it hears it twice; 0 by default"},
        {"keep=SECONDS",
         [](auto& made, const auto& value) { made.keepSeconds = ParseNumber(value, "seconds"); },
         "mft-mesh: how long brokers keep events; for ever by default"},
    };
    return options;
}

const std::vector<Command<MeshCommands>>&
MeshCommands::GetCommands()
{
    using Lab = MeshCommands;
    static const std::vector<Command<Lab>> commands{
        {Usage("subscribe N where CONDITION"), &Lab::Subscribe, "device N adds a filter"},
        {Usage("unsubscribe N where CONDITION"), &Lab::Unsubscribe, "it takes the filter back"},
        {Usage("publish N TOPIC"), &Lab::Publish, "an event with the attribute topic"},
        {Usage("connect N-N ..."), &Lab::Connect, "devices come into reach of each other"},
        {Usage("disconnect N-N ..."), &Lab::Disconnect, "they leave it"},
        {Usage("crash N"), &Lab::Crash, "a device forgets all but what a subscriber stores"},
        {Usage("restart N"), &Lab::Restart, "it is back"},
        {Usage("loss P"), &Lab::Loss, "from now on"},
        {Usage("run SECONDS"), &Lab::RunFor, "time passes: timers expire, frames are sent"},
        {Usage("step"), &Lab::RunStep, "a timer expires, or a frame goes out or arrives"},
        {Usage("steps COUNT"), &Lab::StepOften, "so many of these, one after the other"},
        {Usage("lose"), &Lab::Lose, "the next thing is that a device hears a frame: it does not"},
        {Usage("settle"), &Lab::Settle, "time passes until all have converged, 600 s at most"},
        {Usage("violations"), &Lab::RunViolations, "what was found wrong so far"},
        {Usage("converged"), &Lab::Converged, "what is wrong if nothing has changed for long"},
    };
    return commands;
}

LabFamily
MeshCommands::GetFamily()
{
    return {{"mesh",
             "devices on a broadcast channel, with the protocols that the mesh is compared with",
             mesh::GetStationProtocols(),
             ListUsages(GetOptions()),
             ListUsages(GetCommands())},
            [](const auto& protocol, const auto& words) -> std::unique_ptr<Laboratory> {
                return std::make_unique<MeshCommands>(protocol, words);
            }};
}

MeshCommands::MeshCommands(const std::string& protocol, const Words& words)
{
    MeshLabOptions options;
    options.protocol = protocol;
    options.isLogging = true;
    std::string links;
    for (const auto& word : SetOptions(GetOptions(), words, options))
    {
        if (word.find('-') == std::string::npos)
        {
            options.roles.push_back(ParseRoles(word));
        }
        else
        {
            links += " " + word;
        }
    }
    m_lab = std::make_unique<MeshLab>(options);
    for (NodeId one = 0; one < options.roles.size() && !links.empty(); ++one)
    {
        for (NodeId other = 0; other < one; ++other)
        {
            m_lab->SetLink(other, one, false);
        }
    }
    SetLinks(links, true);
    m_lab->TakeLog();
}

void
MeshCommands::Run(const std::string& command)
{
    RunCommand(GetCommands(), *this, command);
    PrintLog();
}

bool
MeshCommands::Step()
{
    const auto isDone = m_lab->Step();
    PrintLog();
    return isDone;
}

std::vector<std::string>
MeshCommands::FindViolations() const
{
    return m_lab->GetViolations();
}

std::vector<std::string>
MeshCommands::FindFaults() const
{
    auto faults = m_lab->GetViolations();
    const auto now = m_lab->CheckConverged();
    faults.insert(faults.end(), now.begin(), now.end());
    return faults;
}

std::vector<std::string>
MeshCommands::FindBroken() const
{
    return m_lab->GetViolations();
}

bool
MeshCommands::IsAtRest() const
{
    for (NodeId node = 0; node < m_lab->CountNodes(); ++node)
    {
        if (!m_lab->IsUp(node))
        {
            return false;
        }
    }
    return m_lab->CheckConverged().empty();
}

/// Heartbeats never end: something may always happen.
std::vector<LabMove>
MeshCommands::GetMoves() const
{
    std::vector<LabMove> moves{{"step", LabMove::STEP, ""}};
    if (m_lab->IsReceptionNext())
    {
        moves.push_back({"lose", LabMove::LOSS, ""});
    }
    for (NodeId node = 0; node < m_lab->CountNodes(); ++node)
    {
        const auto isUp = m_lab->IsUp(node);
        moves.push_back({(isUp ? "crash " : "restart ") + std::to_string(node),
                         isUp ? LabMove::CRASH : LabMove::RESTART,
                         ""});
    }
    return moves;
}

LabPicture
MeshCommands::Draw() const
{
    LabPicture picture;
    for (NodeId node = 0; node < m_lab->CountNodes(); ++node)
    {
        const auto name = std::to_string(node);
        const auto isUp = m_lab->IsUp(node);
        picture.figures.push_back(
            {name, DescribeRoles(m_lab->GetRoles(node)), isUp, "", isUp ? DescribeHeld(node) : ""});
        for (NodeId other = 0; other < node; ++other)
        {
            if (m_lab->IsLinked(node, other))
            {
                picture.links.emplace_back(std::to_string(other), name);
            }
        }
    }
    return picture;
}

std::string
MeshCommands::DescribeHeld(NodeId node) const
{
    std::map<NodeId, std::string> held;
    for (const auto& [event, subscriber] : m_lab->GetHeld(node))
    {
        held[subscriber] += " " + Name(event);
    }
    Words lines;
    for (const auto& [subscriber, events] : held)
    {
        lines.push_back(std::to_string(subscriber) + ":" + events);
    }
    return JoinLines(lines);
}

void
MeshCommands::PrintLog()
{
    for (auto& line : m_lab->TakeLog())
    {
        Print(std::move(line));
    }
}

NodeId
MeshCommands::Find(const std::string& number) const
{
    size_t node = 0;
    const auto* const end = number.data() + number.size();
    const auto [rest, error] = std::from_chars(number.data(), end, node);
    if (error != std::errc() || rest != end || node >= m_lab->CountNodes())
    {
        throw LabError("no device '" + number + "'; there are 0 to " +
                       std::to_string(m_lab->CountNodes() - 1));
    }
    return static_cast<NodeId>(node);
}

NodeId
MeshCommands::FindUp(const std::string& number) const
{
    const auto node = Find(number);
    if (!m_lab->IsUp(node))
    {
        throw LabError("device " + number + " has crashed: restart " + number);
    }
    return node;
}

NodeId
MeshCommands::FindWith(uint8_t role, const std::string& number) const
{
    const auto node = FindUp(number);
    if (!(m_lab->GetRoles(node) & role))
    {
        throw LabError("device " + number + " is " + DescribeRoles(m_lab->GetRoles(node)) +
                       ", not " + DescribeRoles(role));
    }
    return node;
}

void
MeshCommands::Subscribe(const Words& given)
{
    ParseFilter(given[1]);
    m_lab->Subscribe(FindWith(mesh::SUBSCRIBER, given[0]), given[1]);
}

void
MeshCommands::Unsubscribe(const Words& given)
{
    ParseFilter(given[1]);
    m_lab->Unsubscribe(FindWith(mesh::SUBSCRIBER, given[0]), given[1]);
}

void
MeshCommands::Publish(const Words& given)
{
    m_lab->Publish(FindWith(mesh::PUBLISHER, given[0]), given[1]);
}

void
MeshCommands::SetLinks(const std::string& links, bool areUp)
{
    std::vector<std::pair<NodeId, NodeId>> ends;
    for (const auto& link : SplitWords(links))
    {
        const auto [one, other] = SplitLink(link);
        ends.emplace_back(Find(one), Find(other));
    }
    for (const auto& [one, other] : ends)
    {
        m_lab->SetLink(one, other, areUp);
    }
}

void
MeshCommands::Connect(const Words& given)
{
    SetLinks(given[0], true);
}

void
MeshCommands::Disconnect(const Words& given)
{
    SetLinks(given[0], false);
}

void
MeshCommands::Crash(const Words& given)
{
    m_lab->Crash(FindUp(given[0]));
}

void
MeshCommands::Restart(const Words& given)
{
    const auto node = Find(given[0]);
    if (m_lab->IsUp(node))
    {
        throw LabError("device " + given[0] + " has not crashed");
    }
    m_lab->Restart(node);
}

void
MeshCommands::RunFor(const Words& given)
{
    m_lab->Run(ParseNumber(given[0], "seconds"));
}

void
MeshCommands::Loss(const Words& given)
{
    m_lab->SetLoss(ParseProbability(given[0]));
}

void
MeshCommands::StepOften(const Words& given)
{
    for (auto left = ParseCount(given[0]); left > 0 && m_lab->Step(); --left)
    {
    }
}

void
MeshCommands::Lose(const Words&)
{
    if (!m_lab->IsReceptionNext())
    {
        throw LabError("the next thing is not that a device hears a frame");
    }
    m_lab->Lose();
}

void
MeshCommands::Settle(const Words&)
{
    constexpr double PATIENCE = 600; // s
    constexpr double LOOK = 5;
    for (double waited = 0; waited < PATIENCE && !m_lab->CheckConverged().empty(); waited += LOOK)
    {
        m_lab->Run(LOOK);
    }
}

void
MeshCommands::Converged(const Words&)
{
    PrintAll(m_lab->CheckConverged(), "none");
}

} // namespace mftpubsub
