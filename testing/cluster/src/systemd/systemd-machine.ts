import { access, mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createTempFolder, ManagedProcess, runCommand } from "@bowline/test-services";
import { createCgroupRoot } from "../node/cgroup-root.ts";
import { onlyChild } from "../node/node-namespace.ts";

const program = "/lib/systemd/systemd";
const v1Hierarchy = "/sys/fs/cgroup/systemd";

export interface SystemdMachine extends AsyncDisposable {
  /** The command line that runs a program in it, as root. */
  inside(...argv: readonly string[]): string[];
}

/** Why no systemd can be started here that sees the folder; undefined when it can. */
export async function whyNoSystemd(folder: string): Promise<string | undefined> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "only root on Linux can start one";
  if (!(await exists(program))) return `there is no ${program}`;
  if (!(await exists(v1Hierarchy))) return "it was made for control groups of version 1 alone";
  const [hidden] = /^\/(?:dev|run|tmp|var\/tmp)(?=\/)/u.exec(folder) ?? [];
  if (hidden !== undefined) return `units and their machine have a ${hidden} of their own`;
  const [own, root] = await Promise.all([stat(folder), stat("/")]);
  return own.dev === root.dev ? undefined : `${folder} is on another file system than /`;
}

/**
 * A machine within the machine whose first process is systemd: it sees the files of this one, and what it writes is
 * gone with it. It has a network of its own, and starts nothing by itself but its journal. Root on Linux only.
 */
export async function startSystemd(): Promise<SystemdMachine> {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await createTempFolder("systemd")).path;
  await mkdir(join(folder, "top"));
  const cgroupRoot = starting.use(await createCgroupRoot());
  const holder = starting.use(
    await ManagedProcess.start({
      name: "systemd",
      command: "sh",
      args: ["-ec", enterScript, "enter", initScript, folder, ...cgroupRoot.folders],
      isReady: () => exists(join(folder, "ready")),
      // The first process of a namespace ignores every other signal, and takes all the others with it.
      stopSignal: "SIGKILL",
    }),
  );
  const target = [
    "nsenter",
    "--target",
    String(await onlyChild(holder.pid)),
    ...namespaces,
    "--root",
    "--wd",
  ];
  const inside = (...argv: readonly string[]): string[] => [...target, "--", ...argv];
  const [command = "", ...args] = inside("timeout", "30", "sh", "-c", untilBooted);
  await runCommand({ name: "the start of systemd", command, args });
  const owned = starting.move();
  return { inside, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const namespaces = ["--mount", "--net", "--pid", "--ipc", "--uts", "--cgroup"];
const untilBooted = "until systemctl is-active --quiet basic.target; do sleep 0.1; done 2>/dev/null";

/**
 * The namespace of control groups begins where the process is that makes it, in each hierarchy: in one that it has not
 * entered, systemd would make its groups among those of whoever runs the tests. A new group of cpuset has no processors.
 */
const enterScript = [
  'script=$1 folder=$2; shift 2; for group in "$@"; do',
  '  for file in cpuset.cpus cpuset.mems; do [ ! -e "$group/$file" ] || cat "$group/../$file" > "$group/$file"; done',
  '  echo $$ > "$group/cgroup.procs"',
  "done",
  `exec unshare ${namespaces.join(" ")} --fork --kill-child sh -ec "$script" init "$folder"`,
].join("\n");

/** Units of this machine are none of its business, and neither are settings of the kernel. */
const initScript = [
  "mount --make-rprivate /",
  'mount -t tmpfs -o mode=755 tmpfs "$1/top"',
  'cd "$1/top"; mkdir upper work root',
  "mount -t overlay -o lowerdir=/,upperdir=upper,workdir=work overlay root",
  "cd root",
  "mount -t proc proc proc",
  "mount --bind proc/sys proc/sys; mount -o remount,bind,ro proc/sys",
  "mount -t sysfs sysfs sys",
  "mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup",
  "mkdir sys/fs/cgroup/systemd",
  "mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd",
  "for folder in run dev tmp; do mount -t tmpfs -o mode=755 tmpfs $folder; done",
  "chmod 1777 tmp",
  "mkdir dev/pts dev/shm",
  "mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts; ln -s pts/ptmx dev/ptmx",
  "mount -t tmpfs tmpfs dev/shm",
  "for name in null full zero random urandom tty; do cp --archive /dev/$name dev/; done",
  "rm -rf etc/systemd/system/* etc/systemd/user/*",
  "ip link set lo up",
  'touch "$1/ready"',
  "mkdir old; pivot_root . old; umount --lazy old; rmdir old",
  `exec env -i container=bowline PATH=/usr/sbin:/usr/bin:/sbin:/bin ${program} --unit=basic.target`,
].join("\n");

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
