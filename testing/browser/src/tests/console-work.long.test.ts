import { AccessGrant, WorkloadDefinition } from "@bowline/api";
import { isRecord } from "@bowline/core";
import { expect, test } from "vitest";

import { problemsInBothThemes } from "../browser/accessibility-problems.ts";
import { readableByScripts } from "../browser/in-page.ts";
import { deployBroken, sampleCluster, sampleNamespace } from "../stage/sample-fleet.ts";
import { untilTold } from "../stage/told-graph.ts";
import { useStage } from "../stage/use-stage.ts";

const on = useStage({ clusters: [sampleCluster("edge")] });

test("a workload has its revisions, and shows what is different in two of them", async () => {
  const { server } = on.stage;
  await deployBroken(server, ["edge"]);
  const resolved = async (): Promise<string | undefined> =>
    (await server.admin.get(WorkloadDefinition, "reports")).status.revision?.id;
  await expect.poll(resolved).toBeDefined();
  const first = await resolved();
  const { spec } = await server.admin.get(WorkloadDefinition, "reports");
  const manifests = spec.source.inline?.manifests.replace("reports:2.0", "reports:3.0") ?? "";
  await server.admin.apply(WorkloadDefinition, "reports", {
    metadata: { name: "reports" },
    spec: { source: { inline: { manifests } } },
  });
  await expect.poll(resolved).not.toBe(first);
  const visit = await on.signIn();
  const { page } = visit;
  await visit.open("/workloads/reports?tab=revisions");
  const rows = page.getByRole("table", { name: "Revisions", exact: true }).getByRole("row");
  await expect.poll(() => rows.count()).toBe(3);
  await rows.nth(1).getByText("current").waitFor();
  const diff = page.getByRole("region", { name: /^Difference from/u });
  await diff.locator(".cm-deletedChunk").filter({ hasText: "reports:2.0" }).waitFor();
  await diff.locator(".cm-changedLine").filter({ hasText: "reports:3.0" }).waitFor();
});

