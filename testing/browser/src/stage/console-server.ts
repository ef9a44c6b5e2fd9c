import { readFileSync } from "node:fs";

import { AccessGrant, Token, User } from "@bowline/api";
import { createClient, type Client } from "@bowline/client";
import { createLogger, systemClock } from "@bowline/core";
import { loadConfig, startServer } from "@bowline/server";
import { createTempFolder } from "@bowline/test-services";

import { requirePage } from "./built-page.ts";

export type Role = "admin" | "editor" | "viewer";

/** A server with the built page, on free ports of loopback, in this process. */
export class ConsoleServer implements AsyncDisposable {
  /** Of its API, by TLS. */
  readonly url: string;
  readonly caPem: string;
  /** Of the console without TLS: `http://127.0.0.1:40123/ui/`. */
  readonly consoleUrl: string;
  readonly adminToken: string;
  /** With the rights of the admin. */
  readonly admin: Client;
  readonly #owned: AsyncDisposableStack;

  static async start(
    flags: Readonly<Record<string, string>> = {},
    providers?: Parameters<typeof startServer>[1]["providers"],
  ): Promise<ConsoleServer> {
    await requirePage();
    await using starting = new AsyncDisposableStack();
    const folder = starting.use(await createTempFolder("console-server"));
    const config = loadConfig({
      flags: {
        "--data": folder.path,
        "--listen": "127.0.0.1:0",
        "--console-listen": "127.0.0.1:0",
        "--drain-time": "1s",
        "--limits-requests": "100000",
        ...flags,
      },
      environment: {},
    });
    const logger = createLogger({ name: "server", level: "fatal", destination: { write: () => {} } });
    const server = await startServer(config, {
      clock: systemClock,
      random: Math.random,
      logger,
      version: "1.2.3",
      ...(providers === undefined ? {} : { providers }),
    });
    starting.defer(() => server.close());
    const { url, consoleUrl, caFile, adminToken } = server;
    if (consoleUrl === undefined || caFile === undefined || adminToken === undefined)
      throw new Error("A new server has no console, no CA or no admin.");
    const caPem = readFileSync(caFile, "utf8");
    const admin = createClient({ server: url, token: adminToken, caPem });
    starting.defer(() => admin.close());
    await admin.apply(AccessGrant, "admins", {
      metadata: { name: "admins" },
      spec: {
        subjects: [{ user: "admin" }],
        clusters: { selector: {} },
        kubernetes: { groups: ["system:masters"] },
      },
    });
    return new ConsoleServer({ url, caPem, consoleUrl, adminToken, admin }, starting.move());
  }

  private constructor(
    facts: Pick<ConsoleServer, "url" | "caPem" | "consoleUrl" | "adminToken" | "admin">,
    owned: AsyncDisposableStack,
  ) {
    this.url = facts.url;
    this.caPem = facts.caPem;
    this.consoleUrl = facts.consoleUrl;
    this.adminToken = facts.adminToken;
    this.admin = facts.admin;
    this.#owned = owned;
  }

  /** A user with this role. Returns a token of theirs. */
  async addUser(name: string, role: Role, token: string = name): Promise<string> {
    await this.admin.apply(User, name, { metadata: { name }, spec: { role } });
    const { status } = await this.admin.create(Token, { metadata: { name: token }, spec: { user: name } });
    if ("secret" in status && typeof status.secret === "string") return status.secret;
    throw new Error("The server made a token and does not show it.");
  }

  /** An address that opens the console signed in, once and soon. */
  async signInUrl(token: string = this.adminToken): Promise<string> {
    const client = createClient({ server: this.url, token, caPem: this.caPem });
    try {
      const { code } = await client.createSignInCode();
      return `${this.consoleUrl}#code=${encodeURIComponent(code)}`;
    } finally {
      await client.close();
    }
  }

  /** The sum of a metric, whatever its labels. */
  async metric(name: string): Promise<number> {
    const { origin } = new URL(this.consoleUrl);
    const headers = { authorization: `Bearer ${this.adminToken}` };
    const lines = (await (await fetch(`${origin}/metrics`, { headers })).text()).split("\n");
    return lines
      .filter((line) => line.startsWith(name) && /^[ {]/u.test(line.slice(name.length)))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }
}
