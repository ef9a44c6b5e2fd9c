import { afterEach, describe, expect, it } from "vitest";
import type { KubeObject } from "../object.ts";
import { sendJson, testConnection, TestServer } from "../testing/test-server.ts";
import { connect } from "../transport/connect.ts";
import { KubeClient } from "./kube-client.ts";
import type { KubeRequesterOptions } from "./kube-requester.ts";
import { resources } from "./resources.ts";

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly accept: string | undefined;
  readonly contentType: string | undefined;
  readonly body: unknown;
}

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A client of a real server that notes what it is asked and answers one thing. */
async function clientOf(
  answer: unknown,
  { status = 200, ...options }: KubeRequesterOptions & { readonly status?: number } = {},
): Promise<{ readonly client: KubeClient; readonly seen: Seen[]; readonly url: string }> {
  const seen: Seen[] = [];
  const server = await TestServer.start((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const body: unknown = text === "" ? undefined : JSON.parse(text);
      seen.push({ method, url, accept: headers.accept, contentType: headers["content-type"], body });
      sendJson(response, status, answer);
    });
  });
  cleanups.push(() => server.close());
  const transport = connect(testConnection(server.url, { user: "deputy" }));
  cleanups.push(() => transport.close());
  return { client: new KubeClient(transport, options), seen, url: server.url };
}

const web: KubeObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop" },
};
const at = { namespace: "shop", name: "web" } as const;
const path = "/apis/apps/v1/namespaces/shop/deployments/web";

describe("reading", () => {
  it("gets an object, or a part of it", async () => {
    const { client, seen } = await clientOf(web);
    expect(await client.get(resources.deployments, at)).toEqual(web);
    await client.get(resources.deployments, { ...at, subresource: "scale" });
    await client.getMetadata(resources.deployments, at);
    expect(seen.map(({ method, url, accept }) => [method, url, accept])).toEqual([
      ["GET", path, "application/json"],
      ["GET", `${path}/scale`, "application/json"],
      ["GET", path, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"],
    ]);
  });

  it("lists with selectors and paging, and tells every item what it is", async () => {
    const { client, seen } = await clientOf({
      kind: "PodList",
      metadata: {},
      items: [{ metadata: { name: "a" } }],
    });
    const list = await client.list(resources.pods, {
      labelSelector: "app in (a,b)",
      fieldSelector: "status.phase!=Running",
      limit: 50,
      resourceVersion: "7",
      resourceVersionMatch: "NotOlderThan",
    });
    expect(list.items).toEqual([{ apiVersion: "v1", kind: "Pod", metadata: { name: "a" } }]);
    await client.list(resources.pods, { namespace: "shop", continueToken: "t", resourceVersion: "7" });
    const [first, second] = seen.map(({ url }) => new URL(url, "http://x"));
    expect(first?.pathname).toBe("/api/v1/pods");
    expect(Object.fromEntries(first?.searchParams ?? [])).toEqual({
      labelSelector: "app in (a,b)",
      fieldSelector: "status.phase!=Running",
      limit: "50",
      resourceVersion: "7",
      resourceVersionMatch: "NotOlderThan",
    });
    expect(second?.pathname + (second?.search ?? "")).toBe("/api/v1/namespaces/shop/pods?continue=t");
  });

  it("takes a list without items as empty", async () => {
    const { client } = await clientOf({ kind: "PodList", metadata: {}, items: null });
    expect((await client.list(resources.pods)).items).toEqual([]);
  });

  it("asks for metadata and tables by media type", async () => {
    const { client, seen } = await clientOf({ metadata: {}, items: [], rows: [] });
    await client.listMetadata(resources.secrets, { namespace: "shop" });
    await client.listTable(resources.pods);
    expect(seen.map(({ accept }) => accept)).toEqual([
      "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
      "application/json;as=Table;g=meta.k8s.io;v=v1",
    ]);
  });

  it("stops reading an answer that is larger than it may be", async () => {
    const { client } = await clientOf({ kind: "Pod", data: "x".repeat(10_000) }, { maxBodyBytes: 1000 });
    await expect(client.get(resources.pods, at)).rejects.toMatchObject({ code: "ResponseTooLarge" });
  });
});

describe("writing", () => {
  it("creates where the object or the caller says", async () => {
    const { client, seen } = await clientOf(web);
    await client.create(resources.deployments, web, {
      dryRun: true,
      fieldManager: "me",
      fieldValidation: "Strict",
    });
    const nameless = { ...web, metadata: { generateName: "web-" } };
    await client.create(resources.deployments, nameless, { namespace: "other" });
    expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      [
        "POST",
        "/apis/apps/v1/namespaces/shop/deployments?dryRun=All&fieldManager=me&fieldValidation=Strict",
        web,
      ],
      ["POST", "/apis/apps/v1/namespaces/other/deployments", nameless],
    ]);
  });

  it("updates an object or its status", async () => {
    const { client, seen } = await clientOf(web);
    await client.update(resources.deployments, web);
    await client.update(resources.deployments, web, { subresource: "status" });
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([`PUT ${path}`, `PUT ${path}/status`]);
  });

  it.each([
    ["merge", { a: null }, "application/merge-patch+json"],
    ["json", [{ op: "remove", path: "/a" }], "application/json-patch+json"],
    ["strategic", { a: 1 }, "application/strategic-merge-patch+json"],
  ] as const)("patches with a %s patch", async (type, patch, contentType) => {
    const { client, seen } = await clientOf(web);
    await client.patch(resources.deployments, patch, { ...at, type });
    expect(seen[0]).toMatchObject({ method: "PATCH", url: path, contentType, body: patch });
  });

  it("applies without what a read object carries and an apply must not", async () => {
    const { client, seen } = await clientOf(web);
    const read = {
      ...web,
      metadata: { ...web.metadata, managedFields: [{ manager: "x" }], resourceVersion: "7" },
    };
    await client.apply(resources.deployments, read, { fieldManager: "bowline", force: true });
    expect(seen[0]).toEqual({
      method: "PATCH",
      url: `${path}?fieldManager=bowline&force=true`,
      accept: "application/json",
      contentType: "application/apply-patch+yaml",
      body: web,
    });
  });

  it("deletes with its options in the body", async () => {
    const { client, seen } = await clientOf({ kind: "Status", status: "Success" });
    await client.delete(resources.deployments, {
      ...at,
      propagationPolicy: "Foreground",
      gracePeriodSeconds: 0,
      preconditions: { uid: "u" },
      dryRun: true,
    });
    await client.deleteCollection(resources.pods, { namespace: "shop", labelSelector: "app=web" });
    expect(seen[0]).toMatchObject({
      method: "DELETE",
      url: path,
      body: {
        kind: "DeleteOptions",
        apiVersion: "v1",
        propagationPolicy: "Foreground",
        gracePeriodSeconds: 0,
        preconditions: { uid: "u" },
        dryRun: ["All"],
      },
    });
    expect(seen[1]).toMatchObject({
      method: "DELETE",
      url: "/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb",
    });
  });
});

