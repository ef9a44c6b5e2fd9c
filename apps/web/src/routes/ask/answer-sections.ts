import type { GraphData } from "@bowline/api";

import type { AskedQuestion } from "../../graph/ask-search.ts";
import { nodeId, nodeText, type NodeRef } from "../../graph/node-ref.ts";

/** A part of an answer: a table, or sentences one after the other. */
export interface AnswerSection {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly AnswerCell[])[];
  /** Hop by hop. */
  readonly sentences?: readonly string[];
  /** What to say when there is nothing. */
  readonly none: string;
}

/** Text, or something that one can look at. */
export type AnswerCell = string | { readonly node: NodeRef; readonly note?: string };

type Node = GraphData<"search">["hits"][number]["node"];
type Edge = GraphData<"blast-radius">["reached"][number]["because"];

function cell(node: Node | undefined, note = ""): AnswerCell {
  if (node === undefined) return "–";
  if ("withheld" in node) return "withheld";
  const missing = node.dangling === true ? "not observed" : "";
  return { node, note: [note, missing].filter((part) => part !== "").join(", ") };
}

function place(namespace: string): string {
  return namespace === "" ? "everywhere" : namespace;
}

function sentenceOf(edge: Edge): string {
  return "withheld" in edge ? "A step that is withheld" : edge.sentence;
}

function fieldOf(edge: Edge | undefined): string {
  if (edge === undefined) return "";
  return "withheld" in edge ? "withheld" : edge.at === "" ? "by labels" : edge.at;
}

type Sections = { readonly [Name in AskedQuestion]: (data: GraphData<Name>) => AnswerSection[] };

