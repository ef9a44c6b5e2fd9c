import { BowlineError, isRecord } from "@bowline/core";

import { requireSuccess } from "./kind-failures.ts";
import { findMark, type NodeMark } from "./node-mark.ts";
import { missingProgram, runProgram, type ProgramContext, type ProgramResult } from "./run-program.ts";

/** In the order in which kind looks for them. */
const engineNames = ["docker", "nerdctl", "podman"] as const;
export type EngineName = (typeof engineNames)[number];

export function isEngineName(value: unknown): value is EngineName {
  return engineNames.some((name) => name === value);
}

/** A container that kind has made, or that says so. */
export interface NodeContainer {
  readonly id: string;
  readonly name: string;
  /** kind's name of its cluster. */
  readonly cluster: string;
  readonly isRunning: boolean;
  /** Missing for those that Bowline has not made. */
  readonly mark?: NodeMark;
}

const clusterLabel = "io.x-k8s.kind.cluster";

/** The engine that was asked for, or the first that this machine has, as kind itself would choose. */
export async function findEngine(
  wanted: EngineName | undefined,
  context: ProgramContext,
): Promise<EngineName> {
  for (const name of wanted === undefined ? engineNames : [wanted]) {
    if (await isEngine(name, context)) return name;
  }
  if (wanted !== undefined) throw missingProgram(wanted);
  throw new BowlineError(
    "MissingProgram",
    "There is no container engine in PATH: kind needs docker, podman or nerdctl on the machine that makes the cluster.",
    { details: { reason: "EngineMissing" } },
  );
}

/** Podman may be called docker: what a program says it is counts. */
async function isEngine(name: EngineName, context: ProgramContext): Promise<boolean> {
  try {
    const { code, stdout } = await runProgram(context, [name, "-v"]);
    return code === 0 && stdout.toLowerCase().startsWith(`${name} version`);
  } catch (error) {
    if (error instanceof BowlineError && error.code === "MissingProgram") return false;
    throw error;
  }
}

/** What runs the containers, by its command line, which is the same for all three as far as it is used here. */
export class Engine {
  readonly name: EngineName;
  readonly #context: ProgramContext;

  constructor(name: EngineName, context: ProgramContext) {
    this.name = name;
    this.#context = context;
  }

  /** The containers of one cluster of kind, or of all of them, whoever made them, stopped ones as well. */
  async nodes(cluster?: string): Promise<NodeContainer[]> {
    const label = cluster === undefined ? clusterLabel : `${clusterLabel}=${cluster}`;
    const listed = await this.#run([
      "ps",
      "-a",
      "--no-trunc",
      "--filter",
      `label=${label}`,
      "--format",
      "{{.ID}}",
    ]);
    const ids = [
      ...new Set(
        listed
          .split("\n")
          .map((line) => line.trim())
          .filter(Boolean),
      ),
    ];
    if (ids.length === 0) return [];
    const result = await this.#try(["inspect", ...ids]);
    // One may have gone since it was listed; the others are told all the same.
    const isOnlyGone = result.code !== 0 && /no such (?:object|container)/iu.test(result.stderr);
    const text = isOnlyGone ? result.stdout : requireSuccess(`${this.name} inspect`, result);
    return parsed(text, `${this.name} inspect`).flatMap(containerOf);
  }

  async start(ids: readonly string[]): Promise<void> {
    await this.#run(["start", ...ids]);
  }

  /** With their volumes, and whether they run or not. Those that are gone already are no failure. */
  async remove(ids: readonly string[]): Promise<void> {
    const result = await this.#try(["rm", "-f", "-v", ...ids]);
    if (result.code !== 0 && /no such (?:object|container)/iu.test(result.stderr)) return;
    requireSuccess(`${this.name} rm`, result);
  }

  /** Whether Kubernetes in this container knows as many nodes as there are, and has its storage. */
  async isWholeCluster(container: string, nodes: number): Promise<boolean> {
    const ask = async (kind: string): Promise<string[]> => {
      const kubectl = ["kubectl", "--kubeconfig", "/etc/kubernetes/admin.conf", "--request-timeout=5s"];
      const result = await this.#try(["exec", container, ...kubectl, "get", kind, "-o", "name"]);
      return result.code === 0 ? result.stdout.split("\n").filter(Boolean) : [];
    };
    return (await ask("nodes")).length >= nodes && (await ask("storageclasses")).length > 0;
  }

  /** Addresses under which containers of kind's network reach the machine that the engine runs on. */
  async gateways(): Promise<string[]> {
    const network = this.#context.environment["KIND_EXPERIMENTAL_DOCKER_NETWORK"] ?? "kind";
    const text = await this.#run(["network", "inspect", network]);
    const found = parsed(text, `${this.name} network inspect`).flatMap(gatewaysOf);
    // Pods of a cluster of kind have addresses of version 4, unless somebody asked for others.
    return [...new Set(found)].sort((a, b) => Number(a.includes(":")) - Number(b.includes(":")));
  }

  #try(args: readonly string[]): Promise<ProgramResult> {
    return runProgram(this.#context, [this.name, ...args]);
  }

  async #run(args: readonly string[]): Promise<string> {
    return requireSuccess(`${this.name} ${args[0] ?? ""}`, await this.#try(args));
  }
}

function parsed(text: string, subject: string): Readonly<Record<string, unknown>>[] {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "[]" : text);
    return Array.isArray(value) ? value.filter(isRecord) : [];
  } catch (cause) {
    throw new BowlineError("ProcessFailed", `\`${subject}\` did not answer with JSON.`, {
      cause,
      details: { reason: "ProviderProgramFailed" },
    });
  }
}

function containerOf(value: Readonly<Record<string, unknown>>): NodeContainer[] {
  const { Id: id, Name: name, State: state, Config: config, Mounts: mounts } = value;
  const labels = isRecord(config) && isRecord(config["Labels"]) ? config["Labels"] : {};
  const cluster = labels[clusterLabel];
  if (typeof id !== "string" || typeof cluster !== "string") return [];
  const mark = findMark(recordsOf(mounts).flatMap(({ Destination: path }) => textsOf(path)));
  return [
    {
      id,
      name: typeof name === "string" ? name.replace(/^\//u, "") : id,
      cluster,
      isRunning: isRecord(state) && (state["Running"] === true || state["Status"] === "running"),
      ...(mark === undefined ? {} : { mark }),
    },
  ];
}

/** Podman has a list of its own; the others have that of Docker. */
function gatewaysOf({ IPAM: ipam, subnets }: Readonly<Record<string, unknown>>): string[] {
  const configs = recordsOf(isRecord(ipam) ? ipam["Config"] : undefined);
  return [
    ...configs.flatMap(({ Gateway: gateway }) => textsOf(gateway)),
    ...recordsOf(subnets).flatMap(({ gateway }) => textsOf(gateway)),
  ];
}

function recordsOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function textsOf(value: unknown): string[] {
  return typeof value === "string" && value !== "" ? [value] : [];
}
