import { Gateway, WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import { whyNoGatewayApi } from "@bowline/test-gateway";
import { describe, expect, test } from "vitest";

import { beforeDeleting, DyingServer } from "../testing/dying-server.ts";
import { madeIn } from "../testing/gateway-harness.ts";
import { install, ServiceStage } from "../testing/service-stage.ts";

const patience = { timeout: 120_000 };

describe.skipIf(whyNoGatewayApi() !== undefined)(
  "A server that dies before any of its writes",
  patience,
  () => {
    test.each([
      ["everything", install],
      ["an implementation", { implementations: install.implementations }],
      ["cert-manager", { ...install, externalDns: undefined }],
    ])("installs %s once, and removes it as a whole", async (_, wanted) => {
      const stage = await ServiceStage.open({ isManual: true, install: wanted });
      const { harness, store } = stage;
      const cluster = await stage.addCluster("edge");
      const server = new DyingServer(harness, wanted);
      await harness.workloads.place(["edge"]);
      await harness.write("shop");
      expect(await server.killedEverywhere()).toBeGreaterThan(3);
      await expect
        .poll(async () => {
          await server.killedEverywhere();
          return harness.ready("shop");
        })
        .toMatch(wanted.externalDns === undefined ? /^True (?:NotProbed|Accepted)/u : /external-dns-edge/u);
      const services = await stage.instances();
      expect(new Set(services).size).toBe(services.length);
      expect(services).toHaveLength(Object.values(wanted).filter((each) => each !== undefined).length);

      await store.objects.delete(Gateway, "shop");
      await expect
        .poll(async () => {
          await server.killedEverywhere();
          return store.objects.get(Gateway, "shop");
        })
        .toBeUndefined();
      expect(await store.objects.listNames(WorkloadInstance)).toEqual(["web"]);
      expect(await store.objects.listNames(WorkloadDefinition)).toEqual([
        "cert-manager",
        "external-dns",
        "reference-gateways",
        "shop",
      ]);
      expect(await madeIn(cluster)).toEqual([]);
      await expect.poll(() => cluster.programs.running).toEqual([]);
    });
  },
);

describe.skipIf(whyNoGatewayApi() !== undefined)("Two servers", patience, () => {
  test("leave a service that one has taken for another Gateway while the other was about to remove it", async () => {
    const wanted = { ...install, externalDns: undefined };
    const stage = await ServiceStage.open({ isManual: true, install: wanted });
    const { harness, store } = stage;
    await stage.addCluster("edge");
    const [one, other] = [new DyingServer(harness, wanted), new DyingServer(harness, wanted)];
    await harness.workloads.place(["edge"]);
    await harness.write("shop");
    await expect
      .poll(async () => {
        await one.turn();
        return harness.ready("shop");
      })
      .toMatch(/^True (?:NotProbed|Accepted)/u);
    const idsOf = async (): Promise<unknown[]> => {
      const services = [await stage.instanceOf("cert-manager"), await stage.instanceOf("implementation")];
      return services.map((service) => [service?.metadata.id, service?.metadata.deletedAt]);
    };
    const before = await idsOf();

    await store.objects.delete(Gateway, "shop");
    await harness.write("blog");
    let taken = 0;
    const objects = beforeDeleting(store.objects, "bowline-support-", async () => {
      taken += 1;
      await other.turn(undefined, "blog");
    });
    await expect
      .poll(async () => {
        await one.turn(objects);
        return store.objects.get(Gateway, "shop");
      })
      .toBeUndefined();
    expect(taken).toBe(1);
    expect(await idsOf()).toEqual(before);
    await expect
      .poll(async () => {
        await other.turn(undefined, "blog");
        return harness.ready("blog");
      })
      .toMatch(/^True (?:NotProbed|Accepted)/u);
    expect(await idsOf()).toEqual(before);
  });
});
