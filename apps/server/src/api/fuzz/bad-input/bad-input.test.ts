import { Agent } from "node:http";

import { createValidator, ErrorBody } from "@bowline/api";
import { createTempFolder } from "@bowline/test-services";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { samples } from "../../testing/sample-bodies.ts";
import { openFuzzServer, type FuzzServer } from "../fuzz-server.ts";
import { exchange, type Header, type WireAnswer, type WireRequest } from "../wire-request.ts";
import { actions, goodRequest } from "./actions.ts";
import { badAddresses } from "./bad-addresses.ts";
import { badBodies } from "./bad-bodies.ts";
import { badCallers } from "./bad-callers.ts";
import { badConditions } from "./bad-conditions.ts";
import { badNameRequests } from "./bad-names.ts";
import { withQuery, type BadRequest, type Target } from "./bad-request.ts";

const stack = new AsyncDisposableStack();
const agent = new Agent({ keepAlive: true });
let server: FuzzServer;

beforeAll(async () => {
  const folder = stack.use(await createTempFolder("bad-input"));
  server = stack.use(await openFuzzServer({ type: "sqlite", file: `${folder.path}/bowline.db` }));
});

afterAll(async () => {
  agent.destroy();
  await stack.disposeAsync();
});

const badRequests = [...badBodies, ...badNameRequests, ...badConditions, ...badCallers, ...badAddresses];

describe.each(samples)("$kind.kind", (sample) => {
  const targets = actions.map((action): Target => ({ sample, action, request: goodRequest(sample, action) }));

  test.each(targets)(
    "$action.name: nothing is wrong with the request that bad ones are made from",
    async (target) => {
      const before = await server.state();
      const isWrite = target.action.method !== "GET";
      const answer = await send(isWrite ? withQuery(target, ["dryRun", "true"]) : target.request, "admin");
      expect(answer).toMatchObject({
        status: target.action.name === "create" || target.action.path === "/fresh" ? 201 : 200,
      });
      expect(await server.state()).toEqual(before);
    },
  );

  test.each(badRequests.filter(({ on }) => actions.some((action) => on(action, sample))))(
    "$what is refused with $status, and nothing is written",
    async (bad) => {
      for (const target of targets.filter(({ action }) => bad.on(action, sample))) {
        const before = await server.state();
        const answer = await send(bad.change?.(target) ?? target.request, bad.caller);
        expectRefusal(answer, bad, target);
        expect([target.action.name, await server.state()]).toEqual([target.action.name, before]);
      }
    },
  );
});

test("nothing of all this was the server's fault, and the audit log is not flooded", async () => {
  expect(server.log).toEqual([]);
  await server.stop();
  const { total } = await server.store.audit.list();
  expect(total).toBeGreaterThan(0);
  expect(total).toBeLessThan(1_100);
});

function send(request: WireRequest, caller: BadRequest["caller"] = "admin"): Promise<WireAnswer> {
  const authorization =
    typeof caller === "string" ? `Bearer ${server.secrets[caller]}` : caller?.authorization;
  const header: Header[] = authorization === undefined ? [] : [["Authorization", authorization]];
  return exchange({ port: server.port, agent }, { ...request, headers: [...request.headers, ...header] });
}

const readError = createValidator(ErrorBody);

function expectRefusal(answer: WireAnswer, bad: BadRequest, target: Target): void {
  const context = `${target.action.name}: ${answer.text}`;
  expect(answer.status, context).toBe(bad.status);
  expect(answer.headers["content-type"], context).toBe("application/json; charset=utf-8");
  const body = readError(JSON.parse(answer.text));
  if (!body.ok) throw new Error(`${context} is no error body`);
  const { code, message, fields = [], requestId } = body.value.error;
  expect(code, context).toBe(bad.code);
  expect(answer.headers["x-request-id"], context).toBe(requestId);
  expect(message, context).toMatch(/^[A-Z][^\n]*[.?]$/u);
  expect(message, context).not.toMatch(/[.?!] [A-Z]/u);
  if (bad.message !== undefined) expect(message, context).toMatch(bad.message);
  if (answer.status === 401) expect(answer.headers["www-authenticate"], context).toBe("Bearer");
  const field = typeof bad.field === "function" ? bad.field(target) : bad.field;
  if (field === undefined) return;
  expect(message, context).toContain(field);
  expect(
    fields.map(({ path }) => path),
    context,
  ).toContain(field);
}