test("an edit of one container leaves what somebody else does to another", async () => {
  const { sim } = on.stage.cluster("edge");
  const containers = (first: string): object[] => [
    { name: "one", image: `example.test/one:${first}` },
    { name: "two", image: "example.test/two:1" },
  ];
  const template = { metadata: { labels: { app: "pair" } }, spec: { containers: containers("1") } };
  const metadata = { name: "pair", namespace: sampleNamespace };
  const spec = { replicas: 0, selector: { matchLabels: { app: "pair" } }, template };
  sim.api.create("deployments.apps", { apiVersion: "apps/v1", kind: "Deployment", metadata, spec });
  const visit = await on.signIn();
  const { page, complaints } = visit;
  complaints.expect(/409 \(Conflict\)|422 \(Unprocessable/u);
  await visit.open(`/c/edge/o/apps/v1/deployments/${sampleNamespace}/pair?tab=edit`);
  await visit.replaceEnd(/image: example.test\/two:1$/u, "1", "2");
  const [patch] = await Promise.all([
    page.waitForRequest((request) => request.method() === "PATCH"),
    page.getByRole("button", { name: "Review the change" }).click(),
  ]);
  expect(JSON.parse(patch.postData() ?? "")).toContainEqual({
    op: "test",
    path: "/spec/template/spec/containers/1/image",
    value: "example.test/two:1",
  });
  await page.getByRole("list", { name: "What the colours mean" }).waitFor();
  const now = sim.api.get("deployments.apps", sampleNamespace, "pair");
  if (now === undefined) throw new Error("The Deployment is gone.");
  sim.api.update("deployments.apps", {
    ...now,
    spec: { ...spec, template: { ...template, spec: { containers: containers("9") } } },
  });
  await page.getByRole("button", { name: "Write it" }).click();
  await page.getByRole("button", { name: /keep/iu }).click();
  await page.getByRole("button", { name: "Review the change" }).click();
  await page.getByRole("button", { name: "Write it" }).click();
  await page.getByRole("status").filter({ hasText: "Written." }).waitFor();
  const written = JSON.stringify(sim.api.get("deployments.apps", sampleNamespace, "pair"));
  expect(written).toContain("example.test/one:9");
  expect(written).toContain("example.test/two:2");
});

test.each([
  ["Deployment", "deployments"],
  ["StatefulSet", "statefulsets"],
  ["ReplicaSet", "replicasets"],
] as const)("a %s is scaled to a number that makes sense", async (kind, resource) => {
  const { sim } = on.stage.cluster("edge");
  const name = `scaled-${resource}`;
  const labels = { app: name };
  const containers = [{ name: "main", image: "example.test/a:1" }];
  const template = { metadata: { labels }, spec: { containers } };
  const spec = { replicas: 2, serviceName: name, selector: { matchLabels: labels }, template };
  const metadata = { name, namespace: sampleNamespace };
  sim.api.create(`${resource}.apps`, { apiVersion: "apps/v1", kind, metadata, spec });
  const wanted = (): unknown => {
    const now = sim.api.get(`${resource}.apps`, sampleNamespace, name)?.["spec"];
    return isRecord(now) ? now["replicas"] : undefined;
  };
  const visit = await on.signIn();
  const { page } = visit;
  await visit.open(`/c/edge/o/apps/v1/${resource}/${sampleNamespace}/${name}`);
  await page.getByRole("button", { name: "Scale" }).click();
  const dialog = page.getByRole("dialog", { name: `Scale ${kind}` });
  const replicas = dialog.getByLabel("Replicas");
  await dialog.getByText(`${name} wants 2 now`).waitFor();
  await replicas.fill("many");
  await dialog.getByText("A whole number from 0 to 10000.").waitFor();
  expect(await dialog.getByRole("button", { name: "Scale", exact: true }).isDisabled()).toBe(true);
  expect(await problemsInBothThemes(page)).toEqual([]);
  await replicas.fill("0");
  await dialog.getByText("No pod of it will be left.").waitFor();
  await replicas.fill("3");
  expect(wanted()).toBe(2);
  await replicas.press("Enter");
  await dialog.waitFor({ state: "detached" });
  expect(wanted()).toBe(3);
  await page.getByRole("button", { name: "Scale" }).click();
  await dialog.getByText(`${name} wants 3 now`).waitFor();
});

test("what somebody may not do is switched off, and says who forbids it", async () => {
  const { server } = on.stage;
  const token = await server.addUser("looker", "viewer");
  await server.admin.apply(AccessGrant, "looker", {
    metadata: { name: "looker" },
    spec: {
      subjects: [{ user: "looker" }],
      clusters: { names: ["edge"] },
      kubernetes: { groups: ["lookers"] },
    },
  });
  on.stage.cluster("edge").sim.api.create("clusterrolebindings.rbac.authorization.k8s.io", {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "lookers" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "lookers" }],
  });
  const visit = await on.signIn({ token });
  const { page } = visit;
  await visit.open(`/c/edge/o/core/v1/pods/${sampleNamespace}/till`);
  const remove = page.getByRole("button", { name: "Delete", disabled: true });
  await remove.waitFor();
  await remove.focus();
  await page
    .getByRole("tooltip")
    .filter({ hasText: /The RBAC of edge does not let .* delete pods/u })
    .waitFor();
  const views = page.getByRole("navigation", { name: "Views" });
  for (const name of ["Edit", "Shell"]) {
    await views.getByRole("link", { name, disabled: true }).waitFor();
  }
  // Those who may view may read logs.
  await views.getByRole("link", { name: "Logs" }).waitFor();
  expect(await views.getByRole("link", { name: "Logs" }).getAttribute("aria-disabled")).toBeNull();
});

test("columns are chosen with keys, and kept for the kind by their names alone", async () => {
  const visit = await on.signIn();
  const { page } = visit;
  await visit.open("/c/edge/k/core/v1/pods");
  const restarts = page.getByRole("columnheader", { name: "Restarts" });
  await restarts.waitFor();
  await page.keyboard.press("o");
  await page.getByRole("group", { name: "Columns" }).getByLabel("Restarts").press("Space");
  await restarts.waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await page.getByRole("group", { name: "Columns" }).waitFor({ state: "detached" });
  await visit.open(`/c/edge/k/core/v1/pods?ns=${sampleNamespace}`);
  await page.getByRole("columnheader", { name: "Ready" }).waitFor();
  expect(await restarts.count()).toBe(0);
  const { localStorage = "" } = await page.evaluate(readableByScripts);
  expect(Object.fromEntries(JSON.parse(localStorage))["bowline-columns"]).toBe(
    '{"/pods":{"hidden":["Restarts"],"shown":[]}}',
  );
});

test("the picture of the graph is drawn anew when the server says that something has changed", async () => {
  const { sim } = on.stage.cluster("edge");
  const visit = await on.signIn();
  const { page } = visit;
  const focus = `ConfigMap/${sampleNamespace}/settings`;
  await untilTold(on.stage.server, { cluster: "edge", node: focus });
  await visit.open(`/graph?cluster=edge&focus=${focus}&view=table`);
  await page
    .getByRole("row", { name: /settings/u })
    .first()
    .waitFor();
  sim.api.create("pods", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "newcomer", namespace: sampleNamespace },
    spec: {
      containers: [
        { name: "main", image: "example.test/a:1", envFrom: [{ configMapRef: { name: "settings" } }] },
      ],
    },
  });
  await expect.poll(() => page.getByRole("row", { name: /newcomer/u }).count()).toBeGreaterThan(0);
});
