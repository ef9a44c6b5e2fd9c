import { once } from "node:events";
import { createServer, get } from "node:http";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";

import { Gateway } from "@bowline/api";
import {
  certificateDefinition,
  certificates,
  clusterIssuerDefinition,
  clusterIssuers,
  FakeCertManager,
  installDefinitions,
  Nginx,
  whyNoGatewayApi,
  type Issuing,
  type ProgrammedGateway,
} from "@bowline/test-gateway";
import { freePort } from "@bowline/test-services";
import { describe, expect, onTestFinished, test } from "vitest";

import { probeHost } from "./probe-host.ts";
import { GatewayHarness } from "./testing/gateway-harness.ts";

const address = "127.0.0.1";
const host = "shop.example.com";
const dayMs = 86_400_000;

/** A cluster with an issuer, whose entry is an nginx on ports that nobody else has. */
class ServedShop {
  readonly harness: GatewayHarness;
  readonly certManager: FakeCertManager;
  readonly #port: ReadonlyMap<number, number>;
  readonly #renew: () => Promise<void>;

  private constructor(
    harness: GatewayHarness,
    certManager: FakeCertManager,
    { port, renew }: { port: ReadonlyMap<number, number>; renew: () => Promise<void> },
  ) {
    this.harness = harness;
    this.certManager = certManager;
    this.#port = port;
    this.#renew = renew;
  }

  static async open(issuing: Issuing): Promise<ServedShop> {
    const port = new Map([
      [80, await freePort()],
      [443, await freePort()],
    ]);
    const backend = await startBackend();
    const nginx = await Nginx.start({ resolve: () => [backend] });
    onTestFinished(() => nginx[Symbol.asyncDispose]());
    const harness = await GatewayHarness.open({
      probe: (target, signal) =>
        probeHost({ ...target, address, port: port.get(target.port) ?? target.port }, signal),
    });
    const atPorts = (gateway: ProgrammedGateway): ProgrammedGateway => ({
      ...gateway,
      addresses: [address],
      listeners: gateway.listeners.map((each) => ({
        ...each,
        spec: { ...each.spec, port: port.get(each.spec.port) ?? each.spec.port },
      })),
    });
    const serve = (gateways: readonly ProgrammedGateway[]): Promise<void> =>
      nginx.serve(gateways.map(atPorts));
    const { client } = await harness.addCluster("a", { serve });
    await installDefinitions(client, [certificateDefinition, clusterIssuerDefinition]);
    const metadata = { name: "ca" };
    await client.create(clusterIssuers, {
      apiVersion: "cert-manager.io/v1",
      kind: "ClusterIssuer",
      metadata,
    });
    const now = (): number => Date.now() + harness.workloads.laterMs;
    const certManager = await FakeCertManager.start({ client, issuing, now });
    onTestFinished(() => certManager.stop());
    await harness.workloads.place(["a"]);
    harness.records.set(host, ["192.0.2.1"]);
    const renew = async (): Promise<void> => {
      const { namespace, name } = (await client.list(certificates)).items[0]?.metadata ?? {};
      certManager.renew(`${namespace}/${name}`);
    };
    return new ServedShop(harness, certManager, { port, renew });
  }

  /** Has cert-manager issue the certificate once more. */
  renew(): Promise<void> {
    return this.#renew();
  }

  ready(): Promise<string> {
    return this.harness.ready("shop");
  }

  /** What is told of one thing: `True Issued: …`. */
  async check(wanted: "Certificate" | "Reachable"): Promise<string> {
    const check = (await this.#told())?.checks.find(({ type }) => type === wanted);
    return check === undefined ? "" : `${check.status} ${check.reason}: ${check.message}`;
  }

  async #told() {
    return (await this.harness.store.objects.get(Gateway, "shop"))?.status.clusters[0];
  }

  /** When the certificate ends that whoever comes is shown. */
  async shownEnd(): Promise<number> {
    const port = this.#port.get(443) ?? 0;
    const socket = connect({ host: address, port, servername: host, rejectUnauthorized: false });
    await once(socket, "secureConnect");
    const { valid_to: end } = socket.getPeerCertificate();
    socket.destroy();
    return Date.parse(end);
  }

