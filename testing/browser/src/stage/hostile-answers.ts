import { isRecord } from "@bowline/core";

import { hostilePayloads } from "./hostile-cluster.ts";

/** As long as a server might let pass that checks nothing. */
const longText = "x".repeat(1_000_000);

/** Those that are short enough to be everywhere. */
const texts = hostilePayloads.filter(({ length }) => length < 1_000);

/** In the place of names: texts that do something, others that are too long, and what is no text at all. */
const names: readonly unknown[] = [
  ...texts,
  "",
  "..",
  "../../api/v1/whoami",
  "a/b?c#d%00",
  12_345,
  -1,
  true,
  null,
  {},
  [],
];

type Json = Readonly<Record<string, unknown>>;

/** Keys with which careless code changes what every object has; made from text, since a literal would do just that. */
const prototypeKeys: Json = JSON.parse(
  '{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}},"toString":"yes","hasOwnProperty":1}',
);

/**
 * Makes the answers of a cluster those of one that keeps to no rule. What was there stays, so that all places are still
 * found; beside it come objects, rows, columns, kinds and messages with the worst in every field.
 */
export function hostileLine(line: string): string {
  const value = parsed(line);
  if (value === undefined) return `${line} ${texts.slice(0, -1).join(" ")}`;
  return [JSON.stringify(hostile(value)), ...companions(value)].join("\n");
}

/** An agent believes nothing of a watch in which objects have no name at all: it reads the kind again and again. */
function hasTextName(object: unknown): boolean {
  return isRecord(object) && isRecord(object["metadata"]) && typeof object["metadata"]["name"] === "string";
}

/** Whoever is told of one object of a kind by a watch is told of others that nobody has made. */
function companions({ type, object }: Json): string[] {
  if (type !== "ADDED" || !isRecord(object) || !isRecord(object["metadata"])) return [];
  const { name } = object["metadata"];
  const isFirst = typeof name === "string" && /^(?:till|settings|web|node-1)$/u.test(name);
  const named = isFirst ? clonesOf([object]).filter(hasTextName) : [];
  return named.map((clone) => JSON.stringify({ type, object: clone }));
}

function parsed(line: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function hostile(value: Json): Json {
  const { kind } = value;
  if (kind === "Status") return { ...value, ...prototypeKeys, message: texts.join(" ") };
  if (kind === "Table") return hostileTable(value);
  if (kind === "APIGroupDiscoveryList") return hostileDiscovery(value);
  if (isRecord(value["object"]) && typeof value["type"] === "string")
    return { ...value, object: hostile(value["object"]) };
  if (Array.isArray(value["items"]))
    return { ...value, items: [...value["items"], ...clonesOf(value["items"])] };
  return isRecord(value["metadata"]) && isRecord(value["status"]) ? marked(value) : value;
}

/** An object that is there stays what it is, with more to tell. */
function marked(object: Json): Json {
  const [text] = texts;
  const [metadata, status] = [asJson(object["metadata"]), asJson(object["status"])];
  const conditions = Array.isArray(status["conditions"]) ? status["conditions"] : [];
  const worst = texts.map((each) => ({ type: each, status: each, reason: each, message: each }));
  return {
    ...object,
    metadata: {
      ...metadata,
      labels: { ...asJson(metadata["labels"]), ...marks(text) },
      annotations: { ...asJson(metadata["annotations"]), ...marks(text) },
    },
    status: { ...status, message: text, conditions: [...conditions, ...worst, null, "condition"] },
  };
}

/** Copies of the first item, each with another name, and with nothing in it that is right. */
function clonesOf(items: readonly unknown[]): unknown[] {
  const [first] = items;
  if (!isRecord(first) || !isRecord(first["metadata"])) return [];
  const { metadata } = first;
  const clones = names.map((name, index) => {
    const placed =
      metadata["namespace"] === undefined
        ? {}
        : { namespace: index % 2 === 0 ? metadata["namespace"] : name };
    return lawless({ ...first, metadata: { ...metadata, ...placed, uid: `hostile-${index}`, name } }, name);
  });
  const long = { ...metadata, uid: "hostile-long", name: longText, labels: { app: longText } };
  return [...clones, { ...first, metadata: long }, null, 7, "text", [], { metadata: null }, prototypeKeys];
}

function lawless(object: Json, text: unknown): Json {
  const isEvent = "involvedObject" in object || "regarding" in object;
  const subject = { apiVersion: text, kind: text, namespace: text, name: text, uid: text };
  return {
    ...object,
    metadata: {
      ...asJson(object["metadata"]),
      labels: marks(text),
      annotations: marks(text),
      ownerReferences: [{ ...subject, controller: text }, null, 7],
      creationTimestamp: text,
    },
    status: {
      phase: text,
      message: text,
      conditions: [{ type: text, status: text, reason: text, message: text }, null, "condition"],
    },
    ...(isEvent
      ? { reason: text, message: text, type: text, source: { component: text }, involvedObject: subject }
      : {}),
  };
}

function marks(text: unknown): Json {
  return { ...prototypeKeys, [String(text).slice(0, 200)]: text, link: "javascript:alert(1)" };
}

function asJson(value: unknown): Json {
  return isRecord(value) ? value : {};
}

function hostileTable(table: Json): Json {
  const columns = Array.isArray(table["columnDefinitions"]) ? table["columnDefinitions"] : [];
  const rows = Array.isArray(table["rows"]) ? table["rows"].filter(isRecord) : [];
  const extra = names.map((name) => ({ name, type: name, format: name, description: name, priority: 0 }));
  const [first] = rows;
  const worst = first === undefined ? [] : clonesOf([asJson(first["object"])]);
  return {
    ...table,
    // Only the first Table of a watch has any.
    columnDefinitions: columns.length === 0 ? columns : [...columns, ...extra],
    rows: [
      ...rows.map((row) => ({
        ...row,
        cells: [...(Array.isArray(row["cells"]) ? row["cells"] : []), ...names],
      })),
      ...worst.map((object, index) => ({ cells: columns.map(() => names[index % names.length]), object })),
      null,
      { cells: "none" },
    ],
  };
}

function hostileDiscovery(list: Json): Json {
  const items = Array.isArray(list["items"]) ? list["items"] : [];
  const resources = names.map((name) => ({
    resource: name,
    responseKind: { group: name, version: name, kind: name },
    scope: name,
    singularResource: name,
    verbs: ["list", "get", "watch", name],
    shortNames: [name],
    categories: [name],
  }));
  const groups = names.map((name) => ({
    metadata: { name },
    versions: [{ version: name, resources }, { version: "v1", resources }, null],
  }));
  return { ...list, items: [...items, ...groups, null, prototypeKeys] };
}
