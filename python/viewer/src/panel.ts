// What stands beside the picture: guide, node, event, run.

import { type Child, h } from "./elements";
import { guide } from "./guide";
import { arrivalsOf, type Journey } from "./journey";
import { classOf } from "./looks";
import { countRowsUpTo, isReceived, MOST_QUEUED, type Run, UNKNOWN_HOPS } from "./run";
import { causeInWords } from "./words";
import type { State } from "./state";

/** What the panel asks the page to do. */
export interface Actions {
  seek(time: number, run?: number, frame?: number): void;
  pickNode(node: number): void;
  pickEvent(publisher: number, sequence: number): void;
  change(part: Partial<State>): void;
}

const clock = (run: Run, time: number): string => (Number.isNaN(time) ? "–" : run.clock(time, time < 10 ? 4 : 3));
const wait = (time: number): string => (time < 0.1 ? `${(1000 * time).toFixed(1)} ms` : `${time.toFixed(2)} s`);

const hops = (count: number): string => (count === 1 ? "1 hop" : `${count} hops`);

function rows(pairs: [string, Child][]): HTMLElement {
  return h("table", {}, h("tbody", {}, ...pairs.map(([name, value]) => h("tr", {}, h("th", {}, name), h("td", {}, value)))));
}

/** What runs side by side are called. */
export const LETTERS = "ABCDEF";

export class Panel {
  constructor(
    private readonly runs: Run[],
    private readonly element: HTMLElement,
    private readonly actions: Actions,
  ) {}

  /** Fills the panel anew: called when something was chosen, or the time stands still. */
  show(state: State, journeys: Journey[][]): void {
    const at = this.element.scrollTop;
    const parts = {
      guide: () => guide(this.runs, state, (part) => this.actions.change(part)),
      node: () => this.node(state),
      event: () => this.event(state, journeys),
      run: () => this.about(),
    };
    const content = (parts[state.tab as keyof typeof parts] ?? parts.guide)();
    this.element.replaceChildren(...this.frame(state), ...content);
    this.element.scrollTop = at;
  }

  private nodeLink(node: number, run: Run): HTMLElement {
    return h("button", { class: "link", click: () => this.actions.pickNode(node) }, run.name(node));
  }

  private timeLink(time: number): HTMLElement {
    return h("button", { class: "link", click: () => this.actions.seek(time) }, clock(this.runs[0]!, time));
  }

  private frameLink(run: Run, frame: number): HTMLElement {
    const time = run.frameTime[frame]!;
    return h("button", { class: "link", click: () => this.actions.seek(time, this.runs.indexOf(run), frame) }, clock(run, time));
  }

  private perRun(of: (run: Run, index: number) => Child[]): HTMLElement[] {
    return this.runs.map((run, i) =>
      h("section", {}, this.runs.length > 1 ? h("h3", {}, `${LETTERS[i]}: ${run.title}`) : null, ...of(run, i)),
    );
  }

  // ---- frame ----

  /** The frame that was chosen, and what it says if that is known. */
  private frame(state: State): HTMLElement[] {
    const run = this.runs[state.run];
    const said = run && state.frame >= 0 ? run.said(state.frame) : [];
    if (!run || !said.length) return [];
    const to = run.framePeer[state.frame]!;
    const kind = run.told.kinds[run.frameKind[state.frame]!]!;
    const facts: [string, Child][] = [
      ["from", this.nodeLink(run.frameNode[state.frame]!, run)],
      ["to", to < 0 ? "all" : this.nodeLink(to, run)],
      ["at", clock(run, run.frameTime[state.frame]!)],
      ["on the air", `${run.frameBytes[state.frame]} B`],
    ];
    return [h("section", { class: "frame" }, h("h4", {}, `Frame: ${kind}`), rows([...facts, ...said]))];
  }

  // ---- node ----

  private nodeName(node: number): string {
    const run = this.runs.find((one) => node < one.nodes)!;
    return `${run.name(node)}: ${run.roleNames(node)}`;
  }

