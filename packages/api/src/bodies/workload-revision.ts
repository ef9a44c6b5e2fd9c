import type { Static } from "typebox";

import { anything, dateTime, flag, integer, line, list, object, optional, text } from "../schema/build.ts";
import { dnsLabel, printableAscii, revisionId, singleLine } from "../schema/text-rule.ts";
import { recordList } from "./list.ts";

const count = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

const fields = {
  id: text("Hash of the content; the same content has the same id.", revisionId),
  resolvedAt: dateTime("When the definition was last found to have this content, after it had another."),
  commit: optional(line("The commit it was last found in, for git.", singleLine, 64)),
  signer: optional(line("Who signed that commit, where signatures were asked for.", singleLine, 1024)),
  author: optional(text("Name of the user who wrote it, where it is known.", printableAscii)),
  objects: integer("How many Kubernetes objects it has.", count),
  bytes: integer("How large it is, as JSON.", count),
  current: flag("Whether the definition says this now."),
  clusters: integer("In how many clusters it is what was applied last.", count),
};

/** What a definition says, or said, without the manifests. */
export const WorkloadRevision = object("A content that a WorkloadDefinition was resolved to.", fields);
export type WorkloadRevision = Static<typeof WorkloadRevision>;

export const WorkloadRevisionList = recordList("A page of revisions.", WorkloadRevision);
export type WorkloadRevisionList = Static<typeof WorkloadRevisionList>;

/** A revision with its manifests. */
export const WorkloadRevisionContent = object("A content that a WorkloadDefinition was resolved to.", {
  ...fields,
  manifests: list(
    "The Kubernetes objects, before parameters are filled in; values of Secrets are masked.",
    anything("A Kubernetes object."),
    { maxItems: 100_000 },
  ),
  parameters: list("The parameters that instances may choose.", anything("A parameter."), { maxItems: 100 }),
});
export type WorkloadRevisionContent = Static<typeof WorkloadRevisionContent>;

/** Which clusters are counted, as parameters of the address. */
export const RevisionFilters = object("Which clusters are counted.", {
  instance: optional(text("Only those in which this WorkloadInstance has it.", dnsLabel)),
});
export type RevisionFilters = Static<typeof RevisionFilters>;

/** How a content is told. */
export const RevisionContentFilters = object("How it is told.", {
  against: optional(
    text(
      "Another revision of the definition: values of Secrets that it has differently are marked.",
      revisionId,
    ),
  ),
});
export type RevisionContentFilters = Static<typeof RevisionContentFilters>;
