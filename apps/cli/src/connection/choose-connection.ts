import { BowlineError } from "@bowline/core";

import type { Environment, GlobalOptions } from "../command/command-context.ts";
import type { ConfigDocument, ContextEntry } from "./config-document.ts";

/** The server to talk to, and where to find what is needed for it. */
export interface ConnectionChoice {
  readonly server: string;
  readonly token: { readonly value: string } | { readonly file: string } | undefined;
  readonly ca: { readonly pem: string } | { readonly file: string } | undefined;
  /** The context that names the server, if one does. */
  readonly context: ContextEntry | undefined;
}

export interface ChoiceOptions {
  readonly globals: Pick<Partial<GlobalOptions>, "context" | "server" | "tokenFile" | "caFile">;
  readonly environment: Environment;
  readonly config: ConfigDocument;
}

/**
 * Flags, then the environment, then the current context. Asking for a context by name is a flag too, so the environment
 * does not change what it means. The token and the authorities of a context are for its own server only: nobody hands
 * a token to another server by changing where a command goes.
 */
export function chooseConnection(options: ChoiceOptions): ConnectionChoice {
  const { globals, config } = options;
  const environment = globals.context === undefined ? options.environment : {};
  const context = chosenContext(globals.context ?? given(environment["BOWLINE_CONTEXT"]), config);
  const server = globals.server ?? given(environment["BOWLINE_SERVER"]) ?? context?.server;
  if (server === undefined) throw notLoggedIn(config);
  const own = context !== undefined && isSameServer(context.server, server) ? context : undefined;
  return {
    server,
    context: own,
    token: chosenToken(globals, environment, own),
    ca: chosenCa(globals, environment, own),
  };
}

/** `ContextUnknown` when a context is asked for that is not there. */
export function requireContext(config: ConfigDocument, name: string): ContextEntry {
  const context = config.context(name);
  if (context !== undefined) return context;
  const names = config.contexts().map((each) => each.name);
  const hint =
    names.length === 0 ? "there are none yet, `bowline login` makes one" : `there are ${names.join(", ")}`;
  throw new BowlineError("ContextUnknown", `There is no context "${name}"; ${hint}.`);
}

function chosenContext(name: string | undefined, config: ConfigDocument): ContextEntry | undefined {
  if (name !== undefined) return requireContext(config, name);
  return config.currentContext === undefined ? undefined : config.context(config.currentContext);
}

function chosenToken(
  globals: ChoiceOptions["globals"],
  environment: Environment,
  context: ContextEntry | undefined,
): ConnectionChoice["token"] {
  if (globals.tokenFile !== undefined) return { file: globals.tokenFile };
  const value = given(environment["BOWLINE_TOKEN"]);
  if (value !== undefined) return { value };
  const file = given(environment["BOWLINE_TOKEN_FILE"]) ?? context?.tokenFile;
  if (file !== undefined) return { file };
  return context?.token === undefined ? undefined : { value: context.token };
}

function chosenCa(
  globals: ChoiceOptions["globals"],
  environment: Environment,
  context: ContextEntry | undefined,
): ConnectionChoice["ca"] {
  const file = globals.caFile ?? given(environment["BOWLINE_CA_FILE"]);
  if (file !== undefined) return { file };
  return context?.caPem === undefined ? undefined : { pem: context.caPem };
}

function isSameServer(one: string, other: string): boolean {
  const [a, b] = [URL.parse(one), URL.parse(other)];
  return a !== null && b !== null && a.origin === b.origin && trimmed(a.pathname) === trimmed(b.pathname);
}

function trimmed(path: string): string {
  return path.replace(/\/+$/, "");
}

function given(value: string | undefined): string | undefined {
  return value === undefined || value === "" ? undefined : value;
}

function notLoggedIn(config: ConfigDocument): BowlineError {
  const hasContexts = config.contexts().length > 0;
  return new BowlineError(
    "NotLoggedIn",
    hasContexts
      ? "No context is current; choose one with `bowline context use NAME`."
      : "You are not logged in to a server; run `bowline login URL`, or set BOWLINE_SERVER and BOWLINE_TOKEN.",
  );
}
