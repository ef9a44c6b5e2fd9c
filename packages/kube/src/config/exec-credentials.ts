import { BowlineError, type Clock } from "@bowline/core";
import type { ClusterConnection, ExecPlugin } from "./cluster-connection.ts";
import type { Credential, Credentials } from "./credentials.ts";
import { execInfo, parseExecCredential } from "./exec-protocol.ts";
import { runExecPlugin } from "./run-exec-plugin.ts";
import { readPem } from "./text-file.ts";

export interface ExecEnvironment {
  /** Variables that plugins inherit: PATH to be found in, HOME for their own files. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a person sits at this process's terminal and may be asked for a password. */
  readonly interactive: boolean;
  readonly timeoutMs: number;
}

/** A credential is not used in its last seconds: it would expire on the way. */
const expiryMarginMs = 10_000;

/** Nor is the plugin run again at once for one that it issued too late: it would issue no better one. */
const shortestUseMs = 5_000;

interface Issued extends Credential {
  readonly expiresAtMs: number;
  readonly issuedAtMs: number;
}

/** Runs the plugin when there is no valid credential, once for all requests that wait for it. */
export class ExecCredentials implements Credentials {
  readonly #plugin: ExecPlugin;
  readonly #connection: ClusterConnection;
  readonly #environment: ExecEnvironment & { readonly clock: Clock };
  readonly #closing = new AbortController();
  #issued: Issued | undefined;
  #running: Promise<Issued> | undefined;

  constructor(
    plugin: ExecPlugin,
    connection: ClusterConnection,
    environment: ExecEnvironment & { readonly clock: Clock },
  ) {
    this.#plugin = plugin;
    this.#connection = connection;
    this.#environment = environment;
  }

  async current(): Promise<Credential> {
    return this.#issued !== undefined && this.#isUsable(this.#issued) ? this.#issued : this.#run();
  }

  async replace(used: Credential): Promise<Credential | undefined> {
    // Another request may have got a new one while this one was under way.
    if (this.#issued !== undefined && this.#issued !== used) return this.#issued;
    return this.#run();
  }

  close(): void {
    this.#closing.abort();
  }

  #isUsable({ expiresAtMs, issuedAtMs }: Issued): boolean {
    const nowMs = this.#environment.clock.now();
    return nowMs < Math.max(expiresAtMs - expiryMarginMs, issuedAtMs + shortestUseMs);
  }

  #run(): Promise<Issued> {
    this.#running ??= this.#issue().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #issue(): Promise<Issued> {
    const interactive = this.#interactive();
    const info = execInfo(this.#plugin, this.#connection, {
      interactive,
      caPem: this.#plugin.provideClusterInfo
        ? await readPem(this.#connection.ca, "the certificate authority")
        : undefined,
    });
    const output = await runExecPlugin(this.#plugin, {
      user: this.#connection.user ?? this.#connection.name,
      env: { ...this.#environment.env, ...this.#plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
      interactive,
      timeoutMs: this.#environment.timeoutMs,
      signal: this.#closing.signal,
    });
    this.#issued = {
      ...parseExecCredential(output, this.#plugin),
      issuedAtMs: this.#environment.clock.now(),
    };
    return this.#issued;
  }

  #interactive(): boolean {
    const { interactiveMode, command } = this.#plugin;
    if (interactiveMode === "Always" && !this.#environment.interactive) {
      throw new BowlineError(
        "ExecPluginFailed",
        `The exec plugin "${command}" asks questions and needs a terminal, which this process does not have.`,
        { retryable: false },
      );
    }
    return interactiveMode !== "Never" && this.#environment.interactive;
  }
}
