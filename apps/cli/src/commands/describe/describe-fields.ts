import { formatAge, type JsonSchema } from "@bowline/api";

import { displayWidth, printableLine, printableText } from "../../output/terminal-text.ts";

/** Of a text with many lines; `get -o yaml` has all of it. */
const maxTextLines = 20;
const maxItems = 50;

interface DescribeFieldsOptions {
  readonly schema: JsonSchema | undefined;
  readonly nowMs: number;
}

/** How a value is shown: on the line of its name, or as lines below it. */
type Shown = { readonly beside: string } | { readonly below: readonly string[] };

/** The fields of a value as lines, `Name:  value`, in the order in which the value has them. */
export function describeFields(value: object, options: DescribeFieldsOptions): string[] {
  const fields = Object.entries(value).map(([name, item]: [string, unknown]) => {
    const own = options.schema?.properties?.[name];
    return {
      title: own === undefined ? printableLine(name) : titleOf(name),
      shown: show(item, { ...options, schema: own ?? valueSchema(options.schema) }),
    };
  });
  const width = Math.max(
    0,
    ...fields.map(({ title, shown }) => ("beside" in shown ? displayWidth(title) : 0)),
  );
  return fields.flatMap(({ title, shown }) => {
    if ("below" in shown) return [`${title}:`, ...shown.below.map((line) => `  ${line}`)];
    return [`${title}:${" ".repeat(width - displayWidth(title) + 2)}${shown.beside}`];
  });
}

function show(value: unknown, options: DescribeFieldsOptions): Shown {
  if (value === null || value === undefined || value === "") return { beside: "<none>" };
  if (typeof value === "string") return showText(value, options);
  if (Array.isArray(value)) return showList(value, options);
  if (typeof value !== "object") return { beside: JSON.stringify(value) };
  const below = describeFields(value, options);
  return below.length === 0 ? { beside: "<none>" } : { below };
}

function showText(text: string, { schema, nowMs }: DescribeFieldsOptions): Shown {
  if (schema?.format === "date-time") return { beside: describeTime(text, nowMs) };
  const lines = printableText(text.trimEnd()).split("\n");
  const [only] = lines;
  if (only !== undefined && lines.length === 1) return { beside: only };
  const left = lines.length - maxTextLines;
  return { below: left > 0 ? [...lines.slice(0, maxTextLines), `… ${left} more lines`] : lines };
}

/** Plain values side by side; objects one below the other, each behind a dash. */
function showList(items: readonly unknown[], options: DescribeFieldsOptions): Shown {
  if (items.length === 0) return { beside: "<none>" };
  const schema = options.schema?.items;
  const shown = items.slice(0, maxItems).map((item) => show(item, { ...options, schema }));
  const more = items.length > maxItems ? [`… ${items.length - maxItems} more`] : [];
  if (shown.every((item) => "beside" in item)) {
    return { beside: [...shown.map(({ beside }) => beside), ...more].join(", ") };
  }
  const lines = shown.flatMap((item) => ("beside" in item ? [`- ${item.beside}`] : behindDash(item.below)));
  return { below: [...lines, ...more] };
}

function behindDash(lines: readonly string[]): string[] {
  return lines.map((line, index) => `${index === 0 ? "-" : " "} ${line}`);
}

function valueSchema(schema: JsonSchema | undefined): JsonSchema | undefined {
  const values = schema?.additionalProperties;
  return typeof values === "object" ? values : undefined;
}

/** `kubernetesVersion` is `Kubernetes version` to people. */
function titleOf(name: string): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/gu, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `2026-01-31T12:00:00.000Z (5m ago)` */
export function describeTime(time: string, nowMs: number): string {
  const atMs = Date.parse(time);
  if (Number.isNaN(atMs)) return printableLine(time);
  const distance = atMs > nowMs ? `in ${formatAge(atMs - nowMs)}` : `${formatAge(nowMs - atMs)} ago`;
  return `${printableLine(time)} (${distance})`;
}
