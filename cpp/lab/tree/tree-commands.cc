/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/tree/tree-commands.h"

#include "content/filter.h"
#include "protocols/tree/make-broker.h"

#include <charconv>
#include <cmath>

namespace mftpubsub
{

namespace
{

template <typename Number>
bool
Parse(const std::string& text, Number& number)
{
    const auto* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc::result_out_of_range)
    {
        throw LabError(text + " does not fit into 64 bits");
    }
    return error == std::errc() && rest == end;
}

/// @return the text between ' and ', with ' for each ''
std::string
Unquote(const std::string& quoted)
{
    std::string text;
    for (size_t place = 1; place + 1 < quoted.size(); ++place)
    {
        text += quoted[place];
        place += quoted[place] == '\'';
    }
    return text;
}

void
ParseValue(const std::string& text, LabAttribute& attribute)
{
    if (text == "true" || text == "false")
    {
        attribute.type = LabAttribute::BOOLEAN;
        attribute.boolean = text == "true";
    }
    else if (text.size() > 1 && text.front() == '\'' && text.back() == '\'')
    {
        attribute.type = LabAttribute::TEXT;
        attribute.text = Unquote(text);
    }
    else if (Parse(text, attribute.integer))
    {
        attribute.type = LabAttribute::INTEGER;
    }
    else if (Parse(text, attribute.real) && std::isfinite(attribute.real))
    {
        attribute.type = LabAttribute::REAL;
    }
    else
    {
        throw LabError("'" + text + "' is no value: 12, 1.5, true or 'text'");
    }
}

void
CheckName(const std::string& name)
{
    try
    {
        Filter::Parse(name + " = 1");
    }
    catch (const FilterError& error)
    {
        throw LabError("'" + name + "' is no name of an attribute, since no filter could say it: " +
                       error.what());
    }
}

} // namespace

LabEvent
ParseEvent(const std::string& values)
{
    LabEvent event;
    for (const auto& word : SplitWords(values))
    {
        const auto equals = word.find('=');
        if (equals == std::string::npos)
        {
            throw LabError("'" + word + "' is no NAME=VALUE");
        }
        auto& attribute = event.attributes.emplace_back();
        attribute.name = word.substr(0, equals);
        CheckName(attribute.name);
        ParseValue(word.substr(equals + 1), attribute);
    }
    if (event.attributes.empty())
    {
        throw LabError("an event without attributes, which no filter can ask for: give it one, "
                       "as in temp=20");
    }
    return event;
}

const std::vector<LabOption<LabOptions>>&
TreeCommands::GetOptions()
{
    static const std::vector<LabOption<LabOptions>> options{
        {"root=B", [](auto& made, const auto& value) { made.root = value; }, "the first leader"},
        {"leaders=B,B,...",
         [](auto& made, const auto& value) { made.order = SplitList(value); },
         "better leaders first; then root, then by name"},
        {"seed=N",
         [](auto& made, const auto& value) {
             made.shuffled = true;
             made.seed = ParseCount(value, 0);
         },
         "steps are drawn, and not in the order of sending"},
        {"replay=false",
         [](auto& made, const auto& value) { made.replay = ParseBoolean(value); },
         "cascading: brokers send no stored events on"},
        {"literal-children=true",
         [](auto& made, const auto& value) { made.literalChildren = ParseBoolean(value); },
         "mft-pubsub: children as the thesis's text has them"},
    };
    return options;
}

const std::vector<Command<TreeCommands>>&
TreeCommands::GetCommands()
{
    using Lab = TreeCommands;
    static const std::vector<Command<Lab>> commands{
        {Usage("subscribe S [at B] where CONDITION"), &Lab::Subscribe, "at: of a new one"},
        {Usage("unsubscribe S where CONDITION"),
         &Lab::Tell<&TreeLab::Unsubscribe>,
         "takes a filter back, by its text"},
        {Usage("publish P [at B] NAME=VALUE ..."),
         &Lab::Publish,
         "values: 12, 1.5, true, 'text'; P goes to B first"},
        {Usage("connect B B"), &Lab::Tell<&TreeLab::Connect>, "a link appears"},
        {Usage("disconnect B B"), &Lab::Tell<&TreeLab::Disconnect>, "a link breaks, at both ends"},
        {Usage("migrate B to B"),
         &Lab::Tell<&TreeLab::Migrate>,
         "a broker leaves its parent for another, with all below it"},
        {Usage("move S to B"), &Lab::Tell<&TreeLab::Move>, "a client goes to another broker"},
        {Usage("crash B"),
         &Lab::Tell<&TreeLab::Crash>,
         "a broker forgets all, and loses its links"},
        {Usage("restart B"), &Lab::Tell<&TreeLab::Restart>, "it is back, without links"},
        {Usage("restart B silently"),
         &Lab::Tell<&TreeLab::RestartSilently>,
         "a broker forgets all, and nobody notices before it speaks"},
        {Usage("drop X X"),
         &Lab::Tell<&TreeLab::Drop>,
         "the oldest message from one to the other is lost for good"},
        {Usage("deny X X"), &Lab::Tell<&TreeLab::Deny>, "it arrives, and no acknowledgement does"},
        {Usage("lose B B"), &Lab::Tell<&TreeLab::Lose>, "the first broker alone loses the link"},
        {Usage("slip S to B"),
         &Lab::Tell<&TreeLab::Slip>,
         "as move; the old broker does not see it"},
        {Usage("step"), &Lab::RunStep, "the oldest message arrives"},
        {Usage("step X X"),
         &Lab::Tell<&TreeLab::StepLink>,
         "the oldest from one to the other does"},
        {Usage("expire B TIMER"),
         &Lab::Tell<&TreeLab::Expire>,
         "of a protocol of one's own: the timer with this text expires"},
        {Usage("settle"), &Lab::RunSettle, "steps until nothing is pending"},
        {Usage("settle quietly"), &Lab::RunSettleQuietly, "prints the number of steps alone"},
        {Usage("table B"), &Lab::Table, "routes, a line for each subscriber"},
        {Usage("queue B"), &Lab::Queue, "events that B holds, a line for each subscriber"},
        {Usage("delivered S"), &Lab::Delivered, "events that S has got, in order"},
        {Usage("pending"), &Lab::Pending, "links with messages, and B -> B for a parent to change"},
        {Usage("violations"), &Lab::RunViolations, "what is wrong where nothing is pending"},
    };
    return commands;
}

