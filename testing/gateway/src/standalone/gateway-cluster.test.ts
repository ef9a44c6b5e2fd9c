import { join } from "node:path";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

import { resources } from "@bowline/kube";
import { createTempFolder, freePort } from "@bowline/test-services";
import { expect, test } from "vitest";

import { gatewayDefinitionsFolder, whyNoGatewayApi } from "../definitions/gateway-definitions.ts";
import { gatewayResources } from "../model/gateway-kinds.ts";
import { gateway, httpRoute, listener } from "../model/gateway-objects.ts";
import { GatewayCluster } from "./gateway-cluster.ts";

const host = "shop.example.com";

async function ask(port: number): Promise<string> {
  const asked = get({ host: "127.0.0.1", port, agent: false, headers: { host } });
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  return text(answer);
}

test.skipIf(whyNoGatewayApi() !== undefined)(
  "A cluster for a terminal serves its Gateways, is lost, and comes back as it was",
  async () => {
    await using folder = await createTempFolder("gateway-cluster");
    const errors: string[] = [];
    await using cluster = await GatewayCluster.start({
      name: "west",
      address: "127.0.0.1",
      definitions: gatewayDefinitionsFolder().path ?? "",
      kubeconfig: join(folder.path, "kubeconfig"),
      onError: ({ message }) => errors.push(message),
    });
    const { client } = cluster;
    const namespace = "default";
    const port = await freePort();
    await client.create(resources.services, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web", namespace },
      spec: { ports: [{ port: 80 }] },
    });
    const listeners = [listener("http", { port })];
    await client.create(
      gatewayResources.gateways,
      gateway({ name: "entry", namespace }, { gatewayClassName: "reference", listeners }),
    );
    await client.create(
      gatewayResources.httpRoutes,
      httpRoute({ name: "shop", namespace }, { parentRefs: [{ name: "entry" }], hostnames: [host] }),
    );
    const answer = `${host} is answered by west\n`;
    await expect.poll(() => ask(port).catch(String)).toBe(answer);
    await cluster.lose();
    await expect(ask(port)).rejects.toThrow("ECONNREFUSED");
    await cluster.comeBack();
    expect(await ask(port)).toBe(answer);
    expect(errors).toEqual([]);
  },
);
