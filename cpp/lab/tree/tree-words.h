/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_TREE_TREE_WORDS_H
#define MFTPUBSUB_LAB_TREE_TREE_WORDS_H

#include "lab/tree/lab-processes.h"
#include "protocols/tree/message.h"

#include <string>

namespace mftpubsub
{

/**
 * @param message to describe
 * @param protocol that sends it: fields that it does not use are left out
 * @param processes that the message names
 * @return the fields as a JSON object, with the sources' letters as keys
 */
std::string DescribeFields(const Message& message,
                           const std::string& protocol,
                           const LabProcesses& processes);

/// @return the same as words: " s=s1 T=(1,0)"
std::string DescribeWords(const Message& message,
                          const std::string& protocol,
                          const LabProcesses& processes);

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_TREE_TREE_WORDS_H */
