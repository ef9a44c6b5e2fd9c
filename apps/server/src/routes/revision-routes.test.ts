import {
  createValidator,
  placementName,
  WorkloadDefinition,
  WorkloadPlacement,
  WorkloadRevisionContent,
  WorkloadRevisionList,
} from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { parseManifests, revisionOf } from "@bowline/manifests";
import { openTestStore } from "@bowline/store/testing";
import { describe, expect, test, vi } from "vitest";

import { PlacedWorkload } from "../reports/testing/placed-workload.ts";
import { startRecordApi } from "../testing/record-api.ts";
import { revisionRoutes } from "./revision-routes.ts";

const validateList = createValidator(WorkloadRevisionList);
const validateContent = createValidator(WorkloadRevisionContent);

function manifests(image: string, password: string): string {
  return `
apiVersion: v1
kind: Secret
metadata: { name: db }
stringData: { user: shop, password: ${password} }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: web }
data: { image: "${image}" }
`;
}

async function setup() {
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  await PlacedWorkload.create(store, { now: () => Date.now() });
  const { get, access } = await startRecordApi(store, () => [revisionRoutes(store)]);
  const definition = await store.objects.get(WorkloadDefinition, "shop");
  const definitionId = definition?.metadata.id ?? "";
  const put = async (image: string, password: string, author?: string) => {
    const { objects } = parseManifests(manifests(image, password));
    const { content } = revisionOf({ objects, parameters: [] });
    return store.revisions.put({ definitionId, content, objects: objects.length, author });
  };
  const path = "/api/v1/workloaddefinitions/shop/revisions";
  const list = async (query = "") => {
    const answer = validateList((await get(`${path}${query}`)).body);
    if (!answer.ok) throw new Error(JSON.stringify(answer.problems));
    return answer.value;
  };
  const content = async (id: string, query = "") => {
    const answer = validateContent((await get(`${path}/${id}${query}`)).body);
    if (!answer.ok) throw new Error(JSON.stringify(answer.problems));
    return answer.value;
  };
  return { store, access, get, put, list, content, path };
}

describe("the revisions of a definition", () => {
  test("are listed newest first, page by page, with where each is applied", async () => {
    const { store, put, list, get, path } = await setup();
    const first = await put("web:1", "one", "ada");
    const second = await put("web:2", "one", "bob");
    await store.objects.writeStatus(WorkloadPlacement, placementName("web", "east"), ({ status }) => ({
      ...status,
      revision: first.id,
    }));
    const page = await list("?limit=1");
    expect(page).toMatchObject({
      metadata: { total: 3 },
      items: [{ id: second.id, author: "bob", objects: 2, current: true, clusters: 0 }],
    });
    const rest = await list(`?limit=2&cursor=${page.metadata.cursor}`);
    expect(rest.items).toMatchObject([
      { id: first.id, author: "ada", current: false, clusters: 1 },
      { current: false, clusters: 0 },
    ]);
    expect(rest.metadata).not.toHaveProperty("cursor");
    expect((await list("?instance=other")).items.map(({ clusters }) => clusters)).toEqual([0, 0, 0]);
    expect(await get(`${path}?instance=A`)).toMatchObject({ status: 400 });
    expect(await get("/api/v1/workloaddefinitions/none/revisions")).toMatchObject({ status: 404 });
  });

  test("have their manifests, without the values of Secrets", async () => {
    const { put, content } = await setup();
    const first = await put("web:1", "canary-one");
    const second = await put("web:2", "canary-two");
    const alone = await content(first.id);
    expect(alone).toMatchObject({ id: first.id, current: false, parameters: [] });
    expect(alone.manifests).toMatchObject([
      { kind: "Secret", stringData: { user: "***", password: "***" } },
      { kind: "ConfigMap", data: { image: "web:1" } },
    ]);
    const before = await content(first.id, `?against=${second.id}`);
    const after = await content(second.id, `?against=${first.id}`);
    expect(before.manifests[0]).toMatchObject({ stringData: { user: "***", password: "*** (before)" } });
    expect(after.manifests[0]).toMatchObject({ stringData: { user: "***", password: "*** (after)" } });
    expect(JSON.stringify([alone, before, after])).not.toContain("canary");
  });

  test("are told to those only who may read the definition, and no revision of another", async () => {
    const { store, access, get, put, path } = await setup();
    const { id } = await put("web:1", "one");
    const metadata = { name: "other", labels: {}, annotations: {} };
    const spec = { source: { inline: { manifests: "x" } }, parameters: [] };
    await store.objects.create(WorkloadDefinition, { metadata, spec });
    expect(await get(`/api/v1/workloaddefinitions/other/revisions/${id}`)).toMatchObject({ status: 404 });
    expect(await get(`${path}/sha256:0`)).toMatchObject({ status: 404 });
    expect(await get(`${path}/${id}?against=sha256:0`)).toMatchObject({ status: 400 });
    const allow = vi.spyOn(access, "allow").mockImplementation((_identity, verb, kind) => {
      throw new BowlineError("Forbidden", `You may not ${verb} ${kind.plural}.`);
    });
    expect(await get(path)).toMatchObject({ status: 403 });
    expect(await get(`${path}/${id}`)).toMatchObject({ status: 403 });
    expect(allow).toHaveBeenCalledWith(expect.anything(), "get", WorkloadDefinition);
  });
});
