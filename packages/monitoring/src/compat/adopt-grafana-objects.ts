import { grafanaGroup, groupOf, refOf, type KubeObject, type ObjectRef } from "../model/kube-object.ts";
import { adoptGrafanaAgent, adoptMetricsInstance, type Adopted } from "./grafana-agent.ts";
import type { UnusedField } from "./translate-fields.ts";

export interface AdoptedObjects {
  /** GrafanaAgents as MetricsAgents. */
  readonly roots: readonly KubeObject[];
  /** Objects that those may select: their own kind of MetricsInstances, none of ours, and everything else that was given. */
  readonly objects: readonly KubeObject[];
  /** Of each object that has such fields, as it was given. */
  readonly unusedFields: readonly {
    readonly object: ObjectRef;
    readonly fields: readonly UnusedField[];
  }[];
}

/** Reads the objects of the Grafana Agent Operator among others as if they were ours. */
export function adoptGrafanaObjects(given: readonly KubeObject[]): AdoptedObjects {
  const theirs = given.filter(isGrafanaObject);
  const read = theirs.map((object): { object: ObjectRef; adopted: Adopted | undefined } => ({
    object: refOf(object),
    adopted: adopters.get(object.kind)?.(object),
  }));
  const adopted = read.flatMap((each) => each.adopted?.object ?? []);
  return {
    roots: adopted.filter(({ kind }) => kind === "MetricsAgent"),
    objects: [
      ...given.filter((object) => !isGrafanaObject(object) && !ownKinds.has(object.kind)),
      ...adopted.filter(({ kind }) => kind === "MetricsInstance"),
    ],
    unusedFields: read
      .map((each) => ({ object: each.object, fields: each.adopted?.unusedFields ?? wholeObject }))
      .filter(({ fields }) => fields.length > 0),
  };
}

const adopters: ReadonlyMap<string, (object: KubeObject) => Adopted> = new Map([
  ["GrafanaAgent", adoptGrafanaAgent],
  ["MetricsInstance", adoptMetricsInstance],
]);

const ownKinds: ReadonlySet<string> = new Set(["MetricsAgent", "MetricsInstance"]);

/** LogsInstance, PodLogs and Integration. */
const wholeObject: readonly UnusedField[] = [{ path: "spec", reason: "Only metrics are collected here." }];

export function isGrafanaObject(object: KubeObject): boolean {
  return groupOf(object) === grafanaGroup;
}
