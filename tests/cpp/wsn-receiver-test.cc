/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What hears, alone: its draws of bit errors. And path losses between cells, one by one and many at
 * once.
 */
#include "wsn/cell-losses.h"
#include "wsn/counter-random.h"
#include "wsn/receiver.h"

#include "ns3/test.h"

#include <cmath>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

namespace mftpubsub::wsn_receiver_test
{

using ns3::TestCase;
using ns3::TestSuite;

namespace
{

constexpr int64_t FRAME_NS = 4'000'000; //!< 125 bytes
constexpr uint64_t FRAME_BITS = 1000;
constexpr float NOISE_DBM = -100.0F;
constexpr float MARGINAL_SNR_DB = 8.5F; //!< a frame arrives as often as not, more or less

/// @return whether each of some frames arrives whole that come one by one, a second apart
std::vector<bool>
Receive(uint64_t key, uint32_t frames)
{
    Receiver receiver(GetRadioMode("CC2420/normal"));
    receiver.SetStart(0);
    receiver.SetKey(key);
    std::vector<bool> received;
    for (uint32_t frame = 0; frame < frames; ++frame)
    {
        const int64_t now = int64_t{1'000'000'000} * (frame + 1);
        EndedSignal ended;
        receiver.StartSignal(frame, NOISE_DBM + MARGINAL_SNR_DB, now);
        receiver.EndSignal(frame, now + FRAME_NS, ended);
        received.push_back(ended.received);
    }
    return received;
}

class ErrorDrawTest : public TestCase
{
  public:
    ErrorDrawTest()
        : TestCase("Bit errors are as frequent as they should be, and independent")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t count = 20'000;
        const auto& mode = GetRadioMode("CC2420/normal");
        const double p = NoErrorProbability(MARGINAL_SNR_DB, FRAME_BITS, mode);
        NS_TEST_ASSERT_MSG_EQ_TOL(p, 0.5, 0.4, "a marginal link");
        const auto one = Receive(MixBits(1), count);
        const auto other = Receive(MixBits(2), count);
        NS_TEST_EXPECT_MSG_EQ((one == Receive(MixBits(1), count)), true, "the same again");

        const auto isFraction = [&](uint32_t n, double expected, const char* what) {
            const double tolerance = 4 * std::sqrt(expected * (1 - expected) / count);
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(n) / count, expected, tolerance, what);
        };
        uint32_t first = 0;
        uint32_t both = 0;
        uint32_t twice = 0;
        for (uint32_t i = 0; i < count; ++i)
        {
            first += one[i];
            both += one[i] && other[i];
            twice += one[i] && one[(i + 1) % count];
        }
        isFraction(first, p, "one radio");
        isFraction(both, p * p, "two radios");
        isFraction(twice, p * p, "two frames one after the other");
    }
};

class OutcomeTest : public TestCase
{
  public:
    OutcomeTest()
        : TestCase("Who leaves RX loses what it hears for that reason, bit errors or not")
    {
    }

  private:
    void DoRun() override
    {
        Receiver receiver(GetRadioMode("CC2420/normal"));
        receiver.Listen(0);
        for (const auto& [frame, powerDbm] : {std::pair{1U, -80.0F}, {2U, -80.0F}, {3U, -97.0F}})
        {
            receiver.StartSignal(frame, powerDbm, frame * FRAME_NS / 10);
        }
        const auto end = [&receiver](uint32_t frame, int64_t now) {
            EndedSignal ended;
            receiver.EndSignal(frame, now, ended);
            return ended.outcome;
        };
        const int64_t ends = FRAME_NS;
        NS_TEST_EXPECT_MSG_EQ((end(2, ends) == SignalOutcome::FAIL_INTERFERENCE), true, "error");
        receiver.StopListening();
        NS_TEST_EXPECT_MSG_EQ((end(1, ends + 1) == SignalOutcome::FAIL_NON_RX), true, "left RX");
        NS_TEST_EXPECT_MSG_EQ((end(3, ends + 2) == SignalOutcome::FAIL_SENSITIVITY), true, "weak");
        receiver.Listen(2 * ends);
        receiver.StartSignal(4, -95.0F, 2 * ends);
        NS_TEST_EXPECT_MSG_EQ((end(4, 3 * ends) == SignalOutcome::FAIL_SENSITIVITY), false, "just");
    }
};

/// Another signal begins with a frame and ends a bit later.
class EndedInterferenceTest : public TestCase
{
  public:
    EndedInterferenceTest()
        : TestCase("Interference that has ended is remembered, and disturbs no longer")
    {
    }