describe("refusing before anything is sent", () => {
  it.each([
    ["no namespace", { name: "web" }],
    ["an empty name", { namespace: "shop", name: "" }],
    ["a name that is a path", { namespace: "shop", name: "../secrets/x" }],
    ["a namespace that is a path", { namespace: "..", name: "web" }],
  ])("%s", async (_case, target) => {
    const { client, seen } = await clientOf({});
    expect(() => client.get(resources.pods, target)).toThrow(
      expect.objectContaining({ code: "InvalidArgument" }) as Error,
    );
    expect(seen).toEqual([]);
  });
});

describe("answers that are not a success", () => {
  const failure = (code: number, reason: string, message: string): object => ({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code,
    reason,
    message,
    details: { kind: "deployments", name: "web" },
  });

  it("401: who was not accepted, and where", async () => {
    const { client, url } = await clientOf(failure(401, "Unauthorized", "Unauthorized"), { status: 401 });
    await expect(client.get(resources.deployments, at)).rejects.toMatchObject({
      code: "Unauthorized",
      message:
        `Could not get deployments/web in namespace "shop": ${url} does not accept the credentials of user "deputy"; ` +
        "check that the token or certificate is valid and has not expired.",
    });
  });

  it("403: what is not allowed, to whom", async () => {
    const said =
      'deployments.apps is forbidden: User "deputy" cannot list resource "deployments" in API group "apps"';
    const { client, url } = await clientOf(failure(403, "Forbidden", said), { status: 403 });
    await expect(client.list(resources.deployments)).rejects.toMatchObject({
      code: "Forbidden",
      message:
        `Could not list deployments in all namespaces: ${url} says: ${said}; ` +
        "grant it with a Role or ClusterRole, or use other credentials.",
    });
  });

  it("404, with the facts for programs", async () => {
    const { client, url } = await clientOf(failure(404, "NotFound", 'deployments.apps "web" not found'), {
      status: 404,
    });
    await expect(client.get(resources.deployments, at)).rejects.toMatchObject({
      code: "NotFound",
      retryable: false,
      message: 'Could not get deployments/web in namespace "shop": deployments.apps "web" not found.',
      details: { httpStatus: 404, reason: "NotFound", kind: "deployments", name: "web", server: url },
    });
  });

  it("409 of a create and of an update mean different things", async () => {
    const exists = await clientOf(failure(409, "AlreadyExists", "exists"), { status: 409 });
    await expect(exists.client.create(resources.deployments, web)).rejects.toMatchObject({
      code: "AlreadyExists",
    });
    const conflict = await clientOf(failure(409, "Conflict", "changed"), { status: 409 });
    await expect(conflict.client.update(resources.deployments, web)).rejects.toMatchObject({
      code: "Conflict",
    });
  });
});
