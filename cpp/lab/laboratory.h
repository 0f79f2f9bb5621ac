/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_LABORATORY_H
#define MFTPUBSUB_LAB_LABORATORY_H

#include "lab/commands.h"
#include "lab/transcript.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mftpubsub
{

/// A small network of machines of one family, on which a transcript's commands act.
class Laboratory
{
  public:
    virtual ~Laboratory() = default;

    /// Runs one command. @throws LabError if it makes no sense: it has changed nothing
    virtual void Run(const std::string& command) = 0;

    /// The next thing happens. @return false if there is none
    virtual bool Step() = 0;

    /// @return what is wrong, a line each
    virtual std::vector<std::string> FindViolations() const = 0;

    virtual LabPicture Draw() const = 0;

    /// @return all that may happen next, for searches
    virtual std::vector<LabMove> GetMoves() const = 0;

    /// @return whether nothing is pending, or owed
    virtual bool IsAtRest() const;

    /// @return what is wrong at rest
    virtual std::vector<std::string> FindFaults() const;

    /// @return what is wrong whether at rest or not
    virtual std::vector<std::string> FindBroken() const;

    /// @return what was printed since the last call
    std::vector<LabLine> TakeLines();

  protected:
    // Commands of every family.

    void RunStep(const Words& given);
    void RunSettle(const Words& given);
    void RunSettleQuietly(const Words& given);
    void RunViolations(const Words& given);

    void Print(std::string text);
    void Print(LabLine line);
    void PrintAll(const Words& lines, const std::string& ifNone);

  private:
    /// @return the steps made until nothing is to happen, or that there is no end of it
    std::string Settle();

    std::vector<LabLine> m_lines;
};

/// @return the table, for the reference
template <typename Rows>
std::vector<LabUsage>
ListUsages(const Rows& rows)
{
    std::vector<LabUsage> usages;
    for (const auto& row : rows)
    {
        if constexpr (requires { row.usage.GetText(); })
        {
            usages.push_back({row.usage.GetText(), row.about});
        }
        else
        {
            usages.push_back({row.usage, row.about});
        }
    }
    return usages;
}

/// A family of protocols, and how their laboratory is made.
struct LabFamily
{
    LabReference reference;
    std::unique_ptr<Laboratory> (*make)(const std::string& protocol, const Words& words);
};

/// @return all families
const std::vector<LabFamily>& GetLabFamilies();

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_LABORATORY_H */
