import type { GraphData, WatchedQuestion } from "@bowline/api";
import { contentId, shortened, type DeepReadonly } from "@bowline/core";

/** A part of an answer that can come and go. */
export interface QuestionItem {
  /** The same for the same part, whichever pods there are. */
  readonly id: string;
  readonly text: string;
}

type Data<Name extends WatchedQuestion> = DeepReadonly<GraphData<Name>>;
type Node = Data<"orphans">["unused"][number]["node"];
type Keyed = readonly [key: string, text: string];

/** Replicas come and go all the time, and what is inside of them with them: who owns them stays. */
const passing: ReadonlySet<string> = new Set([
  "Pod",
  "Container",
  "Volume",
  "ReplicaSet",
  "Job",
  "EndpointSlice",
]);

function nodeText(node: Node): string {
  if ("withheld" in node) return "something that is withheld";
  const place = [node.cluster ?? "", node.namespace, node.name].filter((part) => part !== "").join("/");
  return `${node.kind} ${place}`;
}

function lasting(nodes: readonly Node[]): Keyed[] {
  return nodes
    .filter((node) => "withheld" in node || !passing.has(node.kind))
    .map((node) => [nodeText(node), nodeText(node)]);
}

type Readers = { readonly [Name in WatchedQuestion]: (data: Data<Name>) => Keyed[] };

const readers: Readers = {
  exposure: ({ exposures }) =>
    exposures.map(({ id, service, secret, severity }) => [
      id,
      `${nodeText(secret)} can be read from behind ${nodeText(service)} (${severity})`,
    ]),
  audit: ({ findings }) => findings.map(({ id, message }) => [id, message]),
  orphans: ({ unused, dangling }) => [
    ...unused.map(({ node }): Keyed => [`unused ${nodeText(node)}`, `${nodeText(node)} is not used`]),
    ...dangling.map(({ node }): Keyed => [
      `dangling ${nodeText(node)}`,
      `${nodeText(node)} is used and does not exist`,
    ]),
  ],
  path: ({ found, from, to, direction }) => {
    const [first, last] = direction === "forward" ? [from, to] : [to, from];
    if (!found || first === undefined || last === undefined) return [];
    return [[direction, `There is a path from ${nodeText(first)} to ${nodeText(last)}`]];
  },
  uses: ({ users }) => {
    const tops = users.map(({ user, owners }) => nodeText(owners.at(-1) ?? user));
    return [...new Set(tops)].map((top) => [top, `${top} uses it`]);
  },
  "blast-radius": ({ depending, reached }) => [
    ...lasting(depending.map(({ node }) => node)).map(([key, text]): Keyed => [
      `depending ${key}`,
      `${text} depends on it`,
    ]),
    ...lasting(reached.map(({ node }) => node)).map(([key, text]): Keyed => [
      `reached ${key}`,
      `${text} is reached from it`,
    ]),
  ],
  "who-can": ({ holders, accounts, people }) => [
    ...holders.map(({ cluster, subject }): Keyed => [
      `${cluster} ${nodeText(subject)}`,
      `${nodeText(subject)} can in ${cluster}`,
    ]),
    ...accounts.map(({ account }): Keyed => [`account ${nodeText(account)}`, `${nodeText(account)} can`]),
    ...people.map(({ cluster, user, group, grant }): Keyed => {
      const who = user === undefined ? `group ${group ?? ""}` : `user ${user}`;
      return [`${cluster} ${who} ${grant}`, `The ${who} can in ${cluster} by AccessGrant ${grant}`];
    }),
  ],
  "what-can": ({ clusters }) =>
    clusters.flatMap(({ cluster, rules, becomes }) => [
      ...rules.map(({ binding, role, at, text = "a rule that is withheld" }): Keyed => [
        `${cluster} ${nodeText(binding)} ${nodeText(role)} ${at} ${text}`,
        `${text} by ${nodeText(binding)}`,
      ]),
      ...becomes.map(({ sentence }): Keyed => [`${cluster} ${sentence}`, sentence]),
    ]),
  images: ({ images }) =>
    images.map(({ digest, aliases }) => {
      const name = digest ?? aliases[0]?.reference ?? "";
      return [name, `${aliases[0]?.reference ?? "an image"} ${digest ?? ""} runs`];
    }),
  search: ({ hits }) => lasting(hits.map(({ node }) => node)),
};

const textLength = 256;

/** The parts of an answer, each once, in an order that depends on nothing else. */
export function questionItems<Name extends WatchedQuestion>(name: Name, data: Data<Name>): QuestionItem[] {
  const items = new Map(
    readers[name](data).map(([key, text]) => {
      const id = contentId(key).slice("sha256:".length, "sha256:".length + 32);
      return [id, { id, text: shortened(text.replaceAll(/\p{Cc}/gu, " "), textLength) }];
    }),
  );
  return [...items.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
}
