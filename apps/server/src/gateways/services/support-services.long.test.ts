import { Cluster, Gateway, WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import { resources, type KubeObject } from "@bowline/kube";
import {
  certificateDefinition,
  certificates,
  clusterIssuerDefinition,
  clusterIssuers,
  deployment,
  FakeCertManager,
  installDefinitions,
  serviceManifests,
  whyNoGatewayApi,
  zoneRecords,
} from "@bowline/test-gateway";
import { describe, expect, test } from "vitest";

import { editor } from "../../workloads/testing/workload-harness.ts";
import { ServiceStage } from "../testing/service-stage.ts";

const patience = { timeout: 120_000 };

describe.skipIf(whyNoGatewayApi() !== undefined)("The services of Gateways", patience, () => {
  test("are installed where they are not there, told what they have to know, and go with the last that needs them", async () => {
    const stage = await ServiceStage.open();
    const { harness, store } = stage;
    const cluster = await stage.addCluster("edge");
    await harness.workloads.place(["edge"]);
    await harness.write("shop");
    await expect.poll(() => stage.ready("shop")).toMatch(/^True Reachable/u);
    expect(await stage.instances()).toEqual([
      "bowline-support-cert-manager-edge",
      "bowline-support-external-dns-edge",
      "bowline-support-implementation-edge",
    ]);
    const installation = await store.installationId();
    expect(cluster.externalDns).toEqual([`bowline-${installation}-edge shop.example.com`]);
    expect(await stage.dns.resolver.resolve4("shop.example.com")).toEqual(["192.0.2.1"]);
    const issued = await cluster.client.list(certificates);
    expect(issued.items.map(({ metadata }) => metadata.name)).toEqual(["host.shop.example.com"]);

    await harness.write("blog");
    await expect.poll(() => stage.ready("blog")).toMatch(/^True Reachable/u);
    const found = await stage.instanceOf("external-dns");
    expect(found?.spec.parameters["domains"]).toBe("blog.example.com,shop.example.com");
    expect(found?.metadata.annotations["bowline.dev/needed-by"]).toBe("blog, shop");

    await store.objects.delete(Gateway, "shop");
    await expect.poll(() => store.objects.get(Gateway, "shop")).toBeUndefined();
    expect(await stage.instances()).toHaveLength(3);
    await expect.poll(() => stage.ready("blog")).toMatch(/^True Reachable/u);
    await expect
      .poll(async () => (await stage.instanceOf("external-dns"))?.spec.parameters["domains"])
      .toBe("blog.example.com");

    await store.objects.delete(Gateway, "blog");
    await expect.poll(() => store.objects.get(Gateway, "blog")).toBeUndefined();
    expect(await store.objects.listNames(WorkloadInstance)).toEqual(["web"]);
    expect(await store.objects.listNames(WorkloadDefinition)).toEqual([
      "cert-manager",
      "external-dns",
      "reference-gateways",
      "shop",
    ]);
    // Its records were taken away before it went itself.
    expect((await zoneRecords(stage.dns)).filter(({ name }) => name.includes("shop"))).toEqual([]);
    expect((await zoneRecords(stage.dns)).filter(({ name }) => name.includes("blog"))).toEqual([]);
    await expect.poll(() => cluster.programs.running).toEqual([]);
  });

  test("are left to whoever has put them there, in whatever namespace", async () => {
    const stage = await ServiceStage.open();
    const { harness } = stage;
    const { client } = await harness.addCluster("edge");
    await harness.workloads.place(["edge"]);
    await installDefinitions(client, [certificateDefinition, clusterIssuerDefinition]);
    await client.create(clusterIssuers, {
      apiVersion: "cert-manager.io/v1",
      kind: "ClusterIssuer",
      metadata: { name: "theirs" },
    });
    await using _ = await FakeCertManager.start({ client });
    // Neither its name nor a label says what it is.
    const theirs = deployment("dns", { image: "registry.example.com/external-dns/external-dns:v0.19.0" });
    await client.apply(resources.deployments, inNamespace(theirs, "kube-public"), { fieldManager: "them" });
    await harness.write("shop");
    await expect
      .poll(() => stage.ready("shop"))
      .toBe("False RecordPending: There is no DNS record for shop.example.com; it has to lead to 192.0.2.1.");
    expect(await stage.instances()).toEqual([]);
    expect((await stage.store.objects.get(Gateway, "shop"))?.status.clusters[0]?.services).toBeUndefined();
    // Bowline does not install a second one, and installs its own when theirs has gone.
    await client.delete(resources.deployments, { name: "dns", namespace: "kube-public" });
    await expect.poll(() => stage.instances()).toEqual(["bowline-support-external-dns-edge"]);
  });

  test("come back when a Gateway comes at the very moment in which they go, or after that", async () => {
    const stage = await ServiceStage.open();
    const { harness, store } = stage;
    const { client } = await stage.addCluster("edge");
    await harness.workloads.place(["edge"]);
    await harness.write("shop");
    await expect.poll(() => stage.ready("shop")).toMatch(/^True Reachable/u);
    await store.objects.delete(Gateway, "shop");
    await harness.write("blog");
    await expect.poll(() => store.objects.get(Gateway, "shop")).toBeUndefined();
    await expect.poll(() => stage.ready("blog")).toMatch(/^True Reachable/u);
    expect(await stage.instances()).toHaveLength(3);

    // And after all of them have gone, but for definitions of resources, which stay.
    await store.objects.delete(Gateway, "blog");
    await expect.poll(() => store.objects.get(Gateway, "blog")).toBeUndefined();
    expect(await stage.instances()).toEqual([]);
    expect((await client.list(certificates)).items).toEqual([]);
    await harness.write("shop");
    await expect.poll(() => stage.ready("shop")).toMatch(/^True Reachable/u);
    expect(await stage.instances()).toHaveLength(3);
  });

  test("say what is in their way, in the message of the Gateway", async () => {
    const stage = await ServiceStage.open();
    const { harness, store } = stage;
    const { workloads } = harness;
    await stage.addCluster("edge");
    await workloads.place(["edge"]);
    await store.objects.delete(WorkloadDefinition, "reference-gateways");
    await harness.write("shop");
    await expect
      .poll(() => stage.ready("shop"))
      .toBe(
        'False ServiceNotInstalled: The implementation of GatewayClass reference cannot be installed: There is no WorkloadDefinition "reference-gateways", which the settings of the server name for it.',
      );
    // In the name of whoever wrote it, and not of whoever wrote the Gateway.
    await workloads.addUser("stranger");
    const author = { ...editor, user: "stranger" };
    const manifests = serviceManifests["reference-gateways"];
    await workloads.define(manifests, { name: "reference-gateways", author });
    await expect
      .poll(() => stage.ready("shop"))
      .toMatch(
        /^False InstallingService: The implementation of GatewayClass reference is being installed by WorkloadInstance bowline-support-implementation-edge-\w+: .*acts for stranger, whom no AccessGrant lets into the cluster edge/u,
      );
    await workloads.grant("stranger", { kubernetes: { user: "admin", groups: ["system:masters"] } });
    await expect.poll(() => stage.ready("shop")).toMatch(/^True Reachable/u);
    expect((await stage.instanceOf("implementation"))?.spec.actingUser).toBe("stranger");
  });

  test("act for the user in the settings, who has to agree to what others have written", async () => {
    const stage = await ServiceStage.open({ user: "platform" });
    const { harness } = stage;
    const { workloads } = harness;
    await workloads.addUser("platform", { kubernetes: { user: "admin", groups: ["system:masters"] } });
    await stage.addCluster("edge");
    await workloads.place(["edge"]);
    await harness.write("shop");
    await expect
      .poll(() => stage.ready("shop"))
      .toMatch(
        /^False InstallingService: .*was written by editor, and would act in the clusters as platform/u,
      );
    expect((await stage.instanceOf("implementation"))?.spec.actingUser).toBe("platform");
    const author = { ...editor, user: "platform" };
    for (const [name, manifests] of Object.entries(serviceManifests)) {
      const parameters = name === "external-dns" ? ["owner", "domains"] : [];
      await workloads.define(`${manifests}---\n`, { name, parameters, author });
    }
    await expect.poll(() => stage.ready("shop")).toMatch(/^True Reachable/u);
  });

  test("stay where somebody else uses them, and are taken up again by the next Gateway", async () => {
    const stage = await ServiceStage.open();
    const { harness, store } = stage;
    const { client } = await stage.addCluster("edge");
    await harness.workloads.place(["edge"]);
    await harness.write("shop");
    await expect.poll(() => stage.ready("shop")).toMatch(/^True Reachable/u);
    await client.create(certificates, {
      apiVersion: "cert-manager.io/v1",
      kind: "Certificate",
      metadata: { name: "theirs", namespace: "default" },
      spec: { secretName: "theirs", issuerRef: { name: "test-ca", kind: "ClusterIssuer" } },
    });
    await store.objects.delete(Gateway, "shop");
    await expect.poll(() => store.objects.get(Gateway, "shop")).toBeUndefined();
    expect(await stage.instances()).toEqual(["bowline-support-cert-manager-edge"]);
    const before = (await stage.instanceOf("cert-manager"))?.metadata.id;
    await harness.write("blog");
    await expect.poll(() => stage.ready("blog")).toMatch(/^True Reachable/u);
    expect((await stage.instanceOf("cert-manager"))?.metadata.id).toBe(before);
    await client.delete(certificates, { name: "theirs", namespace: "default" });
    await store.objects.delete(Gateway, "blog");
    await expect.poll(() => store.objects.get(Gateway, "blog")).toBeUndefined();
    expect(await stage.instances()).toEqual([]);
  });

  test("do not hold up a Cluster that is deleted", async () => {
    const stage = await ServiceStage.open();
    const { harness, store } = stage;
    await stage.addCluster("edge");
    await harness.workloads.place(["edge"]);
    await harness.write("shop");
    await expect.poll(() => stage.ready("shop")).toMatch(/^True Reachable/u);
    await harness.workloads.disconnect("edge");
    await store.objects.delete(Cluster, "edge", { cascade: true });
    await expect.poll(() => store.objects.get(Cluster, "edge")).toBeUndefined();
    await expect.poll(() => stage.instances()).toEqual([]);
    expect(await store.objects.listNames(WorkloadDefinition)).toEqual([
      "cert-manager",
      "external-dns",
      "reference-gateways",
      "shop",
    ]);
  });
});

function inNamespace(object: KubeObject, namespace: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, namespace } };
}