  private node(state: State): HTMLElement[] {
    const most = Math.max(...this.runs.map((run) => run.nodes));
    const choice = h(
      "select",
      { "aria-label": "Node", change: (event) => this.actions.pickNode(Number((event.target as HTMLSelectElement).value)) },
      h("option", { value: "-1" }, "choose a node"),
      ...Array.from({ length: most }, (_, node) =>
        h("option", { value: String(node), selected: node === state.node }, this.nodeName(node)),
      ),
    );
    const head = h("p", {}, choice);
    if (state.node < 0) return [head, h("p", { class: "hint" }, "Click a node in the picture, or choose one here.")];
    return [head, ...this.perRun((run) => (state.node < run.nodes ? this.nodeOf(run, state.node, state.time) : []))];
  }

  private nodeOf(run: Run, node: number, time: number): Child[] {
    const place = run.place(node, time, { x: 0, y: 0 });
    const parent = run.parent(node, time);
    const leader = run.leader(node, time);
    const children = Array.from({ length: run.nodes }, (_, other) => other).filter((other) => run.parent(other, time) === node);
    const facts: [string, Child][] = [["roles", run.roleNames(node)]];
    const height = run.height(node, time);
    const up = height ? `, ${height.toFixed(1)} m up` : "";
    if (run.hasPlaces && !run.isWired) facts.push(["at", `${place.x.toFixed(1)} m, ${place.y.toFixed(1)} m${up}`]);
    if (run.hasFilm && !run.isWired) facts.push(["is", run.isUp(node, time) ? "up" : "down"]);
    facts.push([run.hasFilm ? "parent" : "went to", parent < 0 ? "–" : this.nodeLink(parent, run)]);
    if (leader >= 0) facts.push(["leader", leader === node ? "itself" : this.nodeLink(leader, run)]);
    if (children.length) facts.push(["children, clients", h("span", {}, ...children.flatMap((one) => [this.nodeLink(one, run), " "]))]);
    if (run.hasFilm && !run.isWired) facts.push(["events held", String(run.queued(node, time))]);
    facts.push(...this.counters(run, node, time));
    if (run.isWired) return [rows(facts), ...this.knowledge(run, node, time), ...this.traffic(run, node, time), ...this.lately(run, node, time)];
    return [
      rows(facts),
      ...this.table(run, node, time),
      ...this.traffic(run, node, time),
      ...this.neighbours(run, node, time),
      ...this.lately(run, node, time),
    ];
  }

  /** A broker's routes, and how many events wait for whom. */
  private table(run: Run, node: number, time: number): Child[] {
    const found = run.routes(node, time);
    if (!found.length) return [];
    const lines = found.map(({ subscriber, nextHop, hops, queued }) =>
      h(
        "tr",
        {},
        h("th", {}, this.nodeLink(subscriber, run)),
        h("td", {}, nextHop < 0 ? "–" : this.nodeLink(nextHop, run)),
        h("td", {}, hops === UNKNOWN_HOPS ? "?" : String(hops)),
        h("td", {}, queued === MOST_QUEUED ? `${queued} or more` : queued ? String(queued) : ""),
      ),
    );
    return [
      h("h4", {}, `Table: ${found.length} subscribers`),
      h("table", { class: "routes" }, h("thead", {}, h("tr", {}, ...["", "next hop", "hops", "waiting"].map((name) => h("th", {}, name)))), h("tbody", {}, ...lines)),
    ];
  }

  /** A broker's table and queues, as transcripts print them. */
  private knowledge(run: Run, node: number, time: number): Child[] {
    const text = run.state(node, time);
    if (!text) return [];
    return [h("h4", {}, "Table and queues"), h("pre", {}, text)];
  }

  private counters(run: Run, node: number, time: number): [string, Child][] {
    const facts: [string, Child][] = [];
    const published = countRowsUpTo(run.eventsBy(node), run.eventTime, time);
    if (published) facts.push(["published", String(published)]);
    const pairs = [...run.pairsFor(node)];
    if (pairs.length) {
      const wanted = pairs.filter((pair) => run.pairWanted[pair] && run.eventTime[run.pairEvent[pair]!]! <= time);
      const got = wanted.filter((pair) => run.pairDelivered[pair]! <= time);
      const copies = pairs.reduce((sum, pair) => sum + countRowsUpTo(run.copiesOf(pair), run.copyTime, time), 0);
      facts.push(["wanted, delivered", `${wanted.length}, ${got.length}`], ["further copies", String(copies)]);
      const open = wanted.filter((pair) => !(run.pairDelivered[pair]! <= time)).slice(-12);
      if (open.length) {
        facts.push(["not here yet", h("span", {}, ...open.flatMap((pair) => [this.eventLink(run, run.pairEvent[pair]!), " "]))]);
      }
    }
    const moves = countRowsUpTo(run.movesOf(node), run.moveTime, time);
    if (moves) facts.push(["migrations", String(moves)]);
    return facts;
  }

