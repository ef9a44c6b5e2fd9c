import { jsonPatchProblem } from "@bowline/manifests";
import type { Static } from "typebox";

import {
  anything,
  choice,
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
import { dnsLabel, identifier, singleLine, type TextRule } from "../schema/text-rule.ts";
import type { Problem } from "../validate/report.ts";

const fieldPath: TextRule = {
  pattern: '^[A-Za-z_][\\w-]*(\\.[A-Za-z_][\\w-]*|\\[("[^"\\p{Cc}]+"|\\d+|[A-Za-z]+="[^"\\p{Cc}]*")\\])*$',
  expects:
    'a path such as spec.replicas, metadata.annotations["example.com/note"] or spec.template.spec.containers[name="web"].image',
  minLength: 1,
  maxLength: 1024,
};

const ignoreRule = object("Fields that are left to whoever sets them.", {
  group: optional(line("The API group of the resources; missing for any.", singleLine)),
  kind: line("The kind of the resources.", { ...singleLine, minLength: 1 }, 63),
  name: optional(line("The name of the resource; missing for all of the kind.", singleLine)),
  paths: list("Where the fields are.", text("The path of a field.", fieldPath), {
    minItems: 1,
    maxItems: 50,
    unique: true,
  }),
});

/** The limit of what may be deleted at once without anybody's approval. */
export const pruneLimit = object(
  "Deleting more than the larger of both waits until somebody approves it; deleting everything always does.",
  {
    count: withDefault(integer("How many may go at once.", { minimum: 0, maximum: 100_000 }), 10),
    percent: withDefault(integer("How many of a hundred may go at once.", { minimum: 0, maximum: 100 }), 25),
  },
);

const operation = object("An operation of RFC 6902.", {
  op: choice("What is done.", ["add", "remove", "replace", "move", "copy", "test"]),
  path: line("Where, as a JSON pointer.", { ...singleLine, minLength: 0 }, 1024),
  from: optional(line("Where from, of move and copy.", singleLine, 1024)),
  value: optional(anything("What, of add, replace and test.")),
});

const patch = object("A change to rendered objects.", {
  target: object("Which objects.", {
    group: optional(line("Their API group; missing for any.", singleLine)),
    kind: line("Their kind.", { ...singleLine, minLength: 1 }, 63),
    name: optional(line("Their name; missing for all of the kind.", singleLine)),
  }),
  patch: exactlyOneOf("What is changed.", {
    merge: optional(
      map(
        "A merge patch (RFC 7396): fields to set, and null for those to remove.",
        anything("What the field becomes."),
        { keys: { ...singleLine, minLength: 1 }, maxProperties: 100 },
      ),
    ),
    json: optional(
      list("Operations (RFC 6902), which succeed all or none.", operation, { minItems: 1, maxItems: 100 }),
    ),
  }),
});

export const patchList = list(
  "Changes to objects after their parameters are filled in, in this order.",
  patch,
  {
    maxItems: 50,
  },
);

/** Problems of patches that follow the schema. */
export function patchProblems(patches: Static<typeof patchList>, at: string): Problem[] {
  return patches.flatMap(({ patch: { json = [] } }, index) =>
    json.flatMap((each, place) => {
      const message = jsonPatchProblem(each);
      return message === undefined ? [] : [{ path: `${at}[${index}].patch.json[${place}]`, message }];
    }),
  );
}

/** How a workload is kept in a cluster: the same for an instance and for each of its placements. */
export const workloadSettings = {
  namespace: withDefault(
    text("The namespace of every resource that names none itself.", dnsLabel),
    "default",
  ),
  parameters: withDefault(
    map("Values for parameters of the definition.", text("The value.", { maxLength: 4096 }), {
      keys: identifier,
      maxProperties: 100,
    }),
    {},
  ),
  prune: withDefault(flag("Whether resources that are no longer in the manifests are deleted."), true),
  pruneLimit: withDefault(pruneLimit, { count: 10, percent: 25 }),
  deletionPolicy: withDefault(
    choice("What becomes of the resources when the instance is deleted, or leaves a cluster.", [
      "delete",
      "retain",
    ]),
    "delete",
  ),
  conflicts: withDefault(
    choice("What happens to fields that another manager has set: taken over, reported, or left to it.", [
      "takeover",
      "fail",
      "leave",
    ]),
    "takeover",
  ),
  takeoverFrom: optional(
    list(
      "Further managers to take fields over from, as from kubectl and Helm: tools that kept these objects before.",
      line("The manager, as in metadata.managedFields.", { ...singleLine, minLength: 1 }, 128),
      { minItems: 1, maxItems: 20, unique: true },
    ),
  ),
  drift: withDefault(
    choice("What happens when somebody changes a resource in the cluster.", ["correct", "report", "off"]),
    "correct",
  ),
  ignore: withDefault(
    list("Fields that are neither compared nor set right.", ignoreRule, { maxItems: 100 }),
    [],
  ),
};
