import type { Diagnosis } from "@bowline/api";

import { sizeText } from "../output/size-text.ts";
import { error, note, warning, type Finding } from "./finding.ts";
import { durationText, listed } from "./spoken.ts";

const gib = 1_024 ** 3;
const dayMs = 24 * 3_600_000;
const slowDatabaseMs = 250;
/** A certificate of its own the server renews when a third of its 90 days is left. */
const selfMadeWarningMs = 20 * dayMs;

/** The parts of a server, by the names that its readiness has for them. */
const advices: Readonly<Record<string, string>> = {
  database: "Look whether the database runs, and whether its disk is full; the server's log has the reason.",
  broker: "Look whether NATS runs and lets the server in: --nats-url, and the log of nats-server.",
  outbox: "Changes wait for controllers: look at the load of the server, and at NATS where there is one.",
  controllers: "The server's log says which controller failed and why; it is started again by itself.",
  shutdown: "It is about to stop; look again when it runs.",
};

export function checkReadiness({ checks }: Diagnosis): Finding[] {
  return checks
    .filter(({ ok }) => !ok)
    .map(({ name, reason = "it does not say why" }) =>
      error(
        name,
        `The server is not ready: ${name}: ${reason}.`,
        advices[name] ?? "Look into the server's log.",
      ),
    );
}

export function checkDisk({ disk, database }: Diagnosis): Finding[] {
  if (disk === undefined) return [];
  const { freeBytes, totalBytes } = disk;
  const message = `The disk of the data folder has ${sizeText(freeBytes)} of ${sizeText(totalBytes)} left.`;
  const advice =
    "Make room, or a larger disk; shorter --retention-audit, --retention-events and --retention-graph keep less.";
  // SQLite may need as much again as it has for a large change.
  const needed = database.engine === "sqlite" ? Math.max(gib / 4, database.sizeBytes / 2) : gib / 8;
  if (freeBytes < needed) return [error("disk", message, advice)];
  return freeBytes < Math.max(gib, totalBytes / 20) ? [warning("disk", message, advice)] : [];
}

export function checkDatabase({ database }: Diagnosis): Finding[] {
  const { latencyMs, pendingMigrations, unknownMigrations } = database;
  const findings: Finding[] = [];
  if (unknownMigrations.length > 0) {
    findings.push(
      warning(
        "schema",
        `The database was changed by a newer version of Bowline (${listed(unknownMigrations)}).`,
        "Bring every replica to that version; this one cannot start again as it is.",
      ),
    );
  }
  if (pendingMigrations.length > 0) {
    findings.push(
      warning(
        "schema",
        `The database lacks changes that this version has (${listed(pendingMigrations)}).`,
        "Start the server again, or run `bowline server migrate up` while it is stopped.",
      ),
    );
  }
  if (latencyMs >= slowDatabaseMs) {
    findings.push(
      warning(
        "database-latency",
        `The database took ${latencyMs} ms to answer a small question.`,
        "Look at the load and the disk of the database, and at the network on the way.",
      ),
    );
  }
  return findings;
}

export function checkKeys({ encryptionKeys, database }: Diagnosis): Finding[] {
  const missing = database.encryptionKeys.filter((id) => !encryptionKeys.includes(id));
  const old = database.encryptionKeys.filter((id) => id !== encryptionKeys[0] && !missing.includes(id));
  const findings: Finding[] = [];
  if (missing.length > 0) {
    findings.push(
      error(
        "encryption-keys",
        `Something in the database is encrypted with a key that this server does not have (${listed(missing)}).`,
        "Put the key back into the file of encryption keys; it is in the copy that was made of it.",
      ),
    );
  }
  if (old.length > 0) {
    findings.push(
      note(
        "encryption-keys",
        `Something in the database is still encrypted with an older key (${listed(old)}).`,
        "`bowline server keys reencrypt` encrypts everything with the newest one; until then keep the older ones.",
      ),
    );
  }
  return findings;
}

export function checkCertificate({ certificate, now }: Diagnosis): Finding[] {
  if (certificate?.selfMade !== true) return [];
  const leftMs = Date.parse(certificate.validTo) - Date.parse(now);
  if (leftMs > selfMadeWarningMs) return [];
  return [
    warning(
      "certificate-renewal",
      `The certificate that the server made for itself ends in ${durationText(Math.max(leftMs, 0))}, and should have been renewed.`,
      "Look into the server's log for why it was not; starting the server again makes a new one.",
    ),
  ];
}

export function checkReplicas({ replicas, version }: Diagnosis): Finding[] {
  const others = replicas.filter((replica) => replica.version !== version);
  if (others.length === 0) return [];
  const named = others.map(({ url, version: of = "an older version" }) => `${url} is ${of}`);
  return [
    warning(
      "replica-versions",
      `The replicas are not of one version: this one is ${version}, ${listed(named)}.`,
      "Finish the upgrade: replicas of two versions work together only for as long as it takes.",
    ),
  ];
}

/** After a restore: what was deployed after the backup was made is in the clusters, and nowhere else. */
export function checkUnknownWorkloads({ unknownWorkloads }: Diagnosis): Finding[] {
  if (unknownWorkloads.length === 0) return [];
  const named = unknownWorkloads.map(({ workload, cluster }) => `${workload} in ${cluster}`);
  return [
    warning(
      "unknown-workloads",
      `Clusters have workloads that the server does not know: ${listed(named)}. They may have been deployed after the backup was made that it was restored from. Nothing is done to them.`,
      "Deploy them again under the same names, which takes over what is there; or take away what is no longer wanted, and its Workload resource, with kubectl.",
    ),
  ];
}

/** Whatever clusters were made of costs money for as long as it is there. */
export function checkOrphans({ orphans = [], providersNotAsked = [] }: Diagnosis): Finding[] {
  const named = orphans.map(
    ({ type, id, region }) => `${type} ${id}${region === undefined ? "" : ` in ${region}`}`,
  );
  return [
    ...(orphans.length === 0
      ? []
      : [
          warning(
            "orphans",
            `There are things outside that this installation has made, and that no Cluster knows of: ${listed(named)}. Nothing is done to them.`,
            "Look whether somebody needs them, and delete the others where they are.",
          ),
        ]),
    ...(providersNotAsked.length === 0
      ? []
      : [
          note(
            "orphans",
            `It is not known whether clusters have left something behind: ${listed(providersNotAsked)} could not be asked.`,
            "The log of the server says why.",
          ),
        ]),
  ];
}

export function checkBackup({ lastBackupAt, now }: Diagnosis): Finding[] {
  const advice = "Make one with `bowline backup create`, and keep the encryption keys in another place.";
  if (lastBackupAt === undefined) {
    return [note("backup", "The audit log knows of no backup made with Bowline.", advice)];
  }
  const ageMs = Date.parse(now) - Date.parse(lastBackupAt);
  if (ageMs < 7 * dayMs) return [];
  return [note("backup", `The last backup was made ${durationText(ageMs)} ago.`, advice)];
}