  private:
    void DoRun() override
    {
        EndedSignal ended = Hear(-85.0F, -85.0F, false);
        NS_TEST_EXPECT_MSG_GT(ended.success, 0.5, "all but a bit is undisturbed");
        NS_TEST_EXPECT_MSG_EQ((ended.outcome == SignalOutcome::RX_DESPITE_INTERFERENCE),
                              true,
                              "received in spite of it");
        ended = Hear(-85.0F, -85.0F, true);
        NS_TEST_EXPECT_MSG_EQ(ended.success, 0.0, "nothing is likely that is not heard to its end");
        ended = Hear(-95.0F, -105.0F, false, false);
        NS_TEST_EXPECT_MSG_EQ((ended.outcome == SignalOutcome::FAIL_INTERFERENCE),
                              true,
                              "errors after it count as its");
    }

    static EndedSignal Hear(float powerDbm, float otherDbm, bool isCut, bool isForecast = true)
    {
        constexpr int64_t bitNs = 4000;
        Receiver receiver(GetRadioMode("CC2420/normal"));
        receiver.SetForecast(isForecast);
        receiver.Listen(0);
        receiver.StartSignal(1, powerDbm, FRAME_NS);
        receiver.StartSignal(2, otherDbm, FRAME_NS);
        EndedSignal ended;
        receiver.EndSignal(2, FRAME_NS + bitNs, ended);
        if (isCut)
        {
            receiver.StopListening();
        }
        receiver.EndSignal(1, 2 * FRAME_NS, ended);
        return ended;
    }
};

class QualityTest : public TestCase
{
  public:
    QualityTest()
        : TestCase("What a link was worth goes by the interference as signals began")
    {
    }

  private:
    void DoRun() override
    {
        Receiver receiver(GetRadioMode("CC2420/normal"));
        receiver.SetReportsQuality(true);
        receiver.Listen(0);
        const std::vector<float> interferers{-99.0F, -90.5F, -98.0F};
        receiver.StartSignal(0, -60.0F, FRAME_NS);
        for (uint32_t i = 0; i < interferers.size(); ++i)
        {
            receiver.StartSignal(i + 1, interferers[i], FRAME_NS + 1000 * (i + 1));
        }
        EndedSignal ended;
        receiver.EndSignal(1, FRAME_NS + 10'000, ended); // the staircase of the rest is higher
        receiver.EndSignal(0, 2 * FRAME_NS, ended);
        NS_TEST_EXPECT_MSG_EQ(ended.received, true, "strong enough");
        NS_TEST_EXPECT_MSG_EQ_TOL(ended.lqiDb, 29.5F, 0.01F, "of what it began beside");
    }
};

class SegmentDrawTest : public TestCase
{
  public:
    SegmentDrawTest()
        : TestCase("Each segment of a frame has a draw of its own")
    {
    }

  private:
    void DoRun() override
    {
        // In the middle something begins that is too weak to matter: two segments of half the bits,
        // both at the same SNR. With one draw for both, the frame would arrive as often as its
        // half.
        constexpr uint32_t count = 20'000;
        constexpr float nothingDbm = -150.0F;
        const auto& mode = GetRadioMode("CC2420/normal");
        const double p = NoErrorProbability(MARGINAL_SNR_DB, FRAME_BITS, mode);
        Receiver receiver(mode);
        receiver.SetKey(MixBits(3));
        uint32_t received = 0;
        for (uint32_t i = 0; i < count; ++i)
        {
            const int64_t now = int64_t{1'000'000'000} * (i + 1);
            const int64_t middle = now + FRAME_NS / 2;
            EndedSignal ended;
            receiver.StartSignal(2 * i, NOISE_DBM + MARGINAL_SNR_DB, now);
            receiver.StartSignal(2 * i + 1, nothingDbm, middle);
            receiver.EndSignal(2 * i, now + FRAME_NS, ended);
            received += ended.received;
            receiver.EndSignal(2 * i + 1, middle + FRAME_NS, ended);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(received) / count,
                                  p,
                                  4 * std::sqrt(p * (1 - p) / count),
                                  "as often as in one segment");
    }
};

class StartTest : public TestCase
{
  public:
    StartTest()
        : TestCase("Nothing is heard before the start, nor in part")
    {
    }

