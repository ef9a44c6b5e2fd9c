import { asRecord, isRecord, parseQuantity } from "@bowline/core";
import type { FieldMask } from "@bowline/kube";

/** What a pod adds to the views of its cluster. */
export interface PodNumbers {
  readonly namespace: string;
  readonly phase: string;
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly restarts: number;
  /** By digest where that is known. */
  readonly images: readonly string[];
}

const requests: FieldMask = { resources: { requests: { cpu: true, memory: true } } };
const statuses: FieldMask = { restartCount: true, imageID: true, image: true };

export const podFields: FieldMask = {
  spec: {
    containers: requests,
    initContainers: { ...requests, restartPolicy: true },
    overhead: { cpu: true, memory: true },
  },
  status: { phase: true, containerStatuses: statuses, initContainerStatuses: statuses },
};

const phases: ReadonlySet<string> = new Set(["Pending", "Running", "Succeeded", "Failed"]);
/** More containers than any pod has that somebody made for use. */
const maxContainers = 256;

export function podNumbers(namespace: string, object: Readonly<Record<string, unknown>>): PodNumbers {
  const [spec, status] = [asRecord(object["spec"]), asRecord(object["status"])];
  const named = status["phase"];
  const phase = typeof named === "string" && phases.has(named) ? named : "Unknown";
  const run = [...recordsIn(status["initContainerStatuses"]), ...recordsIn(status["containerStatuses"])];
  // What has ended takes nothing of the node any more.
  const hasEnded = phase === "Succeeded" || phase === "Failed";
  return {
    namespace,
    phase,
    cpuMillis: hasEnded ? 0 : Math.ceil(requested(spec, "cpu") * 1000),
    memoryBytes: hasEnded ? 0 : Math.ceil(requested(spec, "memory")),
    restarts: run.reduce((sum, { restartCount }) => sum + countOf(restartCount), 0),
    images: [...new Set(run.flatMap(imageOf))],
  };
}

/**
 * As the scheduler counts: all containers that run together, or the one that comes before them if it asks for more.
 * Init containers that are restarted always run together with those after them.
 */
function requested(spec: Readonly<Record<string, unknown>>, resource: string): number {
  const amount = (container: Readonly<Record<string, unknown>>): number =>
    amountOf(asRecord(asRecord(container["resources"])["requests"])[resource]);
  let [together, most] = [0, 0];
  for (const container of recordsIn(spec["initContainers"])) {
    if (container["restartPolicy"] === "Always") together += amount(container);
    most = Math.max(most, together + (container["restartPolicy"] === "Always" ? 0 : amount(container)));
  }
  for (const container of recordsIn(spec["containers"])) together += amount(container);
  return Math.max(together, most) + amountOf(asRecord(spec["overhead"])[resource]);
}

function imageOf({ imageID, image }: Readonly<Record<string, unknown>>): string[] {
  const digest = typeof imageID === "string" ? imageID.slice(imageID.lastIndexOf("@") + 1) : "";
  if (digest !== "") return [digest.slice(0, 256)];
  return typeof image === "string" && image !== "" ? [image.slice(0, 256)] : [];
}

function amountOf(value: unknown): number {
  const amount = parseQuantity(value) ?? 0;
  return Number.isFinite(amount) && amount > 0 ? amount : 0;
}

function countOf(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

function recordsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.slice(0, maxContainers).filter(isRecord) : [];
}
