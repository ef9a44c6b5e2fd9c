import type { IncomingHttpHeaders } from "node:http";

import { BowlineError } from "@bowline/core";

import { protocolsWithoutBearer } from "../../http/bearer-protocol.ts";

/**
 * The headers of an upgrade: the agent says `Upgrade` and `Connection` itself, and nobody is told a token. `BadRequest`
 * when a body should come first, because where it ends and the other protocol begins is for each to guess.
 */
export function upgradeHeaders(kept: readonly string[], headers: IncomingHttpHeaders): string[] {
  if ((headers["content-length"] ?? "0") !== "0" || headers["transfer-encoding"] !== undefined) {
    throw new BowlineError("BadRequest", "A request to change the protocol has no body.");
  }
  const protocols = protocolsWithoutBearer(headers);
  return protocols === undefined ? [...kept] : [...kept, "Sec-WebSocket-Protocol", protocols];
}
