/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What searches ask of a laboratory of dispatchers: all that may happen next, one by one.
 */
#include "lab/reconfiguration/reconfiguration-commands.h"

#include <algorithm>
#include <chrono>

namespace mftpubsub
{

/// Timers run for long: they expire where nothing is under way.
std::vector<LabMove>
ReconfigurationCommands::GetMoves() const
{
    std::vector<LabMove> moves;
    for (const auto place : m_lab->GetNext())
    {
        const auto& sent = m_lab->GetInTransit()[place];
        const auto command =
            "step " + m_names[sent.from] + (sent.isOutOfBand ? "~>" : "->") + m_names[sent.to];
        if (std::ranges::find(moves, command, &LabMove::command) == moves.end())
        {
            moves.push_back({command, LabMove::STEP, m_names[sent.to]});
        }
    }
    if (moves.empty() && GetNextDue())
    {
        moves.push_back({"expire", LabMove::STEP, ""});
    }
    return moves;
}

void
ReconfigurationCommands::StepLink(const Words& given)
{
    const auto isOutOfBand = given[0].find("~>") != std::string::npos;
    const auto [one, other] = SplitLink(given[0], isOutOfBand ? "~>" : "->");
    const auto from = Find(one);
    const auto to = Find(other);
    for (const auto place : m_lab->GetNext())
    {
        const auto& sent = m_lab->GetInTransit()[place];
        if (sent.from == from && sent.to == to && sent.isOutOfBand == isOutOfBand)
        {
            m_lab->Deliver(place);
            return;
        }
    }
    throw LabError("no message comes next over " + given[0]);
}

void
ReconfigurationCommands::ExpireNext(const Words&)
{
    const auto due = GetNextDue();
    if (!due)
    {
        throw LabError("no timer runs");
    }
    m_now = std::max(m_now, std::chrono::duration<double>(*due).count());
    ExpireDue(*due);
}

} // namespace mftpubsub
