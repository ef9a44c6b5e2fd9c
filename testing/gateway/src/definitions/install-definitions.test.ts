import { connect, KubeClient, resources } from "@bowline/kube";
import { startKubesim } from "@bowline/kubesim";
import { describe, expect, it, onTestFinished } from "vitest";

import { gatewayDefinitionsFolder, readGatewayDefinitions, whyNoGatewayApi } from "./gateway-definitions.ts";
import { installDefinitions, servedBy } from "./install-definitions.ts";

it("says where it looked when there are none, and how to name another folder", () => {
  const { obstacle } = gatewayDefinitionsFolder({ TEST_FIXTURES: "/nowhere" });
  expect(obstacle).toBe(
    "there are no definitions of Gateway API in /nowhere/gateway-api/standard; TEST_FIXTURES can name another folder",
  );
});

describe.skipIf(whyNoGatewayApi())("the definitions of Gateway API", () => {
  const read = (): ReturnType<typeof readGatewayDefinitions> =>
    readGatewayDefinitions(gatewayDefinitionsFolder().path ?? "");

  it("are read without the admission policy that comes with them", async () => {
    const kinds = (await read()).flatMap(servedBy).map(({ kind, version }) => `${kind} ${version}`);
    for (const kind of [
      "GatewayClass v1",
      "Gateway v1",
      "HTTPRoute v1",
      "ListenerSet v1",
      "ReferenceGrant v1",
    ])
      expect(kinds).toContain(kind);
    expect(kinds.join()).not.toContain("Policy v1alpha1");
  });

  it("are served when they are installed, and stay as they are when that is done again", async () => {
    const sim = await startKubesim({ controllers: false });
    onTestFinished(() => sim.stop());
    const transport = connect({
      name: "definitions",
      server: sim.url,
      namespace: "default",
      ca: { pem: sim.caCert },
      insecureSkipVerify: false,
      auth: { type: "token", token: sim.adminToken },
    });
    onTestFinished(() => transport.close());
    const client = new KubeClient(transport);
    const definitions = await read();
    await installDefinitions(client, definitions);
    const versions = async (): Promise<unknown[]> =>
      (await client.list(resources.customResourceDefinitions)).items.map(({ metadata }) => [
        metadata.name,
        metadata.resourceVersion,
      ]);
    const first = await versions();
    await installDefinitions(client, definitions);
    expect(await versions()).toEqual(first);
    expect(first).toHaveLength(definitions.length);
  });
});
