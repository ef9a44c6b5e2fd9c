import type { IncomingHttpHeaders } from "node:http";

const header = "sec-websocket-protocol";
const prefix = "base64url.bearer.authorization.k8s.io.";
const base64url = /^[\w-]+$/;

/**
 * A browser cannot set headers on a WebSocket, so Kubernetes takes a bearer token from its list of subprotocols. What
 * is found there, as an Authorization header would have it; undefined when there is none, or nothing that can be read.
 */
export function bearerInProtocols(headers: IncomingHttpHeaders): string | undefined {
  const [token, ...others] = protocolsOf(headers).filter((protocol) => protocol.startsWith(prefix));
  // Two tokens could be two users; and what is left is what is chosen from.
  if (token === undefined || others.length > 0 || protocolsWithoutBearer(headers) === undefined)
    return undefined;
  const encoded = token.slice(prefix.length);
  if (!base64url.test(encoded)) return undefined;
  return `Bearer ${Buffer.from(encoded, "base64url").toString("utf8")}`;
}

/** The other subprotocols: the token is for the server alone. Undefined for none. */
export function protocolsWithoutBearer(headers: IncomingHttpHeaders): string | undefined {
  const others = protocolsOf(headers).filter((protocol) => !protocol.startsWith(prefix));
  return others.length === 0 ? undefined : others.join(", ");
}

function protocolsOf({ [header]: value }: IncomingHttpHeaders): string[] {
  if (typeof value !== "string") return [];
  return value
    .split(",")
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== "");
}
