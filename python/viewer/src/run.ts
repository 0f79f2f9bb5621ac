// One run, and what is asked of it: everything is found by binary search in columns that are in order of time.

import { type Block, type Numbers, type Told } from "./decode";
import { layOut, type Place } from "./layout";

const NEVER = 0xffffffff;
/** Of the CC2420's 250 kbit/s. */
const SECONDS_PER_BYTE = 32e-6;

/** How a node heard a frame: 0 not at all, else a SignalOutcome of the radio + 1. */
export const HEARD = ["not heard", "received", "received", "lost: bit error", "lost: interference", "lost: radio not receiving"];
export const isReceived = (heard: number): boolean => heard === 1 || heard === 2;

/** Rows of a table grouped by a number, in their order. */
class Groups {
  private readonly starts: Uint32Array;
  private readonly rows: Uint32Array;

  constructor(keys: ArrayLike<number>, count: number) {
    this.starts = new Uint32Array(count + 1);
    for (let i = 0; i < keys.length; i++) {
      if (keys[i]! >= 0) this.starts[keys[i]! + 1]!++;
    }
    for (let key = 0; key < count; key++) {
      this.starts[key + 1]! += this.starts[key]!;
    }
    const next = this.starts.slice();
    this.rows = new Uint32Array(this.starts[count]!);
    for (let i = 0; i < keys.length; i++) {
      if (keys[i]! >= 0) this.rows[next[keys[i]!]!++] = i;
    }
  }

  of(key: number): Uint32Array {
    return this.rows.subarray(this.starts[key]!, this.starts[key + 1]!);
  }
}

