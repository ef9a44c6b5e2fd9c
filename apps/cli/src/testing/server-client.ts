import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { ClientRequest, IncomingMessage } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { createTempFolder } from "@bowline/test-services";
import { onTestFinished } from "vitest";

import { startBowline, type BowlineProcess } from "./bowline-process.ts";

/** Talks to a server with what it printed when it started, and what is in its data folder. */
export class ServerClient {
  readonly token: string;
  readonly #url: string;
  readonly #ca: string;

  constructor(startedText: string, data: string) {
    this.token = readFileSync(join(data, "admin.token"), "utf8").trim();
    this.#ca = readFileSync(join(data, "tls", "ca.crt"), "utf8");
    this.#url = /listens on (\S+)/u.exec(startedText)?.[1] ?? "";
  }

  /** A request on a connection of its own, whose body is to be sent. */
  open(method: string, path: string): ClientRequest {
    const type = method === "POST" ? { "content-type": "application/json" } : {};
    return request(`${this.#url}${path}`, {
      method,
      ca: this.#ca,
      agent: false,
      headers: { authorization: `Bearer ${this.token}`, ...type },
    });
  }

  async get(path: string): Promise<{ readonly status: number; readonly body: string }> {
    const opened = this.open("GET", path);
    opened.end();
    const response = await responseTo(opened);
    return { status: response.statusCode ?? 0, body: await text(response) };
  }

  /** A request to create something of which the server has only the beginning. */
  async beginCreate(path: string, beginning: string): Promise<ClientRequest> {
    const opened = this.open("POST", path);
    opened.write(beginning);
    const [socket] = (await once(opened, "socket")) as [NodeJS.EventEmitter];
    await once(socket, "secureConnect");
    // An answer on another connection after that: the server has the beginning by then.
    await this.get(path);
    return opened;
  }
}

export async function responseTo(opened: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(opened, "response")) as [IncomingMessage];
  return response;
}

export async function tempFolder(): Promise<string> {
  const folder = await createTempFolder("server-command");
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder.path;
}

/** Runs a server as a process of its own until it listens; it is killed when the test ends. */
export function startServerProcess(data: string, ...args: string[]): Promise<BowlineProcess> {
  const flags = ["--data", data, "--listen", "127.0.0.1:0", "--log-format", "json", ...args];
  return startBowline(["server", ...flags], { readyText: "listens on" });
}
