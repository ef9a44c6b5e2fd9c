import { formatAge, WorkloadInstance, type ApiObject, type EventRecord, type Kind } from "@bowline/api";

import { describeDeletion } from "../../resources/describe-deletion.ts";
import { formatLabels, paintStatus } from "../../resources/print-objects.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { TableWriter } from "../../output/table-writer.ts";
import { resourceName, type FoundObject } from "../../resources/resource.ts";
import type { Paint } from "../../command/terminal.ts";
import { EventTable } from "../../resources/event-table.ts";
import { renderTree } from "../../workloads/render-tree.ts";
import { describeFields, describeTime } from "./describe-fields.ts";
import type { RelatedObject, Related } from "./find-related.ts";

interface Options {
  readonly nowMs: number;
  readonly paint: Paint;
}

/** Everything about an object, for people. */
export function describeObject({ kind, object }: FoundObject, around: Related, options: Options): string {
  const { conditions, observedGeneration: _, ...status } = object.status;
  const schemas = kind.schemas.read.properties;
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
  return [
    ...describeMetadata(kind, object, options.nowMs),
    ...section("Spec", describeFields(object.spec, { schema: schemas?.["spec"], nowMs: options.nowMs })),
    ...section("Status", describeFields(status, { schema: schemas?.["status"], nowMs: options.nowMs })),
    ...section("Conditions", conditionLines(conditions, options)),
    ...section("Resources", around.tree === undefined ? [] : linesOf(renderTree(around.tree, options))),
    ...section(
      "Refers to",
      around.refersTo.map((related) => relatedLine(related, options.paint)),
    ),
    ...section("Referred to by", [
      ...around.referredBy.map((related) => relatedLine(related, options.paint)),
      ...around.hiddenKinds.map(({ plural }) => `(you may not list ${plural})`),
    ]),
    ...eventLines(around.events, { ...options, withoutObject: kind !== WorkloadInstance }),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

function describeMetadata(kind: Kind, object: ApiObject, nowMs: number): string[] {
  const { metadata, status } = object;
  const { generation, finalizers = [] } = metadata;
  const isReconciled = Object.keys(kind.conditions).length > 0;
  const observed = isReconciled
    ? `${generation} (${status.observedGeneration === generation ? "observed" : `observed: ${status.observedGeneration ?? "none"}`})`
    : String(generation);
  const pairs: [string, string][] = [
    ["Name", metadata.name],
    ["Kind", kind.kind],
    ["Labels", formatLabels(metadata.labels, ", ")],
    ["Annotations", formatLabels(metadata.annotations, ", ")],
    ["Created", describeTime(metadata.createdAt, nowMs)],
    ["Updated", describeTime(metadata.updatedAt, nowMs)],
    ...deletionPairs(object, nowMs),
    ...(finalizers.length === 0 ? [] : [["Finalizers", finalizers.join(", ")] satisfies [string, string]]),
    ["Generation", observed],
  ];
  return pairs.map(([title, text]) => `${`${title}:`.padEnd(14)}${printableLine(text)}`);
}

/** Those that have to go first are below, among all that refer to it. */
function deletionPairs(object: ApiObject, nowMs: number): [string, string][] {
  const { deletedAt } = object.metadata;
  if (deletedAt === undefined) return [];
  return [
    ["Deleted", describeTime(deletedAt, nowMs)],
    ["Deletion", describeDeletion(object, [])],
  ];
}

function conditionLines(conditions: ApiObject["status"]["conditions"], { nowMs, paint }: Options): string[] {
  if (conditions.length === 0) return [];
  const table = new TableWriter(["TYPE", "STATUS", "AGE", "REASON", "MESSAGE"], {
    style: (cell, column) => (column === 1 ? paintStatus(paint, cell) : cell),
  });
  const rows = conditions.map((condition) =>
    [
      condition.type,
      condition.status,
      formatAge(nowMs - Date.parse(condition.lastTransitionTime)),
      condition.reason,
      condition.message,
    ].map(printableLine),
  );
  return linesOf(table.rows(rows));
}

function relatedLine(related: RelatedObject, paint: Paint): string {
  const line = `${resourceName(related)} (${related.field.replaceAll("[]", "")})`;
  if (related.state === "missing") return `${line} ${paint("red", "missing")}`;
  return related.state === "hidden" ? `${line} (you may not see it)` : line;
}

function eventLines(
  events: readonly EventRecord[] | undefined,
  { nowMs, paint, withoutObject }: Options & { readonly withoutObject: boolean },
): string[] {
  if (events === undefined) return [];
  if (events.length === 0) return ["Events:       <none>"];
  const table = new EventTable({ wide: false, noHeaders: false, withoutObject, paint });
  return ["Events:", ...linesOf(table.rows(events, nowMs)).map((line) => `  ${line}`)];
}

function linesOf(text: string): string[] {
  return text.trimEnd().split("\n");
}