/** The number of leading elements that are at most `value`. */
export function countUpTo(sorted: ArrayLike<number>, value: number, from = 0, to = sorted.length): number {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sorted[middle]! <= value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The number of leading rows of which the time is at most `time`. */
export function countRowsUpTo(rows: Uint32Array, times: Float64Array, time: number): number {
  let from = 0;
  let to = rows.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (times[rows[middle]!]! <= time) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** A row of a broker's routing table; nextHop -1: none. */
export interface Route {
  subscriber: number;
  nextHop: number;
  hops: number;
  queued: number;
}

/** Its publisher's node, and its number among those of the publisher. */
export interface EventId {
  publisher: number;
  sequence: number;
}

const isWhole = (text: string): boolean => /^\d+$/.test(text);

const NO_NODE = 0xffff;
/** Hops that nobody knows, and events waiting that a byte cannot tell. */
export const UNKNOWN_HOPS = 254;
export const MOST_QUEUED = 255;

export class Run {
  readonly told: Told;
  readonly nodes: number;
  readonly title: string;
  readonly area: [number, number];
  /** Where nodes are is told, */
  readonly hasPlaces: boolean;
  /** and their links, parents and queues too. */
  readonly hasFilm: boolean;
  readonly hasHeard: boolean;
  readonly hasCarried: boolean;
  /** Whether it is told what could have arrived at all: nobody knows of nodes outside the simulator. */
  readonly hasReachable: boolean;
  readonly frameTime: Float64Array;
  readonly frameNode: Numbers;
  readonly frameKind: Numbers;
  readonly framePeer: Numbers;
  readonly frameBytes: Numbers;
  readonly eventTime: Float64Array;
  readonly eventPublisher: Numbers;
  readonly eventSequence: Numbers;
  readonly eventBytes: Numbers;
  readonly pairEvent: Numbers;
  readonly pairSubscriber: Numbers;
  readonly pairWanted: Numbers;
  readonly pairMatched: Float64Array;
  readonly pairMatcher: Numbers;
  readonly pairReachable: Float64Array;
  readonly pairDelivered: Float64Array;
  readonly pairFrom: Numbers;
  readonly pairHops: Numbers;
  readonly pairCause: Numbers;
  readonly copyTime: Float64Array;
  readonly copyPair: Numbers;
  readonly moveTime: Float64Array;
  readonly moveNode: Numbers;
  readonly moveParent: Numbers;
  readonly faultTime: Float64Array;
  readonly faultBegins: Numbers;
  readonly faultKind: Numbers;
  readonly faultNode: Numbers;
  readonly faultPeer: Numbers;
  readonly filmTime: Float64Array;
  readonly carriedFrame: Numbers;
  readonly carriedEvent: Numbers;
  readonly carriedSubscriber: Numbers;

  private readonly columns: Map<string, Numbers>;
  private readonly framesOfNode: Groups;
  private readonly framesOfNodeAndKind: Groups;
  private readonly pairsOfEvent: Groups;
  private readonly pairsOfSubscriber: Groups;
  private readonly eventsOfPublisher: Groups;
  private readonly movesOfNode: Groups;
  private readonly carriedOfEvent: Groups;
  private readonly copiesOfPair: Groups;
  private readonly layout: Place[];
  private readonly heardWidth: number;
  /** The bits of what is heard, the lowest first. */
  private readonly heardBits: [Numbers, Numbers, Numbers];
  private readonly linkBytes: number;
  private partsOf: { instant: number; parts: Int32Array; count: number } = { instant: -1, parts: new Int32Array(0), count: 0 };

  constructor({ told, columns }: Block) {
    this.told = told;
    this.columns = columns;
    this.nodes = told.roles.length;
    this.title =
      told.label === undefined
        ? told.name
        : `${told.label} · ${told.config} · ${told.speed} m/s · seed ${told.seed}`;
    if (told.live) this.title += ` · ${told.live.rate.toFixed(1)} s a second`;
    this.frameTime = this.seconds("frame.time");
    this.frameNode = this.column("frame.node");
    this.frameKind = this.column("frame.kind");
    this.framePeer = this.column("frame.peer");
    this.frameBytes = this.column("frame.bytes");
    this.eventTime = this.seconds("event.time");
    this.eventPublisher = this.column("event.publisher");
    this.eventSequence = this.column("event.sequence");
    this.eventBytes = this.column("event.bytes");
    this.pairEvent = this.column("pair.event");
    this.pairSubscriber = this.column("pair.subscriber");
    this.pairWanted = this.column("pair.wanted");
    this.pairMatched = this.seconds("pair.matched");
    this.pairMatcher = this.column("pair.matcher");
    this.pairReachable = this.seconds("pair.reachable");
    this.pairDelivered = this.seconds("pair.delivered");
    this.pairFrom = this.column("pair.from");
    this.pairHops = this.column("pair.hops");
    this.pairCause = this.column("pair.cause");
    this.copyTime = this.seconds("copy.time");
    this.copyPair = this.column("copy.pair");
    this.moveTime = this.seconds("move.time");
    this.moveNode = this.column("move.node");
    this.moveParent = this.column("move.parent");
    this.faultTime = this.seconds("fault.time");
    this.faultBegins = this.column("fault.begins");
    this.faultKind = this.column("fault.kind");
    this.faultNode = this.column("fault.node");
    this.faultPeer = this.column("fault.peer");
    this.filmTime = this.seconds("film.time");
    this.carriedFrame = this.column("carried.frame");
    this.carriedEvent = this.column("carried.event");
    this.carriedSubscriber = this.column("carried.subscriber");
    this.hasPlaces = this.filmTime.length > 0;
    this.hasFilm = this.hasPlaces && columns.has("film.links");
    this.hasHeard = columns.has("heard.0");
    this.hasCarried = columns.has("carried.frame");
    this.hasReachable = this.hasFilm || this.pairReachable.some((time) => !Number.isNaN(time));
    this.heardWidth = (this.nodes + 7) >> 3;
    this.heardBits = [this.column("heard.0"), this.column("heard.1"), this.column("heard.2")];
    this.linkBytes = this.hasFilm ? this.column("film.links").length / this.filmTime.length : 0;
    const kinds = told.kinds.length;
    this.framesOfNode = new Groups(this.frameNode, this.nodes);
    const both = Int32Array.from(this.frameNode, (node, i) => node * kinds + this.frameKind[i]!);
    this.framesOfNodeAndKind = new Groups(both, this.nodes * kinds);
    this.pairsOfEvent = new Groups(this.pairEvent, this.eventTime.length);
    this.pairsOfSubscriber = new Groups(this.pairSubscriber, this.nodes);
    this.eventsOfPublisher = new Groups(this.eventPublisher, this.nodes);
    this.movesOfNode = new Groups(this.moveNode, this.nodes);
    this.carriedOfEvent = new Groups(this.carriedEvent, this.eventTime.length);
    this.copiesOfPair = new Groups(this.copyPair, this.pairEvent.length);
    this.layout = this.hasPlaces ? [] : layOut(this);
    this.area = told.area && this.hasPlaces ? told.area : [100, 100]; // a layout has no metres
  }

  private column(name: string): Numbers {
    return this.columns.get(name) ?? new Uint8Array(0);
  }

  private seconds(name: string): Float64Array {
    const { tick } = this.told;
    return Float64Array.from(this.column(name), (value) => (value === NEVER ? NaN : value * tick));
  }

  /** What a frame of a protocol of one's own says: names and values. */
  said(frame: number): [string, string][] {
    return Object.entries(this.told.fields?.[this.column("frame.fields")[frame]!] ?? {});
  }

  /** When the frame is off the air again, in s. */
  frameEnd(frame: number): number {
    return this.frameTime[frame]! + this.frameBytes[frame]! * (this.told.secondsPerByte ?? SECONDS_PER_BYTE);
  }

  /** The number of frames that went on the air up to `time`. */
  framesUpTo(time: number): number {
    return countUpTo(this.frameTime, time);
  }

  framesOf(node: number): Uint32Array {
    return this.framesOfNode.of(node);
  }

  /** How many frames of each kind a node has sent up to `time`. */
  sentUpTo(node: number, time: number): number[] {
    const kinds = this.told.kinds.length;
    return this.told.kinds.map((_, kind) =>
      countRowsUpTo(this.framesOfNodeAndKind.of(node * kinds + kind), this.frameTime, time),
    );
  }

  /** How `node` heard `frame`: an index of HEARD. */
  heard(frame: number, node: number): number {
    const at = frame * this.heardWidth + (node >> 3);
    const bit = node & 7;
    const [low, middle, high] = this.heardBits;
    return ((low[at]! >> bit) & 1) | (((middle[at]! >> bit) & 1) << 1) | (((high[at]! >> bit) & 1) << 2);
  }

  /** The share of the frames that `from` sent from `start` to `end` which `to` received; NaN without any. */
  quality(from: number, to: number, start: number, end: number): number {
    const frames = this.framesOfNode.of(from);
    const first = countRowsUpTo(frames, this.frameTime, start);
    const last = countRowsUpTo(frames, this.frameTime, end);
    let received = 0;
    for (let i = first; i < last; i++) {
      if (isReceived(this.heard(frames[i]!, to))) received++;
    }
    return last > first ? received / (last - first) : NaN;
  }

  /** The latest instant of the film at or before `time`. */
  instantAt(time: number): number {
    return Math.max(0, countUpTo(this.filmTime, time) - 1);
  }

  place(node: number, time: number, into: Place): Place {
    if (!this.hasPlaces) {
      into.x = this.layout[node]!.x;
      into.y = this.layout[node]!.y;
      return into;
    }
    into.x = this.between("film.x", node, time);
    into.y = this.between("film.y", node, time);
    return into;
  }

  /** Whether nodes are at heights, not all on the ground. */
  get hasHeights(): boolean {
    return this.columns.has("film.z");
  }

  /** How high a node is, m. */
  height(node: number, time: number): number {
    return this.hasHeights ? this.between("film.z", node, time) : 0;
  }

  /** What a column of places (mm) has of a node, straight on between two instants; m. */
  private between(name: string, node: number, time: number): number {
    const one = this.instantAt(time);
    const next = Math.min(one + 1, this.filmTime.length - 1);
    const span = this.filmTime[next]! - this.filmTime[one]!;
    const share = span > 0 ? Math.min(1, Math.max(0, (time - this.filmTime[one]!) / span)) : 0;
    const places = this.columns.get(name)!;
    const from = places[one * this.nodes + node]!;
    return (from + share * (places[next * this.nodes + node]! - from)) / 1000;
  }

  private film(name: string, node: number, time: number, otherwise: number): number {
    return this.hasFilm ? this.columns.get(name)![this.instantAt(time) * this.nodes + node]! : otherwise;
  }

  /** A node's parent; -1: none. Without a film, whom it last migrated to. */
  parent(node: number, time: number): number {
    if (this.hasFilm) return this.film("film.parent", node, time, -1);
    const moves = this.movesOfNode.of(node);
    const count = countRowsUpTo(moves, this.moveTime, time);
    return count ? this.moveParent[moves[count - 1]!]! : -1;
  }

  leader(node: number, time: number): number {
    return this.film("film.leader", node, time, -1);
  }

  queued(node: number, time: number): number {
    return this.film("film.queued", node, time, 0);
  }

  /** A broker's routing table, by subscriber. */
  routes(node: number, time: number): Route[] {
    const places = this.column("route.place");
    const first = countUpTo(places, node * this.nodes - 1);
    const end = countUpTo(places, (node + 1) * this.nodes - 1);
    const row = this.instantAt(time) * places.length;
    const [hops, queued, nextHop] = [this.column("route.hops"), this.column("route.queued"), this.column("route.nextHop")];
    const found: Route[] = [];
    for (let i = first; i < end; i++) {
      const at = row + i;
      if (!hops[at]) continue;
      const next = nextHop[2 * at]! | (nextHop[2 * at + 1]! << 8);
      found.push({ subscriber: places[i]! % this.nodes, nextHop: next === NO_NODE ? -1 : next, hops: hops[at]! - 1, queued: queued[at]! });
    }
    return found;
  }

  isUp(node: number, time: number): boolean {
    return this.film("film.isUp", node, time, 1) === 1;
  }

  isLinked(one: number, other: number, instant: number): boolean {
    const high = Math.max(one, other);
    const bit = (high * (high - 1)) / 2 + Math.min(one, other);
    return ((this.columns.get("film.links")![instant * this.linkBytes + (bit >> 3)]! >> (bit & 7)) & 1) === 1;
  }

  /** Which part of the network each node is in, by the links of an instant, and how many parts there are. */
  parts(instant: number): { parts: Int32Array; count: number } {
    if (this.partsOf.instant === instant) return this.partsOf;
    const parts = new Int32Array(this.nodes).fill(-1);
    let count = 0;
    for (let first = 0; first < this.nodes; first++) {
      if (parts[first] !== -1) continue;
      const open = [first];
      parts[first] = count;
      while (open.length) {
        const node = open.pop()!;
        for (let other = 0; other < this.nodes; other++) {
          if (parts[other] === -1 && other !== node && this.isLinked(node, other, instant)) {
            parts[other] = count;
            open.push(other);
          }
        }
      }
      count++;
    }
    this.partsOf = { instant, parts, count };
    return this.partsOf;
  }

  /** How many brokers lead at an instant of the film. */
  leaders(instant: number): number {
    const leaders = this.columns.get("film.leader")!;
    let count = 0;
    for (let node = 0; node < this.nodes; node++) {
      if (leaders[instant * this.nodes + node] === node) count++;
    }
    return count;
  }

  pairsOf(event: number): Uint32Array {
    return this.pairsOfEvent.of(event);
  }

  pairsFor(subscriber: number): Uint32Array {
    return this.pairsOfSubscriber.of(subscriber);
  }

  eventsBy(publisher: number): Uint32Array {
    return this.eventsOfPublisher.of(publisher);
  }

  movesOf(node: number): Uint32Array {
    return this.movesOfNode.of(node);
  }

  /** The rows of carried* for an event, in order of time. */
  carriedOf(event: number): Uint32Array {
    return this.carriedOfEvent.of(event);
  }

  copiesOf(pair: number): Uint32Array {
    return this.copiesOfPair.of(pair);
  }

  /** The place of an event by its id; -1 if there is none. */
  findEvent(publisher: number, sequence: number): number {
    if (publisher < 0 || publisher >= this.nodes) return -1;
    return this.eventsBy(publisher).find((event) => this.eventSequence[event] === sequence) ?? -1;
  }

  /** How far it has come, s. */
  get until(): number {
    return this.told.live?.until ?? this.told.duration;
  }

  /** Whether time counts steps of a laboratory, not seconds. */
  get isLaboratory(): boolean {
    return this.told.unit === "";
  }

  /** Whether messages go over wires between processes that stand where it is easy to look: no radio, no metres. */
  get isWired(): boolean {
    return this.told.unit !== undefined;
  }

  name(node: number): string {
    return this.told.names?.[node] ?? String(node);
  }

  /** The node of a name, or -1. */
  nodeOf(name: string): number {
    if (this.told.names) return this.told.names.indexOf(name);
    return isWhole(name) && Number(name) < this.nodes ? Number(name) : -1;
  }

  /** What publisher and sequence a text such as 3.17 names; null if there is no such node. */
  eventOf(text: string): EventId | null {
    const dot = text.lastIndexOf(".");
    const [publisher, sequence] = [this.nodeOf(text.slice(0, dot).trim()), text.slice(dot + 1).trim()];
    return publisher >= 0 && isWhole(sequence) ? { publisher, sequence: Number(sequence) } : null;
  }

  /** A time in words. */
  clock(time: number, digits: number): string {
    return this.isLaboratory ? `step ${Math.floor(time)}` : `${time.toFixed(digits)} s`;
  }

  /** What a node of a network of wires knows and holds at a time, a line each. */
  state(node: number, time: number): string {
    const rows = new Map<string, string>();
    for (const [since, whose, name, text] of this.told.states ?? []) {
      if (since > time) break;
      if (whose !== node) continue;
      if (text) rows.set(name, text);
      else rows.delete(name);
    }
    const inOrder = [...rows].sort(([one], [other]) => one.localeCompare(other, "en", { numeric: true }));
    return inOrder.map(([name, text]) => (name ? `${name}: ${text}` : text)).join("\n");
  }

  /** The latest command of a laboratory. */
  command(time: number): string {
    return this.told.commands?.findLast(([step]) => step <= time)?.[1] ?? "";
  }

  roleNames(node: number): string {
    const letters = this.told.roles[node]!;
    const names = ["broker", "subscriber", "publisher"].filter((name) => letters.includes(name[0]!.toUpperCase()));
    return names.join(", ") || "router";
  }
}
