import { resolve } from "node:path";

import type { Whoami } from "@bowline/api";
import { BowlineError, isLoopback } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { changeConfig, readConfig } from "../../connection/config-file.ts";
import { clientFor } from "../../connection/connect-to-server.ts";
import { contextNamePattern, type ContextEntry } from "../../connection/config-document.ts";
import { readNamedFile, requireToken } from "../../connection/named-file.ts";
import { trustServer } from "../../connection/trust-server.ts";
import { requireContext } from "../../connection/choose-connection.ts";
import { signInByBrowser } from "./sign-in-by-browser.ts";

export function addLoginCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("login")
    .description(
      "Sign in to a server and remember it as a context.\n\nThe token is checked before anything is saved. It comes from --token-file, which is then remembered by its path; from standard input; or from a question that does not show what is typed.\n\nWith --browser no token is needed: agree to it in the console, where you are signed in or sign in. The page shows a code; it must be the one that is shown here. This command then gets a token of its own, which you find in the console under Me. --oidc is the same by way of the OIDC issuer of the server.",
    )
    .argument("[URL]", "The address of the server; left out, that of the current context")
    .option("--name <NAME>", "What to call the context; the host of the server if left out")
    .option("--token-stdin", "Read the token from standard input", false)
    .option("--browser", "Sign in by agreeing to it in the console, in a browser")
    .option("--oidc", "The same, by signing in at the OIDC issuer of the server", false)
    .option("--no-browser", "Only print the link, and ask for the code that the page shows in the end")
    .option(
      "--ca-fingerprint <FINGERPRINT>",
      "Trust the certificate authority with this fingerprint (sha256:…), which the server prints when it starts",
    )
    .action((url: string | undefined, options: LoginOptions) => login(context, url, options));
  addExamples(command, [
    { does: "Be asked for the token", run: "bowline login https://bowline.example.com" },
    {
      does: "Sign in to a server of your own, whose certificate nobody else vouches for",
      run: "bowline login https://127.0.0.1:7443 --token-file data/admin.token --ca-fingerprint sha256:3f7a…",
    },
    { does: "Agree to it in a browser", run: "bowline login https://bowline.example.com --browser" },
    {
      does: "Sign in at the OIDC issuer, with a browser on another machine",
      run: "bowline login https://bowline.example.com --oidc --no-browser",
    },
    {
      does: "Sign in from a script",
      run: 'echo "$TOKEN" | bowline login https://bowline.example.com --token-stdin --name ci',
    },
  ]);
}

interface LoginOptions {
  readonly name?: string;
  /** Whether one may be opened; undefined when nobody said. */
  readonly browser?: boolean;
  readonly oidc: boolean;
  readonly tokenStdin: boolean;
  readonly caFingerprint?: string;
}

/** No token is longer than a JWT with many groups in it. */
const maxTokenBytes = 16_384;

export async function login(
  context: CommandContext,
  url: string | undefined,
  options: LoginOptions,
): Promise<void> {
  const known = (await readConfig(context.environment)).contexts();
  const server = await chosenServer(context, url);
  const name = contextName(
    options.name ?? known.find((entry) => entry.server === server)?.name ?? defaultName(server),
  );
  warnOfPlainHttp(context, server);
  const before = known.find((entry) => entry.name === name && entry.server === server);
  const caPem = await trustServer(context, {
    server,
    knownPem: before?.caPem,
    fingerprint: options.caFingerprint,
  });
  const byBrowser = options.oidc || options.browser !== undefined;
  const credential = byBrowser
    ? await tokenByBrowser(context, { server, caPem, options })
    : await readToken(context, options);
  const identity = await verify(context, { server, caPem, token: credential.token });
  await changeConfig(context.environment, (config) => {
    config.put({ name, server, caPem, ...savedCredential(credential) });
    config.currentContext = name;
  });
  context.terminal.out(
    `Signed in to ${server} as ${identity.user} (${identity.role}). The current context is now "${name}".\n`,
  );
}

async function tokenByBrowser(
  context: CommandContext,
  { server, caPem, options }: { server: string; caPem: string | undefined; options: LoginOptions },
): Promise<GivenToken> {
  if (options.tokenStdin || context.globals.tokenFile !== undefined)
    throw new BowlineError("InvalidArgument", "Sign in by a token or by a browser, not by both.");
  const client = await clientFor(context, { server, caPem, token: undefined });
  try {
    return {
      token: await signInByBrowser(context, client, { ...options, opens: options.browser !== false }),
    };
  } finally {
    await client.close();
  }
}

