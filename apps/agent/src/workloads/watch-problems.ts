import type { Logger } from "@bowline/core";

import type { WatchProblem } from "../observe/kind-watch.ts";
import { kindKey } from "../observe/kube-message.ts";
import type { ObservationSink } from "./observation-sink.ts";
import type { WatchedWorkload } from "./watched-workload.ts";

/** Tells of kinds that cannot be watched: once in the log, and once to each Workload that has objects of them. */
export class WatchProblems {
  readonly #sink: ObservationSink;
  readonly #logger: Logger;
  readonly #logged = new Map<string, string>();
  #told = new Set<string>();

  constructor(sink: ObservationSink, logger: Logger) {
    this.#sink = sink;
    this.#logger = logger;
  }

  tell(problems: ReadonlyMap<string, WatchProblem>, workloads: readonly WatchedWorkload[]): void {
    this.#log(problems);
    const told = new Set<string>();
    if (problems.size > 0) {
      for (const workload of workloads) this.#tellOne(workload, problems, told);
    }
    this.#told = told;
  }

  #tellOne(workload: WatchedWorkload, problems: ReadonlyMap<string, WatchProblem>, told: Set<string>): void {
    for (const kind of new Set(workload.resources.map((resource) => kindKey(resource.kind)))) {
      const problem = problems.get(kind);
      if (problem === undefined) continue;
      const key = `${workload.uid} ${kind} ${problem.reason}`;
      if (this.#told.has(key) || this.#sink.problem(workload, kind, problem)) told.add(key);
    }
  }

  #log(problems: ReadonlyMap<string, WatchProblem>): void {
    for (const [kind, { reason, message }] of problems) {
      if (this.#logged.get(kind) === reason) continue;
      this.#logged.set(kind, reason);
      this.#logger.warn({ kind, reason }, message);
    }
    for (const kind of this.#logged.keys()) if (!problems.has(kind)) this.#logged.delete(kind);
  }
}
