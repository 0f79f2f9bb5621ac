/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What Python needs of the laboratories, in types for which cppyy compiles little.
 */
#ifndef MFTPUBSUB_LAB_TRANSCRIPT_H
#define MFTPUBSUB_LAB_TRANSCRIPT_H

#include "lab/lab-error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub
{

class Laboratory;

/// A line that a command prints.
struct LabLine
{
    std::string text;
    // Of a message:
    std::string kind; //!< "BMIG"; empty: the line is none
    std::string from;
    std::vector<std::string> to;
    bool hasFailed{false};
};

/// A broker, a client, or a device that is several of these, as it is now.
struct LabFigure
{
    std::string name;
    std::string role; //!< B, S, P, or several of these
    bool isUp{true};
    std::string parent; //!< of brokers that form a tree; empty: none
    std::string knows;  //!< and holds, in lines
};

/// Who is connected with whom, and who knows what.
struct LabPicture
{
    std::vector<LabFigure> figures; //!< brokers first
    std::vector<std::pair<std::string, std::string>> links;
};

/// A command by which something happens next, for those who follow all that can.
struct LabMove
{
    /// What it takes of what a search may do.
    enum Kind
    {
        STEP,
        LOSS,
        CRASH,
        RESTART
    };

    std::string command; //!< "step b1->b2"
    Kind kind{STEP};
    std::string actor; //!< of a step: whom it changes, which alone it does; empty: all
};

/// A command, or a word of the command `lab`, as the reference has it.
struct LabUsage
{
    std::string usage;
    std::string about;
};

/// A family of protocols with their commands, as the reference has them.
struct LabReference
{
    std::string name;
    std::string about;
    std::vector<std::string> protocols;
    std::vector<LabUsage> setup;
    std::vector<LabUsage> commands;
};

/// @return all families
std::vector<LabReference> GetLabReference();

/// What the commands of a transcript act on: the laboratory that its last `lab` has made.
class Transcript
{
  public:
    Transcript();
    ~Transcript();

    Transcript(const Transcript&) = delete;
    Transcript& operator=(const Transcript&) = delete;

    /// Runs one command. @return what it prints
    /// @throws LabError if it makes no sense: it has changed nothing
    std::vector<LabLine> Run(const std::string& command);

    /// Makes a laboratory of brokers that are written in Python.
    /// @param command as Run takes it, without the protocol: "lab root=b1 b1-b2"
    /// @param brokers address of the BrokerHooks, which must outlive the laboratory
    std::vector<LabLine> RunOwn(const std::string& command, uintptr_t brokers);

    /// The next thing happens. @return false if there is none
    bool Step();

    /// @return what Step has printed
    std::vector<LabLine> TakeLines();

    LabPicture Draw() const;

    // For searches

    /// Runs commands, a line each. What they print is lost.
    void Replay(const std::string& commands);

    /// @return all that may happen next. @throws LabError if that cannot be searched
    std::vector<LabMove> GetMoves() const;

    /// @return whether nothing is pending, or owed
    bool IsAtRest() const;

    /// @return what is wrong at rest
    std::vector<std::string> FindFaults() const;

    /// @return what was found wrong whether at rest or not
    std::vector<std::string> FindBroken() const;

  private:
    Laboratory& Get() const;

    std::unique_ptr<Laboratory> m_laboratory;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_TRANSCRIPT_H */