async function chosenServer(context: CommandContext, url: string | undefined): Promise<string> {
  const { globals, environment } = context;
  const named = url ?? globals.server ?? environment["BOWLINE_SERVER"];
  if (named !== undefined && named !== "") return normalUrl(named);
  const config = await readConfig(environment);
  const current = config.context(globals.context ?? config.currentContext ?? "");
  if (current !== undefined) return current.server;
  throw new BowlineError("InvalidArgument", "Say which server to sign in to.", {
    details: { usage: "bowline login --help" },
  });
}

/** An address as people type it: without a scheme it means https. */
function normalUrl(text: string): string {
  const url = URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new BowlineError("InvalidArgument", `"${text}" is not the address of a server.`);
  }
  return url.href.replace(/\/+$/, "");
}

function defaultName(server: string): string {
  return new URL(server).host.replaceAll(/[^A-Za-z0-9._:-]/g, "");
}

function contextName(name: string): string {
  if (contextNamePattern.test(name)) return name;
  throw new BowlineError(
    "InvalidArgument",
    `"${name}" cannot be the name of a context: use letters, digits and . _ : - with a letter or digit first.`,
  );
}

function warnOfPlainHttp(context: CommandContext, server: string): void {
  const { protocol, hostname } = new URL(server);
  if (protocol === "https:" || isLoopback(hostname)) return;
  context.terminal.error("warning: http:// is not encrypted; everybody on the way can read the token.\n");
}

interface GivenToken {
  readonly token: string;
  /** Where it was read from, if it stays there. */
  readonly file?: string;
}

async function readToken(context: CommandContext, options: LoginOptions): Promise<GivenToken> {
  const { terminal, globals, environment, signal } = context;
  if (options.tokenStdin && globals.tokenFile !== undefined) {
    throw new BowlineError("InvalidArgument", "--token-file and --token-stdin cannot both be given.");
  }
  if (globals.tokenFile !== undefined) {
    const file = resolve(globals.tokenFile);
    return { token: requireToken(await readNamedFile(file, "a token"), file), file };
  }
  if (options.tokenStdin) {
    return { token: requireToken(await terminal.readStdin(maxTokenBytes, signal), "standard input") };
  }
  const fromEnvironment = environment["BOWLINE_TOKEN"] ?? "";
  if (fromEnvironment !== "") return { token: requireToken(fromEnvironment, "BOWLINE_TOKEN") };
  if (!terminal.canAsk) {
    throw new BowlineError(
      "InvalidArgument",
      "There is no terminal to ask for the token; use --token-file or --token-stdin.",
    );
  }
  return { token: requireToken(await terminal.ask("Token: ", { hidden: true, signal }), "the answer") };
}

async function verify(
  context: CommandContext,
  access: { readonly server: string; readonly caPem: string | undefined; readonly token: string },
): Promise<Whoami> {
  const client = await clientFor(context, access);
  try {
    return await client.login();
  } finally {
    await client.close();
  }
}

/** A file stays where the token lives, so that there is one copy, and a renewed one is used at once. */
function savedCredential({ token, file }: GivenToken): Pick<ContextEntry, "token" | "tokenFile"> {
  return file === undefined ? { token } : { tokenFile: file };
}

export function addLogoutCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("logout")
    .description(
      "Forget the token of a context. The context itself stays, so that `bowline login` needs no more than a token. The token still works for whoever else has it; `bowline token revoke` ends it.",
    )
    .argument("[NAME]", "The context; the current one if left out")
    .action((name: string | undefined) => logout(context, name));
  addExamples(command, [
    { does: "Sign out of the current server", run: "bowline logout" },
    { does: "Sign out of another one", run: "bowline logout staging" },
  ]);
}

export async function logout(context: CommandContext, name: string | undefined): Promise<void> {
  const entry = await changeConfig(context.environment, (config) => {
    const wanted = name ?? context.globals.context ?? config.currentContext;
    if (wanted === undefined)
      throw new BowlineError("NotLoggedIn", "No context is current, so there is nothing to sign out of.");
    const { token: _token, tokenFile: _tokenFile, ...rest } = requireContext(config, wanted);
    config.put(rest);
    return rest;
  });
  context.terminal.out(`Signed out of ${entry.server}.\n`);
}
