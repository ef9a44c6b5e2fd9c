import { join } from "node:path";

import { createTempFolder } from "@bowline/test-services";
import { TestAuthority } from "@bowline/test-services/certificates";
import { GitHttpServer, TestRepository } from "@bowline/test-services/git";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startObjectServer, type ObjectServer } from "../testing/object-server.ts";

const configMap = (name: string): string => `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}}\n`;

const stack = new AsyncDisposableStack();
let server: ObjectServer;
let repository: TestRepository;
let git: GitHttpServer;
let first: string;

beforeAll(async () => {
  const folder = stack.use(await createTempFolder("sources")).path;
  const served = join(folder, "served");
  repository = await TestRepository.create(served);
  first = await repository.commit({ files: { "web/a.yaml": configMap("a") } });
  const authority = await TestAuthority.create();
  const tls = await authority.issue({ commonName: "server" });
  git = stack.use(await GitHttpServer.start({ folder: served, tls }));
  server = stack.use(await startObjectServer());
  const objects = [
    {
      kind: "Credential",
      metadata: { name: "git" },
      spec: { type: "tls", hosts: ["127.0.0.1"], data: { caPem: authority.cert } },
    },
    {
      kind: "WorkloadDefinition",
      metadata: { name: "web" },
      spec: { source: { git: { url: git.url(), path: "web", interval: "1h", credential: "git" } } },
    },
    {
      kind: "WorkloadDefinition",
      metadata: { name: "plain" },
      spec: { source: { inline: { manifests: configMap("b") } } },
    },
  ];
  const stdin = objects.map((object) => JSON.stringify(object)).join("\n---\n");
  await server.bowline(["apply", "-f", "-"], { stdin });
});
afterAll(() => stack.disposeAsync());

describe("resolve", () => {
  test("takes what was pushed just now, and says which commit it is", async () => {
    expect(await server.bowline(["wait", "wd/web", "--for", "condition=UpToDate"])).toMatchObject({
      code: 0,
    });
    const second = await repository.commit({ files: { "web/b.yaml": configMap("b") } });
    const ran = await server.bowline(["resolve", "wd/web"]);
    expect(ran).toMatchObject({ code: 0, error: "" });
    expect(ran.out).toMatch(
      new RegExp(
        `^workloaddefinition/web is at commit ${second.slice(0, 12)}: revision [0-9a-f]{12}\n$`,
        "u",
      ),
    );
    expect((await server.bowline(["resolve", "web"])).out).toBe(ran.out);
    expect((await server.bowline(["history", "wd/web"])).out).toContain(second.slice(0, 12));
    expect((await server.bowline(["history", "wd/web"])).out).toContain(first.slice(0, 12));
  });

  test("fails with the reason when the commit cannot be used, and sources puts that first", async () => {
    await repository.commit({ files: { "web/c.yaml": "kind: [" } });
    const ran = await server.bowline(["resolve", "web"]);
    expect(ran.code).toBe(1);
    expect(ran.error).toMatch(/^error: workloaddefinition\/web is not up to date. RenderFailed: .*c\.yaml/u);
    const { out } = await server.bowline(["sources"]);
    expect(out.split("\n")[0]).toMatch(/^SOURCE +REPOSITORY +REF +COMMIT +CURRENT +REASON +AGE$/u);
    expect(out).toMatch(/^wd\/web +https:\S+ +main +[0-9a-f]{12} +False +RenderFailed /mu);
    expect(out).not.toContain("wd/plain");
    const { items } = JSON.parse((await server.bowline(["sources", "-o", "json"])).out);
    expect(items).toMatchObject([{ source: "wd/web", upToDate: "False", reason: "RenderFailed" }]);
  });

  test.each([
    ["what does not come from git", ["resolve", "plain"], "does not come from git", 1],
    ["what is not there", ["resolve", "wd/none"], "none", 1],
    ["another kind", ["resolve", "wi/web"], "is no workload definition", 2],
  ])("refuses %s", async (_, args, message, code) => {
    const ran = await server.bowline(args);
    expect(ran.error).toContain(message);
    expect(ran.code).toBe(code);
  });
});

describe("diff", () => {
  test("takes --ref for instances alone", async () => {
    const ran = await server.bowline(["diff", "web.yaml", "--ref", "main"]);
    expect(ran).toMatchObject({ code: 2 });
    expect(ran.error).toContain("--ref is for an instance");
  });
});
