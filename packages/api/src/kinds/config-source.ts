import { statusOf } from "../bodies/status.ts";
import { defineKind } from "../kind/define-kind.ts";
import type { ObjectOf } from "../kind/kind.ts";
import {
  choice,
  dateTime,
  flag,
  integer,
  line,
  list,
  object,
  optional,
  text,
  withDefault,
} from "../schema/build.ts";
import { commitId, dnsLabel, printableAscii, singleLine } from "../schema/text-rule.ts";
import { approver, author, deleter } from "./author.ts";
import {
  gitColumns,
  gitFilters,
  gitReferences,
  gitSource,
  gitSourceProblems,
  gitStateColumns,
  seenSource,
} from "./git-source.ts";
import { pruneLimit } from "./workload-settings.ts";

/**
 * The kinds that may come from git. Never secrets, nor what says who somebody is: a repository would then decide over
 * the user that its source acts as.
 */
export const configKinds = ["Cluster", "AccessGrant", "WorkloadDefinition", "WorkloadInstance"] as const;

const spec = object("Where the objects come from, and what may become of them.", {
  git: gitSource,
  kinds: withDefault(
    list("The kinds of objects that are taken; others are refused.", choice("A kind.", configKinds), {
      minItems: 1,
      maxItems: configKinds.length,
      unique: true,
    }),
    [...configKinds],
  ),
  actsAs: text(
    "Name of the user with whose rights objects are written. Naming somebody else than oneself takes an admin.",
    printableAscii,
  ),
  prune: withDefault(flag("Whether objects that are no longer in the repository are deleted."), true),
  pruneLimit: withDefault(pruneLimit, { count: 10, percent: 25 }),
  allowEmpty: withDefault(
    flag("Whether a repository without any object may delete all, within the limit."),
    false,
  ),
  approved: optional(
    object("What somebody has agreed to, after looking at it.", {
      commit: text("The commit whose deletions may be: they are held until it is here.", commitId),
    }),
  ),
  paused: optional(
    object("No new commit is applied while this is here.", {
      reason: optional(line("Why, for people.", singleLine, 1024)),
    }),
  ),
});

const count = { minimum: 0, maximum: 1_000_000 };

const applied = object("The commit that the objects are from.", {
  commit: text("The commit.", commitId),
  signer: optional(line("Who signed it, where signatures are asked for.", singleLine, 1024)),
  at: dateTime("When it was applied."),
  objects: integer("How many objects it has.", count),
});

const held = object("Deletions that wait until somebody approves them.", {
  commit: text("The commit to approve.", commitId),
  deletions: integer("How many objects would be deleted.", count),
  total: integer("How many objects the source has, with those.", count),
  objects: list(
    "The first of them.",
    object("An object.", {
      kind: choice("Its kind.", configKinds),
      name: text("Its name.", dnsLabel),
    }),
    { maxItems: 20 },
  ),
});

const overridden = object("An object that was changed by hand.", {
  kind: choice("Its kind.", configKinds),
  name: text("Its name.", dnsLabel),
  user: text("Who did it.", printableAscii),
});

const status = statusOf({
  author: optional(author),
  approvedBy: optional(approver),
  deletedBy: optional(deleter),
  source: optional(seenSource),
  applied: optional(applied),
  held: optional(held),
  overridden: optional(
    list("Objects that were changed by hand since; the next commit sets them right.", overridden, {
      maxItems: 100,
    }),
  ),
});

export const ConfigSource = defineKind({
  kind: "ConfigSource",
  plural: "configsources",
  shortNames: ["cs"],
  description:
    "Objects of Bowline from git: clusters, grants and workloads, applied with the rights of a user, each commit as a whole or not at all.",
  spec,
  status,
  columns: [
    ...gitStateColumns,
    { header: "OBJECTS", path: "status.applied.objects" },
    { header: "ACTS-AS", path: "spec.actsAs", wide: true },
    ...gitColumns("spec.git"),
    { header: "COMMIT", path: "status.applied.commit", wide: true },
    { header: "REASON", path: "status.conditions.UpToDate.reason", wide: true },
    { header: "MESSAGE", path: "status.conditions.UpToDate.message", wide: true },
  ],
  filterable: ["spec.actsAs", ...gitFilters("spec.git")],
  recordsAuthor: true,
  recordsApprover: true,
  references: gitReferences("spec.git"),
  conditions: {
    Ready: "A commit was read, and its objects are here.",
    UpToDate:
      "The objects are those that the repository has now. False says why a newer commit could not be read or applied, or what is held.",
  },
  finalizers: ["bowline.dev/release-objects"],
  check: ({ git }) => gitSourceProblems(git, "spec.git"),
});
export type ConfigSource = ObjectOf<typeof ConfigSource>;
