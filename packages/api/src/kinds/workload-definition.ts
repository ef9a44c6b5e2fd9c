import { parameterProblem, parameterTypes } from "@bowline/manifests";
import type { Static } from "typebox";

import { defineKind } from "../kind/define-kind.ts";
import type { ObjectOf } from "../kind/kind.ts";
import { statusOf } from "../bodies/status.ts";
import {
  choice,
  dateTime,
  exactlyOneOf,
  flag,
  integer,
  line,
  list,
  object,
  optional,
  text,
  withDefault,
} from "../schema/build.ts";
import { identifier, revisionId, singleLine, type TextRule } from "../schema/text-rule.ts";
import type { Problem } from "../validate/report.ts";
import { author, deleter } from "./author.ts";
import { gitSource, gitSourceProblems } from "./git-source.ts";
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

const spec = object("What is to be deployed, without saying where.", {
  source: exactlyOneOf("Where the manifests come from.", {
    inline: optional(inlineSource),
    git: optional(gitSource),
  }),
  parameters: withDefault(
    list("Values that each instance may choose.", parameter, { maxItems: 100, uniqueBy: "name" }),
    [],
  ),
});

const commit: TextRule = {
  pattern: "^([0-9a-f]{40}|[0-9a-f]{64})$",
  expects: "the full hash of a commit",
  maxLength: 64,
};

const revision = object("The manifests that the source stands for at the moment.", {
  id: text("Hash of the content; the same content has the same id.", revisionId),
  commit: optional(text("The commit it was taken from, for git.", commit)),
  resolvedAt: dateTime("When the source was found to have this content."),
});

const status = statusOf({
  author: optional(author),
  deletedBy: optional(deleter),
  revision: optional(revision),
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
    { header: "READY", path: "status.conditions.Ready" },
    { header: "RESOURCES", path: "status.resources" },
    { header: "GIT-URL", path: "spec.source.git.url" },
    { header: "REF", path: "spec.source.git.ref", wide: true },
    { header: "COMMIT", path: "status.revision.commit", wide: true },
    { header: "REVISION", path: "status.revision.id", wide: true },
    { header: "AUTHOR", path: "status.author.user", wide: true },
    { header: "MESSAGE", path: "status.conditions.Ready.message", wide: true },
  ],
  filterable: [
    "spec.source.git.url",
    "spec.source.git.credential",
    "status.revision.id",
    "status.author.user",
    "status.conditions.Ready",
  ],
  recordsAuthor: true,
  references: [{ field: "spec.source.git.credential", kind: "Credential", cascade: "refuse" }],
  conditions: { Ready: "The source was read, and its content is the revision in the status." },
  check: ({ source, parameters }) => [
    ...(source.inline === undefined
      ? []
      : inlineSourceProblems(source.inline, parameters, "spec.source.inline")),
    ...(source.git === undefined ? [] : gitSourceProblems(source.git, "spec.source.git")),
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
