import type { Static } from "typebox";

import { choice, dateTime, integer, line, object, optional, text } from "../schema/build.ts";
import { dnsLabel, singleLine, type TextRule } from "../schema/text-rule.ts";

const daySeconds = 86_400;

/** How much an agent may see by itself, each more than the one before. */
export const agentRights = ["tunnel", "workloads", "observe", "observe-secrets"] as const;
export type AgentRights = (typeof agentRights)[number];

export const defaultRights: AgentRights = "workloads";
export const defaultAgentNamespace = "bowline-system";

/** The name of an image, as a kubelet takes it. */
export const imageName: TextRule = {
  pattern: "^[a-z0-9][-a-z0-9._:/@]*$",
  expects: "an image such as registry.example.com/bowline:1.2.3",
  minLength: 1,
  maxLength: 512,
};

const manifestRequest = object("What is to run the agent.", {
  rights: optional(
    choice(
      "How much the agent may see by itself: nothing, the kinds that workloads are made of, all kinds of Kubernetes but Secrets, or Secrets too; `workloads` when not given.",
      [...agentRights],
    ),
  ),
  namespace: optional(
    text("Where in the cluster the agent runs; `bowline-system` when not given.", dnsLabel),
  ),
  image: optional(text("The image of the agent; that of the server's version when not given.", imageName)),
});

/** Asks for what an agent joins with. */
export const JoinTokenRequest = object("What kind of join token.", {
  expiresInSeconds: optional(
    integer("How long it can be used; an hour when not given.", { minimum: 60, maximum: 7 * daySeconds }),
  ),
  manifest: optional(manifestRequest),
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
  manifest: optional(
    text("Where it was asked for: YAML that runs the agent, for `kubectl apply`. The token is in it.", {
      maxLength: 262_144,
    }),
  ),
});
export type JoinToken = Static<typeof JoinToken>;

export const RevokedAgents = object("What was revoked.", {
  keys: integer("How many keys of agents stopped working.", { minimum: 0, maximum: 1_000_000 }),
  joinTokens: integer("How many join tokens that nobody had used.", { minimum: 0, maximum: 1_000_000 }),
});
export type RevokedAgents = Static<typeof RevokedAgents>;
