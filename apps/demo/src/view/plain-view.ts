import type { Board, DemoState } from "../live/demo-state.ts";
import { introductionLines, type Guide } from "./demo-lines.ts";
import { paintLine } from "./line.ts";
import { requestLine } from "./state-lines.ts";

interface PlainViewOptions {
  readonly board: Board;
  readonly guide: () => Guide;
  readonly write: (text: string) => void;
}

/** Tells in lines what changes, for where there is no terminal to draw on. */
export class PlainView implements Disposable {
  readonly #options: PlainViewOptions;
  readonly #unsubscribe: () => void;
  #before: DemoState;

  constructor(options: PlainViewOptions) {
    this.#options = options;
    this.#before = options.board.state;
    this.#tell([`Bowline demo: starting ${this.#before.server} and two simulated clusters.`]);
    this.#unsubscribe = options.board.subscribe((state) => this.#changed(state));
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
  }

  #changed(state: DemoState): void {
    const before = this.#before;
    this.#before = state;
    this.#tell(clusterChanges(before, state));
    if (state.isReady && !before.isReady) this.#tell(introductionLines(state, this.#options.guide()));
    this.#tell(newRequests(before, state));
  }

  #tell(lines: readonly string[]): void {
    if (lines.length > 0) this.#options.write(`${lines.join("\n")}\n`);
  }
}

/** A line for each cluster whose phase is another one now. */
function clusterChanges(before: DemoState, after: DemoState): string[] {
  const phases = new Map(before.clusters.map(({ name, phase }) => [name, phase]));
  return after.clusters
    .filter(({ name, phase }) => phases.get(name) !== phase)
    .map(({ name, phase, kubernetesVersion = "", place }) =>
      phase === "connected"
        ? `${name} is connected: Kubernetes ${kubernetesVersion}, its agent runs in ${place}`
        : `${name} is ${phase}`,
    );
}

/** The requests that came in between, the oldest first, as lines are read. */
function newRequests(before: DemoState, after: DemoState): string[] {
  const last = before.requests[0]?.id;
  const index = after.requests.findIndex(({ id }) => id === last);
  return after.requests
    .slice(0, index === -1 ? undefined : index)
    .toReversed()
    .map((request) => paintLine(requestLine(request), Number.POSITIVE_INFINITY, (_, text) => text));
}
