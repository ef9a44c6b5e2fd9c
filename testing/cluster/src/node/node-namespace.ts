import { randomBytes } from "node:crypto";
import { access, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ManagedProcess, runCommand, type ManagedProcessOptions } from "@bowline/test-services";
import type { NodeAddresses } from "./node-address.ts";

/**
 * A machine within the machine for containerd, the kubelet and their pods: namespaces of its own for processes, mounts
 * and network. When its first process dies, the kernel ends every process in it and drops every mount, bridge, route
 * and firewall rule, so nothing has to be found and undone, and nothing of the real machine is changed.
 */
export class NodeNamespace implements AsyncDisposable {
  readonly #holder: ManagedProcess;
  readonly #initPid: number;
  readonly #processes: ManagedProcess[] = [];
  /** What is written here by this process is read in the namespace under `nodeFilesFolder`. */
  readonly filesFolder: string;

  static async start(folder: string, addresses: NodeAddresses): Promise<NodeNamespace> {
    const filesFolder = join(folder, "lib", "bowline");
    for (const path of [filesFolder, join(folder, "log")]) await mkdir(path, { recursive: true });
    const sysctls = await copySysctls(join(folder, "sysctl"));
    const holder = await ManagedProcess.start({
      name: "the node's namespaces",
      command: "unshare",
      args: [
        ...namespaces,
        "--fork",
        "--kill-child",
        "--mount-proc",
        "sh",
        "-ec",
        initScript(sysctls),
        "init",
        folder,
      ],
      isReady: () => exists(join(folder, "lib", "ready")),
      // The first process of a namespace ignores every other signal.
      stopSignal: "SIGKILL",
    });
    try {
      const namespace = new NodeNamespace(holder, await onlyChild(holder.pid), filesFolder);
      await namespace.#connect(addresses);
      return namespace;
    } catch (error) {
      await holder.stop();
      throw error;
    }
  }

  private constructor(holder: ManagedProcess, initPid: number, filesFolder: string) {
    this.#holder = holder;
    this.#initPid = initPid;
    this.filesFolder = filesFolder;
  }

  /**
   * Starts a process in the namespace, which it cannot outlive; it sees the files of this machine, except /run,
   * /var/lib and /var/log.
   */
  async start(options: ManagedProcessOptions): Promise<void> {
    this.#processes.push(await ManagedProcess.start({ ...options, ...this.#entering(options) }));
  }

  async run(command: string, ...args: string[]): Promise<void> {
    await runCommand({ name: command, ...this.#entering({ command, args }) });
  }

  /** The command line that runs a program with the network of the namespace, and all else of this machine. */
  onItsNetwork(...argv: readonly string[]): string[] {
    return ["nsenter", "--target", String(this.#initPid), "--net", "--", ...argv];
  }

  /** The last lines of every process, by its name. */
  logs(): Record<string, string[]> {
    return Object.fromEntries(this.#processes.map((each) => [each.name, each.lastLines()]));
  }

  /** The holder ends when its child, the first process of the namespace, has taken all the others with it. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#holder.isRunning) process.kill(this.#initPid, "SIGKILL");
    await Promise.all([this.#holder, ...this.#processes].map((each) => each.exited));
  }

  #entering({ command, args = [] }: ManagedProcessOptions): ManagedProcessOptions {
    return {
      command: "nsenter",
      args: ["--target", String(this.#initPid), ...namespaces, "--", command, ...args],
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
      cwd: "/",
    };
  }

  /** A cable between machine and node: pods reach this machine's servers, and this machine reaches pods. */
  async #connect({ host, node, podRange }: NodeAddresses): Promise<void> {
    const cable = `bowline-${randomBytes(3).toString("hex")}`;
    const peer = ["peer", "name", "eth0", "netns", String(this.#initPid)];
    await ip("link", "add", "name", cable, "type", "veth", ...peer);
    await ip("address", "add", `${host}/24`, "dev", cable);
    await ip("link", "set", cable, "up");
    await this.run("ip", "address", "add", `${node}/24`, "dev", "eth0");
    await this.run("ip", "link", "set", "eth0", "up");
    await this.run("ip", "route", "add", "default", "via", host);
    // The kubelet looks for a cloud's metadata server and waits long for one that never answers.
    await this.run("ip", "route", "add", "unreachable", "169.254.0.0/16");
    await ip("route", "add", podRange, "via", node);
  }
}

const namespaces = ["--mount", "--net", "--pid", "--ipc", "--uts"];
export const nodeFilesFolder = "/var/lib/bowline";

async function ip(...args: string[]): Promise<void> {
  await runCommand({ command: "ip", args });
}

/** The kubelet sets these for the whole machine when it starts; in the namespace it writes into copies. */
const kubeletSysctls = [
  "vm/overcommit_memory",
  "vm/panic_on_oom",
  "kernel/panic",
  "kernel/panic_on_oops",
  "kernel/keys/root_maxkeys",
  "kernel/keys/root_maxbytes",
];

async function copySysctls(folder: string): Promise<string[]> {
  for (const name of kubeletSysctls) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), await readFile(join("/proc/sys", name)));
  }
  return kubeletSysctls;
}

function initScript(sysctls: readonly string[]): string {
  return [
    // Mounts of the kubelet must show up in containers, but never outside.
    "mount --make-rshared /",
    ...sysctls.map((name) => `mount --bind "$1/sysctl/${name}" /proc/sys/${name}`),
    'mount --bind "$1/log" /var/log',
    "mount -t tmpfs -o mode=755 tmpfs /run",
    'mount --bind "$1/lib" /var/lib',
    "ip link set lo up",
    "echo 1 > /proc/sys/net/ipv4/ip_forward",
    "touch /var/lib/ready",
    // As process 1 it inherits orphans; waiting, it buries them.
    "sleep infinity & wait",
  ].join("\n");
}

async function exists(path: string): Promise<boolean> {
  await access(path);
  return true;
}

export async function onlyChild(pid: number): Promise<number> {
  return Number((await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim());
}
