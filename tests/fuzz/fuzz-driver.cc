/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Stands in for libFuzzer: `mftpubsub-fuzz-NAME SECONDS CORPUS` runs the target on every file of
 * the corpus, then on mutations of them. The input at hand is kept in `last-input-PROGRAM`, to run
 * again as a corpus of one file.
 */
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace
{

std::mt19937 g_random(1);

size_t
Draw(size_t below)
{
    return std::uniform_int_distribution<size_t>(0, below - 1)(g_random);
}

std::vector<std::string>
ReadCorpus(const char* folder)
{
    std::vector<std::string> corpus;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
    {
        std::ifstream file(entry.path(), std::ios::binary);
        corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return corpus;
}

/// Replaces a piece of @p text by a piece of @p donor, repeated, or by random bytes.
std::string
Mutate(std::string text, const std::string& donor)
{
    const size_t from = Draw(donor.size() + 1);
    std::string piece = donor.substr(from, Draw(20));
    if (Draw(4) == 0)
    {
        piece.assign(1 + Draw(3), static_cast<char>(Draw(256)));
    }
    const size_t copies = Draw(50) == 0 ? Draw(500) : 1;
    for (size_t i = 0; i < copies; ++i)
    {
        const size_t at = Draw(text.size() + 1);
        text.replace(at, i == 0 ? Draw(10) : 0, piece);
    }
    return text;
}

void
Run(const std::string& input, const std::string& kept)
{
    std::FILE* file = std::fopen(kept.c_str(), "wb");
    if (file)
    {
        std::fwrite(input.data(), 1, input.size(), file);
        std::fclose(file);
    }
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

} // namespace

int
main(int argc, char* argv[])
{
    const std::vector<std::string> corpus =
        argc == 3 ? ReadCorpus(argv[2]) : std::vector<std::string>();
    if (corpus.empty())
    {
        std::fprintf(stderr,
                     "usage: %s SECONDS CORPUS (a folder with at least one file)\n",
                     argv[0]);
        return 1;
    }
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::seconds(std::atoi(argv[1]));
    size_t runs = 0;
    const auto kept = "last-input-" + std::filesystem::path(argv[0]).filename().string();
    for (const auto& input : corpus)
    {
        Run(input, kept);
    }
    for (; Clock::now() < end; ++runs)
    {
        std::string input = corpus[Draw(corpus.size())];
        for (size_t i = 1 + Draw(4); i > 0; --i)
        {
            input = Mutate(std::move(input), corpus[Draw(corpus.size())]);
        }
        Run(input, kept);
    }
    std::printf("%zu files, %zu mutations\n", corpus.size(), runs);
    return 0;
}
