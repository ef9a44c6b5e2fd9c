import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTempFolder, freePort, ManagedProcess, requireProgram } from "@bowline/test-services";
import { writeApiServerFiles, type ApiServerFiles } from "./api-server-files.ts";
import { debianEtcdProgram } from "./cluster-programs.ts";
import { startEtcd } from "./etcd.ts";
import { httpsGet } from "./https-get.ts";
import { requireKubeBinaries } from "./kube-binaries.ts";
import { kubeconfigText } from "./kubeconfig.ts";
import { runKubectl, type KubectlOptions } from "./kubectl.ts";
import { createTestUsers, tokenFileText, tokenOf, type TestUser } from "./test-users.ts";

export interface ApiServerOptions {
  /** Beside `admin` (system:masters) and `guest` (no rights), which are always there. */
  readonly users?: readonly TestUser[];
  /** Passed to kube-apiserver after the harness's own flags, so that they win. */
  readonly extraFlags?: readonly string[];
  /** The release to run, for whoever wants one and no other: `1.20`. By default the one the tests run on. */
  readonly kubernetes?: string;
  /** Debian's etcd, which is older than newer servers wish, instead of the release's own. */
  readonly etcd?: "debian";
}

export interface ApiServer extends AsyncDisposable {
  readonly url: string;
  /** PEM. */
  readonly caCert: string;
  readonly adminToken: string;
  /** A kubeconfig file of the admin. */
  readonly kubeconfigPath: string;
  /** As the server tells it, for example `v1.20.2`. */
  readonly version: string;
  /** The text of a kubeconfig of one of the users, the admin by default. */
  kubeconfig(user?: string): string;
  token(user: string): string;
  /** The program itself, for whoever needs it as somebody else or in other ways. */
  readonly kubectlPath: string;
  /** Runs kubectl as the admin and resolves to what it printed. */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<string>;
  /** The last lines of every process, by its name. */
  logs(): Record<string, string[]>;
  /** Idempotent: ends every process and removes every file. */
  stop(): Promise<void>;
}

/** What the levels above the API server build on. */
export interface ApiServerBase extends ApiServer {
  readonly binaries: string;
  readonly files: ApiServerFiles;
  /** Hands over a process: it is stopped before the API server, and its lines are in the logs. */
  own(process: ManagedProcess): void;
}

export interface ApiServerBaseOptions extends ApiServerOptions {
  readonly bindAddress?: string;
}

const loopback = "127.0.0.1";
/**
 * Loopback cannot be advertised, and without an address the server looks for a network interface, which a machine
 * without a network does not have. This one (RFC 5737) belongs to nobody; nobody asks for it where there is no node.
 */
const documentationAddress = "192.0.2.1";
const serviceAddressRange = "10.96.0.0/24";
/** The first address of that range: where pods look for the API server. */
export const kubernetesServiceAddress = "10.96.0.1";

/** etcd and kube-apiserver with RBAC, without controllers: a Deployment stays alone, a Pod stays Pending. */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  // No controller makes service accounts here, and without one that plugin lets nobody create a Pod.
  const extraFlags = ["--disable-admission-plugins=ServiceAccount", ...(options.extraFlags ?? [])];
  return startApiServerBase({ ...options, extraFlags });
}

