/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Golden transcripts: each command prints what the file says, message for message.
 */
#include "lab/transcript.h"

#include "ns3/test.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::transcripts_test
{

namespace
{

using Lines = std::vector<std::string>;

Lines
Read(const std::filesystem::path& file)
{
    std::ifstream in(file);
    Lines lines;
    for (std::string line; std::getline(in, line);)
    {
        lines.push_back(line);
    }
    return lines;
}

/// @return what @p command prints, as files have it
Lines
RunCommand(Transcript& transcript, const std::string& command)
{
    Lines printed;
    for (const auto& line : transcript.Run(command))
    {
        printed.push_back(line.text);
    }
    return printed.empty() ? Lines{"ok"} : printed;
}

/// A file of commands, each with what it is to print: `----`, and lines up to an empty one.
class GoldenTranscript : public ns3::TestCase
{
  public:
    explicit GoldenTranscript(std::filesystem::path file)
        : TestCase(file.stem().string()),
          m_file(std::move(file))
    {
    }

  private:
    void DoRun() override
    {
        const auto lines = Read(m_file);
        Transcript transcript;
        auto count = 0;
        for (auto line = lines.begin(); line != lines.end();)
        {
            const auto& command = *line++;
            if (command.empty() || command.starts_with('#'))
            {
                continue;
            }
            const auto printed = RunCommand(transcript, command);
            if (line != lines.end() && *line == "----")
            {
                const auto end = std::find(++line, lines.end(), "");
                NS_TEST_ASSERT_MSG_EQ(std::equal(line, end, printed.begin(), printed.end()),
                                      true,
                                      command);
                line = end;
                ++count;
            }
        }
        NS_TEST_EXPECT_MSG_GT(count, 0, "the file expects something");
    }

    std::filesystem::path m_file;
};

class TranscriptsSuite : public ns3::TestSuite
{
  public:
    TranscriptsSuite()
        : TestSuite("mftpubsub-transcripts", Type::UNIT)
    {
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(MFTPUBSUB_GOLDEN))
        {
            if (entry.path().extension() == ".txt")
            {
                files.push_back(entry.path());
            }
        }
        std::ranges::sort(files);
        for (auto& file : files)
        {
            AddTestCase(new GoldenTranscript(std::move(file)), Duration::QUICK);
        }
    }
};

TranscriptsSuite g_transcripts;

} // namespace

} // namespace mftpubsub::transcripts_test
