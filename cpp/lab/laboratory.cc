/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/laboratory.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace mftpubsub
{

namespace
{

/// Steps after which messages are taken to circulate for ever.
constexpr uint64_t ENDLESS = 100'000;

} // namespace

std::vector<LabLine>
Laboratory::TakeLines()
{
    return std::exchange(m_lines, {});
}

bool
Laboratory::IsAtRest() const
{
    return GetMoves().empty();
}

std::vector<std::string>
Laboratory::FindFaults() const
{
    return FindViolations();
}

std::vector<std::string>
Laboratory::FindBroken() const
{
    return {};
}

void
Laboratory::RunStep(const Words&)
{
    if (!Step())
    {
        throw LabError("nothing is pending");
    }
}

std::string
Laboratory::Settle()
{
    for (uint64_t steps = 0; steps < ENDLESS; ++steps)
    {
        if (!Step())
        {
            return std::to_string(steps) + " steps";
        }
    }
    m_lines.clear();
    return "endless: not quiet after " + std::to_string(ENDLESS) + " steps";
}

void
Laboratory::RunSettle(const Words&)
{
    const auto end = Settle();
    if (end.starts_with("endless"))
    {
        Print(end);
    }
}

void
Laboratory::RunSettleQuietly(const Words&)
{
    const auto end = Settle();
    m_lines.clear();
    Print(end);
}

void
Laboratory::RunViolations(const Words&)
{
    PrintAll(FindViolations(), "none");
}

void
Laboratory::Print(std::string text)
{
    m_lines.push_back({std::move(text), "", "", {}, false});
}

void
Laboratory::Print(LabLine line)
{
    m_lines.push_back(std::move(line));
}

void
Laboratory::PrintAll(const Words& lines, const std::string& ifNone)
{
    for (const auto& line : lines)
    {
        Print(line);
    }
    if (lines.empty())
    {
        Print(ifNone);
    }
}

} // namespace mftpubsub
