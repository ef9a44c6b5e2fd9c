import type { HeaderList, RequestHead } from "@bowline/protocol";

/**
 * Headers that the agent sets itself, or that belong to another connection. The server has taken most of them out; an agent
 * does not rely on it.
 */
const dropped: ReadonlySet<string> = new Set([
  "authorization",
  "connection",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  // It only announces what comes anyway, and node:http refuses it where the length of the body is known.
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Methods whose requests have a body as a rule: without one they have to say so. */
const methodsWithBody: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

export interface OwnHeaders {
  readonly host: string;
  /** The agent's credential; undefined where a client certificate is all there is. */
  readonly authorization: string | undefined;
  readonly hasBody: boolean;
}

/** The headers of a request to the API server, in the order they came in, as node:http takes them. */
export function requestHeaders({ method, headers, upgrade }: RequestHead, own: OwnHeaders): string[] {
  const sent = ["Host", own.host];
  const sendsBody = own.hasBody && upgrade === undefined;
  let hasLength = false;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? "";
    const lower = name.toLowerCase();
    if (dropped.has(lower)) continue;
    if (lower === "content-length") {
      // Where no body follows, a length would leave the API server waiting for one.
      if (!sendsBody || hasLength) continue;
      hasLength = true;
    }
    sent.push(name, headers[index + 1] ?? "");
  }
  if (own.authorization !== undefined) sent.push("Authorization", own.authorization);
  if (upgrade !== undefined) sent.push("Connection", "Upgrade", "Upgrade", upgrade);
  if (sendsBody && !hasLength) sent.push("Transfer-Encoding", "chunked");
  if (!sendsBody && methodsWithBody.has(method)) sent.push("Content-Length", "0");
  return sent;
}

/** Trailers as node:http takes them. */
export function trailerPairs(trailers: HeaderList): Array<[string, string]> {
  const pairs: Array<[string, string]> = [];
  for (let index = 0; index < trailers.length; index += 2) {
    pairs.push([trailers[index] ?? "", trailers[index + 1] ?? ""]);
  }
  return pairs;
}
