import type { GraphAnswer } from "@bowline/api";

type Frame = Omit<GraphAnswer, "data">;
type NotObserved = Frame["notObserved"][number];

/** Why, in a few words. */
const reasons: Readonly<Record<NotObserved["state"], string>> = {
  FORBIDDEN: "the agent may not read them",
  FAILING: "reading them fails",
  UNKNOWN: "the agent has not told of them",
};

/** A line about what an answer may lack. */
export interface CoverageLine {
  readonly what: string;
  readonly why: string;
  readonly since: string;
}

const kindsTold = 8;

/** What was not observed: kinds of a cluster and namespace for the same reason are one line. */
export function coverageLines(gaps: readonly NotObserved[]): CoverageLine[] {
  const groups = Map.groupBy(gaps, ({ cluster, namespace, state }) => `${cluster} ${namespace} ${state}`);
  return [...groups.values()].flatMap((group): CoverageLine[] => {
    const [first] = group;
    if (first === undefined) return [];
    const kinds = [...new Set(group.map(({ kind }) => kind))];
    const more = kinds.length > kindsTold ? ` and ${kinds.length - kindsTold} more kinds` : "";
    const place = first.namespace === "" ? first.cluster : `${first.cluster}/${first.namespace}`;
    return [
      {
        what: `${place}: ${kinds.slice(0, kindsTold).join(", ")}${more}`,
        why: reasons[first.state],
        since: group.map(({ since }) => since).toSorted()[0] ?? first.since,
      },
    ];
  });
}

/** An answer that is younger is about now. */
const freshMs = 10_000;

/** Short sentences about an answer: of where and when it is, and how much of it is missing. */
export function coverageNotes(frame: Frame): string[] {
  const { clusters, withheldClusters, withheld, truncated, ageMs } = frame;
  const count = (number: number, one: string): string =>
    `${number.toLocaleString("en")} ${one}${number === 1 ? "" : "s"}`;
  const hidden = [
    ...(withheld > 0 ? [count(withheld, "thing")] : []),
    ...(withheldClusters > 0 ? [count(withheldClusters, "cluster")] : []),
  ];
  return [
    clusters.length === 0 ? "No cluster was asked" : `${count(clusters.length, "cluster")} asked`,
    ...(hidden.length > 0 ? [`withheld: ${hidden.join(" and ")} that your AccessGrants do not cover`] : []),
    ...(truncated ? ["there is more than is shown"] : []),
    ...(ageMs > freshMs ? [`compared with the database ${Math.round(ageMs / 1_000)} s ago`] : []),
  ];
}
