import { Agent } from "node:http";

import { createTempFolder } from "@bowline/test-services";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { samples } from "../../api/testing/sample-bodies.ts";
import { openFuzzServer, type FuzzServer } from "../fuzz-server.ts";
import { exchange, type Header, type WireAnswer, type WireRequest } from "../wire-request.ts";
import { actions, goodRequest, otherAddresses, type OtherAddress } from "./actions.ts";
import { badAddresses } from "./bad-addresses.ts";
import { badBodies } from "./bad-bodies.ts";
import { badCallers } from "./bad-callers.ts";
import { badConditions } from "./bad-conditions.ts";
import { badNameRequests } from "./bad-names.ts";
import { withQuery, type BadRequest, type Target } from "./bad-request.ts";
import { expectRefusal } from "./expect-refusal.ts";

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

function send(request: WireRequest, caller: BadRequest["caller"] = "admin"): Promise<WireAnswer> {
  const authorization =
    typeof caller === "string" ? `Bearer ${server.secrets[caller]}` : caller?.authorization;
  const header: Header[] = authorization === undefined ? [] : [["Authorization", authorization]];
  return exchange({ port: server.port, agent }, { ...request, headers: [...request.headers, ...header] });
}

const badRequests = [...badBodies, ...badNameRequests, ...badConditions, ...badCallers, ...badAddresses];

describe.each(samples)("$kind.kind", (sample) => {
  const targets = actions.map((action): Target => ({ sample, action, request: goodRequest(sample, action) }));

  test.each(targets)(
    "$action.name: nothing is wrong with what bad requests are made from",
    async (target) => {
      const { action, request } = target;
      const before = await server.state();
      const answer = await send(action.method === "GET" ? request : withQuery(target, ["dryRun", "true"]));
      const isNew = action.name === "create" || action.path === "/fresh";
      expect(answer).toMatchObject({ status: isNew ? 201 : 200 });
      expect(await server.state()).toEqual(before);
    },
  );

  test.each(badRequests.filter(({ on }) => actions.some((action) => on(action, sample))))(
    "$what is refused with $status, and nothing is written",
    async (bad) => {
      const before = await server.state();
      for (const target of targets.filter(({ action }) => bad.on(action, sample))) {
        const answer = await send(bad.change?.(target) ?? target.request, bad.caller);
        const field = typeof bad.field === "function" ? bad.field(target) : bad.field;
        expectRefusal(answer, { ...bad, field }, target.action.name);
      }
      expect(await server.state()).toEqual(before);
    },
  );
});

describe.each(otherAddresses)("$method $path", ({ method, path, least, knowsParameters }: OtherAddress) => {
  const request: WireRequest = { method, path, query: [], headers: [] };

  test.each(badCallers.filter(({ status }) => status === 401))("$what is refused", async (bad) => {
    const before = await server.state();
    expectRefusal(await send(request, bad.caller), { ...bad, field: undefined }, path);
    expect(await server.state()).toEqual(before);
  });

  test.runIf(least === "admin")("is for admins", async () => {
    const before = await server.state();
    for (const caller of ["viewer", "editor"] as const) {
      expectRefusal(await send(request, caller), { status: 403, code: "Forbidden" }, path);
    }
    expect(await server.state()).toEqual(before);
  });

  test.runIf(knowsParameters)("an unknown parameter is refused", async () => {
    const before = await server.state();
    const refusal = { status: 400, code: "InvalidArgument", message: /«force»/u };
    expectRefusal(await send({ ...request, query: [["force", "true"]] }), refusal, path);
    expect(await server.state()).toEqual(before);
  });
});

test("nothing of all this was the server's fault, and the audit log is not flooded", async () => {
  expect(server.log).toEqual([]);
  await server.stop();
  const { total } = await server.store.audit.list();
  expect(total).toBeGreaterThan(0);
  expect(total).toBeLessThan(1_100);
});