  private eventLink(run: Run, event: number): HTMLElement {
    const [publisher, sequence] = [run.eventPublisher[event]!, run.eventSequence[event]!];
    return h("button", { class: "link", click: () => this.actions.pickEvent(publisher, sequence) }, `${run.name(publisher)}.${sequence}`);
  }

  private traffic(run: Run, node: number, time: number): Child[] {
    const sent = run.sentUpTo(node, time);
    const most = Math.max(...sent);
    if (!most) return [];
    const bars = run.told.kinds
      .map((kind, i) => [kind, sent[i]!] as const)
      .filter(([, count]) => count)
      .sort((one, other) => other[1] - one[1])
      .map(([kind, count]) =>
        h(
          "tr",
          {},
          h("th", {}, kind),
          h("td", { class: "bar" }, h("span", { style: `width:${(100 * count) / most}%`, class: `sort${classOf(kind)}` }), String(count)),
        ),
      );
    return [h("h4", {}, "Frames sent so far"), h("table", {}, h("tbody", {}, ...bars))];
  }

  private neighbours(run: Run, node: number, time: number): Child[] {
    if (!run.hasFilm) return [];
    const instant = run.instantAt(time);
    const found = Array.from({ length: run.nodes }, (_, other) => other)
      .filter((other) => other !== node && run.isLinked(node, other, instant))
      .map((other) => ({
        other,
        to: run.hasHeard ? run.quality(node, other, time - 10, time + 10) : NaN,
        from: run.hasHeard ? run.quality(other, node, time - 10, time + 10) : NaN,
      }));
    const share = (value: number): string => (Number.isNaN(value) ? "–" : `${Math.round(100 * value)} %`);
    const lines = found.map(({ other, to, from }) => h("tr", {}, h("th", {}, this.nodeLink(other, run)), h("td", {}, share(to)), h("td", {}, share(from))));
    return [
      h("h4", {}, `${found.length} neighbours in reach`),
      h("table", { class: "neighbours" }, h("thead", {}, h("tr", {}, h("th", {}, ""), h("th", {}, "hears this node"), h("th", {}, "is heard"))), h("tbody", {}, ...lines)),
      h("p", { class: "hint" }, "Shares of the frames sent within 10 s that were received whole."),
    ];
  }

  private lately(run: Run, node: number, time: number): Child[] {
    const frames = run.framesOf(node);
    const count = countRowsUpTo(frames, run.frameTime, time);
    const last = [...frames.subarray(Math.max(0, count - 8), count)].reverse();
    if (!last.length) return [];
    const lines = last.map((frame) => {
      const to = run.framePeer[frame]!;
      const kind = run.told.kinds[run.frameKind[frame]!]!;
      const fate = to < 0 || !run.hasHeard ? "" : isReceived(run.heard(frame, to)) ? "received" : "lost";
      return h("tr", {}, h("th", {}, this.frameLink(run, frame)), h("td", {}, `${kind} → ${to < 0 ? "all" : run.name(to)} ${fate}`));
    });
    return [h("h4", {}, "Its latest frames"), h("table", {}, h("tbody", {}, ...lines))];
  }

  // ---- event ----

  private event(state: State, journeys: Journey[][]): HTMLElement[] {
    return [this.eventChoice(state), ...this.perRun((run, i) => this.eventOf(run, state, journeys[i]!))];
  }