export async function startApiServerBase(options: ApiServerBaseOptions): Promise<ApiServerBase> {
  const binaries = await requireKubeBinaries(process.env, options.kubernetes);
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await createTempFolder("kube")).path;
  const users = createTestUsers(options.users);
  const adminToken = tokenOf(users, "admin");
  const files = await writeApiServerFiles(folder, tokenFileText(users));
  const etcd = starting.use(await startEtcd(await etcdProgram(binaries, options), folder));
  const command = join(binaries, "kube-apiserver");
  const server = starting.use(
    await startServer({ ...options, command, files, etcdUrl: etcd.url, adminToken }),
  );
  const { url } = server;
  const caCert = await readFile(files.certPath, "utf8");
  const version = await readVersion(url, caCert, adminToken);
  const token = (user: string): string => tokenOf(users, user);
  const kubeconfig = (user = "admin"): string => kubeconfigText({ url, caCert, user, token: token(user) });
  await writeFile(files.kubeconfigPath, kubeconfig(), { mode: 0o600 });
  const processes = [etcd.process, server.process];
  const kubectlPath = join(binaries, "kubectl");
  const owned = starting.move();
  const stop = (): Promise<void> => owned.disposeAsync();
  return {
    url,
    caCert,
    adminToken,
    kubeconfigPath: files.kubeconfigPath,
    version,
    kubeconfig,
    token,
    kubectlPath,
    kubectl: (args, kubectlOptions) => runKubectl(kubectlPath, files.kubeconfigPath, args, kubectlOptions),
    logs: () => Object.fromEntries(processes.map((each) => [each.name, each.lastLines()])),
    stop,
    [Symbol.asyncDispose]: stop,
    binaries,
    files,
    own: (process) => void processes.push(owned.use(process)),
  };
}

async function etcdProgram(binaries: string, { etcd }: ApiServerOptions): Promise<string> {
  return etcd === "debian" ? requireProgram(debianEtcdProgram) : join(binaries, "etcd");
}

interface ServerOptions extends ApiServerBaseOptions {
  readonly command: string;
  readonly files: ApiServerFiles;
  readonly etcdUrl: string;
  readonly adminToken: string;
}

interface Server extends AsyncDisposable {
  readonly url: string;
  readonly process: ManagedProcess;
}

async function startServer(options: ServerOptions): Promise<Server> {
  const { command, files, etcdUrl, adminToken, bindAddress = loopback, extraFlags = [] } = options;
  const port = await freePort(bindAddress);
  const url = `https://${bindAddress}:${port}`;
  const process = await ManagedProcess.start({
    name: "kube-apiserver",
    command,
    args: [
      `--etcd-servers=${etcdUrl}`,
      `--bind-address=${bindAddress}`,
      `--secure-port=${port}`,
      `--advertise-address=${bindAddress === loopback ? documentationAddress : bindAddress}`,
      ...serverFlags(files),
      ...extraFlags,
    ],
    env: {},
    isReady: (signal) => isServing(url, files.certPath, adminToken, signal),
    readyTimeoutMs: 60_000,
    // On SIGTERM it would wait for open watches to end; its data goes away anyway.
    stopSignal: "SIGKILL",
  });
  return { url, process, [Symbol.asyncDispose]: () => process.stop() };
}

function serverFlags(files: ApiServerFiles): string[] {
  return [
    `--cert-dir=${files.certFolder}`,
    `--token-auth-file=${files.tokenFilePath}`,
    "--authorization-mode=Node,RBAC",
    `--service-cluster-ip-range=${serviceAddressRange}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${files.serviceAccountKeyPath}`,
    `--service-account-signing-key-file=${files.serviceAccountKeyPath}`,
    // A node's name means nothing to this machine's resolver.
    "--kubelet-preferred-address-types=InternalIP",
  ];
}

/** Ready means more than /readyz says: the first test wants to write into the namespace `default`. */
async function isServing(
  url: string,
  certPath: string,
  token: string,
  signal: AbortSignal,
): Promise<boolean> {
  const caCert = await readFile(certPath, "utf8");
  for (const path of ["/readyz", "/api/v1/namespaces/default"]) {
    if ((await httpsGet(`${url}${path}`, { caCert, token, signal })).status !== 200) return false;
  }
  return true;
}

async function readVersion(url: string, caCert: string, token: string): Promise<string> {
  const { body } = await httpsGet(`${url}/version`, { caCert, token, signal: AbortSignal.timeout(10_000) });
  return (JSON.parse(body) as { gitVersion: string }).gitVersion;
}
