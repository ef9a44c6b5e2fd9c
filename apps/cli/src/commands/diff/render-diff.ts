import type { ObjectDiff, WorkloadDiff } from "@bowline/api";
import { asRecord } from "@bowline/core";

import type { Paint } from "../../command/terminal.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { toYaml } from "../../output/to-yaml.ts";
import { inKeyOrder, unifiedDiff } from "./unified-diff.ts";
import { resourceLabel } from "../../workloads/rollout.ts";

const changes = ["created", "changed", "deleted", "kept", "refused"] as const;

/** Whether anything would be made, changed, deleted or refused; what is only kept stays as it is. */
export function isDifferent({ objects }: WorkloadDiff): boolean {
  return objects.some(({ change }) => change !== "kept");
}

export interface RenderedDiff {
  /** `1 created, 2 changed`. */
  readonly heading: string;
  /** Empty when nothing would change. The same for clusters in which the same would happen. */
  readonly body: string;
}

/** What would become of a workload in a cluster, for people, and for programs that read patches. */
export function renderDiff(diff: WorkloadDiff, paint: Paint): RenderedDiff {
  const { objects, objectCount, held, instance } = diff;
  const counts = changes.flatMap((change) => {
    const count = objects.filter((object) => object.change === change).length;
    return count === 0 ? [] : [`${count} ${change}`];
  });
  const heading = counts.join(", ");
  if (!isDifferent(diff)) return { heading, body: "" };
  const more = objectCount - objects.length;
  const notes = [
    ...(held === undefined
      ? []
      : [
          `${held.count} of ${held.total} resources would be deleted, and ${held.limit} is the limit; that would wait for bowline approve wi/${instance}.`,
        ]),
    ...(more > 0 ? [`${more} more ${more === 1 ? "resource is" : "resources are"} not shown.`] : []),
  ];
  const body = [
    ...objects.map((object) => renderObject(object, paint)),
    ...notes.map((note) => `${paint("yellow", note)}\n`),
  ];
  return { heading, body: body.join("") };
}

function renderObject(object: ObjectDiff, paint: Paint): string {
  const { change, reason, message = "", before, after } = object;
  const label = printableLine(resourceLabel(object));
  if (before === undefined && after === undefined) {
    const why = printableLine([reason, message].filter((part) => part !== undefined).join(": "));
    return `${paint(change === "refused" ? "red" : "yellow", `${label} ${words[change]}. ${why}`)}\n`;
  }
  const names = {
    before: change === "created" ? `${label} (missing)` : label,
    after: change === "deleted" ? `${label} (deleted)` : label,
  };
  return unifiedDiff(yamlOf(before), yamlOf(after), names, paint);
}

const words = {
  created: "would be created",
  changed: "would be changed",
  deleted: "would be deleted",
  kept: "stays",
  refused: "would be refused",
} as const;

/** As Kubernetes writes it, with the keys in one order. */
function yamlOf(object: unknown): string {
  if (object === undefined) return "";
  const { apiVersion, kind, metadata, ...rest } = asRecord(object);
  return toYaml({ apiVersion, kind, metadata: inKeyOrder(metadata), ...asRecord(inKeyOrder(rest)) });
}
