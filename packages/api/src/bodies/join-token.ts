import type { Static } from "typebox";

import { dateTime, integer, line, object, optional, text } from "../schema/build.ts";
import { singleLine } from "../schema/text-rule.ts";

const daySeconds = 86_400;

/** Asks for what an agent joins with. */
export const JoinTokenRequest = object("What kind of join token.", {
  expiresInSeconds: optional(
    integer("How long it can be used; an hour when not given.", { minimum: 60, maximum: 7 * daySeconds }),
  ),
});
export type JoinTokenRequest = Static<typeof JoinTokenRequest>;

/** Shown once: the server keeps no more than a hash. */
export const JoinToken = object("What an agent needs to join, all in one word. It is shown only here.", {
  token: line(
    "Secret, and good for one agent of one cluster. It carries the addresses and the fingerprint too.",
    singleLine,
    8_192,
  ),
  expiresAt: dateTime("When it stops working, unless it was used before."),
  server: line("The address that the agent will call.", singleLine, 2_048),
  caPem: optional(
    text(
      "The CA that signs the server's certificate, as PEM; missing where it is one that machines trust anyway.",
      { maxLength: 65_536 },
    ),
  ),
  caFingerprint: optional(line("`sha256:` and the digest of that CA.", singleLine)),
});
export type JoinToken = Static<typeof JoinToken>;

export const RevokedAgents = object("What was revoked.", {
  keys: integer("How many keys of agents stopped working.", { minimum: 0, maximum: 1_000_000 }),
  joinTokens: integer("How many join tokens that nobody had used.", { minimum: 0, maximum: 1_000_000 }),
});
export type RevokedAgents = Static<typeof RevokedAgents>;
