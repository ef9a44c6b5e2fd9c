import { expect, test } from "vitest";

import { identity } from "@bowline/auth/testing";
import type { AdmittedRequest } from "./admission/admit-request.ts";
import { parseClusterTarget } from "./request/cluster-target.ts";
import { parseKubernetesRequest } from "./request/kubernetes-request.ts";
import { proxyRecord } from "./proxy-record.ts";
import type { TransferResult } from "./transfer/proxied-request.ts";

function admittedOf(path: string, method = "GET"): AdmittedRequest {
  const target = parseClusterTarget(`/clusters/prod${path}`);
  return {
    requestId: "r1",
    identity: identity("editor", "editor"),
    address: "10.0.0.1",
    target,
    request: parseKubernetesRequest({ method, ...target }),
    access: { grant: "developers", kubernetesUser: "dev", groups: ["a"], namespaces: undefined },
    upgrade: undefined,
    startedMs: 0,
  };
}

const done: TransferResult = { status: 200, requestBytes: 1, answerBytes: 2, durationMs: 3.4 };

test("a record says who asked for what, as whom", () => {
  expect(proxyRecord(admittedOf("/api/v1/namespaces/shop/pods/web/log"), done)).toEqual({
    actor: { user: "editor", token: "editor-token", address: "10.0.0.1" },
    verb: "proxy",
    outcome: "allowed",
    httpStatus: 200,
    kind: "Cluster",
    name: "prod",
    requestId: "r1",
    proxy: {
      verb: "get",
      resource: "pods",
      subresource: "log",
      namespace: "shop",
      name: "web",
      grant: "developers",
      user: "dev",
      groups: ["a"],
      requestBytes: 1,
      answerBytes: 2,
      durationMs: 3,
    },
  });
});

test.each([
  ["allowed", 200, { status: 200 }],
  ["denied", 401, { status: 401 }],
  ["denied", 403, { status: 403 }],
  ["failed", 404, { status: 404 }],
  ["failed", 200, { status: 200, message: "The agent is gone." }],
  ["allowed", 200, { status: 200, message: "The client went away.", clientLeft: true }],
  ["allowed", 499, { status: 0, message: "The client went away.", clientLeft: true }],
])("a request is %s with the status %i after %o", (outcome, httpStatus, result) => {
  expect(proxyRecord(admittedOf("/version"), { ...done, ...result })).toMatchObject({ outcome, httpStatus });
});

test("nothing in a record is longer than it may be", () => {
  const long = "x".repeat(5_000);
  const admitted = admittedOf(`/api/v1/namespaces/${long}/${long}/${long}/${long}`, long);
  const { message, proxy } = proxyRecord({ ...admitted, upgrade: long }, { ...done, message: long });
  expect(message).toHaveLength(1_024);
  const { verb, resource, subresource, namespace, name, upgrade } = proxy ?? {};
  expect(verb).toHaveLength(32);
  for (const part of [resource, subresource, namespace, name, upgrade]) expect(part).toHaveLength(253);
  const other = proxyRecord(admittedOf(`/${long}`, long), done);
  expect([other.proxy?.verb?.length, other.proxy?.path?.length]).toEqual([32, 253]);
});