  /** When the certificate ends, as the Gateway tells. */
  async toldEnd(): Promise<number> {
    return Date.parse((await this.#told())?.certificateNotAfter ?? "");
  }

  /** What plain HTTP is answered with. */
  async plainAnswer(): Promise<string> {
    const port = this.#port.get(80) ?? 0;
    const asked = get({ host: address, port, path: "/", headers: { host }, agent: false });
    const [answer] = await once(asked, "response");
    return `${answer.statusCode} ${await text(answer)}`;
  }
}

async function startBackend(): Promise<string> {
  const server = createServer((_, response) => response.end("the shop"));
  server.listen(0, address);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const bound = server.address();
  return `${address}:${typeof bound === "object" ? bound?.port : ""}`;
}

describe.skipIf(whyNoGatewayApi() !== undefined)("The certificate of a Gateway", () => {
  test("that is not issued is told of in the words of its issuer; plain HTTP is served, and the rest once it is", async () => {
    const shop = await ServedShop.open("never");
    await shop.harness.write("shop", { tls: { mode: "terminate", redirect: false } });
    await expect
      .poll(() => shop.ready())
      .toMatch(
        /^False CertificatePending: Certificate bowline-public-reference-\w+\/host\.shop\.example\.com is not issued: The issuer has not answered yet; look at its CertificateRequest/,
      );
    await expect.poll(() => shop.plainAnswer()).toBe("200 the shop");
    shop.certManager.issue("refused");
    await expect
      .poll(() => shop.ready())
      .toMatch(
        /^False CertificatePending: .* is not issued: The issuer refuses to speak for these hosts; look/,
      );
    shop.certManager.issue("issue");
    await expect.poll(() => shop.ready()).toMatch(/^True Reachable: .* not trusted by this server: /);
    // A reload of nginx takes a moment.
    await expect.poll(() => shop.shownEnd()).toBe(await shop.toldEnd());
  });

  test("that ends is told of, and answers are shown with the new one once it is renewed", async () => {
    const shop = await ServedShop.open("issue");
    await shop.harness.write("shop");
    await expect.poll(() => shop.ready()).toMatch(/^True Reachable/);
    const before = await shop.toldEnd();
    await expect.poll(() => shop.shownEnd()).toBe(before);
    shop.certManager.issue("refused");
    await shop.renew();
    const refused = "could not be renewed: The issuer refuses to speak for these hosts; look at its";
    await expect
      .poll(() => shop.check("Certificate"))
      .toMatch(new RegExp(`^True Issued: .* ${refused}`, "u"));
    expect(await shop.ready()).toMatch(/^True Reachable/);
    shop.harness.workloads.laterMs = 100 * dayMs;
    const ended = `Certificate \\S+/host.shop.example.com has ended at ${new Date(before).toISOString()}`;
    await expect
      .poll(() => shop.ready())
      .toMatch(new RegExp(`^False CertificateExpired: ${ended}, and ${refused}`, "u"));
    shop.certManager.issue("issue");
    await shop.renew();
    await expect.poll(() => shop.ready()).toMatch(/^True Reachable/);
    expect(await shop.toldEnd()).toBeGreaterThan(before + 99 * dayMs);
    await expect.poll(() => shop.shownEnd()).toBe(await shop.toldEnd());
    expect(await shop.check("Certificate")).toBe("True Issued: ");
  });

  test("that had ended when it came is told of by whoever asks from outside too, until they see the new one", async () => {
    const shop = await ServedShop.open("expired");
    await shop.harness.write("shop");
    await expect.poll(() => shop.ready()).toMatch(/^False CertificateExpired: .* has ended at /);
    await expect
      .poll(() => shop.check("Reachable"))
      .toMatch(/^True Reachable: .* not trusted by this server: .*expired/iu);
    shop.certManager.issue("issue");
    await shop.renew();
    await expect.poll(() => shop.ready()).toMatch(/^True Reachable: (?!.*expired)/iu);
    expect(await shop.toldEnd()).toBeGreaterThan(Date.now());
    await expect.poll(() => shop.shownEnd()).toBe(await shop.toldEnd());
  });
});
