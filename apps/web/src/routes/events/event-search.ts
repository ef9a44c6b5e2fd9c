/** How far back the bars of the histogram reach, as the address names it. */
export const spans = { "15m": 900_000, "1h": 3_600_000, "6h": 21_600_000, "24h": 86_400_000 } as const;
type SpanName = keyof typeof spans;

/** What the address of the events says, beside filter and order. */
export interface EventSearch {
  readonly type?: "Normal" | "Warning";
  readonly reason?: string;
  readonly cluster?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly instance?: string;
  readonly span?: SpanName;
}

/** What the server would refuse is left out: an address with a slip shows more, and not an error. */
export function eventSearch(search: Readonly<Record<string, unknown>>): EventSearch {
  const { type, reason, kind, span } = search;
  return {
    ...(type === "Normal" || type === "Warning" ? { type } : {}),
    ...(isIdentifier(reason) ? { reason } : {}),
    ...(isIdentifier(kind) ? { kind } : {}),
    ...word("cluster", search["cluster"]),
    ...word("name", search["name"]),
    ...word("instance", search["instance"]),
    ...(typeof span === "string" && isSpan(span) ? { span } : {}),
  };
}

function isSpan(name: string): name is SpanName {
  return Object.hasOwn(spans, name);
}

/** Kinds and reasons are one word. */
function isIdentifier(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z_]\w{0,127}$/u.test(value);
}

function word<Name extends string>(name: Name, value: unknown): { [key in Name]?: string } {
  // A name such as 1234 is a number for whoever reads addresses.
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" && text.length <= 253
    ? ({ [name]: text } as { [key in Name]?: string })
    : {};
}