LabFamily
TreeCommands::GetFamily()
{
    return {{"tree",
             "brokers that form a tree",
             GetBrokerProtocols(),
             ListUsages(GetOptions()),
             ListUsages(GetCommands())},
            [](const auto& protocol, const auto& words) -> std::unique_ptr<Laboratory> {
                return std::make_unique<TreeCommands>(protocol, words);
            }};
}

TreeCommands::TreeCommands(const std::string& protocol,
                           const Words& words,
                           const BrokerHooks* brokers)
    : m_lab(ReadOptions(protocol, words, brokers))
{
}

LabOptions
TreeCommands::ReadOptions(const std::string& protocol,
                          const Words& words,
                          const BrokerHooks* brokers)
{
    LabOptions options;
    options.protocol = protocol;
    options.brokers = brokers;
    for (const auto& link : SetOptions(GetOptions(), words, options))
    {
        options.links.push_back(SplitLink(link));
    }
    if (options.root.empty())
    {
        throw LabError("say who the first leader is: root=B");
    }
    return options;
}

void
TreeCommands::Run(const std::string& command)
{
    RunCommand(GetCommands(), *this, command);
    PrintLog();
}

bool
TreeCommands::Step()
{
    const auto isDone = m_lab.Step();
    PrintLog();
    return isDone;
}

std::vector<std::string>
TreeCommands::FindViolations() const
{
    return m_lab.FindViolations();
}

LabPicture
TreeCommands::Draw() const
{
    LabPicture picture;
    for (const auto& broker : m_lab.GetBrokers())
    {
        auto& figure = picture.figures.emplace_back();
        figure = {broker, "B", m_lab.IsUp(broker), m_lab.GetParent(broker), ""};
        if (figure.isUp)
        {
            figure.knows = JoinLines(m_lab.DescribeTable(broker), m_lab.DescribeQueues(broker));
        }
    }
    picture.links = m_lab.GetLinks();
    for (const auto& client : m_lab.GetClients())
    {
        picture.figures.push_back({client.name, client.subscribes ? "S" : "P", true, "", ""});
        if (!client.broker.empty() && m_lab.IsUp(client.broker))
        {
            picture.links.emplace_back(client.broker, client.name);
        }
    }
    return picture;
}

/// What searches of trees follow is a TreeLab, which can be copied.
std::vector<LabMove>
TreeCommands::GetMoves() const
{
    throw LabError("search: of protocols on the tree it takes mftpubsub.Lab(...)");
}

void
TreeCommands::PrintLog()
{
    for (const auto& record : m_lab.GetLog())
    {
        Print({record.text, record.kind, record.source, {record.destination}, record.failed});
    }
    m_lab.ClearLog();
}

void
TreeCommands::Subscribe(const Words& given)
{
    m_lab.Subscribe(given[0], given[1], given[2]);
}

void
TreeCommands::Publish(const Words& given)
{
    const auto id = m_lab.Publish(given[0], given[1], ParseEvent(given[2]));
    PrintLog();
    Print(id);
}

void
TreeCommands::Table(const Words& given)
{
    PrintAll(m_lab.DescribeTable(given[0]), "empty");
}

void
TreeCommands::Queue(const Words& given)
{
    PrintAll(m_lab.DescribeQueues(given[0]), "empty");
}

void
TreeCommands::Delivered(const Words& given)
{
    std::string events;
    for (const auto& event : m_lab.GetDelivered(given[0]))
    {
        events += (events.empty() ? "" : " ") + event;
    }
    Print(events.empty() ? "nothing" : events);
}

void
TreeCommands::Pending(const Words&)
{
    Words links;
    for (const auto& [source, destination] : m_lab.GetPending())
    {
        links.push_back(source + " -> " + destination);
    }
    PrintAll(links, "nothing");
}

} // namespace mftpubsub
