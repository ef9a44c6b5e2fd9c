import { applyStages, stageOf, type GroupKind } from "@bowline/manifests";

import type { ObjectOrder } from "./order-annotations.ts";

/** An object that has a place in the order. */
export type OrderedObject = GroupKind & ObjectOrder;

/**
 * Objects that are applied together:
 *
 * - `foundation`: what others are made of or live in: definitions, namespaces, cluster roles, classes
 * - `pre`: hooks before the main objects
 * - `main`: all other objects
 * - `post`: hooks after them
 */
export interface Step<T> {
  readonly phase: "foundation" | "pre" | "main" | "post";
  /** The stage of foundations: definitions, namespaces and roles are one, classes another. */
  readonly stage: number;
  readonly wave: number;
  readonly items: readonly T[];
}

const mainStage = 2;

/** The order to apply in. Hooks for a deletion have no place in it. */
export function applySteps<T>(items: readonly T[], orderOf: (item: T) => OrderedObject): Step<T>[] {
  const hooks = Map.groupBy(items, (item) => orderOf(item).hook);
  const stages = applyStages(hooks.get(undefined) ?? [], orderOf);
  const objects = stages.flatMap((inStage) =>
    inWaves(inStage, orderOf).map(({ wave, items: [first, ...others] }) => {
      const stage = stageOf(orderOf(first));
      const phase = stage === mainStage ? ("main" as const) : ("foundation" as const);
      return { phase, stage, wave, items: [first, ...others] };
    }),
  );
  const hookSteps = (phase: "pre" | "post"): Step<T>[] =>
    inWaves(hooks.get(phase) ?? [], orderOf).map((group) => ({ ...group, phase, stage: mainStage }));
  return [
    ...objects.filter(({ phase }) => phase === "foundation"),
    ...hookSteps("pre"),
    ...objects.filter(({ phase }) => phase === "main"),
    ...hookSteps("post"),
  ];
}

interface Wave<T> {
  readonly wave: number;
  readonly items: readonly [T, ...T[]];
}

/** Within a wave the order stays. */
export function inWaves<T>(items: readonly T[], orderOf: (item: T) => Pick<ObjectOrder, "wave">): Wave<T>[] {
  const waves = Map.groupBy(items, (item) => orderOf(item).wave);
  return [...waves]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([wave, [first, ...others]]) =>
      first === undefined ? [] : [{ wave, items: [first, ...others] as const }],
    );
}

/** What a step waits for: hooks that have to succeed, objects that have to be healthy, and some that need only be there. */
export interface Awaited<T> {
  readonly hooks: readonly T[];
  readonly healthy: readonly T[];
  readonly applied: readonly T[];
}

/** Everything that has to be so before anything new of a step is sent. */
export function awaitedBy<T>(step: Step<T>, steps: readonly Step<T>[]): Awaited<T> {
  const before = steps.slice(0, steps.indexOf(step));
  const itemsOf = (...phases: readonly Step<T>["phase"][]): T[] =>
    before.filter(({ phase }) => phases.includes(phase)).flatMap(({ items }) => items);
  const isSame = ({ phase, stage }: Step<T>): boolean => phase === step.phase && stage === step.stage;
  const lowerWaves = before.filter(isSame).flatMap(({ items }) => items);
  const awaited: Readonly<Record<Step<T>["phase"], Awaited<T>>> = {
    foundation: { hooks: [], healthy: lowerWaves, applied: [] },
    pre: { hooks: lowerWaves, healthy: [], applied: itemsOf("foundation") },
    main: { hooks: itemsOf("pre"), healthy: lowerWaves, applied: [] },
    post: { hooks: itemsOf("pre", "post"), healthy: itemsOf("foundation", "main"), applied: [] },
  };
  return awaited[step.phase];
}