  private eventChoice(state: State): HTMLElement {
    const run = this.runs[0]!;
    const given = h("input", {
      type: "text",
      size: "9",
      "aria-label": "Event: publisher.sequence",
      placeholder: "0.17",
      value: state.event ? `${run.name(state.event.publisher)}.${state.event.sequence}` : "",
      change: (event) => {
        const named = run.eventOf((event.target as HTMLInputElement).value);
        if (named) this.actions.pickEvent(named.publisher, named.sequence);
      },
    });
    const step = (by: number, isLost: boolean): void => {
      const now = state.event ? run.findEvent(state.event.publisher, state.event.sequence) : -1;
      for (let event = now + by; event >= 0 && event < run.eventTime.length; event += by) {
        if (!isLost || [...run.pairsOf(event)].some((pair) => run.pairCause[pair])) {
          this.actions.pickEvent(run.eventPublisher[event]!, run.eventSequence[event]!);
          return;
        }
      }
    };
    return h(
      "p",
      { class: "choice" },
      "publisher.number ",
      given,
      " ",
      h("button", { click: () => step(-1, false), title: "The event before (P)" }, "‹"),
      h("button", { click: () => step(1, false), title: "The next event (N)" }, "›"),
      h("button", { click: () => step(1, true), title: "The next event that somebody did not get (L)" }, "next lost"),
    );
  }

  private eventOf(run: Run, state: State, journeys: Journey[]): Child[] {
    if (!state.event) return [h("p", { class: "hint" }, "Give an event, or take the next one.")];
    const event = run.findEvent(state.event.publisher, state.event.sequence);
    if (event < 0) return [h("p", {}, "This run has no such event.")];
    const wanted = journeys.filter((journey) => run.pairWanted[journey.pair]);
    const got = wanted.filter((journey) => !Number.isNaN(journey.delivered)).length;
    const unasked = journeys.length - wanted.length;
    const published = run.eventTime[event]!;
    const carried = run.carriedOf(event).length;
    const facts: [string, Child][] = [
      ["published", h("span", {}, this.timeLink(published), " by ", this.nodeLink(run.eventPublisher[event]!, run))],
      ["payload", `${run.eventBytes[event]} B`],
      ["delivered", `to ${got} of ${wanted.length} subscribers`],
    ];
    if (unasked) facts.push(["and besides", `to ${unasked} that did not want it when it was published`]);
    if (run.hasCarried) facts.push(["frames that carried it", String(carried)]);
    const order = [...journeys].sort((one, other) => (one.delivered || Infinity) - (other.delivered || Infinity));
    return [rows(facts), this.gantt(run, event, journeys), ...order.map((journey) => this.journey(run, event, journey))];
  }

  /** A bar for each subscriber: until it was matched, until it came. */
  private gantt(run: Run, event: number, journeys: Journey[]): HTMLElement {
    const start = run.eventTime[event]!;
    const longest = Math.max(0.001, ...journeys.map((one) => (Number.isNaN(one.delivered) ? 0 : one.delivered - start)));
    const lines = journeys.map((one) => {
      const share = (time: number): number => Math.min(100, Math.max(0, (100 * (time - start)) / longest));
      const matched = share(run.pairMatched[one.pair]!) || 0;
      const isLost = Number.isNaN(one.delivered);
      const bar = isLost
        ? [h("span", { class: "lost" }, "✕ " + run.told.causes[run.pairCause[one.pair]!])]
        : [
            h("span", { class: "until", style: `left:0;width:${matched}%` }),
            h("span", { class: "after", style: `left:${matched}%;width:${Math.max(0.6, share(one.delivered) - matched)}%` }),
          ];
      return h("tr", {}, h("th", {}, this.nodeLink(one.subscriber, run)), h("td", {}, h("div", { class: "gantt" }, ...bar)), h("td", {}, isLost ? "" : wait(one.delivered - start)));
    });
    return h(
      "div",
      {},
      h("table", { class: "ganttTable" }, h("tbody", {}, ...lines)),
      h("p", { class: "hint" }, "From publication: grey until a broker matched it for the subscriber, blue until it came."),
    );
  }

