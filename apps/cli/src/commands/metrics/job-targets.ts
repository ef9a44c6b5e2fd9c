import { factKinds, factsOfObjects, TargetCounter, type Job, type KubeObject } from "@bowline/monitoring";

/** What a job finds among the objects in the files. */
export interface JobTargets {
  readonly job: string;
  readonly targets: number;
  /** Why there are none. */
  readonly message?: string;
}

/** Of each job for which the files say enough: without any Service among them, nobody knows what there is. */
export function jobTargets(objects: readonly KubeObject[]): (jobs: readonly Job[]) => JobTargets[] {
  const { facts, kinds } = factsOfObjects(objects);
  const counter = new TargetCounter(facts);
  return (jobs) =>
    jobs.flatMap(({ name: job, targets: query }) => {
      const needed = factKinds(query);
      if (needed.length === 0 || needed.some((kind) => !kinds.has(kind))) return [];
      const targets = counter.count(query) ?? 0;
      return [{ job, targets, ...(targets === 0 ? { message: counter.whyNone(query) } : {}) }];
    });
}