  private:
    void DoRun() override
    {
        Receiver receiver(GetRadioMode("CC2420/normal"));
        receiver.SetStart(1000);
        EndedSignal ended;
        receiver.StartSignal(1, -50, 999);
        NS_TEST_EXPECT_MSG_EQ(receiver.EndSignal(1, 1000 + FRAME_NS, ended), false, "began before");
        receiver.StartSignal(2, -50, 1000);
        NS_TEST_EXPECT_MSG_EQ(receiver.EndSignal(2, 1000 + FRAME_NS, ended), true, "began then");
        NS_TEST_EXPECT_MSG_EQ(ended.received, true, "and was heard");

        Receiver early(GetRadioMode("CC2420/normal"));
        early.SetStart(1000);
        early.Listen(500);
        early.StartSignal(1, -50, 999);
        NS_TEST_EXPECT_MSG_EQ(early.EndSignal(1, 1000 + FRAME_NS, ended), false, "nor if told so");
        constexpr int64_t windowNs = 128'000;
        NS_TEST_EXPECT_MSG_EQ(early.CanAssess(1000 + windowNs - 1), false, "a window is not over");
        NS_TEST_EXPECT_MSG_EQ(early.CanAssess(1000 + windowNs), true, "now it is");
    }
};

/// Losses of a field of 5 m cells, as in Castalia's Pister Hack parameters.
CellLosses
MakeLosses(double side, const Shadowing& shadowing, const Walls& walls)
{
    CellLosses losses;
    losses.Divide(side, side, 5);
    losses.Compute(
        [](float distance) {
            return distance < 0.1F ? 0.0F : 55.0F + 24.0F * std::log10(distance);
        },
        237.0F,
        100,
        shadowing,
        walls);
    return losses;
}

class CellLossesTest : public TestCase
{
  public:
    explicit CellLossesTest(double side)
        : TestCase("Many cells at once are the same as one by one, in a field of " +
                   std::to_string(side) + " m"),
          m_side(side)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t count = 2000;
        const Shadowing shadowing(42, 4, 1);
        constexpr uint32_t column = 20; // the first beyond the wall
        const Walls walls({{100, 0, 100, 300, 9}});
        CellLosses losses = MakeLosses(m_side, shadowing, walls);
        std::vector<Cell> cells;
        std::vector<uint32_t> devices(count);
        std::iota(devices.begin(), devices.end(), 0);
        for (const uint32_t i : devices)
        {
            const double x = UniformOf(MixBits(2 * i)) * std::min(m_side, 600.0);
            cells.push_back(losses.CellOf({x, UniformOf(MixBits(2 * i + 1)) * 300}));
        }
        cells[7] = cells[0];
        size_t all = 0;
        for (uint32_t from = 0; from < 20; ++from)
        {
            const auto found = losses.Find(cells[from], devices, cells);
            auto next = found.begin();
            for (const uint32_t to : devices)
            {
                const float loss = losses.Get(cells[from], cells[to]);
                if (loss == NEVER_DELIVERED)
                {
                    continue;
                }
                NS_TEST_ASSERT_MSG_EQ((next != found.end()),
                                      true,
                                      "device " << to << " is missing");
                NS_TEST_ASSERT_MSG_EQ(next->device, to, "the next one");
                NS_TEST_EXPECT_MSG_EQ(next->lossDb, loss, "its loss");
                const bool isWalled = (cells[from].column < column) != (cells[to].column < column);
                const double exact = 55.0 + (isWalled ? 9 : 0) +
                                     shadowing.Get(cells[from].index, cells[to].index) +
                                     24.0 * std::log10(losses.GetDistance(cells[from], cells[to]));
                const bool same = cells[from].index == cells[to].index;
                NS_TEST_EXPECT_MSG_EQ_TOL(loss, (same ? 0.0 : exact), 1e-4, "and by the formula");
                ++next;
            }
            NS_TEST_EXPECT_MSG_EQ((next == found.end()), true, "and nobody else");
            all += found.size();
        }
        NS_TEST_EXPECT_MSG_GT(all, 2000, "many are reached");
        NS_TEST_EXPECT_MSG_LT(all, 20 * count / 2, "and most are not");
    }

