import { expect, test } from "vitest";

import { problemsInBothThemes } from "../browser/accessibility-problems.ts";
import { nextPictures } from "../browser/in-page.ts";
import { sampleCluster, sampleNamespace } from "../stage/sample-fleet.ts";
import { untilTold } from "../stage/told-graph.ts";
import { useStage } from "../stage/use-stage.ts";

const on = useStage({ clusters: [sampleCluster("edge")] });

test("what lies beside the picture comes with a node that is chosen, and goes when it is closed", async () => {
  const visit = await on.signIn();
  const { page } = visit;
  const focus = `Deployment/${sampleNamespace}/web`;
  // Its image is what its pods say.
  await untilTold(on.stage.server, { cluster: "edge", node: focus, total: 3 });
  await visit.open(`/graph?cluster=edge&focus=${focus}`);
  const beside = page.getByRole("complementary", { name: /^About / });
  const isGone = async (): Promise<void> => {
    await beside.waitFor({ state: "detached" });
    // And does not come back.
    for (let count = 0; count < 5; count += 1) await page.evaluate(nextPictures);
    expect(await beside.count()).toBe(0);
  };
  const image = page.getByRole("group", { name: /ContainerImage/u });

  await image.click();
  await beside.waitFor();
  await beside.getByRole("button", { name: "Close" }).click();
  await isGone();
  expect(new URL(page.url()).searchParams.get("peek")).toBeNull();

  await image.focus();
  await page.keyboard.press("Enter");
  await beside.waitFor();
  await page.keyboard.press("Escape");
  await isGone();

  await image.click();
  await beside.getByRole("button", { name: "Put into the middle" }).click();
  await visit.heading(/ContainerImage/u).waitFor();
  await isGone();
});

/** A Secret that many pods use, each with a ConfigMap of its own. */
function addHub(users: number): void {
  const { api } = on.stage.cluster("edge").sim;
  const named = (name: string): { name: string; namespace: string } => ({ name, namespace: sampleNamespace });
  api.create("secrets", { apiVersion: "v1", kind: "Secret", metadata: named("hub") });
  for (let index = 0; index < users; index += 1) {
    const metadata = named(`user-${index}`);
    api.create("configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata });
    const envFrom = [{ secretRef: { name: "hub" } }, { configMapRef: { name: metadata.name } }];
    const spec = { containers: [{ name: "main", image: "example.test/a:1", envFrom }] };
    api.create("pods", { apiVersion: "v1", kind: "Pod", metadata, spec });
  }
}

test("a large picture gets its places from a worker, and is a few outlines from afar that one can choose from", async () => {
  const users = 300;
  addHub(users);
  const visit = await on.signIn();
  const { page } = visit;
  const focus = `Secret/${sampleNamespace}/hub`;
  await untilTold(on.stage.server, { cluster: "edge", node: focus, total: 2 * users + 1 });
  await visit.open(`/graph?cluster=edge&focus=${focus}&budget=2000`);
  const drawn = async (): Promise<number> =>
    Number(await page.locator("[data-nodes]").getAttribute("data-nodes"));
  await expect.poll(drawn).toBeGreaterThan(2 * users);
  await page
    .getByRole("group", { name: /Secret.*hub/u })
    .first()
    .waitFor();
  expect(page.workers().filter((worker) => worker.url().includes("layout-worker"))).toHaveLength(1);
  const cards = page.locator(".react-flow__node-object");
  // Of hundreds, those in view.
  expect(await cards.count()).toBeLessThan(100);

  const out = page.getByRole("button", { name: "Zoom Out" });
  const outlines = page.locator(".graph-far path");
  await expect
    .poll(async () => {
      if (await out.isEnabled()) await out.click();
      return outlines.count();
    })
    .toBeGreaterThan(0);
  expect(await cards.count()).toBe(0);
  const box = await page.locator(".graph-far path.focus").boundingBox();
  if (box === null) throw new Error("The one in the middle is not drawn.");
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.getByRole("complementary", { name: /^About .*hub/u }).waitFor();
  expect(await problemsInBothThemes(page)).toEqual([]);
});
