import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { createTempFolder, freePort, ManagedProcess, requireProgram } from "@bowline/test-services";
import type { TestProgram } from "@bowline/test-services/programs";
import { certificateNames } from "@bowline/tls";
import { issueServingCertificate, makeAuthority } from "@bowline/tls/issue";

import { bulkBytes, bulkPath, smallPath, uploadPath, type Target } from "./target.ts";
import type { Backend } from "./ways.ts";

export const nginxProgram: TestProgram = {
  program: "nginx",
  debianPackage: "nginx-light",
  alsoIn: "/usr/sbin",
  homebrewFormula: "nginx",
  purpose: "the web server that all ways lead to",
};

/** The same files with and without TLS. */
export interface Nginx extends AsyncDisposable {
  /** As API servers are: the agent, like everybody else, verifies its certificate. */
  readonly tls: Backend;
  readonly plain: Backend;
}

interface Ports {
  readonly tls: number;
  readonly plain: number;
}

const config = (folder: string, ports: Ports): string => `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr error;
events { worker_connections 2048; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  default_type application/json;
  keepalive_requests 100000000;
  keepalive_timeout 600s;
  client_body_temp_path ${folder}/body;
  client_max_body_size 0;
  ssl_certificate ${folder}/server.crt;
  ssl_certificate_key ${folder}/server.key;
  ssl_protocols TLSv1.2 TLSv1.3;
  server {
    listen 127.0.0.1:${ports.tls} ssl backlog=1024;
    listen 127.0.0.1:${ports.plain} backlog=1024;
    root ${folder}/files;
    # The whole body is read, and forgotten.
    location = ${uploadPath} {
      proxy_pass http://127.0.0.1:${ports.plain}/taken;
      proxy_method GET;
      proxy_pass_request_body off;
      proxy_set_header Content-Length "";
    }
    location = /taken { return 204; }
  }
}
`;

/** What an agent asks of its cluster before it joins. */
const clusterFacts: Readonly<Record<string, object>> = {
  "/version": { gitVersion: "v1.36.0", major: "1", minor: "36" },
  "/api/v1/namespaces/kube-system": {
    apiVersion: "meta.k8s.io/v1",
    kind: "PartialObjectMetadata",
    metadata: { name: "kube-system", uid: "5f0b1c1e-0000-4000-8000-000000000001" },
  },
};

/** The backend of all ways: nginx with 1 KiB, with 100 MB, and with what makes an agent take it for a cluster. */
export async function startNginx(): Promise<Nginx> {
  const command = await requireProgram(nginxProgram);
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await createTempFolder("nginx")).path;
  const ports: Ports = { tls: await freePort(), plain: await freePort() };
  await writeFile(join(folder, "nginx.conf"), config(folder, ports));
  const ca = await writeCertificate(folder);
  await addFile(folder, smallPath, Buffer.alloc(1024, "k"));
  await addFile(folder, bulkPath, Buffer.alloc(bulkBytes, "m"));
  for (const [path, fact] of Object.entries(clusterFacts)) await addFile(folder, path, JSON.stringify(fact));
  starting.use(
    await ManagedProcess.start({
      command,
      // As whoever owns the folder; only root can, and has to, say so.
      args: [
        "-p",
        folder,
        "-c",
        join(folder, "nginx.conf"),
        ...(process.getuid?.() === 0 ? ["-g", "user root;"] : []),
      ],
      isReady: async (signal) => (await fetch(`http://127.0.0.1:${ports.plain}/version`, { signal })).ok,
    }),
  );
  const tls = await backendAt(folder, { port: ports.tls, ca, prefix: "" });
  const plain = await backendAt(folder, { port: ports.plain, prefix: "" });
  const owned = starting.move();
  return { tls, plain, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Resolves to the PEM of the CA. */
async function writeCertificate(folder: string): Promise<string> {
  const nowMs = Date.now();
  const authority = await makeAuthority(nowMs);
  const names = certificateNames(["127.0.0.1"]);
  const { cert, key } = await issueServingCertificate(authority, { names, nowMs });
  await writeFile(join(folder, "server.crt"), cert);
  await writeFile(join(folder, "server.key"), key, { mode: 0o600 });
  return authority.cert;
}

async function backendAt(folder: string, direct: Target): Promise<Backend> {
  const kubeconfigPath = join(folder, `kubeconfig-${direct.port}`);
  await writeFile(kubeconfigPath, kubeconfigText(direct));
  return { direct, kubeconfigPath };
}

async function addFile(folder: string, path: string, content: string | Buffer): Promise<void> {
  const file = join(folder, "files", path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

function kubeconfigText({ port, ca }: Target): string {
  const name = "nginx";
  const cluster =
    ca === undefined
      ? { server: `http://127.0.0.1:${port}` }
      : {
          server: `https://127.0.0.1:${port}`,
          "certificate-authority-data": Buffer.from(ca).toString("base64"),
        };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [{ name, cluster }],
    users: [{ name, user: { token: "nobody-looks-at-it" } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  });
}
