import type { Static } from "typebox";

import { choice, dateTime, flag, integer, line, list, object, optional, text } from "../schema/build.ts";
import { singleLine } from "../schema/text-rule.ts";

const count = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const many = { maxItems: 1_000 };
const names = (description: string) => list(description, line("A name.", singleLine, 256), many);

const DatabaseDiagnosis = object("The database.", {
  engine: choice("What it is.", ["sqlite", "postgres"]),
  version: line("Its version.", singleLine, 128),
  sizeBytes: integer("How large it is.", count),
  latencyMs: integer("How long it took to answer a small question.", count),
  appliedMigrations: names("Migrations that the database has."),
  pendingMigrations: names("Migrations that this version has and the database has not."),
  unknownMigrations: names("Migrations that the database has and this version does not know."),
  encryptionKeys: names("Ids of the keys that something in it is encrypted with."),
});

/** What a server knows of itself, for whoever looks after it. It holds no secrets. */
export const Diagnosis = object("What a server knows of itself, for whoever looks after it.", {
  version: line("The version of Bowline.", singleLine, 64),
  role: line("The part of the work that it does.", singleLine, 32),
  now: dateTime("Its clock."),
  certificate: optional(
    object("The certificate that it shows; missing where it speaks no TLS.", {
      validFrom: dateTime("Not before."),
      validTo: dateTime("Not after."),
      selfMade: flag("Whether the server made it, and renews it, itself."),
    }),
  ),
  disk: optional(
    object("The disk of the data folder.", {
      freeBytes: integer("Left for the server.", count),
      totalBytes: integer("In all.", count),
    }),
  ),
  database: DatabaseDiagnosis,
  encryptionKeys: names("Ids of the keys that the server has; the newest first."),
  checks: list(
    "Whether it is ready, by its parts.",
    object("One of them.", {
      name: line("The part.", singleLine, 64),
      ok: flag("Whether all is well."),
      reason: optional(text("Why not.", { maxLength: 1_024 })),
    }),
    { maxItems: 64 },
  ),
  replicas: list(
    "The replicas that take agents; a server that is alone is not among them.",
    object("One of them.", {
      id: line("Names the process.", singleLine, 64),
      url: line("Where others reach it.", singleLine, 2_048),
      version: optional(line("Its version; missing for one that is too old to tell.", singleLine, 64)),
    }),
    many,
  ),
  unknownWorkloads: list(
    "Workload resources in clusters that nobody has placed there, such as those that were deployed after the backup was made that the server was restored from.",
    object("One of them.", {
      cluster: line("The Cluster.", singleLine),
      workload: line("The name of its Workload resource.", singleLine),
    }),
    many,
  ),
  clustersNotAsked: names("Clusters that are connected and could not be asked about their workloads."),
  orphans: optional(
    list(
      "Things outside with the mark of this installation that no Cluster knows of; missing where nobody can look.",
      object("One of them.", {
        provider: line("The provider that has found it.", singleLine, 64),
        type: line("What it is.", singleLine, 256),
        id: line("What its maker calls it.", singleLine, 2_048),
        region: optional(line("Where it is.", singleLine, 64)),
        clusterId: line("The id of the Cluster that it was made for.", singleLine, 256),
      }),
      many,
    ),
  ),
  providersNotAsked: optional(names("Providers that could not look for them.")),
  lastBackupAt: optional(dateTime("When the last backup was complete that the audit log knows of.")),
  settings: list(
    "The settings that it runs with, without secrets.",
    object("One of them.", {
      name: line("Its name.", singleLine, 128),
      value: optional(text("Its value; missing when nobody gave it.", { maxLength: 65_536 })),
      from: line("Where it is from.", singleLine, 4_096),
    }),
    many,
  ),
});
export type Diagnosis = Static<typeof Diagnosis>;
