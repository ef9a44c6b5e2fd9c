import { BowlineError } from "@bowline/core";
import {
  adoptGrafanaObjects,
  formatRef,
  isGrafanaObject,
  isRoot,
  refOf,
  type UnusedField,
  type KubeObject,
  type ObjectRef,
} from "@bowline/monitoring";

import type { MetricsOptions } from "./metrics-options.ts";

/** Something that a configuration is made for, and what it may select from. */
interface ChosenRoot {
  /** The object as it stands in the files. */
  readonly ref: ObjectRef;
  readonly root: KubeObject;
  readonly objects: readonly KubeObject[];
}

interface ChosenRoots {
  readonly roots: readonly ChosenRoot[];
  /** Of objects of another operator. */
  readonly withoutMeaning: readonly {
    readonly object: ObjectRef;
    readonly fields: readonly UnusedField[];
  }[];
}

/** The roots among the objects, by name, or the one that was asked for. */
export function chooseRoots(
  objects: readonly KubeObject[],
  { root: asked, compat }: Pick<MetricsOptions, "root" | "compat">,
): ChosenRoots {
  const own = objects.filter(isRoot).map((root): ChosenRoot => ({ ref: refOf(root), root, objects }));
  const adopted = compat === "grafana-agent" ? adoptGrafanaObjects(objects) : undefined;
  const others = (adopted?.roots ?? []).map((root): ChosenRoot => ({
    ref: { ...refOf(root), kind: "GrafanaAgent" },
    root,
    objects: adopted?.objects ?? [],
  }));
  const all = [...own, ...others].toSorted((a, b) => (formatRef(a.ref) < formatRef(b.ref) ? -1 : 1));
  refuseDoubles(all);
  const roots = asked === undefined ? all : all.filter(({ ref }) => isAskedFor(ref, asked));
  if (roots.length === 0) throw nothingFound(objects, all, asked);
  return { roots, withoutMeaning: adopted?.unusedFields ?? [] };
}

function isAskedFor({ kind, namespace, name }: ObjectRef, asked: string): boolean {
  return (
    `${kind.toLowerCase()}/${namespace}/${name}` === asked.replace(/^[^/]*/u, (text) => text.toLowerCase())
  );
}

/** The root that counts would depend on their order, and their author has forgotten one of them. */
function refuseDoubles(roots: readonly ChosenRoot[]): void {
  const names = new Set<string>();
  for (const { ref } of roots) {
    const name = formatRef(ref);
    if (names.has(name)) {
      throw new BowlineError("Invalid", `${name} is there twice; leave one of the two out.`);
    }
    names.add(name);
  }
}

function nothingFound(
  objects: readonly KubeObject[],
  roots: readonly ChosenRoot[],
  asked: string | undefined,
): BowlineError {
  if (asked !== undefined && roots.length > 0) {
    const names = roots.map(({ ref: { kind, namespace, name } }) => `${kind}/${namespace}/${name}`);
    return new BowlineError(
      "InvalidArgument",
      `There is no ${asked} among the objects; there are ${names.join(", ")}.`,
    );
  }
  const hint = objects.some(isGrafanaObject)
    ? "; for a GrafanaAgent, add --compat grafana-agent"
    : "; add one to the files";
  return new BowlineError(
    "InvalidArgument",
    `There is no MetricsAgent, Prometheus or PrometheusAgent among the objects${hint}.`,
  );
}
