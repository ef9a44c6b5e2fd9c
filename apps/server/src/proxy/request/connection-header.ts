/** The headers that belong to this connection because `Connection` says so, in lower case; undefined for none. */
export function namedInConnection(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === "keep-alive" || connection === "close") return undefined;
  return new Set(tokensOf(connection));
}

/** The items of a header that holds a list, in lower case. */
export function tokensOf(list: string): string[] {
  return list
    .split(",")
    .map((token) => token.trim().toLowerCase())
    .filter((token) => token !== "");
}
