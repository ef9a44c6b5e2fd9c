import { createClient, type Client } from "@bowline/client";
import { systemClock, type Clock } from "@bowline/core";

import type { CommandContext } from "../command/command-context.ts";
import { allCommands } from "../commands/command-list.ts";
import { FakeTerminal } from "./fake-terminal.ts";

export interface FakeContextOptions {
  /** The methods that the command is expected to call. */
  readonly client: Partial<Client>;
  readonly terminal?: FakeTerminal;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/** A command's context with a server that does what the test says: for states that no real one can be put in. */
export function fakeContext(
  options: FakeContextOptions,
): CommandContext & { readonly terminal: FakeTerminal } {
  const { terminal = new FakeTerminal(), clock = systemClock } = options;
  return {
    terminal,
    clock,
    random: Math.random,
    environment: {},
    signal: options.signal ?? new AbortController().signal,
    version: "1.2.3",
    commandSet: allCommands,
    globals: {},
    paint: (_, text) => text,
    client: async () => fakeClient(options.client),
  };
}

/** A client with these methods; any other one finds no server. */
export function fakeClient(methods: Partial<Client>): Client {
  return { ...createClient({ server: "http://127.0.0.1:1", limits: { maxAttempts: 1 } }), ...methods };
}
