import { choice, flag, integer, line, list, object, optional, text } from "../schema/build.ts";
import { singleLine } from "../schema/text-rule.ts";
import {
  clusterName,
  count,
  graphLimits,
  GraphNode,
  nameLength,
  pointer,
  sentence,
  sentenceLength,
} from "./graph-answer.ts";

const items = { maxItems: graphLimits.items };
const parts = { maxItems: graphLimits.parts };
const name = (description: string) => line(description, singleLine, nameLength);
const words = (description: string) => list(description, name("One of them."), parts);
const place = name("Where it holds; empty for the whole cluster.");

/** Users and groups are known by name only, wherever they are. */
const somebody = object("A user, a group or a ServiceAccount.", {
  kind: name("Which of them, or the kind of a role."),
  namespace: name("The namespace; empty for what is in none."),
  name: name("The name."),
});
const through = list("Through whom they can: themselves, or groups that they are in.", somebody, parts);

/** A rule that somebody has. */
export const HeldRule = object("A rule that somebody has, and by which binding.", {
  namespace: place,
  binding: GraphNode,
  role: GraphNode,
  at: pointer,
  rule: optional(
    object("The rule; missing where its role is withheld.", {
      verbs: words("What it allows."),
      apiGroups: words("In which API groups."),
      resources: words("To which resources and subresources."),
      resourceNames: words("To objects of these names; empty for all of them."),
      nonResourceURLs: words("To paths that are no resources."),
    }),
  ),
  text: optional(text("The rule, for people.", { maxLength: sentenceLength })),
  origins: optional(
    list(
      "Where the rule was written, if the role gathers those of others.",
      object("A place.", { role: GraphNode, at: pointer }),
      parts,
    ),
  ),
});

export const WhoCanData = object("Who may do something.", {
  holders: list(
    "Whom bindings name.",
    object("A user, group or ServiceAccount.", {
      cluster: clusterName,
      subject: GraphNode,
      isMaster: optional(flag("No rule is asked for: members of this group may do everything.")),
      grants: list("The rules that say so.", HeldRule, parts),
    }),
    items,
  ),
  accounts: list(
    "ServiceAccounts that can, by themselves or by groups that they are in.",
    object("A ServiceAccount.", {
      account: GraphNode,
      through,
      pods: list("The first of the pods that run as it and have its token.", GraphNode, parts),
      podCount: integer("How many do.", count),
    }),
    items,
  ),
  people: list(
    "Users and groups of Bowline who become somebody that can, by AccessGrants as they are now; of an earlier time, by those that were there.",
    object("A user or a group.", {
      cluster: clusterName,
      user: optional(name("The user.")),
      group: optional(name("The group.")),
      grant: name("Name of the AccessGrant."),
      changedSince: optional(
        flag("The grant was written since the time that is asked about, and may have been another then."),
      ),
      kubernetesUser: optional(name("Who they are in the cluster; missing for their own name.")),
      kubernetesGroups: list("The groups they are in there.", name("A group."), parts),
      namespaces: optional(list("The only namespaces where they can.", name("A namespace."), parts)),
      through,
    }),
    items,
  ),
  warnings: list(
    "What to know about the answer, a sentence each: a verb, resource or subresource that nobody knows; grants that may have been others at an earlier time.",
    text("A sentence.", { maxLength: sentenceLength }),
    parts,
  ),
});

export const WhatCanData = object("What somebody may do.", {
  clusters: list(
    "Cluster by cluster.",
    object("Their rights in a cluster.", {
      cluster: clusterName,
      isMaster: flag("No rule is asked for: a member of system:masters may do everything."),
      rules: list("The rules they have.", HeldRule, items),
      missing: list("Bindings that would give them a role that does not exist.", GraphNode, items),
      becomes: list(
        "Whom they can become, or what rights they can give themselves, step by step.",
        object("A step.", {
          from: somebody,
          way: choice("How.", [
            "impersonate",
            "token",
            "tokenSecret",
            "runPod",
            "enterPod",
            "enterNode",
            "certificate",
            "bind",
            "escalate",
          ]),
          to: somebody,
          namespace: optional(place),
          sentence,
        }),
        items,
      ),
      becomesMaster: flag("Whether they may do everything in the cluster, or can get there."),
    }),
    { maxItems: graphLimits.clusters },
  ),
});
