import { X509Certificate } from "node:crypto";

import { BowlineError, systemClock, type DeepReadonly } from "@bowline/core";
import type { Informer, KubeClient } from "@bowline/kube";
import { Controller, done, informerSource, Manager, type ReconcileResult } from "@bowline/runtime";
import { TestAuthority } from "@bowline/test-services/certificates";

import { cacheOf } from "../controller/cluster-cache.ts";
import { StatusWriter } from "../controller/status-writer.ts";
import { gatewayResources, type Gateway, type ListenerSet } from "../model/gateway-kinds.ts";
import { nameOf } from "../model/snapshot.ts";
import { conditionsOf, is, isNot } from "../rules/statuses.ts";
import { certificates, type Certificate } from "./certificate-definition.ts";
import { writeTlsSecret } from "./tls-secret.ts";
import { wantedCertificates } from "./wanted-certificates.ts";

/**
 * - issue: every Certificate gets its Secret
 * - never: none does, and its condition says that it is being issued
 * - refused: none does, and a condition of its own says why; what was issued before is ready until it ends
 * - expired: it gets one whose time is over
 */
export type Issuing = "issue" | "never" | "refused" | "expired";

export interface FakeCertManagerOptions {
  readonly client: KubeClient;
  readonly issuing?: Issuing;
  readonly onError?: (error: BowlineError) => void;
  /** The time of day, for certificates that end. */
  readonly now?: () => number;
}

/** What was issued for a Certificate, as it was then. */
interface Issued {
  readonly version: string;
  readonly fields: { readonly notBefore: string; readonly notAfter: string; readonly revision: number };
}

const fieldManager = "bowline-test-cert-manager";
const everything = "everything";
const dayMs = 86_400_000;
const lifeMs = 90 * dayMs;

/** Does what cert-manager does for Gateways, with an authority of its own that nobody else trusts. */
export class FakeCertManager implements AsyncDisposable {
  readonly #client: KubeClient;
  readonly #writer: StatusWriter;
  readonly #authority: TestAuthority;
  readonly #certificates: Informer<Certificate>;
  readonly #gateways: Informer<Gateway>;
  readonly #sets: Informer<ListenerSet>;
  readonly #controller: Controller;
  readonly #stop = new AbortController();
  /** The Certificates to be issued again, though they have what they ask for. */
  readonly #renewals = new Set<string>();
  readonly #issued = new Map<string, Issued>();
  readonly #now: () => number;
  #issuing: Issuing;
  #running: Promise<void> = Promise.resolve();

  static async start(options: FakeCertManagerOptions): Promise<FakeCertManager> {
    const manager = new FakeCertManager(options, await TestAuthority.create());
    manager.#running = manager.#run();
    return manager;
  }

