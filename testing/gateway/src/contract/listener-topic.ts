import { resources, type KubeClient } from "@bowline/kube";
import type { RunningTarget } from "@bowline/test-contract";
import { TestAuthority } from "@bowline/test-services/certificates";
import { expect, it } from "vitest";

import { writeTlsSecret } from "../certificates/tls-secret.ts";
import { gatewayResources, type Gateway } from "../model/gateway-kinds.ts";
import { listener, tlsListener } from "../model/gateway-objects.ts";
import { isProgrammed, listenerOf, openStage, stateOf } from "./stage.ts";

const { gateways } = gatewayResources;

export function listenerTopic(cluster: () => RunningTarget): void {
  it("is programmed, at an address of the pool", async () => {
    const stage = await openStage(cluster());
    await stage.gateway("front");
    const { metadata, status } = await stage.until<Gateway>(gateways, "front", isProgrammed);
    expect(status?.addresses).toEqual([{ type: "IPAddress", value: "192.0.2.1" }]);
    expect(stateOf(status, "Accepted")).toBe("True: Accepted");
    const [only] = status?.listeners ?? [];
    expect(only?.supportedKinds).toEqual([{ group: "gateway.networking.k8s.io", kind: "HTTPRoute" }]);
    expect(only?.conditions.map(({ type, status: is }) => `${type} ${is}`)).toEqual([
      "Accepted True",
      "Programmed True",
      "ResolvedRefs True",
      "Conflicted False",
    ]);
    expect(only?.conditions.map((each) => each.observedGeneration)).toEqual(
      Array.from({ length: 4 }, () => metadata.generation),
    );
    expect(stage.errors).toEqual([]);
  });

  it("waits for a certificate that is not there, and takes it when it comes", async () => {
    const stage = await openStage(cluster());
    await stage.gateway("tls", [tlsListener("https", "late")]);
    const without = await stage.until<Gateway>(
      gateways,
      "tls",
      (object) => stateOf(listenerOf(object, "https"), "ResolvedRefs") === "False: InvalidCertificateRef",
    );
    expect(stateOf(listenerOf(without, "https"), "Programmed")).toBe("False: Invalid");
    expect(stateOf(without.status, "Accepted")).toBe("False: ListenersNotValid");
    expect(stateOf(without.status, "Programmed")).toBe("False: Invalid");
    await writeCertificate(stage.client, stage.namespace, "late");
    const ready = await stage.until<Gateway>(gateways, "tls", isProgrammed);
    expect(stateOf(listenerOf(ready, "https"), "ResolvedRefs")).toBe("True: ResolvedRefs");
  });

  it("does not take a Secret for a certificate that has none", async () => {
    const stage = await openStage(cluster());
    await stage.client.create(resources.secrets, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "words", namespace: stage.namespace },
      data: { "tls.crt": "bm90aGluZw==", "tls.key": "bm90aGluZw==" },
    });
    await stage.gateway("tls", [tlsListener("https", "words")]);
    const { status } = await stage.until<Gateway>(
      gateways,
      "tls",
      (object) => stateOf(listenerOf(object, "https"), "ResolvedRefs") === "False: InvalidCertificateRef",
    );
    const { message } = status?.listeners?.[0]?.conditions.find(({ type }) => type === "ResolvedRefs") ?? {};
    expect(message).toBe(`Secret ${stage.namespace}/words has no certificate with its key.`);
  });

  it("of a protocol that is not served is left out, and the others are programmed", async () => {
    const stage = await openStage(cluster());
    await stage.gateway("mixed", [listener("http"), listener("tcp", { port: 9000, protocol: "TCP" })]);
    const mixed = await stage.until<Gateway>(gateways, "mixed", isProgrammed);
    expect(stateOf(mixed.status, "Accepted")).toBe("True: ListenersNotValid");
    expect(stateOf(listenerOf(mixed, "tcp"), "Accepted")).toBe("False: UnsupportedProtocol");
    expect(stateOf(listenerOf(mixed, "http"), "Programmed")).toBe("True: Programmed");
  });

  it("loses its port to an earlier one with another protocol", async () => {
    const stage = await openStage(cluster());
    await stage.gateway("port", [listener("http"), tlsListener("https", "none", { port: 80 })]);
    const port = await stage.until<Gateway>(gateways, "port", isProgrammed);
    expect(stateOf(listenerOf(port, "https"), "Conflicted")).toBe("True: ProtocolConflict");
    expect(stateOf(listenerOf(port, "http"), "Conflicted")).toBe("False: NoConflicts");
  });

  it("has no address when the pool is empty, and gets that of a Gateway which is deleted", async () => {
    const stage = await openStage(cluster(), { addresses: ["192.0.2.9"] });
    await stage.gateway("first");
    await stage.until<Gateway>(gateways, "first", isProgrammed);
    await stage.gateway("second");
    await stage.until<Gateway>(
      gateways,
      "second",
      ({ status }) => stateOf(status, "Programmed") === "False: AddressNotAssigned",
    );
    await stage.client.delete(gateways, { name: "first", namespace: stage.namespace });
    const { status } = await stage.until<Gateway>(gateways, "second", isProgrammed);
    expect(status?.addresses).toEqual([{ type: "IPAddress", value: "192.0.2.9" }]);
  });

  it("gets the address it asks for, or is told that it cannot have it", async () => {
    const stage = await openStage(cluster());
    await stage.gateway("asks", undefined, { addresses: [{ type: "IPAddress", value: "192.0.2.3" }] });
    const { status } = await stage.until<Gateway>(gateways, "asks", isProgrammed);
    expect(status?.addresses?.[0]?.value).toBe("192.0.2.3");
    await stage.gateway("too-late", undefined, { addresses: [{ type: "IPAddress", value: "192.0.2.3" }] });
    await stage.until<Gateway>(
      gateways,
      "too-late",
      (object) => stateOf(object.status, "Programmed") === "False: AddressNotUsable",
    );
  });

  it("is never programmed, moves and flaps when the controller is told so", async () => {
    const stage = await openStage(cluster(), { behaviour: { programs: false } });
    await stage.gateway("bad");
    const state = (wanted: string) => (object: Gateway) => stateOf(object.status, "Programmed") === wanted;
    const waiting = await stage.until<Gateway>(gateways, "bad", state("False: Pending"));
    expect(waiting.status?.addresses ?? []).toEqual([]);
    stage.controller.behave({ programs: true });
    await stage.until<Gateway>(gateways, "bad", isProgrammed);
    stage.controller.changeAddress(`${stage.namespace}/bad`);
    const hasMoved = ({ status }: Gateway): boolean => status?.addresses?.[0]?.value === "192.0.2.2";
    await stage.until<Gateway>(gateways, "bad", hasMoved);
    stage.controller.behave({ flapEveryMs: 100 });
    for (let round = 0; round < 2; round++) {
      await stage.until<Gateway>(gateways, "bad", state("False: Pending"));
      await stage.until<Gateway>(gateways, "bad", isProgrammed);
    }
  });
}

async function writeCertificate(client: KubeClient, namespace: string, name: string): Promise<void> {
  const authority = await TestAuthority.create();
  const pair = await authority.issue({ commonName: "test", hosts: ["a.example.com"] });
  await writeTlsSecret(client, { namespace, name, pair });
}
