import { X509Certificate } from "node:crypto";
import { statfs } from "node:fs/promises";

import { backupKind, type Diagnosis } from "@bowline/api";
import { redactText, type Clock, type Logger } from "@bowline/core";
import type { Health } from "@bowline/program/health";
import type { Store } from "@bowline/store";

import type { ApiPlugin } from "../api/http-api.ts";
import type { ServerConfig } from "../config/server-config.ts";
import { readQuery } from "../http/query.ts";
import { findOrphans } from "../provisioning/find-orphans.ts";
import type { Providers } from "../provisioning/provider-round.ts";
import type { CertificateSource } from "../tls/certificate-source.ts";
import type { ClusterClients } from "../workloads/cluster-clients.ts";
import { findUnknownWorkloads } from "../workloads/unknown-workloads.ts";
import { requireAdmin } from "./require-admin.ts";

export interface DiagnosisRoutesOptions {
  readonly config: ServerConfig;
  readonly store: Pick<
    Store,
    "facts" | "encryptionKeys" | "agents" | "audit" | "objects" | "resources" | "installationId"
  >;
  /** The way into clusters; without it none is asked about its workloads. */
  readonly clients: Pick<ClusterClients, "asAgent"> | undefined;
  /** What makes clusters, and may have left something behind. */
  readonly providers: Providers;
  readonly logger: Logger;
  readonly certificate: CertificateSource | undefined;
  readonly readiness: Pick<Health, "report">;
  readonly clock: Clock;
  readonly version: string;
}

/** What the server knows of itself, for `bowline doctor`. Only admins are told. */
export function diagnosisRoutes(options: DiagnosisRoutesOptions): ApiPlugin {
  return (app, { stopping }) => {
    app.get("/api/v1/diagnosis", async (request): Promise<Diagnosis> => {
      requireAdmin(request, "look into the server");
      readQuery(request, []);
      return diagnose(options, stopping);
    });
  };
}

async function diagnose(options: DiagnosisRoutesOptions, stopping: AbortSignal): Promise<Diagnosis> {
  const { config, store, clients, certificate, readiness, clock, version } = options;
  const [database, unknown, orphaned, report, replicas, disk, lastBackupAt] = await Promise.all([
    store.facts(),
    clients === undefined
      ? { unknownWorkloads: [], clustersNotAsked: [] }
      : findUnknownWorkloads({ store, clients, clock }),
    orphansIn(options, stopping),
    readiness.report(),
    store.agents.replicas.list(),
    diskOf(config.data),
    lastBackup(store),
  ]);
  return {
    version,
    role: config.role,
    now: new Date(clock.now()).toISOString(),
    ...(certificate === undefined ? {} : { certificate: certificateFacts(config, certificate) }),
    ...(disk === undefined ? {} : { disk }),
    database: {
      ...database,
      appliedMigrations: [...database.appliedMigrations],
      pendingMigrations: [...database.pendingMigrations],
      unknownMigrations: [...database.unknownMigrations],
      encryptionKeys: [...database.encryptionKeys],
    },
    encryptionKeys: [...store.encryptionKeys],
    checks: [...report.checks],
    replicas: replicas.map(({ id, url, version: of }) => ({
      id,
      url,
      ...(of === undefined ? {} : { version: of }),
    })),
    ...unknown,
    ...orphaned,
    ...(lastBackupAt === undefined ? {} : { lastBackupAt }),
    settings: settingsOf(config),
  };
}

const maxOrphans = 1_000;

/** Nothing where no provider could have left any. */
async function orphansIn(
  options: DiagnosisRoutesOptions,
  stopping: AbortSignal,
): Promise<Pick<Diagnosis, "orphans" | "providersNotAsked">> {
  if (options.providers.size === 0) return {};
  const { orphans, notAsked } = await findOrphans(options, stopping);
  return {
    orphans: orphans.slice(0, maxOrphans).map(({ provider, type, id, region, clusterId }) => ({
      provider,
      type,
      id,
      ...(region === undefined ? {} : { region }),
      clusterId,
    })),
    providersNotAsked: [...notAsked],
  };
}

function certificateFacts(
  { tls }: ServerConfig,
  { current }: CertificateSource,
): NonNullable<Diagnosis["certificate"]> {
  const { validFromDate, validToDate } = new X509Certificate(current.cert);
  return {
    validFrom: validFromDate.toISOString(),
    validTo: validToDate.toISOString(),
    selfMade: tls.certFile === undefined,
  };
}

/** Some file systems do not tell. */
async function diskOf(folder: string): Promise<Diagnosis["disk"]> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return undefined;
  }
}

async function lastBackup({ audit }: Pick<Store, "audit">): Promise<string | undefined> {
  const { items } = await audit.list({ kind: backupKind, verb: "read", outcome: "allowed", limit: 20 });
  return items.find(({ message }) => message?.endsWith("is complete.") === true)?.at;
}

/** As `check-config` shows them. */
function settingsOf({ origins }: ServerConfig): Diagnosis["settings"] {
  return [...origins.values()].map(({ name, shown, source }) => ({
    name,
    ...(shown === undefined ? {} : { value: redactText(shown) }),
    from: source,
  }));
}
