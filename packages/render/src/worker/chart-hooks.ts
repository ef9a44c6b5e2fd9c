import { asRecord } from "@bowline/core";
import { objectLabel, type ManifestObject } from "@bowline/manifests";

import type { FoundObject, RenderProblem } from "./read-manifests.ts";

const hookAnnotation = "helm.sh/hook";

/** Hooks that are objects like all others once Helm is gone. */
const plainHooks = new Set(["crd-install"]);
/** Hooks that nothing runs unless somebody asks for it, so that it changes nothing to leave them out. */
const testHooks = new Set(["test", "test-success", "test-failure"]);

export interface WithoutHooks {
  readonly objects: readonly FoundObject[];
  /** What was left out, and why. */
  readonly notes: readonly string[];
  /** Hooks that would have to run before or after: nobody would run them. */
  readonly problems: readonly RenderProblem[];
}

/** Takes the hooks of a chart out of its objects; every one of them is named. */
export function withoutHooks(all: readonly FoundObject[]): WithoutHooks {
  const objects: FoundObject[] = [];
  const notes: string[] = [];
  const problems: RenderProblem[] = [];
  for (const found of all) {
    const { object } = found;
    const hooks = hooksOf(object);
    if (hooks.every((hook) => plainHooks.has(hook))) objects.push(found);
    else if (hooks.every((hook) => testHooks.has(hook))) {
      notes.push(`${objectLabel(object)} is left out: it is a test of the chart, for helm test.`);
    } else {
      problems.push({
        object: objectLabel(object),
        message: `this is a hook of Helm (${hooks.join(", ")}), which nothing here would run; switch it off by a value, or deploy what it does as an object of its own`,
      });
    }
  }
  return { objects, notes, problems };
}

function hooksOf({ metadata }: ManifestObject): string[] {
  const annotation = asRecord(metadata["annotations"])[hookAnnotation];
  if (typeof annotation !== "string") return [];
  return annotation
    .split(",")
    .map((hook) => hook.trim())
    .filter((hook) => hook !== "");
}
