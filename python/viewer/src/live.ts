// A run that is going on: its server (views/viewer/live.py) is asked for what is new.

import { decode } from "./decode";
import { Run } from "./run";

/** Between questions, ms. */
const INTERVAL = 250;

/** Shows the run whenever there is more of it, until it is over or its server is gone. */
export async function follow(show: (run: Run) => void): Promise<void> {
  const page = Math.random(); // its server tells pages apart by it
  for (let looks = 0; ; ) {
    const answer = await fetch(`run?after=${looks}&page=${page}`).catch(() => null);
    if (!answer?.ok) return;
    if (answer.status === 200) {
      const run = new Run(await decode(await answer.arrayBuffer()));
      looks = run.told.live!.looks;
      show(run);
      if (run.until === run.told.duration) return;
    }
    await new Promise((resolve) => setTimeout(resolve, INTERVAL));
  }
}
