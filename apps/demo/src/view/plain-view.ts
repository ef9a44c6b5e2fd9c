import type { Board, DemoState, ShownEvent, WorkloadState } from "../live/demo-state.ts";
import { introductionLines } from "./demo-lines.ts";
import type { Guide } from "./guide-lines.ts";
import { paintLine, type Line } from "./line.ts";
import { requestLine } from "./state-lines.ts";
import { eventLine, workloadText } from "./workload-lines.ts";

interface PlainViewOptions {
  readonly board: Board;
  readonly guide: () => Guide;
  readonly write: (text: string) => void;
}

/** Tells in lines what changes, for where there is no terminal to draw on. */
export class PlainView implements Disposable {
  readonly #options: PlainViewOptions;
  readonly #unsubscribe: () => void;
  readonly #events = new ToldEvents();
  readonly #workloads = new ToldWorkloads();
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
    const { consoleLink } = state;
    if (consoleLink !== undefined && before.consoleLink === undefined) {
      this.#tell([`Open the console, signed in: ${consoleLink}`]);
    }
    this.#tell(clusterChanges(before, state));
    if (state.isReady && !before.isReady) this.#tell(introductionLines(state, this.#options.guide()));
    if (before.workloads !== state.workloads) this.#tell(this.#workloads.news(state.workloads));
    this.#tell(this.#events.news(state.events).map((event) => textOf(eventLine(event))));
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
    .map((request) => textOf(requestLine(request)));
}

function textOf(line: Line): string {
  return paintLine(line, Number.POSITIVE_INFINITY, (_, text) => text);
}

/** Tells each workload that does otherwise in a cluster than before, or for a reason that it did not have since then. */
class ToldWorkloads {
  #told: ReadonlyMap<string, ToldWorkload> = new Map();

  news(workloads: readonly WorkloadState[]): string[] {
    const before = this.#told;
    const lines: string[] = [];
    this.#told = new Map(
      workloads.map((workload) => {
        const was = before.get(workload.id);
        const isSame = was?.workload.health === workload.health;
        if (isSame && was.reasons.includes(workload.reason)) return [workload.id, { ...was, workload }];
        lines.push(workloadText(workload));
        const reasons = [workload.reason, ...(isSame ? was.reasons : [])].slice(0, keptReasons);
        return [workload.id, { workload, reasons }];
      }),
    );
    const gone = [...before].filter(([id]) => !this.#told.has(id));
    return [
      ...lines,
      ...gone.map(([, { workload }]) => `${workload.instance} is no longer in ${workload.cluster}`),
    ];
  }
}

interface ToldWorkload {
  readonly workload: WorkloadState;
  /** Since its health was another. Images that cannot be pulled go back and forth between two. */
  readonly reasons: readonly string[];
}

const keptReasons = 5;

/** So many times as often as when it was last told, an event is told again. */
const growth = { warning: 2, normal: 10 } as const;

/** Tells what happens again less and less often: of warnings the first, the second, the fourth time and so on. */
class ToldEvents {
  #counts: ReadonlyMap<string, number> = new Map();

  /** The oldest first, as lines are read. */
  news(events: readonly ShownEvent[]): ShownEvent[] {
    const isNews = ({ key, count, isWarning }: ShownEvent): boolean =>
      count >= growth[isWarning ? "warning" : "normal"] * (this.#counts.get(key) ?? 0);
    const news = events.filter(isNews);
    if (news.length === 0) return [];
    // No more are remembered than the state has.
    this.#counts = new Map(
      events.map((event) => [event.key, isNews(event) ? event.count : (this.#counts.get(event.key) ?? 0)]),
    );
    return news.toReversed();
  }
}
