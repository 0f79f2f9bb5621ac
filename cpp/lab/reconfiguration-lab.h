/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_RECONFIGURATION_LAB_H
#define MFTPUBSUB_LAB_RECONFIGURATION_LAB_H

#include <memory>
#include <string>
#include <vector>

namespace mftpubsub
{

/**
 * The laboratory of the reconfiguration family by words: a line of text in, lines of text out.
 *
 *     subscribe P ... at D      unsubscribe P ... at D      publish P ... at D
 *     break R D-D               replace R D-D
 *     settle [quietly]          advance SECONDS
 *     table D      tables      delivered D      costs      violations
 *
 * D names a dispatcher, P a pattern, R a reconfiguration. Patterns are in the order in which they
 * are first named, dispatchers in that of their names. `break` takes a link away, `replace` adds
 * the one that replaces it. Commands print the messages that they make dispatchers send, `u -> v`
 * over a link and `u ~> v` out of band. `settle` delivers everything in the order of sending,
 * `quietly` without printing; only `advance`, to a time, lets timers expire, and delivers
 * everything before and after each.
 */
class ReconfigurationLab
{
  public:
    /**
     * @param protocol a name of reconfiguration::GetProtocols()
     * @param links words `D-D`, which form a tree, and `tu=SECONDS`, `ts=SECONDS`: how long timers
     *              run, 0.15 s by default
     * @throws LabError if they make no sense
     */
    ReconfigurationLab(const std::string& protocol, const std::string& links);
    ~ReconfigurationLab();

    ReconfigurationLab(const ReconfigurationLab&) = delete;
    ReconfigurationLab& operator=(const ReconfigurationLab&) = delete;

    /// Runs one command. @return what it prints
    /// @throws LabError if it makes no sense: it has changed nothing
    std::vector<std::string> Run(const std::string& command);

  private:
    class State;
    std::unique_ptr<State> m_state;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_RECONFIGURATION_LAB_H */
