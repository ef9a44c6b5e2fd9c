import { defaultRights } from "@bowline/api";

import type { JoinInput } from "./join-input.ts";

type Described = Pick<JoinInput, "name"> & Partial<Pick<JoinInput, "labels" | "region" | "rights" | "image">>;

/** Joins by the command line: it makes a token of its own, and goes on with the Cluster that is there. */
export function cliCommand(input: Described): string {
  const { rights = defaultRights, image = "" } = input;
  const words = ["bowline cluster add", input.name, ...described(input)];
  if (rights !== defaultRights) words.push(`--rights ${rights}`);
  if (image !== "") words.push(`--image ${image}`);
  return `${words.join(" ")} | kubectl apply -f -`;
}

/** Runs the agent where the command is given, for a cluster of the kubeconfig there. */
export function runCommand(input: Described): string {
  return ["bowline cluster add", input.name, ...described(input), "--run --kube-context CONTEXT"].join(" ");
}

/** A file that was saved from the page. */
export function applyCommand(file: string): string {
  return `kubectl --context CONTEXT apply -f ${file}`;
}

/** Names, labels, regions and images have passed the rules of the API, none of which lets anything through that a shell reads. */
function described({ labels = {}, region = "" }: Described): string[] {
  const words = Object.entries(labels).map(([key, value]) => `-l ${key}=${value}`);
  return region === "" ? words : [...words, `--region ${region}`];
}

const shownSecret = "••••••••";

/** The manifest as it is shown: the token is in the file and in what is copied, and not on the screen. */
export function maskToken(manifest: string, token: string): string {
  return manifest.replaceAll(token, `${token.slice(0, 4)}${shownSecret}`);
}

/** How long a token still works, for a countdown; undefined when it does not. */
export function remainingText(expiresAt: string, nowMs: number): string | undefined {
  const seconds = Math.ceil((Date.parse(expiresAt) - nowMs) / 1_000);
  if (!(seconds > 0)) return undefined;
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return `${minutes}:${String(seconds % 60).padStart(2, "0")} min`;
}
