import { createLogger } from "@bowline/core";
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from "fastify";
import { onTestFinished } from "vitest";

import { createHttpApi } from "../api/http-api.ts";
import { authRoutes } from "../routes/auth-routes.ts";
import { openTestAccess, type AccessHarness, type HarnessOptions } from "@bowline/auth/testing";

export interface TestApi extends AccessHarness {
  readonly app: FastifyInstance;
  /** Every line that was logged. */
  readonly logLines: readonly string[];
  readonly request: (
    method: InjectOptions["method"],
    url: string,
    more?: RequestParts,
  ) => Promise<LightMyRequestResponse>;
}

interface RequestParts {
  /** A token or a JWT. */
  readonly secret?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The real API on a real store, with everything in between. */
export async function openTestApi(options: HarnessOptions = {}): Promise<TestApi> {
  const harness = await openTestAccess(options);
  const { store, access } = harness;
  const logLines: string[] = [];
  const logger = createLogger({
    name: "test",
    level: "trace",
    destination: { write: (line: string) => void logLines.push(line) },
  });
  const app = await createHttpApi({ store, access, logger, plugins: [authRoutes({ store, access })] });
  onTestFinished(() => app.close());
  return {
    ...harness,
    app,
    logLines,
    request: (method = "GET", url, { secret, body, headers = {} } = {}) =>
      app.inject({
        method,
        url,
        headers: { ...headers, ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }) },
        ...(body === undefined ? {} : { payload: body }),
      }),
  };
}
