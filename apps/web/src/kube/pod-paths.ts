import { BowlineError } from "@bowline/core";

/** A pod of a cluster, or one of its containers. */
export interface PodPlace {
  readonly cluster: string;
  readonly namespace: string;
  readonly pod: string;
  /** Missing for the only one. */
  readonly container?: string | undefined;
}

/** Which part of a container's log. */
export interface LogSelection {
  readonly follow?: boolean;
  /** The run before the last restart. */
  readonly previous?: boolean;
  readonly sinceSeconds?: number;
  readonly sinceTime?: string;
  readonly tailLines?: number;
}

/** Always with the times: lines are ordered and resumed by them, whether they are shown or not. */
export function logPath(place: PodPlace, selection: LogSelection = {}): string {
  const query = new URLSearchParams({ timestamps: "true" });
  if (place.container !== undefined) query.set("container", place.container);
  for (const [name, value] of Object.entries(selection)) {
    if (value !== undefined && value !== false) query.set(name, String(value));
  }
  return `${podPath(place)}/log?${query.toString()}`;
}

/** A command in a terminal. */
export function execPath(place: PodPlace, command: readonly string[]): string {
  const query = new URLSearchParams({ stdin: "true", stdout: "true", stderr: "true", tty: "true" });
  if (place.container !== undefined) query.set("container", place.container);
  for (const word of command) query.append("command", word);
  return `${podPath(place)}/exec?${query.toString()}`;
}

export interface PodSelection {
  readonly cluster: string;
  readonly namespace: string;
  /** One pod by its name, or all that have these labels. */
  readonly pod?: string | undefined;
  readonly labelSelector?: string | undefined;
}

/** The pods of a selection, for a list or a watch. */
export function podsPath({ cluster, namespace, pod, labelSelector }: PodSelection): string {
  const query = new URLSearchParams();
  if (pod !== undefined) query.set("fieldSelector", `metadata.name=${pod}`);
  if (labelSelector !== undefined) query.set("labelSelector", labelSelector);
  return `/clusters/${segment(cluster)}/api/v1/namespaces/${segment(namespace)}/pods?${query.toString()}`;
}

function podPath({ cluster, namespace, pod }: PodPlace): string {
  return `/clusters/${segment(cluster)}/api/v1/namespaces/${segment(namespace)}/pods/${segment(pod)}`;
}

/** Parts of an address of the page are whatever somebody wrote there; a browser takes dots for the way up. */
function segment(part: string): string {
  if (part === "" || part === "." || part === "..") {
    throw new BowlineError("InvalidArgument", `"${part}" is no part of an address of a cluster.`);
  }
  return encodeURIComponent(part.toWellFormed());
}
