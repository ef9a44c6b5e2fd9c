import { WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import { expect, test } from "vitest";

import { accessibilityProblems } from "../browser/accessibility-problems.ts";
import { sampleNamespace } from "../stage/sample-fleet.ts";
import { useStage } from "../stage/use-stage.ts";

const namespace = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: sampleNamespace },
};
const on = useStage({
  clusters: ["east", "north", "west"].map((name) => ({
    name,
    labels: { stage: name === "north" ? "canary" : "all" },
    objects: [["namespaces", namespace] as const],
  })),
});
const name = "settings";

async function define(colour: string): Promise<void> {
  const manifests = `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {colour: ${colour}}}`;
  await on.stage.server.admin.apply(WorkloadDefinition, name, {
    metadata: { name },
    spec: { source: { inline: { manifests } } },
  });
}

/** The canary first, one more when somebody agrees, and then the rest. */
async function deploy(): Promise<void> {
  const waves = [
    { clusters: { selector: { matchLabels: { stage: "canary" } } } },
    { clusters: { count: 1 }, approval: true },
  ];
  await on.stage.server.admin.apply(WorkloadInstance, name, {
    metadata: { name },
    spec: {
      definition: name,
      placement: { selector: {} },
      namespace: sampleNamespace,
      actingUser: "admin",
      rollout: { waves },
    },
  });
}

/** What each cluster has, without the console. */
function colours(): string[] {
  return ["east", "north", "west"].map((cluster) => {
    const data = on.stage.cluster(cluster).sim.api.get("configmaps", sampleNamespace, "settings")?.["data"];
    return JSON.stringify(data);
  });
}

const [red, blue] = ['{"colour":"red"}', '{"colour":"blue"}'];

test("a change is seen wave by wave, agreed to, paused, resumed and taken back", async () => {
  await define("red");
  await deploy();
  const visit = await on.signIn();
  const { page } = visit;
  const rollout = page.getByRole("region", { name: "Rollout" });
  const button = (text: string | RegExp): ReturnType<typeof page.getByRole> =>
    page.getByRole("button", { name: text });
  const approve = button(/^Approve wave 2 of revision/u);
  const complete = rollout.getByText("Complete", { exact: false });
  await visit.open(`/workloads/${name}`);
  await rollout.getByText("agrees to wave 2 of 3").waitFor();
  const first = rollout.getByRole("listitem", { name: "Wave 1" });
  await first.getByText("1 of 1 ready").waitFor();
  await first.getByRole("link", { name: "north" }).waitFor();
  await rollout.getByRole("listitem", { name: "Wave 2" }).getByText("waits", { exact: true }).waitFor();
  expect(colours()).toEqual([undefined, red, undefined]);
  expect(await accessibilityProblems(page)).toEqual([]);
  await approve.click();
  await complete.waitFor();
  expect(colours()).toEqual([red, red, red]);

  await button("Pause").click();
  await page.getByLabel("Why").fill("no changes at night");
  await button("Pause it").click();
  await rollout.getByText("no changes at night").waitFor();
  await define("blue");
  await page.getByText("would change 3 clusters").waitFor();
  expect(colours()).toEqual([red, red, red]);
  await button("Resume").click();
  await button("Let it go on").click();
  await rollout.getByText("agrees to wave 2 of 3").waitFor();
  expect(colours()).toEqual([red, blue, red]);

  await button("Roll back").click();
  await page.getByRole("dialog").getByRole("radio", { checked: true }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await button("Go there").click();
  await rollout.getByText("It stays at revision").waitFor();
  // Somebody has agreed to this revision before.
  await complete.waitFor();
  expect(colours()).toEqual([red, red, red]);

  await button("Roll back").click();
  await page.getByLabel("follow the definition again").check();
  await button("Follow it").click();
  await rollout.getByText("agrees to wave 2 of 3").waitFor();
  await approve.click();
  await complete.waitFor();
  expect(colours()).toEqual([blue, blue, blue]);
});

test("a viewer sees how far it is, and why they cannot change it", async () => {
  await define("red");
  await deploy();
  const visit = await on.signIn({ token: await on.stage.server.addUser("looker", "viewer") });
  await visit.open(`/workloads/${name}`);
  const pause = visit.page.getByRole("button", { name: "Pause" });
  await pause.hover();
  const why = visit.page.locator(`[id="${await pause.getAttribute("aria-describedby")}"]`);
  await why.getByText("You are a viewer").waitFor();
  expect(await pause.getAttribute("aria-disabled")).toBe("true");
});
