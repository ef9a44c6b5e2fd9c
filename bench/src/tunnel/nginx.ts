import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { createTempFolder, freePort, ManagedProcess, requireProgram } from "@bowline/test-services";
import type { TestProgram } from "@bowline/test-services/programs";

import { bulkBytes, bulkPath, smallPath, uploadPath } from "./target.ts";

export const nginxProgram: TestProgram = {
  program: "nginx",
  debianPackage: "nginx-light",
  alsoIn: "/usr/sbin",
  homebrewFormula: "nginx",
  purpose: "the web server that all ways lead to",
};

export interface Backend extends AsyncDisposable {
  readonly port: number;
  readonly kubeconfigPath: string;
}

const config = (folder: string, port: number): string => `
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
  server {
    listen 127.0.0.1:${port} backlog=1024;
    root ${folder}/files;
    # The whole body is read, and forgotten.
    location = ${uploadPath} {
      proxy_pass http://127.0.0.1:${port}/taken;
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

/** What all ways lead to: nginx with 1 KiB, with 100 MB, and with what makes an agent take it for a cluster. */
export async function startNginx(): Promise<Backend> {
  const command = await requireProgram(nginxProgram);
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await createTempFolder("nginx")).path;
  const port = await freePort();
  await writeFile(join(folder, "nginx.conf"), config(folder, port));
  const kubeconfigPath = join(folder, "kubeconfig");
  await writeFile(kubeconfigPath, kubeconfigText(port));
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
      isReady: async (signal) => (await fetch(`http://127.0.0.1:${port}/version`, { signal })).ok,
    }),
  );
  const owned = starting.move();
  return { port, kubeconfigPath, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function addFile(folder: string, path: string, content: string | Buffer): Promise<void> {
  const file = join(folder, "files", path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

function kubeconfigText(port: number): string {
  const name = "nginx";
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [{ name, cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name, user: { token: "nobody-looks-at-it" } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  });
}
