import { canonicalJson } from "@bowline/core";
import { decodeFacts, factsDigest, nodeKind } from "@bowline/graph";
import {
  CoverageState,
  type ObservedCoverage,
  type ObservedFacts,
  type ObservedView,
  type ReportItem,
} from "@bowline/protocol";
import type { Coverage, GraphItem } from "@bowline/store";

import { hasPlainNames, isUid, timeOf } from "./item-fields.ts";
import { isPlain, plainText } from "./plain-text.ts";
import type { Refusal } from "./refusals.ts";

/** The facts of a pod have one or two kilobytes; those of an object that is made to hurt are cut by its agent. */
const maxFactsBytes = 768 * 1024;
const digestBytes = 8;
const maxMessageLength = 500;
const maxViewNameLength = 63;
/** Agents count pods by namespace and phase, of 2,000 namespaces and, without a name, of the others together. */
const maxViewNumbers = 12_000;
const maxNumberNameLength = 253;

type GraphPart = GraphItem extends infer Item
  ? Item extends GraphItem
    ? Omit<Item, "index">
    : never
  : never;

/** The item as it is stored, or why it is not. Everything that a cluster says is bounded here. */
export function readGraphItem({ item }: ReportItem, index: number, nowMs: number): GraphItem | Refusal {
  const read = readPart(item, nowMs);
  return typeof read === "string" ? read : { index, ...read };
}

function readPart(item: ReportItem["item"], nowMs: number): GraphPart | Refusal {
  if (item.case === "facts") return readFacts(item.value, nowMs);
  if (item.case === "coverage") return readCoverage(item.value, nowMs);
  if (item.case === "view") return readView(item.value);
  if (item.case !== "gone") return "unsupported";
  const uid = item.value.ref?.uid ?? "";
  return isUid(uid) ? { type: "gone", uid } : "missing-uid";
}

function readFacts(observed: ObservedFacts, nowMs: number): GraphPart | Refusal {
  const { uid, group, kind, namespace, name } = observed;
  if (!isUid(uid)) return "missing-uid";
  if (name === "" || !hasPlainNames({ group, kind, namespace, name })) return "invalid-name";
  if (observed.facts.length > maxFactsBytes) return "too-large";
  const facts = textOf(observed.facts);
  const node = { kind: nodeKind(group, kind), namespace, name };
  if (facts === undefined || decodeFacts(facts, { node, uid }) === undefined) return "invalid-facts";
  // Agents are told the digest again, and take it for that of the facts: one that is not would hide a change for ever.
  const digest = Buffer.from(observed.digest);
  if (digest.length !== digestBytes || !digest.equals(factsDigest(facts))) return "invalid-digest";
  const object = { uid, group, kind, namespace, name, digest: digest.toString("hex"), facts };
  return { type: "facts", object, observedAtMs: Math.min(timeOf(observed.observedAt) ?? nowMs, nowMs) };
}

/** Undefined for bytes that are no UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const states: ReadonlyMap<CoverageState, Coverage["state"]> = new Map([
  [CoverageState.OBSERVED, "observed"],
  [CoverageState.FORBIDDEN, "forbidden"],
  [CoverageState.ABSENT, "absent"],
  [CoverageState.FAILING, "failing"],
]);

function readCoverage(observed: ObservedCoverage, nowMs: number): GraphPart | Refusal {
  const { group, kind, namespace } = observed;
  const state = states.get(observed.state);
  if (state === undefined) return "unsupported";
  if (!hasPlainNames({ group, kind, namespace, name: "" })) return "invalid-name";
  const message = plainText(observed.message, maxMessageLength);
  const sinceMs = Math.min(timeOf(observed.since) ?? nowMs, nowMs);
  return { type: "coverage", coverage: { group, kind, namespace, state, message, sinceMs } };
}

function readView({ name, numbers }: ObservedView): GraphPart | Refusal {
  const entries = Object.entries(numbers);
  const isLine = (text: string, longest: number): boolean => text.length <= longest && isPlain(text);
  const isNumber = (value: bigint): boolean => Number.isSafeInteger(Number(value));
  if (name === "" || !isLine(name, maxViewNameLength) || entries.length > maxViewNumbers)
    return "invalid-view";
  if (!entries.every(([key, value]) => isLine(key, maxNumberNameLength) && isNumber(value))) {
    return "invalid-view";
  }
  const content = canonicalJson(Object.fromEntries(entries.map(([key, value]) => [key, Number(value)])));
  return { type: "view", name, content };
}
