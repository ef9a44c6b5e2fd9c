import { defineKind } from "../kind/define-kind.ts";
import type { ObjectOf } from "../kind/kind.ts";
import { statusOf } from "../bodies/status.ts";
import { dateTime, exactlyOneOf, line, list, object, optional, text, withDefault } from "../schema/build.ts";
import { dnsLabel, printableAscii, singleLine } from "../schema/text-rule.ts";
import { LabelSelector, labelSelectorProblems } from "../select/label-selector.ts";

const subject = exactlyOneOf("Somebody who gets access.", {
  user: optional(text("Name of a User.", dnsLabel)),
  group: optional(line("Name of a group of users.", { ...singleLine, minLength: 1 })),
});

const kubernetes = object("Who they are in those clusters.", {
  user: optional(
    text("The Kubernetes user to act as; missing for the name of the Bowline user.", printableAscii),
  ),
  groups: withDefault(
    list("The Kubernetes groups to act as.", text("A Kubernetes group.", printableAscii), {
      maxItems: 32,
      unique: true,
    }),
    [],
  ),
});

const spec = object("Who may reach which clusters, as whom.", {
  subjects: list("Who gets access.", subject, { minItems: 1, maxItems: 100 }),
  clusters: exactlyOneOf("The clusters they may reach.", {
    names: optional(
      list("Names of Clusters.", text("Name of a Cluster.", dnsLabel), {
        minItems: 1,
        maxItems: 500,
        unique: true,
      }),
    ),
    selector: optional(LabelSelector),
  }),
  kubernetes,
  namespaces: optional(
    list("The only namespaces they may reach; missing for all.", text("Name of a namespace.", dnsLabel), {
      minItems: 1,
      maxItems: 100,
      unique: true,
    }),
  ),
  expiresAt: optional(dateTime("When the access ends; missing for never.")),
});

export const AccessGrant = defineKind({
  kind: "AccessGrant",
  plural: "accessgrants",
  shortNames: ["ag"],
  description: "Lets users or groups reach clusters through Bowline, as a Kubernetes user and groups.",
  spec,
  status: statusOf({}),
  columns: [
    { header: "USERS", path: "spec.subjects[].user" },
    { header: "GROUPS", path: "spec.subjects[].group" },
    { header: "CLUSTERS", path: "spec.clusters.names[]" },
    { header: "EXPIRES", path: "spec.expiresAt", format: "until" },
    { header: "AS-USER", path: "spec.kubernetes.user", wide: true },
    { header: "AS-GROUPS", path: "spec.kubernetes.groups[]", wide: true },
    { header: "NAMESPACES", path: "spec.namespaces[]", wide: true },
  ],
  filterable: [
    "metadata.managedBy.configSource",
    "spec.subjects[].user",
    "spec.subjects[].group",
    "spec.clusters.names[]",
  ],
  references: [
    { field: "spec.subjects[].user", kind: "User", cascade: "remove" },
    { field: "spec.clusters.names[]", kind: "Cluster", cascade: "remove" },
  ],
  check: ({ clusters }) =>
    clusters.selector === undefined ? [] : labelSelectorProblems(clusters.selector, "spec.clusters.selector"),
});
export type AccessGrant = ObjectOf<typeof AccessGrant>;
