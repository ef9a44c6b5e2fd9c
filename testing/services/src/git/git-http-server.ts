import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";

import { requireProgram } from "../require-program.ts";
import { gitProgram } from "../test-programs.ts";
import { answerWrongly, appliesTo, FaultyBody, type GitFault, type GitRequestPart } from "./git-faults.ts";
import { plainGitEnvironment } from "./run-git.ts";

export interface GitHttpOptions {
  /** The folder that holds the repositories. */
  readonly folder: string;
  readonly tls?: {
    readonly cert: string;
    readonly key: string;
    /** Clients must then show a certificate that this authority signed. */
    readonly clientCa?: string;
  };
}

export interface GitHttpRequest {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
}

/** `git http-backend` behind HTTP, on a free port of loopback, with faults on command. */
export class GitHttpServer implements AsyncDisposable {
  readonly origin: string;
  readonly port: number;
  /** All requests so far, also those that were refused. */
  readonly requests: GitHttpRequest[] = [];
  fault: GitFault | undefined;
  /** Who may read; undefined for everybody. */
  account: { readonly username: string; readonly password: string } | undefined;
  /** As a server from before 2018, which ignores what it is told about versions of the protocol. */
  onlyOldProtocol = false;
  readonly #server: ReturnType<typeof createServer>;
  readonly #folder: string;
  readonly #git: string;

  private constructor(server: ReturnType<typeof createServer>, options: GitHttpOptions, git: string) {
    this.#server = server;
    this.#folder = options.folder;
    this.#git = git;
    this.port = (server.address() as AddressInfo).port;
    this.origin = `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${this.port}`;
    server.on("request", (request, response) => this.#answer(request, response));
  }

  static async start(options: GitHttpOptions): Promise<GitHttpServer> {
    const git = await requireProgram(gitProgram);
    const { tls } = options;
    const server = tls === undefined ? createServer() : createTlsServer(tlsOptions(tls));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new GitHttpServer(server, options, git);
  }

  url(repository = "repository.git"): string {
    return `${this.origin}/${repository}`;
  }

  /** Ends all connections, as a proxy between does; who comes again is served. */
  hangUp(): void {
    this.#server.closeAllConnections();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.hangUp();
    await closed;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { method = "", url = "", headers } = request;
    this.requests.push({ method, url, authorization: headers.authorization });
    const part: GitRequestPart = url.endsWith("/git-upload-pack") ? "objects" : "refs";
    const fault = appliesTo(this.fault, part) ? this.fault : undefined;
    request.on("error", () => {});
    if (!this.#mayRead(headers.authorization)) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="test"' }).end("no\n");
      return;
    }
    if (fault !== undefined && answerWrongly(fault, request, response)) return;
    this.#runBackend(request, response, fault);
  }

  #mayRead(authorization: string | undefined): boolean {
    if (this.account === undefined) return true;
    const { username, password } = this.account;
    return authorization === `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  }

  #runBackend(request: IncomingMessage, response: ServerResponse, fault: GitFault | undefined): void {
    const child = spawn(this.#git, ["http-backend"], {
      env: { ...plainGitEnvironment, ...this.#variables(request) },
      stdio: ["pipe", "pipe", "ignore"],
    });
    child.stdin.on("error", () => {});
    request.pipe(child.stdin);
    response.once("close", () => child.kill());
    const body = new FaultyBody(response, fault);
    let head: Buffer | undefined = Buffer.alloc(0);
    child.stdout.on("data", (chunk: Buffer) => {
      if (head === undefined) return body.write(chunk);
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return;
      writeHead(response, head.subarray(0, end).toString("latin1"));
      const rest = head.subarray(end + 4);
      head = undefined;
      if (rest.length > 0) body.write(rest);
    });
    child.stdout.on("end", () => body.end());
  }

  #variables(request: IncomingMessage): Record<string, string> {
    const { pathname, search } = new URL(request.url ?? "/", this.origin);
    const header = (name: string): string => String(request.headers[name] ?? "");
    return {
      GIT_PROJECT_ROOT: this.#folder,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method ?? "",
      CONTENT_TYPE: header("content-type"),
      HTTP_CONTENT_ENCODING: header("content-encoding"),
      ...(this.onlyOldProtocol ? {} : { GIT_PROTOCOL: header("git-protocol") }),
    };
  }
}

function tlsOptions({ cert, key, clientCa }: NonNullable<GitHttpOptions["tls"]>): object {
  return clientCa === undefined
    ? { cert, key }
    : { cert, key, ca: clientCa, requestCert: true, rejectUnauthorized: true };
}

/** Headers as a CGI program prints them; `Status` among them is the answer's. */
function writeHead(response: ServerResponse, head: string): void {
  const fields = head.split("\r\n").map((line) => line.split(/:\s*/u, 2));
  const status = fields.find(([name]) => name?.toLowerCase() === "status")?.[1] ?? "200";
  for (const [name, value] of fields) {
    if (name !== undefined && value !== undefined && name.toLowerCase() !== "status") {
      response.setHeader(name, value);
    }
  }
  response.writeHead(Number.parseInt(status, 10));
}
