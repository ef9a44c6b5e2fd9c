import {
  dnsLabel,
  imageName,
  labelValue,
  qualifiedName,
  type AgentRights,
  type Cluster,
  type TextRule,
} from "@bowline/api";

/** What the dialog asks for. */
export interface JoinInput {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly region: string;
  readonly rights: AgentRights;
  /** Of the agent; empty for the one of the server's version. */
  readonly image: string;
  readonly expiresInSeconds: number;
}

/** What is wrong with a name, as a sentence, by the API's own rule and by what there is; undefined for a good one. */
export function nameProblem(name: string, existing: readonly Cluster[]): string | undefined {
  if (name === "") return undefined;
  const problem = ruleProblem(name, dnsLabel);
  if (problem !== undefined) return problem;
  const taken = existing.find(({ metadata }) => metadata.name === name);
  if (taken === undefined) return undefined;
  return taken.status.agent === undefined
    ? "There is a cluster of this name, and it waits for its agent."
    : "There is a cluster of this name, and it has an agent.";
}

const regionRule: TextRule = { ...dnsLabel, expects: "a region such as eu-central-1" };

export function regionProblem(region: string): string | undefined {
  return region === "" ? undefined : ruleProblem(region, regionRule);
}

export function imageProblem(image: string): string | undefined {
  return image === "" ? undefined : ruleProblem(image, imageName);
}

export type ReadLabel = { readonly key: string; readonly value: string } | { readonly problem: string };

/** `env=prod`, or a key alone. */
export function readLabel(text: string): ReadLabel {
  const equals = text.indexOf("=");
  const [key, value] = equals < 0 ? [text, ""] : [text.slice(0, equals), text.slice(equals + 1)];
  const problem =
    ruleProblem(key, qualifiedName) ?? (value === "" ? undefined : ruleProblem(value, labelValue));
  return problem === undefined ? { key, value } : { problem: `«${text}»: ${problem}` };
}

function ruleProblem(text: string, { pattern, expects, maxLength }: TextRule): string | undefined {
  if (text.length > maxLength) return `It has ${text.length} characters, and ${maxLength} are the most.`;
  return new RegExp(pattern, "u").test(text) ? undefined : `It must be ${expects}.`;
}

/** The lifetimes that can be chosen for a token. */
export const lifetimes = [
  { seconds: 600, name: "10 minutes" },
  { seconds: 3_600, name: "1 hour" },
  { seconds: 86_400, name: "1 day" },
  { seconds: 7 * 86_400, name: "7 days" },
] as const;

/** How much an agent may see by itself, in words. */
export const rightsInWords: Readonly<Record<AgentRights, string>> = {
  tunnel: "Nothing: it passes on requests, in the names of those who make them",
  workloads: "The kinds that workloads are made of, and events",
  observe: "All kinds of Kubernetes, but no Secrets",
  "observe-secrets": "All kinds, and names and versions of Secrets",
};
