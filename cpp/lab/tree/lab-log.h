/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_TREE_LAB_LOG_H
#define MFTPUBSUB_LAB_TREE_LAB_LOG_H

#include "lab/tree/lab-processes.h"
#include "lab/tree/tree-lab.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub
{

/// What a laboratory of trees remembers of its messages, step by step.
class LabLog
{
  public:
    /// @param protocol whose words say what a message carries
    explicit LabLog(const std::string& protocol);

    /// @p message arrived over @p link, or has @p failed to.
    void Record(const LabProcesses& processes,
                const std::pair<NodeId, NodeId>& link,
                const Message& message,
                bool failed);

    /// @p broker has something to say.
    void Note(const LabProcesses& processes, NodeId broker, const std::string& text);

    /// @return the kind of @p message and everything that it carries
    std::string Describe(const LabProcesses& processes, const Message& message) const;

    void BeginStep();

    /// Whether to record anything.
    void SetLogging(bool logging);

    const std::vector<LabRecord>& GetRecords() const;
    void Clear();

    /// The next step is the first.
    void StartAnew();

  private:
    std::string m_protocol;
    std::vector<LabRecord> m_records;
    bool m_logging{true};
    uint64_t m_step{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_TREE_LAB_LOG_H */
