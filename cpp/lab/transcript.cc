/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/transcript.h"

#include "lab/laboratory.h"
#include "lab/tree/tree-commands.h"
#include "protocols/own/hook-broker.h"

#include <algorithm>
#include <sstream>

namespace mftpubsub
{

namespace
{

const LabFamily&
FindFamily(const std::string& protocol)
{
    Words known;
    for (const auto& family : GetLabFamilies())
    {
        if (std::ranges::find(family.reference.protocols, protocol) !=
            family.reference.protocols.end())
        {
            return family;
        }
        known.insert(known.end(),
                     family.reference.protocols.begin(),
                     family.reference.protocols.end());
    }
    throw LabError("no protocol '" + protocol + "'; there are " + JoinWords(known));
}

} // namespace

std::vector<LabReference>
GetLabReference()
{
    std::vector<LabReference> references;
    for (const auto& family : GetLabFamilies())
    {
        references.push_back(family.reference);
    }
    return references;
}

Transcript::Transcript() = default;
Transcript::~Transcript() = default;

std::vector<LabLine>
Transcript::Run(const std::string& command)
{
    auto words = SplitWords(command);
    if (!words.empty() && words[0] == "lab")
    {
        if (words.size() < 3)
        {
            throw LabError("it goes 'lab PROTOCOL B-B B-B ...'");
        }
        const auto& family = FindFamily(words[1]);
        m_laboratory = family.make(words[1], {words.begin() + 2, words.end()});
        return m_laboratory->TakeLines();
    }
    Get().Run(command);
    return Get().TakeLines();
}

std::vector<LabLine>
Transcript::RunOwn(const std::string& command, uintptr_t brokers)
{
    const auto words = SplitWords(command);
    m_laboratory = std::make_unique<TreeCommands>(std::string(PYTHON_BROKERS),
                                                  Words{words.begin() + 1, words.end()},
                                                  reinterpret_cast<const BrokerHooks*>(brokers));
    return m_laboratory->TakeLines();
}

bool
Transcript::Step()
{
    return Get().Step();
}

std::vector<LabLine>
Transcript::TakeLines()
{
    return Get().TakeLines();
}

LabPicture
Transcript::Draw() const
{
    return Get().Draw();
}

void
Transcript::Replay(const std::string& commands)
{
    std::istringstream in(commands);
    for (std::string command; std::getline(in, command);)
    {
        Run(command);
    }
}

std::vector<LabMove>
Transcript::GetMoves() const
{
    return Get().GetMoves();
}

bool
Transcript::IsAtRest() const
{
    return Get().IsAtRest();
}

std::vector<std::string>
Transcript::FindFaults() const
{
    return Get().FindFaults();
}

std::vector<std::string>
Transcript::FindBroken() const
{
    return Get().FindBroken();
}

Laboratory&
Transcript::Get() const
{
    if (!m_laboratory)
    {
        throw LabError("there is no laboratory yet: begin with 'lab PROTOCOL B-B B-B ...'");
    }
    return *m_laboratory;
}

} // namespace mftpubsub
