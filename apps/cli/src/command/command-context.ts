import type { Client } from "@bowline/client";
import type { Clock, Random } from "@bowline/core";

import type { Paint, Terminal } from "./terminal.ts";
import type { CommandSet } from "./command-set.ts";
import type { GlobalOptions } from "./global-options.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The context that every command is given. Nothing in it is made before somebody asks for it. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: Random;
  readonly environment: Environment;
  /** Aborts when Ctrl-C is pressed, or whoever reads the output is gone. */
  readonly signal: AbortSignal;
  /** Of this program. */
  readonly version: string;
  readonly commandSet: CommandSet;
  /** The flags that every command takes; known once a command runs. */
  readonly globals: Partial<GlobalOptions>;
  /** Colours text for standard output; returns it as it is where there is no terminal or nobody wants colours. */
  readonly paint: Paint;
  /**
   * The server that the flags, the environment or the current context name, in this order. The same one each time; the
   * program closes it when the command has ended. `NotLoggedIn` when there is none.
   */
  readonly client: () => Promise<Client>;
}
