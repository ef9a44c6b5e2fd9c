import { BowlineError, redactText, shortened } from "@bowline/core";

import type { ProgramResult } from "./run-program.ts";

/** Why kind or an engine did not do something, for programs and for people. */
export interface KindFailure {
  readonly reason: string;
  readonly message: string;
}

interface KnownFailure extends KindFailure {
  readonly pattern: RegExp;
}

/** From the cause to its consequences, as one output often has both. */
const known: readonly KnownFailure[] = [
  {
    pattern: /permission denied while trying to connect|dial unix [^\n]*permission denied/iu,
    reason: "NotPermitted",
    message: "The engine is there, and may not be used: let this user use it, as by the group docker.",
  },
  {
    pattern:
      /cannot connect to the docker daemon|is the docker daemon running|cannot connect to podman|unable to connect to podman|cannot access containerd socket|rootless containerd not running|error during connect|failed to dial [^\n]*containerd\.sock|failed to detect any supported node provider|"(?:docker|podman|nerdctl)": executable file not found/iu,
    reason: "EngineMissing",
    message: "The container engine does not answer: start it, and look at it with `docker info` or the like.",
  },
  {
    pattern: /requires cgroup v2|cgroup v1 (?:is not supported|support)|host using cgroup v1/iu,
    reason: "CgroupsTooOld",
    message:
      "This machine has control groups of version 1, which the nodes cannot use: boot it with systemd.unified_cgroup_hierarchy=1, or choose an older spec.kind.kubernetesVersion.",
  },
  {
    pattern: /requires setting systemd property "?Delegate=yes/iu,
    reason: "CgroupsNotDelegated",
    message:
      "A rootless engine needs control groups that are delegated to it: set Delegate=yes for user@.service, and log in anew.",
  },
  {
    pattern: /failed to pull image|pull access denied|manifest unknown|toomanyrequests/iu,
    reason: "ImagePullFailed",
    message:
      "The image of the nodes could not be pulled: see whether the version exists and the registry can be reached from here.",
  },
  {
    pattern:
      /port is already allocated|address already in use|ports are not available|bind for [^\n]* failed/iu,
    reason: "PortTaken",
    message:
      "A port of this machine that the cluster is to have is in use: end what uses it, or choose another one in spec.kind.ports.",
  },
  {
    pattern: /no space left on device/iu,
    reason: "DiskFull",
    message: "No space is left on the disk of the engine: free some, as with `docker system prune`.",
  },
  {
    pattern:
      /too many open files|inotify|could not find a log line that matches "?Reached target|fs\.inotify/iu,
    reason: "LimitTooLow",
    message:
      "The nodes did not start, mostly because the machine allows too few inotify watches: `sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=512`.",
  },
  {
    pattern: /node\(s\) already exist for a cluster with the name/iu,
    reason: "NameTaken",
    message: "There is a kind cluster of that name already, which was not made for this cluster.",
  },
  {
    pattern: /failed to init node with kubeadm|failed to join node with kubeadm/iu,
    reason: "ProviderProgramFailed",
    message: "Kubernetes did not start in the nodes; too little memory is the usual reason.",
  },
];

const longestDetail = 400;

/** The failure that an output tells of, with the line that says so. */
export function recognise(output: string): KindFailure {
  const found = known.find(({ pattern }) => pattern.test(output));
  const detail = found === undefined ? errorLine(output) : lineOf(output, found.pattern);
  const said = detail === "" ? "" : ` It said: ${redactText(shortened(detail, longestDetail))}`;
  if (found !== undefined) return { reason: found.reason, message: `${found.message}${said}` };
  return { reason: "ProviderProgramFailed", message: `kind could not make the cluster.${said}` };
}

export function requireSuccess(subject: string, result: ProgramResult): string {
  if (result.code === 0) return result.stdout;
  const output = `${result.stderr}\n${result.stdout}`;
  const { reason, message } = recognise(output);
  const isKnown = known.some(({ pattern }) => pattern.test(output));
  const sentence = isKnown ? message : `\`${subject}\` failed. ${message.replace(/^[^.]*\.\s*/u, "")}`;
  throw new BowlineError("ProcessFailed", sentence.trim(), { details: { reason } });
}

/** kind ends with a line of its own; engines with whatever they like. */
function errorLine(output: string): string {
  const lines = output.split("\n").map(printable).filter(Boolean);
  return lines.findLast((line) => line.startsWith("ERROR: ")) ?? lines.at(-1) ?? "";
}

function lineOf(output: string, pattern: RegExp): string {
  return (
    output
      .split("\n")
      .map(printable)
      .find((line) => pattern.test(line)) ?? ""
  );
}

function printable(line: string): string {
  return line.replaceAll(/\p{Cc}/gu, " ").trim();
}
