// The way of an event: who sent it to whom, how often, and where it waited.

import { isReceived, type Run } from "./run";

/** What of a run was chosen. */
export interface Selection {
  journeys: Journey[];
  /** The one frame to show; -1: those of the time. */
  frame: number;
}

/** A copy that went from one node to another. */
export interface Hop {
  /** The frame that brought it. */
  frame: number;
  from: number;
  to: number;
  /** Since when the sender had it, s. */
  had: number;
  /** When it was off the air, s. */
  arrived: number;
  /** Frames from `from` to `to` with it since then, the last one included. */
  attempts: number;
}

export interface Journey {
  pair: number;
  subscriber: number;
  delivered: number;
  /** From publisher to subscriber; of an event that was not delivered, the way of the copy that came last. */
  hops: Hop[];
  /** Whether `hops` leads from the publisher to the subscriber. */
  isWhole: boolean;
}

/** The transport hands a frame on within this time after its end, s. */
const SLACK = 2e-4;

/** A way of an event through the air: `frame` brought it to `to`. */
interface Arrival {
  frame: number;
  from: number;
  to: number;
  time: number;
  subscriber: number;
}

/** All arrivals of an event, at those whom its frames were for, in order of time. */
export function arrivalsOf(run: Run, event: number): Arrival[] {
  const found: Arrival[] = [];
  if (!run.hasHeard) return found;
  for (const row of run.carriedOf(event)) {
    const frame = run.carriedFrame[row]!;
    const from = run.frameNode[frame]!;
    const peer = run.framePeer[frame]!;
    const subscriber = run.carriedSubscriber[row]!;
    const time = run.frameEnd(frame);
    const add = (to: number): void => {
      if (isReceived(run.heard(frame, to))) found.push({ frame, from, to, time, subscriber });
    };
    if (peer >= 0) {
      add(peer);
    } else {
      for (let to = 0; to < run.nodes; to++) add(to);
    }
  }
  return found.sort((one, other) => one.time - other.time);
}

/** To each subscriber that wanted an event when it was published, or was delivered it all the same. */
export function journeysOf(run: Run, event: number): Journey[] {
  const arrivals = arrivalsOf(run, event);
  const told = run.pairsOf(event).filter((pair) => run.pairWanted[pair] || !Number.isNaN(run.pairDelivered[pair]!));
  return [...told].map((pair) => journeyOf(run, event, pair, arrivals));
}

function journeyOf(run: Run, event: number, pair: number, arrivals: Arrival[]): Journey {
  const subscriber = run.pairSubscriber[pair]!;
  const publisher = run.eventPublisher[event]!;
  const delivered = run.pairDelivered[pair]!;
  const isFor = (arrival: Arrival): boolean => arrival.subscriber < 0 || arrival.subscriber === subscriber;
  const mine = arrivals.filter(isFor);
  const deliverer = run.pairFrom[pair]!;
  let last = Number.isNaN(delivered)
    ? mine.at(-1)
    : mine.findLast(
        (one) => one.to === subscriber && one.time <= delivered + SLACK && (deliverer < 0 || deliverer === subscriber || one.from === deliverer),
      );
  const hops: Hop[] = [];
  while (last) {
    const hop: Arrival = last;
    const start = run.frameTime[hop.frame]!;
    const isBefore = (one: Arrival): boolean => one.to === hop.from && one.time <= start + SLACK;
    // Who broadcasts keeps what it has, and further copies change nothing; who hands on takes the newest copy.
    const isKept = run.framePeer[hop.frame]! < 0;
    const before =
      hop.from === publisher ? undefined : isKept ? mine.find(isBefore) : mine.findLast(isBefore);
    const had = before?.time ?? run.eventTime[event]!;
    hops.unshift({
      frame: hop.frame,
      from: hop.from,
      to: hop.to,
      had,
      arrived: hop.time,
      attempts: countAttempts(run, event, hop, had),
    });
    last = before;
  }
  const isWhole = subscriber === publisher || (hops[0]?.from === publisher && hops.at(-1)?.to === subscriber);
  return { pair, subscriber, delivered, hops, isWhole };
}

function countAttempts(run: Run, event: number, hop: Arrival, since: number): number {
  let count = 0;
  for (const row of run.carriedOf(event)) {
    const frame = run.carriedFrame[row]!;
    const isSame = run.frameNode[frame] === hop.from && run.framePeer[frame] === run.framePeer[hop.frame];
    if (isSame && frame <= hop.frame && run.frameTime[frame]! >= since - SLACK) count++;
  }
  return count;
}
