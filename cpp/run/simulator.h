/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * All that Python needs for a run, in types that cppyy compiles next to nothing for: texts, JSON,
 * and addresses of C structs. What they mean stands in run-request.h and scenario.h.
 */
#ifndef MFTPUBSUB_RUN_SIMULATOR_H
#define MFTPUBSUB_RUN_SIMULATOR_H

#include <cstdint>
#include <stdexcept>
#include <string>

namespace mftpubsub
{

/**
 * RunScenario for Python.
 *
 * @param request a RunRequest as JSON
 * @param hooks address of a RunHooks
 * @return the RunCost as JSON
 * @throws std::runtime_error when the run, or reading the request, fails
 */
std::string Run(const std::string& request, uintptr_t hooks);

/// @return what is understood of @p request, as JSON: for tests of the hand-over
/// @throws std::invalid_argument that names the field that is not understood
std::string EchoRunRequest(const std::string& request);

/// @return SHA-256 (hex) of what the sources of this library and the version of ns-3 say, by
/// cmake/source_hash.py
std::string GetSourceHash();

/// @return the names that Scenario::protocol may have, each with the stack that runs it ("tree",
///         "mesh", "handoff") or, over IP, with its routing protocol of ns-3's ("aodv"), as JSON
std::string ListProtocols();

/// @return the names of the kinds of messages that the transport carries, as JSON
std::string ListMessageKinds();

/// @return an empty string if @p text is a filter (protocols.md section 7), else what is wrong and
/// where
std::string CheckFilter(const std::string& text);

/// @param types the types that attributes may have (TypeSet), by name, as JSON
/// @return why a part of filter @p text is unknown for every event; empty if no part is
/// (filter-types.h)
std::string CheckFilterTypes(const std::string& text, const std::string& types);

/// @return the names of the attributes that filter @p text asks for, as JSON
std::string ListFilterAttributes(const std::string& text);

/// @return an empty string if ns-3's protocol @p routing has attribute @p name and takes @p value,
///         else what is wrong
std::string CheckRoutingAttribute(const std::string& routing,
                                  const std::string& name,
                                  const std::string& value);

} // namespace mftpubsub

#endif /* MFTPUBSUB_RUN_SIMULATOR_H */