    double m_side; //!< m
};

class TooManyCellsTest : public TestCase
{
  public:
    TooManyCellsTest()
        : TestCase("A field of more cells to a side than columns and rows have numbers is refused")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(IsDivided(65'535, 1), true, "the most columns");
        NS_TEST_EXPECT_MSG_EQ(IsDivided(1, 65'535), true, "the most rows");
        NS_TEST_EXPECT_MSG_EQ(IsDivided(65'536, 1), false, "a column too many");
        NS_TEST_EXPECT_MSG_EQ(IsDivided(1, 65'536), false, "a row too many");
    }

    static bool IsDivided(double width, double height)
    {
        try
        {
            CellLosses().Divide(width, height, 1);
            return true;
        }
        catch (const std::invalid_argument&)
        {
            return false;
        }
    }
};

class PlausibleCellsTest : public TestCase
{
  public:
    PlausibleCellsTest()
        : TestCase("What is kept of a cell is its own, at the field's sides and after others")
    {
    }

  private:
    /// A field of more squares than are kept.
    static constexpr uint32_t SIDE = 2000;
    static constexpr uint32_t REACH = 50;
    static constexpr uint32_t HALF = 1U << 31; //!< rules out every second cell

    void DoRun() override
    {
        PlausibleCells plausible;
        plausible.Reset(SIDE, SIDE, std::vector(REACH + 1, std::vector(REACH + 1, HALF)));
        for (uint32_t i = 0; i < 3000; ++i)
        {
            Check(plausible, At(MixBits(2 * i) % SIDE, MixBits(2 * i + 1) % SIDE));
        }
        for (const uint32_t column : {0U, REACH, SIDE - REACH, SIDE - 1})
        {
            Check(plausible, At(column, 0));
            Check(plausible, At(column, SIDE - 1));
            Check(plausible, At(0, column));
            Check(plausible, At(SIDE - 1, column));
        }
    }

    /// Asks for a row and a column, at most one beyond the square, that go through the field.
    void Check(PlausibleCells& plausible, const Cell& from)
    {
        const auto square = plausible.Around(from, m_shadowing);
        const int reach = REACH;
        for (int away = -reach - 1; away <= reach + 1; ++away)
        {
            for (const auto& [dx, dy] : {std::pair{away, -away / 2}, std::pair{away / 3, away}})
            {
                const int column = from.column + dx;
                const int row = from.row + dy;
                if (column < 0 || row < 0 || column >= int{SIDE} || row >= int{SIDE})
                {
                    continue;
                }
                const Cell to = At(column, row);
                const bool isInside = std::abs(away) <= reach;
                NS_TEST_ASSERT_MSG_EQ(square.Has(to),
                                      (isInside && IsPlausible(from, to)),
                                      "from " << from.index << " to " << to.index);
            }
        }
    }

    bool IsPlausible(const Cell& from, const Cell& to) const
    {
        const std::vector<uint32_t> largest(8, HALF);
        std::vector<uint8_t> bits(1);
        m_shadowing.FindPlausible(from.index, to.index, largest, bits);
        return bits[0] & 1;
    }

    static Cell At(uint32_t column, uint32_t row)
    {
        return {row * SIDE + column, static_cast<uint16_t>(column), static_cast<uint16_t>(row)};
    }

    const Shadowing m_shadowing{42, 4, 1};
};

class WsnReceiverTestSuite : public TestSuite
{
  public:
    WsnReceiverTestSuite()
        : TestSuite("mftpubsub-wsn-receiver", Type::UNIT)
    {
        AddTestCase(new ErrorDrawTest, Duration::QUICK);
        AddTestCase(new OutcomeTest, Duration::QUICK);
        AddTestCase(new EndedInterferenceTest, Duration::QUICK);
        AddTestCase(new QualityTest, Duration::QUICK);
        AddTestCase(new SegmentDrawTest, Duration::QUICK);
        AddTestCase(new StartTest, Duration::QUICK);
        AddTestCase(new CellLossesTest(600), Duration::QUICK);  // remembered
        AddTestCase(new CellLossesTest(5000), Duration::QUICK); // computed each time
        AddTestCase(new TooManyCellsTest, Duration::QUICK);
        AddTestCase(new PlausibleCellsTest, Duration::QUICK);
    }
};

const WsnReceiverTestSuite g_suite; //!< registers itself

} // namespace

} // namespace mftpubsub::wsn_receiver_test
