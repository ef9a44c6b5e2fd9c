import { arrayOf, numberOf, recordOf, textOf, type KubeObject } from "@bowline/kube/shapes";

type Fields = Readonly<Record<string, unknown>>;

/** The spec of the pods that an object is or makes; undefined for what has none. */
export function podSpecOf(object: KubeObject): Fields | undefined {
  const spec = recordOf(object["spec"]);
  if (object.apiVersion === "v1" && object.kind === "Pod") return spec;
  const job = recordOf(recordOf(spec?.["jobTemplate"])?.["spec"]);
  const template = recordOf((job ?? spec)?.["template"]);
  const inner = recordOf(template?.["spec"]);
  return Array.isArray(inner?.["containers"]) ? inner : undefined;
}

/** A container, and how it is if it is one of a pod. */
export interface ContainerState {
  readonly name: string;
  readonly image: string;
  readonly role: "init" | "main" | "ephemeral";
  /** Missing where there is no status: of a template, or of a pod that no node has. */
  readonly state?: "running" | "waiting" | "terminated";
  /** Why it waits or has ended. */
  readonly reason: string;
  readonly message: string;
  readonly since?: string;
  readonly isReady: boolean;
  readonly restarts: number;
  /** How it ended the last time. */
  readonly lastEnd: string;
}

const roles = [
  ["initContainers", "initContainerStatuses", "init"],
  ["containers", "containerStatuses", "main"],
  ["ephemeralContainers", "ephemeralContainerStatuses", "ephemeral"],
] as const;

/** All containers of a pod or of a template, in the order in which they start. */
export function containersOf(object: KubeObject): ContainerState[] {
  const spec = podSpecOf(object) ?? {};
  const status = object.kind === "Pod" ? (recordOf(object["status"]) ?? {}) : {};
  return roles.flatMap(([field, statuses, role]) => {
    const known = arrayOf(status[statuses]).map((value) => recordOf(value) ?? {});
    return arrayOf(spec[field]).map((value) => {
      const container = recordOf(value) ?? {};
      const name = textOf(container["name"]) ?? "";
      const image = textOf(container["image"]) ?? "";
      return { name, image, role, ...stateOf(known.find((one) => one["name"] === name) ?? {}) };
    });
  });
}

function stateOf(status: Fields): Omit<ContainerState, "name" | "image" | "role"> {
  const states = recordOf(status["state"]) ?? {};
  const state = (["running", "waiting", "terminated"] as const).find(
    (name) => recordOf(states[name]) !== undefined,
  );
  const details = state === undefined ? {} : (recordOf(states[state]) ?? {});
  const since = textOf(details["startedAt"]);
  const end = recordOf(recordOf(status["lastState"])?.["terminated"]);
  return {
    ...(state === undefined ? {} : { state }),
    reason: endText(details),
    message: textOf(details["message"]) ?? "",
    ...(since === undefined ? {} : { since }),
    isReady: status["ready"] === true,
    restarts: numberOf(status["restartCount"]) ?? 0,
    lastEnd: end === undefined ? "" : endText(end),
  };
}

function endText(details: Fields): string {
  const code = numberOf(details["exitCode"]);
  return [textOf(details["reason"]), code === undefined ? undefined : `exit code ${code}`]
    .filter((part) => part !== undefined)
    .join(", ");
}
