import type { Static } from "typebox";

import { choice, dateTime, line, object, optional, text } from "../schema/build.ts";
import { dnsLabel, singleLine, type TextRule } from "../schema/text-rule.ts";
import { roles } from "./whoami.ts";

/** Asks for a session, by a browser that has no token to show. */
export const SignInRequest = object("What a browser signs in with, if it shows no token.", {
  code: optional(line("A one-time code; an Authorization header counts before it.", singleLine, 256)),
});
export type SignInRequest = Static<typeof SignInRequest>;

const pkceChallenge: TextRule = {
  pattern: "^[-_A-Za-z0-9]{43}$",
  expects: "a SHA-256 hash in base64url, without padding",
  minLength: 43,
  maxLength: 43,
};

const pkceVerifier: TextRule = {
  pattern: "^[-._~A-Za-z0-9]{43,128}$",
  expects: "43 to 128 letters, digits and '-', '.', '_', '~'",
  minLength: 43,
  maxLength: 128,
};

/** A command line asks, somebody agrees in their browser: `bowline login --browser`. */
export const CommandRequest = object("A command line that somebody lets sign in as themselves.", {
  challenge: text(
    "S256 challenge (RFC 7636) of the secret that it has to show together with the one-time code.",
    pkceChallenge,
  ),
  description: line("Where it runs, by its own account.", { ...singleLine, minLength: 1 }, 128),
  role: optional(choice("The most it may do; missing for all that its user may.", [...roles])),
  expiresAt: optional(dateTime("When it has to sign in again; missing for as late as can be.")),
});
export type CommandRequest = Static<typeof CommandRequest>;

export const SignInCodeRequest = object("What a one-time code is for; a browser, if nothing else is said.", {
  command: optional(CommandRequest),
});
export type SignInCodeRequest = Static<typeof SignInCodeRequest>;

export const CodeRedemption = object("What a command line shows that somebody has agreed to.", {
  code: line("The one-time code.", singleLine, 256),
  verifier: text("The secret that only the command line knows.", pkceVerifier),
});
export type CodeRedemption = Static<typeof CodeRedemption>;

/** Shown once: the server keeps no more than a hash. */
export const CommandCredential = object("What a command line shows from now on.", {
  token: line("Secret, for the Authorization header.", singleLine, 256),
  kind: choice(
    "What it stands for: a Token or, for those who signed in at the OIDC issuer, a Session. Deleting that ends it.",
    ["Token", "Session"],
  ),
  name: text("The name of that object.", dnsLabel),
  expiresAt: optional(dateTime("When it stops working; missing for never.")),
});
export type CommandCredential = Static<typeof CommandCredential>;

/** Shown once: the server keeps no more than a hash. */
export const SignInCode = object("What a browser can sign in with, once.", {
  code: line(
    "Secret, and good for one session of whoever asked for it, with the same rights.",
    singleLine,
    256,
  ),
  expiresAt: dateTime("When it stops working, unless it was used before."),
});
export type SignInCode = Static<typeof SignInCode>;

/** What the sign-in page has to know, before anybody is known. */
export const ConsoleInfo = object("What the console has to know before somebody signs in.", {
  version: line("The version of the server.", singleLine),
  oidc: optional(
    object("The OIDC issuer that one can sign in at; missing where there is none.", {
      name: line("What to call it.", singleLine),
    }),
  ),
  loopbackUrl: optional(
    line("Where browsers on the machine of the server find the console without TLS.", singleLine),
  ),
});
export type ConsoleInfo = Static<typeof ConsoleInfo>;
