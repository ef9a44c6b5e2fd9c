import { createHash, randomBytes } from "node:crypto";
import { hostname, userInfo } from "node:os";

import { matchCode } from "@bowline/api";
import type { Client } from "@bowline/client";
import { BowlineError, isLoopback, withDeadline } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { openBrowser } from "../ui/open-browser.ts";
import { awaitLoopbackAnswer } from "./loopback-answer.ts";

export interface BrowserSignInOptions {
  /** Whether a browser may be opened; else the link is printed, and the code comes back by hand. */
  readonly opens: boolean;
  /** Whether to sign in at the issuer, whoever the browser is signed in as. */
  readonly oidc: boolean;
}

/** Longer than a sign-in at the issuer may take. */
const patienceMs = 15 * 60_000;
const maxDescriptionLength = 128;

/** Has somebody agree in their browser. Resolves to the token that this command line has from then on. */
export async function signInByBrowser(
  context: CommandContext,
  client: Pick<Client, "server" | "consoleInfo" | "redeemSignInCode">,
  { opens, oidc }: BrowserSignInOptions,
): Promise<string> {
  const { terminal, environment, clock, signal } = context;
  const info = await client.consoleInfo();
  if (oidc && info.oidc === undefined)
    throw new BowlineError(
      "InvalidArgument",
      `${client.server} has no OIDC issuer; sign in with --browser or by a token.`,
    );
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const state = randomBytes(16).toString("base64url");
  if (!opens && !terminal.canAsk)
    throw new BowlineError(
      "InvalidArgument",
      "There is no terminal to ask for the code; leave out --no-browser.",
    );
  using loopback = opens ? await awaitLoopbackAnswer(state) : undefined;
  const link = linkTo(consolePage(client.server, info.loopbackUrl), {
    oidc,
    parameters: {
      challenge,
      from: description(),
      ...(loopback === undefined ? {} : { port: String(loopback.port), state }),
    },
  });
  terminal.error(`Agree to it in the console, if it shows this code: ${await matchCode(challenge)}\n`);
  let code: string;
  if (loopback === undefined) {
    terminal.error(`${link}\n`);
    code = (await terminal.ask("The one-time code from the page: ", { hidden: true, signal })).trim();
  } else {
    const isOpen = await openBrowser(link, environment);
    const how = isOpen
      ? "Your browser opens it. If it does not"
      : "Open this link in a browser of this machine";
    terminal.error(`${how}: ${link}\n`);
    const onTimeout = (): Error =>
      new BowlineError("Timeout", "Nobody agreed to it for a quarter of an hour; try again.");
    code = await withDeadline(() => loopback.code, { clock, limitMs: patienceMs, signal, onTimeout });
  }
  return (await client.redeemSignInCode({ code, verifier })).token;
}

/** On the machine of the server there is no need to trust its certificate. */
function consolePage(server: string, loopbackUrl: string | undefined): string {
  return isLoopback(new URL(server).hostname) && loopbackUrl !== undefined ? loopbackUrl : `${server}/ui/`;
}

interface LinkOptions {
  readonly oidc: boolean;
  readonly parameters: Readonly<Record<string, string>>;
}

function linkTo(page: string, { oidc, parameters }: LinkOptions): string {
  const place = `approve?${new URLSearchParams(parameters).toString()}`;
  return oidc
    ? `${page}oidc/start?${new URLSearchParams({ to: `/${place}` }).toString()}`
    : `${page}${place}`;
}

/** Where this runs; whoever agrees is told that it is by our own account. */
function description(): string {
  const text = `${userInfo().username} on ${hostname()}`;
  return text.replaceAll(/\p{Cc}/gu, "").slice(0, maxDescriptionLength);
}
