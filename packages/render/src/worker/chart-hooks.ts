import { asRecord } from "@bowline/core";
import { objectLabel, type ManifestObject } from "@bowline/manifests";

import type { FoundObject, RenderProblem } from "./read-manifests.ts";

const hookAnnotation = "helm.sh/hook";
const weightAnnotation = "helm.sh/hook-weight";

/** Hooks that are objects like all others once Helm is gone. */
const plainHooks = new Set(["crd-install"]);
/** Hooks that nothing runs unless somebody asks for it, so that it changes nothing to leave them out. */
const testHooks = new Set(["test", "test-success", "test-failure"]);

/** Hooks that Bowline runs at the same moments as Helm would: all the words of a hook, sorted. */
const phases: ReadonlyMap<string, string> = new Map([
  ["pre-install,pre-upgrade", "pre"],
  ["post-install,post-upgrade", "post"],
  ["pre-delete", "delete"],
]);

export interface TranslatedHooks {
  readonly objects: readonly FoundObject[];
  /** What was left out or is run by Bowline, and why. */
  readonly notes: readonly string[];
  /** Hooks that would have to run at other moments: nobody would run them. */
  readonly problems: readonly RenderProblem[];
}

/**
 * Makes hooks of Bowline of the hooks of a chart, as far as they run at the same moments; every hook is named. Only some
 * of the words, such as `pre-install` alone, would be another moment: Bowline runs a hook for each revision.
 */
export function translateHooks(all: readonly FoundObject[]): TranslatedHooks {
  const objects: FoundObject[] = [];
  const notes: string[] = [];
  const problems: RenderProblem[] = [];
  const waves = wavesOf(all.map(({ object }) => object).filter((object) => phaseOf(object) !== undefined));
  for (const found of all) {
    const { object } = found;
    const hooks = hooksOf(object);
    const phase = phaseOf(object);
    if (hooks.every((hook) => plainHooks.has(hook))) objects.push(found);
    else if (hooks.every((hook) => testHooks.has(hook))) {
      notes.push(`${objectLabel(object)} is left out: it is a test of the chart, for helm test.`);
    } else if (phase !== undefined) {
      const wave = waves.get(object) ?? 0;
      objects.push({ ...found, object: asHook(object, phase, wave) });
      notes.push(
        `${objectLabel(object)} is run as a hook, bowline.dev/hook: ${phase}, once for each revision.`,
      );
    } else {
      problems.push({
        object: objectLabel(object),
        message: `this is a hook of Helm (${hooks.join(", ")}), which nothing here would run; switch it off by a value, or deploy what it does as an object of its own`,
      });
    }
  }
  return { objects, notes, problems };
}

/** Undefined where Bowline would not run it, or not at the same moments. */
function phaseOf(object: ManifestObject): string | undefined {
  const { apiVersion, kind } = object;
  const isRun =
    (kind === "Job" && apiVersion.startsWith("batch/")) || (kind === "Pod" && apiVersion === "v1");
  const words = [...new Set(hooksOf(object))].toSorted().join(",");
  return isRun && weightOf(object) !== undefined ? phases.get(words) : undefined;
}

/** Helm takes anything else for 0 without a word. */
function weightOf({ metadata }: ManifestObject): number | undefined {
  const weight = asRecord(metadata["annotations"])[weightAnnotation] ?? "0";
  return typeof weight === "string" && /^-?\d{1,9}$/u.test(weight) ? Number(weight) : undefined;
}

/** Helm runs hooks one by one, by weight, kind and name; so each has a wave of its own. */
function wavesOf(hooks: readonly ManifestObject[]): ReadonlyMap<ManifestObject, number> {
  const orderOf = ({ kind, metadata: { name } }: ManifestObject): string => `${kind} ${name}`;
  const ordered = hooks.toSorted(
    (a, b) => (weightOf(a) ?? 0) - (weightOf(b) ?? 0) || (orderOf(a) < orderOf(b) ? -1 : 1),
  );
  return new Map(ordered.map((hook, index) => [hook, index]));
}

function asHook(object: ManifestObject, phase: string, wave: number): ManifestObject {
  const given = Object.entries(asRecord(object.metadata["annotations"]));
  const kept = given.filter(([name]) => !name.startsWith(hookAnnotation));
  const annotations = {
    ...Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    "bowline.dev/hook": phase,
    "bowline.dev/wave": `${wave}`,
  };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function hooksOf({ metadata }: ManifestObject): string[] {
  const annotation = asRecord(metadata["annotations"])[hookAnnotation];
  if (typeof annotation !== "string") return [];
  return annotation
    .split(",")
    .map((hook) => hook.trim())
    .filter((hook) => hook !== "");
}
