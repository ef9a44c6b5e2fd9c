import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import type { ApiServer } from "@bowline/test-cluster";

import type { AccessRequest } from "../rule.ts";
import type { UserInfo } from "../subject.ts";
import type { RbacObject } from "./random-rbac.ts";

export interface Review {
  readonly allowed: boolean;
  readonly reason: string;
}

export interface Sent {
  readonly method: "POST" | "PATCH";
  readonly path: string;
  readonly body: object;
  readonly user?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const connections = 16;

/** Asks a real API server who may do what, many questions at a time. */
export class AccessReviews implements Disposable {
  readonly #server: ApiServer;
  readonly #agent: Agent;

  constructor(server: ApiServer) {
    this.#server = server;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, ca: server.caCert });
  }

  async create(object: RbacObject): Promise<void> {
    const [group, version] = object.apiVersion.includes("/") ? object.apiVersion.split("/") : ["", "v1"];
    const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
    const { namespace } = object.metadata;
    const place = namespace === undefined ? "" : `/namespaces/${namespace}`;
    await this.#post(`${root}${place}/${object.kind.toLowerCase()}s`, object);
  }

  async ask({ name, groups }: UserInfo, asked: AccessRequest): Promise<Review> {
    const attributes =
      "nonResourceURL" in asked
        ? { nonResourceAttributes: { verb: asked.verb, path: asked.nonResourceURL } }
        : { resourceAttributes: asked };
    const answer = await this.#post("/apis/authorization.k8s.io/v1/subjectaccessreviews", {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: { user: name, groups, ...attributes },
    });
    const { status } = answer as { status: { allowed: boolean; reason?: string } };
    return { allowed: status.allowed, reason: status.reason ?? "" };
  }

  /** Answers in the order of the questions. */
  async all<T, R>(items: readonly T[], ask: (item: T) => Promise<R>): Promise<R[]> {
    const answers: R[] = [];
    const rest = items.entries();
    const askOn = async (): Promise<void> => {
      for (const [index, item] of rest) answers[index] = await ask(item);
    };
    await Promise.all(Array.from({ length: connections }, askOn));
    return answers;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  async #post(path: string, body: object): Promise<unknown> {
    const { status, answer } = await this.send({ method: "POST", path, body });
    if (status === 201) return JSON.parse(answer);
    throw new Error(`${path} ${JSON.stringify(body)}: ${answer}`);
  }

  /** As the admin, unless a user is named. */
  async send({
    method,
    path,
    body,
    user = "admin",
    headers,
  }: Sent): Promise<{ status: number; answer: string }> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const own = { authorization: `Bearer ${this.#server.token(user)}`, "content-type": type };
    const url = new URL(path, this.#server.url);
    const sent = request(url, { method, agent: this.#agent, headers: { ...own, ...headers } });
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    sent.on("response", resolve).on("error", reject).end(JSON.stringify(body));
    const response = await promise;
    return { status: response.statusCode ?? 0, answer: await text(response) };
  }
}
