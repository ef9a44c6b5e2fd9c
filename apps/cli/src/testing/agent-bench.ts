import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import type { ClientRequest, IncomingMessage } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { isRecord, systemClock, type Clock } from "@bowline/core";
import { createTempFolder } from "@bowline/test-services";
import { onTestFinished } from "vitest";

import type { Environment } from "../command/command-context.ts";
import { startBowline, type BowlineProcess } from "./bowline-process.ts";
import { FakeTerminal } from "./fake-terminal.ts";
import { startRealServer, type RealServer } from "./real-server.ts";
import { runBowline, type Ran } from "./run-bowline.ts";

export interface Answer {
  readonly status: number;
  /** Parsed, where it is JSON. */
  readonly body: Record<string, unknown>;
}

export interface RunningCommand {
  readonly terminal: FakeTerminal;
  /** Does as Ctrl-C. */
  readonly stop: () => Promise<Ran>;
}

export interface AgentOptions {
  readonly joinToken?: string;
  readonly flags?: readonly string[];
  /** One of several, each with files of its own; `edge` if missing. */
  readonly cluster?: string;
  /** That of a server whose time is not that of the machine. */
  readonly clock?: Clock;
}

type BenchOptions = NonNullable<Parameters<typeof startRealServer>[2]> & {
  readonly flags?: Readonly<Record<string, string>>;
};

/** Chance takes nearly all of the delay before an agent connects again: nobody else fails with it here. */
const almostAll = (): number => 0.99;

/** The words that an agent prints once it knows who it is. */
const readyText = "is the agent of";

/** A real server with a Cluster `edge` that its admin may use, and agents of it. */
export class AgentBench {
  readonly folder: string;
  readonly server: RealServer;
  readonly token: string;
  readonly ca: string;

  private constructor(parts: {
    readonly folder: string;
    readonly server: RealServer;
    readonly token: string;
    readonly ca: string;
  }) {
    this.folder = parts.folder;
    this.server = parts.server;
    this.token = parts.token;
    this.ca = parts.ca;
  }

  /** With flags of the server, such as `--gateways-probe`. */
  static async open({ flags, ...options }: BenchOptions = {}): Promise<AgentBench> {
    const temp = await createTempFolder("agent-command");
    onTestFinished(() => temp[Symbol.asyncDispose]());
    const data = join(temp.path, "server");
    const server = await startRealServer(data, flags, options);
    onTestFinished(() => server[Symbol.asyncDispose]());
    const token = (await readFile(server.adminTokenFile, "utf8")).trim();
    const ca = await readFile(join(data, "tls", "ca.crt"), "utf8");
    const bench = new AgentBench({ folder: temp.path, server, token, ca });
    await bench.post("/api/v1/clusters", { metadata: { name: "edge" }, spec: {} });
    await bench.post("/api/v1/accessgrants", {
      metadata: { name: "all" },
      spec: {
        subjects: [{ user: "admin" }],
        clusters: { names: ["edge"] },
        kubernetes: { groups: ["system:masters"] },
      },
    });
    return bench;
  }

  get port(): number {
    return Number(new URL(this.server.url).port);
  }

  /** For commands of the admin. */
  get environment(): Environment {
    return {
      HOME: this.folder,
      BOWLINE_SERVER: this.server.url,
      BOWLINE_TOKEN: this.token,
      BOWLINE_CA_FILE: join(this.folder, "server", "tls", "ca.crt"),
    };
  }

  async newJoinToken(cluster = "edge"): Promise<string> {
    const { body } = await this.post(`/api/v1/clusters/${cluster}/join-tokens`);
    return String(body["token"]);
  }

