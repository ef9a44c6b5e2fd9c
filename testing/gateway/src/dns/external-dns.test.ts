import { contract, simulatedApiServer } from "@bowline/test-contract";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { installGatewayApi, isProgrammed, openStage } from "../contract/stage.ts";
import { whyNoGatewayApi } from "../definitions/gateway-definitions.ts";
import { gatewayResources, type Gateway } from "../model/gateway-kinds.ts";
import { startDnsServer, zoneRecords, type DnsServer } from "./dns-server.ts";
import { updateRecords } from "./dns-update.ts";
import { FakeExternalDns } from "./fake-external-dns.ts";

const { gateways, httpRoutes } = gatewayResources;

contract(simulatedApiServer, {
  "external-dns": (cluster) => {
    describe.skipIf(whyNoGatewayApi())("of accepted routes", () => {
      let server: DnsServer;
      beforeAll(async () => {
        server = await startDnsServer("example.com");
        await installGatewayApi(cluster().admin);
      });
      afterAll(() => server?.stop());

      const addresses = async (host: string): Promise<string[]> => {
        const found = (await zoneRecords(server)).filter(({ name, type }) => name === host && type === "A");
        return found.map(({ value }) => value);
      };

      it("writes records with its mark, follows a Gateway that moves, and takes its own away", async () => {
        const stage = await openStage(cluster());
        const { client } = stage;
        const dns = FakeExternalDns.start({ client, server, owner: "us", domains: ["example.com"] });
        onTestFinished(() => dns.stop());
        await stage.gateway("front");
        const hostnames = ["a.example.com", "b.example.org"];
        await stage.route("web", { parentRefs: [{ name: "front" }], hostnames });
        await stage.until<Gateway>(gateways, "front", isProgrammed);
        await expect.poll(() => addresses("a.example.com")).toEqual(["192.0.2.1"]);
        expect(await server.resolver.resolve4("a.example.com")).toEqual(["192.0.2.1"]);
        expect((await zoneRecords(server)).filter(({ type }) => type === "TXT")).toEqual([
          { name: "a-a.example.com", type: "TXT", value: "heritage=external-dns,external-dns/owner=us" },
        ]);
        stage.controller.changeAddress(`${stage.namespace}/front`);
        await expect.poll(() => addresses("a.example.com")).toEqual(["192.0.2.2"]);
        await client.delete(httpRoutes, { name: "web", namespace: stage.namespace });
        await expect.poll(() => addresses("a.example.com")).toEqual([]);
        expect((await zoneRecords(server)).filter(({ type }) => type === "TXT")).toEqual([]);
      });

      it("never touches a record of somebody else, not even one that came after it had looked", async () => {
        const theirs = {
          kind: "create",
          host: "theirs.example.com",
          type: "A",
          targets: ["192.0.2.99"],
        } as const;
        expect(await updateRecords(server, theirs, "them")).toBe(true);
        const stage = await openStage(cluster());
        const { client } = stage;
        const dns = FakeExternalDns.start({ client, server, owner: "us", domains: ["example.com"] });
        onTestFinished(() => dns.stop());
        await stage.gateway("front");
        const hostnames = ["theirs.example.com", "ours.example.com"];
        await stage.route("web", { parentRefs: [{ name: "front" }], hostnames });
        await expect.poll(() => addresses("ours.example.com")).toEqual(["192.0.2.1"]);
        expect(await addresses("theirs.example.com")).toEqual(["192.0.2.99"]);
        // The plan of somebody who had not seen it is refused by the server.
        for (const kind of ["create", "replace", "delete"] as const)
          expect(await updateRecords(server, { ...theirs, kind, targets: ["192.0.2.1"] }, "us")).toBe(false);
        expect(await addresses("theirs.example.com")).toEqual(["192.0.2.99"]);
      });
    });
  },
});
