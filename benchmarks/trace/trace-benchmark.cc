/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Formats lines like those of frames, of which a trace is mostly made. One line of JSON.
 */
#include "trace/trace-writer.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>

int
main(int argc, char* argv[])
{
    using namespace mftpubsub;
    const int64_t lines = argc > 1 ? std::atol(argv[1]) : 10'000'000;
    size_t bytes = 0;
    TraceWriter writer([&bytes](const char*, size_t size) { bytes += size; });
    const std::clock_t start = std::clock();
    for (int64_t i = 0; i < lines; ++i)
    {
        writer.Write({'t', i * 1'234'567, i % 66, "radio", "HEARTBEAT", -1, 40 + i % 200});
    }
    writer.Flush();
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    std::printf("{\"ns_per_line\": %.2f, \"bytes_per_line\": %.2f}\n",
                1e9 * seconds / static_cast<double>(lines),
                static_cast<double>(bytes) / static_cast<double>(lines));
    return 0;
}