  /** A request whose body is to be sent. */
  request(
    path: string,
    options: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> } = {},
  ): ClientRequest {
    return request(`${this.server.url}${path}`, {
      ca: this.ca,
      agent: false,
      ...options,
      headers: { authorization: `Bearer ${this.token}`, ...options.headers },
    });
  }

  async get(path: string): Promise<Answer> {
    return answerTo(this.request(path).end());
  }

  async post(path: string, body?: object): Promise<Answer> {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    return answerTo(this.request(path, { method: "POST", headers }).end(JSON.stringify(body)));
  }

  async patch(path: string, body: object): Promise<Answer> {
    const headers = { "content-type": "application/merge-patch+json" };
    return answerTo(this.request(path, { method: "PATCH", headers }).end(JSON.stringify(body)));
  }

  /** The audit records of a verb, newest first: `outcome name message`. */
  async audited(verb: string): Promise<string[]> {
    const { body } = await this.get(`/api/v1/audit?verb=${verb}`);
    const items: unknown = body["items"];
    return (Array.isArray(items) ? items.filter(isRecord) : []).map(({ outcome, name, message }) =>
      [outcome, name, message].join(" "),
    );
  }

  /** The metrics of the server whose names begin so, by their name and labels. */
  async metrics(prefix: string): Promise<Record<string, number>> {
    return metricsIn(await text(await responseTo(this.request("/metrics").end())), prefix);
  }

  /** `bowline agent` in this process; resolves once it knows who it is, or has given up. */
  async startAgent(kubeconfig: string, options: AgentOptions = {}): Promise<RunningCommand> {
    const { args, environment } = await this.#agentCommand(kubeconfig, options);
    return this.start(args, environment, options.clock);
  }

  /** The same as a process of its own, which can be killed. */
  async spawnAgent(kubeconfig: string, options: AgentOptions = {}): Promise<BowlineProcess> {
    const { args, environment } = await this.#agentCommand(kubeconfig, options);
    return startBowline(args, { environment, readyText });
  }

  /** Any command that runs an agent in this process. */
  async start(
    args: readonly string[],
    environment: Environment,
    clock: Clock = systemClock,
  ): Promise<RunningCommand> {
    const terminal = new FakeTerminal();
    const stopping = new AbortController();
    const { signal } = stopping;
    const running = runBowline(args, { terminal, environment, clock, signal, random: almostAll });
    const stop = (): Promise<Ran> => {
      stopping.abort();
      return running;
    };
    onTestFinished(async () => void (await stop()));
    await Promise.race([terminal.wrote(readyText), running]);
    return { terminal, stop };
  }

  /** Waits until the cluster can be reached, or cannot be any more. */
  async reachable(isReachable: boolean, cluster = "edge"): Promise<void> {
    while (((await this.get(`/clusters/${cluster}/version`)).status === 200) !== isReachable);
  }

  async writeKubeconfig(kubeconfig: string, cluster?: string): Promise<string> {
    const path = join(this.folder, cluster === undefined ? "kubeconfig" : `kubeconfig-${cluster}`);
    await writeFile(path, kubeconfig);
    return path;
  }

  async #agentCommand(
    kubeconfig: string,
    { joinToken, flags = [], cluster }: AgentOptions,
  ): Promise<{ readonly args: readonly string[]; readonly environment: Environment }> {
    const path = await this.writeKubeconfig(kubeconfig, cluster);
    const data = cluster === undefined ? [] : ["--data", join(this.folder, `agent-${cluster}`)];
    const own = ["--kubeconfig", path, "--health-listen", "127.0.0.1:0", ...data];
    const silence = flags.includes("--log-format") ? [] : ["--log-level", "silent"];
    return {
      args: ["agent", ...own, ...silence, ...flags],
      environment: { HOME: this.folder, BOWLINE_JOIN_TOKEN: joinToken },
    };
  }
}

/** The health page of an agent that was started here. */
export async function healthPage(
  printed: string,
  path: "readyz" | "readyz?verbose" | "metrics",
): Promise<string> {
  const url = /http:\/\/\S+/u.exec(printed)?.[0] ?? "";
  return (await fetch(url.replace("readyz", path))).text();
}

/** The metrics of a page whose names begin so, by their name and labels. */
export function metricsIn(page: string, prefix: string): Record<string, number> {
  const lines = page.split("\n").filter((line) => line.startsWith(prefix));
  return Object.fromEntries(
    lines.map((line) => {
      const space = line.lastIndexOf(" ");
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

export async function answerTo(sent: ClientRequest): Promise<Answer> {
  const response = await responseTo(sent);
  const body = await text(response);
  return {
    status: response.statusCode ?? 0,
    body: body.startsWith("{") ? JSON.parse(body) : {},
  };
}

export async function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return response;
}
