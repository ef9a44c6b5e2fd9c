import { AccessGrant, Cluster, ClusterAccess, createValidator, type SpecOf } from "@bowline/api";
import { systemClock } from "@bowline/core";
import type { Store } from "@bowline/store";
import { cluster, openTestStore } from "@bowline/store/testing";
import { expect, onTestFinished, test } from "vitest";

import { GrantCache } from "../proxy/admission/grant-cache.ts";
import { startRecordApi } from "../testing/record-api.ts";
import { clusterAccessRoutes } from "./cluster-access-routes.ts";

const validate = createValidator(ClusterAccess);

async function grant({ objects }: Store, name: string, spec: SpecOf<typeof AccessGrant>): Promise<void> {
  await objects.write(AccessGrant, name, () => ({
    apiVersion: "v1",
    kind: "AccessGrant",
    metadata: { name, labels: {}, annotations: {}, finalizers: [], ownerReferences: [] },
    spec,
  }));
}

async function setup() {
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  for (const name of ["east", "west"]) await store.objects.create(Cluster, cluster(name));
  const editor = { subjects: [{ user: "editor" }], clusters: { names: ["east"] } };
  await grant(store, "b-shop", {
    ...editor,
    kubernetes: { user: "shop-bot", groups: ["shop:edit"] },
    namespaces: ["shop"],
    expiresAt: "2999-01-01T00:00:00Z",
  });
  await grant(store, "a-look", { ...editor, kubernetes: { groups: ["view"] } });
  await grant(store, "over", { ...editor, kubernetes: { groups: [] }, expiresAt: "2020-01-01T00:00:00Z" });
  const grants = new GrantCache({ store, clock: systemClock, random: Math.random });
  onTestFinished(() => grants.close());
  await grants.start();
  return startRecordApi(store, () => [clusterAccessRoutes(grants)]);
}

test("says by which AccessGrants one may reach a cluster, as whom, where and until when", async () => {
  const { get } = await setup();
  const { status, body } = await get("/api/v1/clusters/east/access", "editor");
  expect(status).toBe(200);
  expect(validate(body)).toMatchObject({ ok: true });
  expect(body).toEqual({
    grants: [
      { name: "a-look", user: "editor", groups: ["view"] },
      {
        name: "b-shop",
        user: "shop-bot",
        groups: ["shop:edit"],
        namespaces: ["shop"],
        until: "2999-01-01T00:00:00.000Z",
      },
    ],
  });
});

test("says so to those who have none, admins among them", async () => {
  const { get } = await setup();
  for (const user of ["operator", "viewer"]) {
    expect(await get("/api/v1/clusters/east/access", user)).toEqual({ status: 200, body: { grants: [] } });
  }
  expect((await get("/api/v1/clusters/west/access", "editor")).body).toEqual({ grants: [] });
});

test("has nothing to say about a cluster that is none, nor to strangers", async () => {
  const { get } = await setup();
  expect(await get("/api/v1/clusters/north/access", "editor")).toMatchObject({
    status: 404,
    body: { error: { code: "NotFound" } },
  });
  expect(await get("/api/v1/clusters/No-Name/access", "editor")).toMatchObject({ status: 404 });
  expect(await get("/api/v1/clusters/east/access?as=viewer", "editor")).toMatchObject({ status: 400 });
  expect(await get("/api/v1/clusters/east/access", "nobody")).toMatchObject({ status: 401 });
});
