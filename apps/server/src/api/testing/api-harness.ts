import {
  Cluster,
  createValidator,
  ErrorBody,
  User,
  WorkloadInstance,
  type AuditRecord,
  type Kind,
  type SpecOf,
} from "@bowline/api";
import { createLogger, type LogLevel } from "@bowline/core";
import type { FastifyInstance } from "fastify";
import { expect, onTestFinished } from "vitest";

import type { Store } from "@bowline/store";
import { cluster, instance, openTestStore } from "@bowline/store/testing";
import { createHttpApi, type HttpApiOptions } from "../http-api.ts";
import { TestAccess } from "./test-access.ts";

interface CallOptions {
  /** The caller; nobody for `null`. */
  readonly as?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The JSON in it. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface TestApi {
  readonly app: FastifyInstance;
  readonly store: Store;
  readonly access: TestAccess;
  /** Lines of the log. */
  readonly log: readonly string[];
  /** Calls it as an admin, unless told otherwise. */
  readonly call: (method: string, url: string, options?: CallOptions) => Promise<Answer>;
  /** All audit records, newest first; closes the API, which writes them. */
  readonly audited: () => Promise<readonly AuditRecord[]>;
}

type Options = Partial<Omit<HttpApiOptions, "access" | "logger">> & {
  readonly testStore?: Store;
  readonly logLevel?: LogLevel;
};

const newline = "\n";

/** The API on a SQLite store in memory, which goes when the test ends. There is a User named editor. */
export async function openTestApi(options: Options = {}): Promise<TestApi> {
  const store = options.testStore ?? (await openTestStore({ type: "sqlite", file: ":memory:" }));
  const { logLevel = "info", ...rest } = options;
  const access = new TestAccess();
  const log: string[] = [];
  const logger = createLogger({
    name: "test",
    level: logLevel,
    destination: { write: (line) => void log.push(line.split(newline)[0] ?? "") },
  });
  const app = await createHttpApi({ store, access, logger, ...rest });
  onTestFinished(() => app.close());
  const metadata = { name: "editor", labels: {}, annotations: {} };
  const spec: SpecOf<typeof User> = { role: "editor", groups: [], disabled: false };
  await store.objects.write(User, "editor", () => ({ metadata, spec }));
  await store.objects.write(Cluster, "sample", () => cluster("sample"));
  await store.objects.write(WorkloadInstance, "sample", () => instance("sample", "web", ["sample"]));
  return {
    app,
    store,
    access,
    log,
    call: (method, url, call = {}) => callApi(app, method, url, call),
    audited: async () => {
      await app.close();
      return (await store.audit.list()).items;
    },
  };
}

async function callApi(
  app: FastifyInstance,
  method: string,
  url: string,
  { as = "operator", body, headers = {} }: CallOptions,
): Promise<Answer> {
  const response = await app.inject({
    method,
    url,
    headers: {
      ...(as === null ? {} : { authorization: `Bearer ${as}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.body,
    body: response.body.startsWith("{") ? response.json() : {},
  };
}

const validateError = createValidator(ErrorBody);

/** Checks that an answer is an error in the one shape, and returns what it says. */
export function errorOf(answer: Answer): ErrorBody["error"] {
  const result = validateError(answer.body);
  expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  if (!result.ok) throw new Error(`No error body: ${answer.text}`);
  expect(answer.headers["x-request-id"]).toBe(result.value.error.requestId);
  return result.value.error;
}

export function addressFor(kind: Kind, name?: string): string {
  return name === undefined ? `/api/v1/${kind.plural}` : `/api/v1/${kind.plural}/${name}`;
}
