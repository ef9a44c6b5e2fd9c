import { systemClock } from "@bowline/core";

import { openRfc2136 } from "../rfc2136/rfc2136-writer.ts";

/** Changes one host again and again until it is killed; prints a line for each change. */
const [server = "", zone = "", secret = "", host = "", owner = ""] = process.argv.slice(2);
const key = { name: "bowline-test", algorithm: "hmac-sha256", secret } as const;
await using writer = openRfc2136({ server, zone, key, clock: systemClock, random: Math.random });
const { signal } = new AbortController();

for (let turn = 1; ; turn += 1) {
  const values = [1, 2, 3].map((each) => `192.0.${turn % 256}.${each}`);
  const sets = [{ type: "A", values, ttlSeconds: 60 }] as const;
  if (turn % 4 === 0) await writer.remove(host, { owner, signal });
  else await writer.put(host, sets, { owner, signal });
  process.stdout.write(`${turn}\n`);
}