  private journey(run: Run, event: number, journey: Journey): HTMLElement {
    const isLost = Number.isNaN(journey.delivered);
    const head = isLost ? `Subscriber ${run.name(journey.subscriber)}: never` : `Subscriber ${run.name(journey.subscriber)}: ${wait(journey.delivered - run.eventTime[event]!)}, ${hops(run.pairHops[journey.pair]!)}`;
    const steps: Child[] = [];
    if (!run.pairWanted[journey.pair]) steps.push(h("li", { class: "note" }, "it did not want the event when that was published"));
    const matched = run.pairMatched[journey.pair]!;
    for (const hop of journey.hops) {
      const kind = run.told.kinds[run.frameKind[hop.frame]!]!;
      const waited = run.frameTime[hop.frame]! - hop.had;
      const tries = hop.attempts > 1 ? `, attempt ${hop.attempts}` : "";
      steps.push(
        h(
          "li",
          {},
          this.nodeLink(hop.from, run),
          " → ",
          this.nodeLink(hop.to, run),
          ` ${kind} `,
          this.frameLink(run, hop.frame),
          h("span", { class: waited > 0.5 ? "waited long" : "waited" }, ` after ${wait(waited)}${tries}`),
        ),
      );
    }
    if (!Number.isNaN(matched)) {
      steps.push(h("li", { class: "note" }, "matched by ", this.nodeLink(run.pairMatcher[journey.pair]!, run), " at ", this.timeLink(matched)));
    }
    if (isLost) steps.push(...this.missing(run, event, journey));
    else steps.push(h("li", { class: "note" }, "delivered at ", this.timeLink(journey.delivered), run.pairFrom[journey.pair]! >= 0 ? ` from ${run.name(run.pairFrom[journey.pair]!)}` : ""));
    if (!journey.isWhole && !isLost) {
      steps.push(h("li", { class: "note" }, run.hasCarried ? "a part of the way is not known" : "what frames carried is not known of this run"));
    }
    return h("details", { open: isLost }, h("summary", {}, head), h("ol", { class: "journey" }, ...steps));
  }

  /** What is known of a copy that never came. */
  private missing(run: Run, event: number, journey: Journey): Child[] {
    const cause = run.told.causes[run.pairCause[journey.pair]!]!;
    const reachable = run.pairReachable[journey.pair]!;
    const lines: Child[] = [h("li", { class: "lost" }, `${cause}: ${causeInWords(cause)}`)];
    if (run.hasReachable) {
      lines.push(
        Number.isNaN(reachable)
          ? h("li", { class: "note" }, "no protocol could have brought it: there never was a way")
          : h("li", { class: "note" }, "a way over links in reach was there by ", this.timeLink(reachable)),
      );
    }
    const holders = [...new Set(arrivalsOf(run, event).map((arrival) => arrival.to))];
    if (holders.length) lines.push(h("li", { class: "note" }, "had it: ", ...holders.flatMap((node) => [this.nodeLink(node, run), " "])));
    return lines;
  }

  // ---- run ----

  /** Commands, and the messages that follow from each; a click leads there. */
  private transcript(run: Run, index: number): Child[] {
    const commands = run.told.commands!.map(([step, text]) => ({ step, frame: -1, text }));
    const messages = run.told.texts!.map((text, frame) => ({ step: run.frameTime[frame]!, frame, text }));
    const lines = [...commands, ...messages].sort((one, other) => one.step - other.step || one.frame - other.frame);
    const shown = lines.map(({ step, frame, text }) =>
      h(
        "li",
        { class: frame < 0 ? "command" : "message" },
        h("button", { class: "link", click: () => this.actions.seek(step, index, frame) }, text.split("\n")[0]!),
      ),
    );
    return [h("ol", { class: "transcript" }, ...shown)];
  }

  private about(): HTMLElement[] {
    return this.perRun((run, i) => {
      if (run.isLaboratory) return this.transcript(run, i);
      const metrics = Object.entries(run.told.metrics ?? {}).map(([name, value]): [string, Child] => [
        name,
        value === null ? "–" : Number.isInteger(value) ? String(value) : value.toPrecision(4),
      ]);
      const counts: [string, Child][] = [
        ["nodes", String(run.nodes)],
        ["duration", `${Number(run.told.duration.toFixed(6))} s`],
      ];
      if (!run.told.live) counts.push([run.isWired ? "messages" : "frames", String(run.frameTime.length)]);
      if (!run.told.live && !run.isWired) counts.push(["events", String(run.eventTime.length)]);
      return [
        rows([...counts, ...metrics]),
        h("h4", {}, "What this page cannot tell"),
        h("ul", {}, ...run.told.untold.map((text) => h("li", {}, text))),
      ];
    });
  }
}
