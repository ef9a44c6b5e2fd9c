import { readFile, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { request } from "node:https";
import type { ClientRequest, IncomingMessage } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { createTempFolder } from "@bowline/test-services";
import { onTestFinished } from "vitest";

import { FakeTerminal } from "../../../terminal/testing/fake-terminal.ts";
import { startRealServer, type RealServer } from "../../../testing/real-server.ts";
import { runBowline, type Ran } from "../../../testing/run-bowline.ts";

export interface Answer {
  readonly status: number;
  /** Parsed, where it is JSON. */
  readonly body: Record<string, unknown>;
}

export interface RunningCommand {
  readonly terminal: FakeTerminal;
  /** What Ctrl-C does. */
  readonly stop: () => Promise<Ran>;
}

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

  static async open(): Promise<AgentBench> {
    const temp = await createTempFolder("agent-command");
    onTestFinished(() => temp[Symbol.asyncDispose]());
    const data = join(temp.path, "server");
    const server = await startRealServer(data);
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

  async newJoinToken(): Promise<string> {
    const { body } = await this.post("/api/v1/clusters/edge/join-tokens");
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

  /** `bowline agent` in this process; resolves once it knows who it is. */
  async startAgent(
    kubeconfig: string,
    options: { readonly joinToken?: string; readonly flags?: string[] } = {},
  ): Promise<RunningCommand> {
    const path = join(this.folder, "kubeconfig");
    await writeFile(path, kubeconfig);
    const environment = { HOME: this.folder, BOWLINE_JOIN_TOKEN: options.joinToken };
    return this.run(["--kubeconfig", path, ...(options.flags ?? [])], environment);
  }

  async run(
    flags: readonly string[],
    environment: Record<string, string | undefined>,
  ): Promise<RunningCommand> {
    const terminal = new FakeTerminal();
    const stopping = new AbortController();
    const own = ["agent", "--health-listen", "127.0.0.1:0", "--log-level", "silent"];
    const running = runBowline([...own, ...flags], { terminal, environment, signal: stopping.signal });
    const stop = (): Promise<Ran> => {
      stopping.abort();
      return running;
    };
    onTestFinished(async () => void (await stop()));
    await Promise.race([terminal.wrote("is the agent of"), running]);
    return { terminal, stop };
  }

  /** Waits until the cluster can be reached, or cannot be any more. */
  async reachable(isReachable: boolean): Promise<void> {
    while (((await this.get("/clusters/edge/version")).status === 200) !== isReachable);
  }
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
