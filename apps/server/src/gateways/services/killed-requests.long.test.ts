import { Gateway, WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import { seededRandom } from "@bowline/core/testing";
import { resources } from "@bowline/kube";
import { whyNoGatewayApi, zoneRecords } from "@bowline/test-gateway";
import { describe, expect, test } from "vitest";

import { faultSeed } from "../../testing/crash/fault-seed.ts";
import { MortalStage, type AskedOfCluster } from "../testing/mortal-stage.ts";

const patience = { timeout: 300_000 };
/** Most of the time they wait. */
const sideBySide = 4;
const questionsTried = 8;
const programs = ["cert-manager", "external-dns", "reference-gateways"];
const services = ["cert-manager", "external-dns", "implementation"];

async function open(): Promise<MortalStage> {
  const stage = await MortalStage.open();
  // As a cluster has it when nothing is made any more.
  await expect.poll(() => stage.made()).toContain("workloads.bowline.dev /web");
  return stage;
}

/** Services are installed for a Gateway, and removed after it. */
async function thereAndBack(mortal: MortalStage): Promise<void> {
  const { stage, cluster } = mortal;
  const { harness, store, dns } = stage;
  const before = mortal.made();
  await harness.write("shop");
  await expect.poll(() => stage.ready("shop")).toMatch(/^True Reachable/u);
  expect(await stage.instances()).toEqual(services.map((name) => `bowline-support-${name}-edge`));
  const { items } = await cluster.client.list(resources.deployments);
  expect(new Set(items.map(({ metadata }) => metadata.name))).toEqual(new Set(programs));
  expect(items).toHaveLength(programs.length);

  await store.objects.delete(Gateway, "shop");
  await expect.poll(() => store.objects.get(Gateway, "shop")).toBeUndefined();
  expect(await store.objects.listNames(WorkloadInstance)).toEqual(["web"]);
  expect(await store.objects.listNames(WorkloadDefinition)).toEqual([...programs, "shop"]);
  expect((await zoneRecords(dns)).filter(({ name }) => name.includes("shop"))).toEqual([]);
  await expect.poll(() => cluster.programs.running).toEqual([]);
  // Definitions of resources stay when their service goes. The next time it is to bring them anew.
  for (const name of ["certificates.cert-manager.io", "clusterissuers.cert-manager.io"])
    await cluster.client.delete(resources.customResourceDefinitions, { name });
  await expect.poll(() => mortal.made()).toEqual(before);
}

/** Reviews of rights are questions. */
function isChange({ what }: AskedOfCluster): boolean {
  return !what.startsWith("GET ") && !what.startsWith("POST /apis/authorization.k8s.io/");
}

describe.skipIf(whyNoGatewayApi() !== undefined).each([
  ["a server", "server"],
  ["an agent", "agent"],
] as const)(`When a Gateway needs services, %s that dies (FAULT_SEED=${faultSeed})`, patience, (_, who) => {
  test("before or after any change that it makes in the cluster leaves it to the next one to install them once, and to remove them as a whole", async () => {
    const stages = await Promise.all(Array.from({ length: sideBySide }, open));
    const [first] = stages;
    if (first === undefined) throw new Error("There is no stage.");
    const asked = await first.requestsOf(() => thereAndBack(first));
    const changes = asked.filter(isChange);
    expect(changes.length).toBeGreaterThan(40);
    const survived: string[] = [];
    await Promise.all(
      stages.map(async (stage, turn) => {
        for (const change of changes.filter((__, index) => index % sideBySide === turn)) {
          const moments = ["before", "after"] as const;
          const deaths = await stage.dyingAt({ ...change, who }, moments, () => thereAndBack(stage));
          // What is asked for once more may be asked for once on another day.
          if (deaths < moments.length && change.nth === 0) survived.push(change.what);
        }
      }),
    );
    expect(survived).toEqual([]);
  });

  test("before or after some of its questions does so as well", async () => {
    const stage = await open();
    const random = seededRandom(faultSeed);
    const asked = await stage.requestsOf(() => thereAndBack(stage));
    const questions = asked.filter((each) => !isChange(each) && each.nth === 0);
    for (let tried = 0; tried < questionsTried; tried += 1) {
      const [question] = questions.splice(Math.floor(random() * questions.length), 1);
      if (question === undefined) throw new Error("Too little was asked.");
      const moment = random() < 0.5 ? "before" : "after";
      expect(await stage.dyingAt({ ...question, who }, [moment], () => thereAndBack(stage))).toBe(1);
    }
  });
});