/** How each answer is read. */
const answerSections: Sections = {
  "who-can": ({ holders, accounts, people, warnings }) => [
    ...(warnings.length === 0 ? [] : [sentences("Mind", warnings)]),
    {
      title: "By the rules of roles",
      columns: ["CLUSTER", "WHO", "WHERE", "RULE", "ROLE", "BINDING"],
      none: "Nobody, by the rules that are known.",
      rows: holders.flatMap(({ cluster, subject, isMaster, grants }) =>
        isMaster === true && grants.length === 0
          ? [[cluster, cell(subject), "everywhere", "is asked for no rule", "–", "–"]]
          : grants.map(({ namespace, text, role, binding }) => [
              cluster,
              cell(subject),
              place(namespace),
              text ?? "withheld",
              cell(role),
              cell(binding),
            ]),
      ),
    },
    {
      title: "ServiceAccounts among them, and the pods that run as them",
      columns: ["SERVICEACCOUNT", "PODS", "FIRST"],
      none: "",
      rows: accounts.map(({ account, podCount, pods }) => [cell(account), String(podCount), cell(pods[0])]),
    },
    {
      title: "People who become one of them by an AccessGrant",
      columns: ["CLUSTER", "WHO", "ACCESSGRANT", "AS", "WHERE"],
      none: "",
      rows: people.map(
        ({ cluster, user, group, grant, changedSince, kubernetesUser, through, namespaces }) => [
          cluster,
          user === undefined ? `group ${group ?? ""}` : `user ${user}`,
          changedSince === true ? `${grant} (written since)` : grant,
          [kubernetesUser ?? "", ...through.map(({ kind, name }) => `${kind} ${name}`)]
            .filter(Boolean)
            .join(", "),
          namespaces === undefined ? "everywhere" : namespaces.join(", "),
        ],
      ),
    },
  ],
  "what-can": ({ clusters }) => [
    {
      title: "May do",
      columns: ["CLUSTER", "WHERE", "RULE", "ROLE", "BINDING"],
      none: "Nothing, by the rules that are known.",
      rows: clusters.flatMap(({ cluster, isMaster, rules }) => [
        ...(isMaster ? [[cluster, "everywhere", "everything: is in system:masters", "–", "–"]] : []),
        ...rules.map(({ namespace, text, role, binding }) => [
          cluster,
          place(namespace),
          text ?? "withheld",
          cell(role),
          cell(binding),
        ]),
      ]),
    },
    {
      title: "Can become",
      columns: ["CLUSTER", "WHO", "HOW"],
      none: "",
      rows: clusters.flatMap(({ cluster, becomes }) =>
        becomes.map(({ to, sentence }) => [cluster, nodeText(to), sentence]),
      ),
    },
  ],
  uses: ({ found, users }) => [
    {
      title: "Used by",
      columns: ["USER", "OWNED BY", "FIELD"],
      none: found ? "Nobody uses it." : "There is no such thing, as far as you may see.",
      rows: users.flatMap(({ user, owners, ways, optional }) =>
        ways.map((way) => [
          cell(user, optional ? "goes without" : ""),
          cell(owners.at(-1)),
          fieldOf(way.at(-1)),
        ]),
      ),
    },
  ],
  images: ({ images }) => [
    {
      title: "Images",
      columns: ["REFERENCE", "DIGEST", "CONTAINERS", "CLUSTERS", "WORKLOADS"],
      none: "No container runs such an image.",
      rows: images.map(({ aliases, digest, containers, clusters, where }) => [
        aliases[0]?.reference ?? "–",
        digest?.slice(0, 19) ?? "not known",
        String(containers),
        clusters.join(", "),
        where.length === 1
          ? cell(where[0]?.workload)
          : where
              .map(({ workload }) => ("withheld" in workload ? "withheld" : nodeText(workload)))
              .join(", "),
      ]),
    },
  ],
  "blast-radius": ({ found, depending, reached }) =>
    [
      { title: "Depends on it", concerned: depending, none: "Nothing depends on it." },
      { title: "Reached from it", concerned: reached, none: "Nothing is reached from it." },
    ].map(({ title, concerned, none }) => ({
      title,
      columns: ["HOP", "WHAT", "BECAUSE"],
      none: found ? none : "There is no such thing, as far as you may see.",
      rows: concerned.map(({ hop, node, because, replicas = 1 }) => [
        String(hop),
        cell(node, replicas === 1 ? "" : `and ${replicas - 1} more replicas`),
        sentenceOf(because),
      ]),
    })),
  path: ({ found, hops, direction, alternatives, cut }) => [
    {
      title: direction === "backward" && found ? "None leads there, but one leads back" : "Hop by hop",
      columns: ["FROM", "TO", "FIELD"],
      none: "No path leads there, nor back.",
      rows: hops.map(({ from, to, edges }) => [cell(from), cell(to), fieldOf(edges[0])]),
      sentences: hops.map(({ edges }) => edges.slice(0, 1).map(sentenceOf).join("")),
    },
    ...(found
      ? [
          sentences("Where to cut", [
            cut.sentence,
            ...(alternatives > 1 ? [`There are ${alternatives} ways that are as short.`] : []),
          ]),
        ]
      : []),
  ],
  exposure: ({ exposures }) => [
    {
      title: "Exposed",
      columns: ["SEVERITY", "SERVICE", "REACHED BY", "SECRET", "WAYS", "CUT"],
      none: "No Secret can be read from behind a Service that is reached from outside.",
      rows: exposures.map(({ severity, service, entry, secret, ways, cut }) => [
        severity,
        cell(service),
        entry,
        cell(secret),
        String(ways),
        cut,
      ]),
    },
    ...exposures.slice(0, waysTold).map(({ service, secret, hops }) =>
      sentences(
        `From ${textOf(service)} to ${textOf(secret)}`,
        hops.map(({ edges }) => edges.slice(0, 1).map(sentenceOf).join("")),
      ),
    ),
  ],
  orphans: ({ unused, dangling }) => [
    {
      title: "Nobody uses",
      columns: ["WHAT", "NOTE"],
      none: "Everything is used.",
      rows: unused.map(({ node, bound }) => [
        cell(node),
        bound === true ? "has rights: its token may be used elsewhere" : "",
      ]),
    },
    {
      title: "Used, and does not exist",
      columns: ["WHAT", "BY", "FIELD"],
      none: "Whatever is referred to exists.",
      rows: dangling.flatMap(({ node, references }) =>
        references.map(({ from, edge, optional }) => [
          cell(node),
          cell(from, optional ? "goes without" : ""),
          fieldOf(edge),
        ]),
      ),
    },
  ],
  audit: ({ findings }) => [
    {
      title: "Findings",
      columns: ["SEVERITY", "WHAT", "OF", "MESSAGE", "PLACES"],
      none: "Nothing was found.",
      rows: findings.map(({ severity, code, subject, message, count }) => [
        severity,
        code,
        cell(subject),
        message,
        String(count),
      ]),
    },
  ],
  diff: ({ nodes, edges }) => {
    // What is inside of a pod goes with it, and so do the edges of what came or went as a whole.
    const whole = new Set(nodes.filter(({ change }) => change !== "changed").map(({ node }) => keyOf(node)));
    const objects = nodes.filter(({ node }) => "withheld" in node || !partKinds.has(node.kind));
    const between = edges.filter(({ from, to }) => !whole.has(keyOf(from)) && !whole.has(keyOf(to)));
    return [
      {
        title: "Objects",
        columns: ["CHANGE", "WHAT", "HOW"],
        none: "No object came, went or changed.",
        rows: objects.map(({ change, node, remade, properties = [] }) => [
          change,
          cell(node, remade === true ? "made again" : ""),
          properties.map(({ name, before, after }) => `${name}: ${json(before)} → ${json(after)}`).join("; "),
        ]),
      },
      {
        title: "What connects them",
        columns: ["CHANGE", "EDGE"],
        none: "",
        rows: between.map(({ change, edge }) => [change, sentenceOf(edge)]),
      },
    ];
  },
};

const partKinds: ReadonlySet<string> = new Set(["Container", "Volume"]);

function keyOf(node: Node): string {
  return "withheld" in node ? "withheld" : nodeId(node);
}

/** Ways of more exposures than this are in the JSON. */
const waysTold = 10;

function sentences(title: string, lines: readonly string[]): AnswerSection {
  return { title, columns: [], rows: [], sentences: lines, none: "" };
}

function textOf(node: Node): string {
  return "withheld" in node ? "something that is withheld" : nodeText(node);
}

function json(value: unknown): string {
  return value === undefined ? "none" : typeof value === "string" ? value : JSON.stringify(value);
}

/** The sections of an answer to whichever question. */
export function sectionsOf<Name extends AskedQuestion>(name: Name, data: GraphData<Name>): AnswerSection[] {
  const read: (of: GraphData<Name>) => AnswerSection[] = answerSections[name];
  return read(data);
}

/** As text, for filters and for whoever copies it. */
export function cellText(of: AnswerCell): string {
  if (typeof of === "string") return of;
  const note = of.note === undefined || of.note === "" ? "" : ` (${of.note})`;
  return `${of.node.cluster === undefined ? "" : `${of.node.cluster}: `}${nodeText(of.node)}${note}`;
}
