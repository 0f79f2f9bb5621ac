/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_PATH_LOSSES_H
#define MFTPUBSUB_WSN_PATH_LOSSES_H

#include "content/position.h"
#include "wsn/cell-losses.h"
#include "wsn/neighbour-grid.h"
#include "wsn/shadowing.h"
#include "wsn/walls.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mftpubsub
{

/// What a place is to the path loss.
enum class PathLossMode
{
    STATIC,      //!< a node; positions are read once
    MOBILE,      //!< a cell of the field; positions are sampled
    MOVING_PAIRS //!< a node; positions are sampled, and the mean path loss follows them
};

/// What path losses depend on, but for the places of the devices.
struct PathLossSettings
{
    PathLossMode mode{PathLossMode::STATIC};
    double referenceLossDb{0};   //!< at the reference distance, dB
    double referenceDistance{1}; //!< m
    double exponent{0};
    double sigma{0};                //!< of the shadowing, dB
    double bidirectionalSigma{0};   //!< of the difference of both directions, dB
    double deliveryThresholdDbm{0}; //!< weaker signals are not delivered, dBm
    double fieldX{0};               //!< m
    double fieldY{0};               //!< m
    double cellSize{0};             //!< m
    int64_t stream{0};              //!< of the shadowing
    Walls walls;                    //!< on the way
};

/**
 * The path losses between devices, by where they are (BEHAVIOUR points 2 to 5): log-distance with
 * lognormal shadowing, and walls on the way; or given ones.
 *
 * Before Prepare devices are added and placed; after it they move.
 */
class PathLosses
{
  public:
    /// Lays out cells, and takes devices to be where they are. @p settings hold from now on.
    void Prepare(const PathLossSettings& settings);

    bool IsPrepared() const;

    /// Adds a device, at (0, 0) on the ground.
    void Add();

    /// Moves a device. @return whether path losses may have changed; if so, ForgetNeighbours
    bool Place(uint32_t device, const Position& position);

    /// @return where a device is
    const Position& GetPlace(uint32_t device) const;

    /// Somebody has moved: neighbours by pair are found anew when they are asked for.
    void ForgetNeighbours();

    /// Uses these path losses instead of the formula; other pairs never hear each other.
    void SetTable(const PathLossSettings& settings, std::span<const PathLossEntry> entries);

    /// @return path loss, dB; infinite if nothing is delivered at any power
    double Get(uint32_t from, uint32_t to);

    /// @return path loss without shadowing and without the cut at the delivery threshold, dB
    double GetMean(uint32_t from, uint32_t to) const;

    /// @return path loss without the cut at the delivery threshold, dB
    double GetUncut(uint32_t from, uint32_t to) const;

    /**
     * Calls @p visit for every device that gets a frame sent now by @p from at some power.
     *
     * @param from the sender
     * @param visit callable with the device and the path loss to it in dB
     */
    template <typename Visitor>
    void VisitHearers(uint32_t from, Visitor&& visit)
    {
        if (m_settings.mode != PathLossMode::MOBILE)
        {
            for (const auto& [device, loss] : NeighboursOf(from))
            {
                visit(device, loss);
            }
            return;
        }
        for (const auto& [device, loss] :
             m_cellLosses.Find(m_cells[from], FindCandidates(from), m_cells))
        {
            if (device != from)
            {
                visit(device, loss);
            }
        }
    }

  private:
    /// A neighbour by pair.
    struct Neighbour
    {
        uint32_t device;
        float lossDb; //!< dB
    };

    void ResetGrid();
    float MeanLoss(float distance) const;

    /// @return what the path loss goes by: of the devices, or of their cells, m
    float Distance(uint32_t from, uint32_t to) const;
    float PairDistance(uint32_t from, uint32_t to) const;
    /// @return what walls take between the devices, or between their cells, dB
    double WallLoss(uint32_t from, uint32_t to) const;
    /// @return path loss between devices by pair; infinite if never delivered
    float PairLoss(uint32_t from, uint32_t to) const;
    float CutLoss(float lossDb) const;
    const std::vector<Neighbour>& NeighboursOf(uint32_t device);

    /// @return devices among which are all that hear @p from; until the next call
    std::span<const uint32_t> FindCandidates(uint32_t from);

    PathLossSettings m_settings;
    bool m_isPrepared{false};
    std::vector<Position> m_places; //!< of the devices
    std::vector<Cell> m_cells;      //!< same order; by pair each is one, in column 0, row 0
    std::optional<Shadowing> m_shadowing;
    NeighbourGrid m_grid;
    float m_cutDistance{0}; //!< nobody further away hears anything, m
    CellLosses m_cellLosses;
    std::vector<uint32_t> m_candidates; //!< of a search, kept for its memory
    std::vector<std::unique_ptr<std::vector<Neighbour>>> m_neighbours;  //!< by sender
    std::optional<std::unordered_map<uint64_t, float>> m_explicitPairs; //!< not of cells, dB
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_PATH_LOSSES_H */