  private constructor(options: FakeCertManagerOptions, authority: TestAuthority) {
    const { client, issuing = "issue", onError = () => undefined, now = Date.now } = options;
    this.#client = client;
    this.#now = now;
    this.#writer = new StatusWriter(client);
    this.#authority = authority;
    this.#issuing = issuing;
    this.#certificates = cacheOf(client, certificates, onError);
    this.#gateways = cacheOf(client, gatewayResources.gateways, onError);
    this.#sets = cacheOf(client, gatewayResources.listenerSets, onError);
    this.#controller = new Controller({
      name: "certificates",
      reconciler: { reconcile: (_, { signal }) => this.#reconcile(signal) },
      clock: systemClock,
      random: Math.random,
      onDeadLetter: ({ message }) => onError(new BowlineError("Internal", message)),
      onReconciled: ({ outcome }) => {
        if (outcome.kind === "failed") onError(BowlineError.from(outcome.error));
      },
    });
  }

  /** What clients have to trust, as PEM. */
  get caCert(): string {
    return this.#authority.cert;
  }

  /** From now on; what was issued before stays. */
  issue(issuing: Issuing): void {
    this.#issuing = issuing;
    this.#controller.enqueue(everything);
  }

  /** Issues `namespace/name` once more, as at the end of its time. */
  renew(certificate: string): void {
    this.#renewals.add(certificate);
    this.#controller.enqueue(everything);
  }

  /** Resolves when nothing of it is open any more; rejects if it had failed. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #run(): Promise<void> {
    const manager = new Manager({ name: "cert-manager", clock: systemClock, random: Math.random });
    const informers = [this.#certificates, this.#gateways, this.#sets];
    for (const informer of informers) manager.addInformer(informer.resource.plural, informer);
    manager.addController(this.#controller, {
      sources: informers.map((informer) => informerSource<unknown>(informer, () => [everything])),
    });
    await manager.run(this.#stop.signal);
  }

  async #reconcile(signal: AbortSignal): Promise<ReconcileResult> {
    for (const owner of [...this.#gateways.list(), ...this.#sets.list()]) {
      for (const wanted of wantedCertificates(owner))
        await this.#client.apply(certificates, wanted, { fieldManager, force: true, signal });
    }
    for (const certificate of this.#certificates.list()) await this.#serve(certificate, signal);
    return done;
  }

  async #serve(certificate: DeepReadonly<Certificate>, signal: AbortSignal): Promise<void> {
    const { metadata, status } = certificate;
    const name = nameOf(certificate);
    const version = `${metadata.uid} ${metadata.generation}`;
    // The cache may not know yet what was written a moment ago: that is no reason to issue it twice.
    const last = this.#issued.get(name);
    if (last?.version === version && !this.#renewals.has(name))
      return this.#tell(certificate, last.fields, signal);
    if (isReadyAt(status, metadata.generation) && !this.#renewals.has(name)) return;
    if (this.#issuing === "never") return this.#tell(certificate, {}, signal);
    if (this.#issuing === "refused") return this.#refuse(certificate, signal);
    const notAfter = new Date(this.#now() + (this.#issuing === "expired" ? -dayMs : lifeMs));
    const times = await this.#write(certificate, notAfter);
    const fields = { ...times, revision: Math.max(status?.revision ?? 0, last?.fields.revision ?? 0) + 1 };
    this.#issued.set(name, { version, fields });
    this.#renewals.delete(name);
    await this.#tell(certificate, fields, signal);
  }

  async #write(
    { metadata, spec }: DeepReadonly<Certificate>,
    notAfter: Date,
  ): Promise<{ readonly notBefore: string; readonly notAfter: string }> {
    const hosts = spec.dnsNames ?? [];
    const pair = await this.#authority.issue({ commonName: hosts[0] ?? "nobody", hosts, notAfter });
    await writeTlsSecret(this.#client, {
      namespace: metadata.namespace ?? "",
      name: spec.secretName,
      pair,
      ca: this.#authority.cert,
      metadata: { annotations: { "cert-manager.io/certificate-name": metadata.name ?? "" } },
    });
    const { validFrom, validTo } = new X509Certificate(pair.cert);
    const iso = (time: string): string => new Date(time).toISOString();
    return { notBefore: iso(validFrom), notAfter: iso(validTo) };
  }

  async #refuse(certificate: DeepReadonly<Certificate>, signal: AbortSignal): Promise<void> {
    const { notAfter = "" } = certificate.status ?? {};
    const why = { reason: "Failed", message: "The issuer refuses to speak for these hosts." };
    const hasNone = { reason: "DoesNotExist", message: "There is no certificate." };
    const isServing = Date.parse(notAfter) > this.#now();
    const findings = [isServing ? is("Ready") : isNot("Ready", hasNone), isNot("Issuing", why)];
    await this.#writeConditions(certificate, findings, {}, signal);
  }

  async #tell(
    certificate: DeepReadonly<Certificate>,
    issued: { readonly notBefore?: string; readonly notAfter?: string; readonly revision?: number },
    signal: AbortSignal,
  ): Promise<void> {
    const waiting = { reason: "DoesNotExist", message: "The issuer has not answered yet." };
    const finding = issued.notAfter === undefined ? isNot("Ready", waiting) : is("Ready");
    await this.#writeConditions(certificate, [finding], issued, signal);
  }

  async #writeConditions(
    certificate: DeepReadonly<Certificate>,
    findings: Parameters<typeof conditionsOf>[0],
    issued: object,
    signal: AbortSignal,
  ): Promise<void> {
    const { generation } = certificate.metadata;
    const stamp = { generation, nowMs: this.#now() };
    const conditions = conditionsOf(findings, certificate.status?.conditions, stamp);
    await this.#writer.write(certificates, certificate, { conditions, ...issued }, signal);
  }
}

function isReadyAt(status: DeepReadonly<Certificate>["status"], generation: number | undefined): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.status === "True" && ready.observedGeneration === generation;
}
