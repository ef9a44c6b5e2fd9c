import { X509Certificate } from "node:crypto";

import { resources } from "@bowline/kube";
import type { RunningTarget } from "@bowline/test-contract";
import { beforeAll, expect, it, onTestFinished } from "vitest";

import {
  certificateDefinition,
  certificates,
  type Certificate,
} from "../certificates/certificate-definition.ts";
import { FakeCertManager, type Issuing } from "../certificates/fake-cert-manager.ts";
import { installDefinitions } from "../definitions/install-definitions.ts";
import { gatewayResources, type Gateway } from "../model/gateway-kinds.ts";
import { gateway, tlsListener } from "../model/gateway-objects.ts";
import type { Secret } from "../model/snapshot.ts";
import { readKeyPair } from "../rules/key-pair.ts";
import { isProgrammed, listenerOf, openStage, stateOf, type Stage } from "./stage.ts";

const { gateways } = gatewayResources;

export function certificateTopic(cluster: () => RunningTarget): void {
  beforeAll(() => installDefinitions(cluster().admin, [certificateDefinition]), 60_000);

  it("is issued for the hosts of an annotated Gateway, and its listeners are programmed with it", async () => {
    const { stage } = await openAnnotated(cluster(), "issue");
    await stage.until<Gateway>(gateways, "front", isProgrammed);
    const { status } = await stage.until<Certificate>(certificates, "cert", isReady);
    const served = await shownBy(stage);
    expect(served.subjectAltName).toBe("DNS:a.example.com, DNS:b.example.com");
    expect(Date.parse(status?.notAfter ?? "")).toBe(Date.parse(served.validTo));
  });

  it("that is never issued leaves the listener without one, until it is", async () => {
    const { stage, manager } = await openAnnotated(cluster(), "never");
    await stage.until<Certificate>(
      certificates,
      "cert",
      ({ status }) => stateOf(status, "Ready") === "False: DoesNotExist",
    );
    const waits = (object: Gateway): boolean =>
      stateOf(listenerOf(object, "a"), "ResolvedRefs") === "False: InvalidCertificateRef";
    const waiting = await stage.until<Gateway>(gateways, "front", waits);
    expect(stateOf(waiting.status, "Programmed")).toBe("False: Invalid");
    manager.issue("issue");
    await stage.until<Gateway>(gateways, "front", isProgrammed);
  });

  it("that has expired is shown all the same, and another one once it is renewed", async () => {
    const { stage, manager } = await openAnnotated(cluster(), "expired");
    await stage.until<Certificate>(certificates, "cert", isReady);
    const expired = await shownBy(stage);
    expect(Date.parse(expired.validTo)).toBeLessThan(Date.now());
    manager.issue("issue");
    manager.renew(`${stage.namespace}/cert`);
    await stage.until<Certificate>(certificates, "cert", ({ status }) => status?.revision === 2);
    const renewed = await shownBy(stage);
    expect(Date.parse(renewed.validTo)).toBeGreaterThan(Date.now());
    expect(renewed.serialNumber).not.toBe(expired.serialNumber);
  });
}

async function openAnnotated(
  cluster: RunningTarget,
  issuing: Issuing,
): Promise<{ readonly stage: Stage; readonly manager: FakeCertManager }> {
  const stage = await openStage(cluster);
  const manager = await FakeCertManager.start({ client: stage.client, issuing });
  onTestFinished(() => manager.stop());
  const annotations = { "cert-manager.io/cluster-issuer": "test" };
  const listeners = ["a", "b"].map((name) => tlsListener(name, "cert", { hostname: `${name}.example.com` }));
  await stage.client.create(
    gateways,
    gateway(
      { name: "front", namespace: stage.namespace, annotations },
      { gatewayClassName: stage.className, listeners },
    ),
  );
  return { stage, manager };
}

function isReady({ status }: Certificate): boolean {
  return stateOf(status, "Ready") === "True: Ready";
}

async function shownBy({ client, namespace }: Stage): Promise<X509Certificate> {
  const secret = await client.get<Secret>(resources.secrets, { name: "cert", namespace });
  return new X509Certificate(readKeyPair(secret)?.cert ?? "");
}
