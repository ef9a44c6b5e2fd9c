import type { IncomingMessage } from "node:http";

import type { RandomBytes } from "./random.ts";

/** What a client may call its request: fit for a log line, a header and a database column. */
const saneId = /^[A-Za-z0-9._~-]{1,64}$/u;

/** Names requests. Unique by a random part for the process and a count: asking for chance every time would cost more. */
export function createRequestIds(randomBytes: RandomBytes): (request?: IncomingMessage) => string {
  const prefix = Buffer.from(randomBytes(6)).toString("hex");
  let count = 0;
  return (request) => {
    const given = request?.headers["x-request-id"];
    if (typeof given === "string" && saneId.test(given)) return given;
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}
