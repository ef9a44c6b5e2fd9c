import { parameterProblem, parameterTypes } from "@bowline/manifests";
import type { Static } from "typebox";

import { defineKind } from "../kind/define-kind.ts";
import type { ObjectOf } from "../kind/kind.ts";
import { statusOf } from "../bodies/status.ts";
import {
  anything,
  choice,
  dateTime,
  exactlyOneOf,
  flag,
  integer,
  line,
  list,
  map,
  object,
  optional,
  text,
  withDefault,
} from "../schema/build.ts";
import {
  commitId,
  dnsLabel,
  identifier,
  revisionId,
  singleLine,
  type TextRule,
} from "../schema/text-rule.ts";
import type { Problem } from "../validate/report.ts";
import { author, deleter } from "./author.ts";
import {
  gitColumns,
  gitFilters,
  gitReferences,
  gitSource,
  gitSourceProblems,
  gitStateColumns,
  seenSource,
} from "./git-source.ts";
import { inlineSource, inlineSourceProblems } from "./inline-source.ts";

const parameter = object("A value that each instance may choose.", {
  name: text("What manifests and instances call it.", identifier),
  description: optional(line("What it is for.", singleLine, 1024)),
  type: withDefault(
    choice("What a value becomes that is nothing but a reference to it.", parameterTypes),
    "string",
  ),
  default: optional(text("What it is when an instance says nothing.", { maxLength: 4096 })),
  required: withDefault(flag("Whether every instance has to say something."), false),
});

const glob: TextRule = {
  pattern: "^[^\\p{Cc}\\\\/][^\\p{Cc}\\\\]*$",
  expects: "a pattern of paths such as apps/**/*.yaml",
  minLength: 1,
  maxLength: 1024,
};

const globs = (description: string) =>
  list(description, text("A pattern; * stands for a name, ** for folders.", glob), {
    minItems: 1,
    maxItems: 100,
    unique: true,
  });

const renderSettings = object("How files of a source become manifests.", {
  type: withDefault(
    choice(
      "The renderer; auto takes helm for a folder with a Chart.yaml, kustomize for one with a kustomization, else yaml.",
      ["auto", "yaml", "kustomize", "helm"],
    ),
    "auto",
  ),
  values: optional(
    map("Values for helm, over those of the chart.", anything("A value."), {
      keys: { ...singleLine, minLength: 1 },
      maxProperties: 1_000,
    }),
  ),
  releaseName: optional(
    text("The name of the release, for helm; that of the definition by default.", dnsLabel),
  ),
  include: optional(globs("The files to take, for yaml; all .yaml, .yml and .json by default.")),
  exclude: optional(globs("The files to leave out, for yaml.")),
});

const spec = object("What is to be deployed, without saying where.", {
  source: exactlyOneOf("Where the manifests come from.", {
    inline: optional(inlineSource),
    git: optional(gitSource),
  }),
  parameters: withDefault(
    list("Values that each instance may choose.", parameter, { maxItems: 100, uniqueBy: "name" }),
    [],
  ),
  render: optional(renderSettings),
  paused: optional(
    object("No new revision is made while this is here.", {
      reason: optional(line("Why, for people.", singleLine, 1024)),
    }),
  ),
});

const revision = object("The manifests that the source stands for at the moment.", {
  id: text("Hash of the content; the same content has the same id.", revisionId),
  commit: optional(text("The commit it was taken from, for git.", commitId)),
  signer: optional(line("Who signed it, where signatures are asked for.", singleLine, 1024)),
  resolvedAt: dateTime("When the source was found to have this content."),
  arrivedAt: optional(
    dateTime(
      "Since when the commit is there, for git: when a webhook told of it, else the date in the commit, but not before the revision before it.",
    ),
  ),
});

const status = statusOf({
  author: optional(author),
  deletedBy: optional(deleter),
  revision: optional(revision),
  source: optional(seenSource),
  resources: optional(
    integer("How many Kubernetes objects the manifests hold.", { minimum: 0, maximum: 100_000 }),
  ),
});

export const WorkloadDefinition = defineKind({
  kind: "WorkloadDefinition",
  plural: "workloaddefinitions",
  shortNames: ["wd"],
  description: "What can be deployed: manifests, from the object itself or from git, and their parameters.",
  spec,
  status,
  columns: [
    ...gitStateColumns,
    { header: "RESOURCES", path: "status.resources" },
    ...gitColumns("spec.source.git"),
    { header: "COMMIT", path: "status.revision.commit", wide: true },
    { header: "REVISION", path: "status.revision.id", wide: true },
    { header: "AUTHOR", path: "status.author.user", wide: true },
    { header: "MESSAGE", path: "status.conditions.Ready.message", wide: true },
  ],
  filterable: ["metadata.managedBy.configSource", "status.revision.id", ...gitFilters("spec.source.git")],
  recordsAuthor: true,
  references: gitReferences("spec.source.git"),
  conditions: {
    Ready: "The source was read as the spec says, and its content is the revision in the status.",
    UpToDate:
      "For git: the revision is what the source has now. False says why a newer one could not be read or used; the last good one stays.",
  },
  check: ({ source, parameters, render }) => [
    ...(source.inline === undefined
      ? []
      : inlineSourceProblems(source.inline, parameters, "spec.source.inline")),
    ...(source.git === undefined ? [] : gitSourceProblems(source.git, "spec.source.git")),
    ...(source.inline !== undefined && render !== undefined
      ? [{ path: "spec.render", message: "is only for sources in git" }]
      : []),
    ...parameterProblems(parameters),
  ],
});
export type WorkloadDefinition = ObjectOf<typeof WorkloadDefinition>;

function parameterProblems(parameters: Static<typeof spec>["parameters"]): Problem[] {
  return parameters.flatMap((parameter, index) => {
    const message = defaultProblem(parameter);
    return message === undefined ? [] : [{ path: `spec.parameters[${index}].default`, message }];
  });
}

function defaultProblem(parameter: Static<typeof spec>["parameters"][number]): string | undefined {
  if (parameter.default === undefined) return undefined;
  if (parameter.required) return "must not be set for a parameter that is required";
  return parameterProblem(parameter.type, parameter.default);
}
