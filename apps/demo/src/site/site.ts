import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";

import { BowlineError, ownFile, ownProcess, withDeadline, type Clock } from "@bowline/core";

/** The one order of the demo to the process of a cluster; SIGTERM ends it. */
export interface JoinOrder {
  readonly joinToken: string;
  /** Where the server is as seen from there; missing for where the token says. */
  readonly server?: string;
}

/**
 * The reports of the process of a cluster:
 * - `ready`: the simulated cluster runs
 * - `connected`: a server has welcomed its agent
 * - `failed`: it has to give up, for this reason
 */
export type SiteReport =
  | { readonly kind: "ready" | "connected" }
  | { readonly kind: "failed"; readonly message: string };

const program = ownFile("demo-site.mjs", new URL("site-process.ts", import.meta.url));
const stopLimitMs = 5000;

export interface SiteOptions {
  readonly name: string;
  /** Of the demo; the site has one of its own in it. */
  readonly folder: string;
  /** Of the program. */
  readonly version: string;
  readonly clock: Clock;
  /** Words before the command line of the process, such as `unshare --net`. */
  readonly wrapper: readonly string[];
}

/** A cluster of the demo with its agent, in a process of their own. It does not outlive this one. */
export class Site {
  readonly name: string;
  /** Resolves when the simulated cluster runs. Rejects when it cannot. */
  readonly ready: Promise<void>;
  /** Resolves when the agent is connected. Rejects when it cannot be. */
  readonly connected: Promise<void>;
  /** Resolves when nothing is left of the process. */
  readonly exited: Promise<void>;
  readonly #child: ChildProcess;
  readonly #clock: Clock;

  constructor(options: SiteOptions) {
    this.name = options.name;
    this.#clock = options.clock;
    this.#child = start(options);
    const ready = Promise.withResolvers<void>();
    const connected = Promise.withResolvers<void>();
    const exited = Promise.withResolvers<void>();
    this.ready = ready.promise;
    this.connected = connected.promise;
    this.exited = exited.promise;
    const fail = (why: string, cause?: unknown): void => {
      const message = `The simulated cluster ${this.name} ${why}`;
      const error = new BowlineError("ProcessFailed", message, cause === undefined ? {} : { cause });
      ready.reject(error);
      connected.reject(error);
    };
    for (const promise of [ready.promise, connected.promise]) promise.catch(() => {});
    this.#child.on("message", (report: SiteReport) => {
      if (report.kind === "failed") fail(`cannot go on: ${report.message}`);
      else if (report.kind === "ready") ready.resolve();
      else connected.resolve();
    });
    this.#child.once("error", (error) => {
      fail("cannot be started.", error);
      exited.resolve();
    });
    this.#child.once("exit", (code, signal) => {
      fail(`has ended (${signal ?? `exit code ${code}`}).`);
      exited.resolve();
    });
  }

  /** Of the process, as soon as there is one. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  join(joinToken: string, server?: string): void {
    const order: JoinOrder = { joinToken, ...(server === undefined ? {} : { server }) };
    // It may be gone already, which `connected` tells.
    if (this.#child.connected) this.#child.send(order, () => {});
  }

  /** Ends it in order, and after a while in any case. */
  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    try {
      const onTimeout = (): BowlineError => new BowlineError("Timeout", `${this.name} did not stop in time.`);
      await withDeadline(() => this.exited, { clock: this.#clock, limitMs: stopLimitMs, onTimeout });
    } catch {
      this.#child.kill("SIGKILL");
      await this.exited;
    }
  }
}

function start({ name, folder, version, wrapper }: SiteOptions): ChildProcess {
  const own = join(folder, name);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const log = openSync(join(folder, `${name}.log`), "a", 0o600);
  const site = ownProcess(program);
  const [command, ...args] = [...wrapper, site.command, ...site.args, name, own, version];
  try {
    return spawn(command ?? site.command, args, { stdio: ["ignore", log, log, "ipc"] });
  } finally {
    closeSync(log);
  }
}
