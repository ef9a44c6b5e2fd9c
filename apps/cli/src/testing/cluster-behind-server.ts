import { accessSync, constants } from "node:fs";
import { writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";

import { Cluster } from "@bowline/api";
import { sendJson, TestAuthority, TestServer, type TestHandler } from "@bowline/client/testing";
import { startKubesim, type Kubesim } from "@bowline/kubesim";
import { createTempFolder } from "@bowline/test-services";
import { stringify } from "yaml";

import { sampleObject } from "./sample-object.ts";

/** A simulated cluster `prod` that is reached as through a server, with a token of that server alone. */
export interface ClusterBehindServer extends AsyncDisposable {
  readonly folder: string;
  readonly url: string;
  readonly caPem: string;
  readonly sim: Kubesim;
  /** With a context `local` for the server. */
  readonly environment: Readonly<Record<string, string>>;
}

const token = "bwl_token-of-the-context";

export async function startClusterBehindServer(): Promise<ClusterBehindServer> {
  const sim = await startKubesim({ tls: false, controllers: false });
  const authority = await TestAuthority.create();
  const server = await TestServer.start(answerFor(sim), await authority.issue());
  const folder = await createTempFolder("kubectl");
  const config = join(folder.path, "bowline.yaml");
  const local = { name: "local", server: server.url, caPem: authority.pem, token };
  await writeFile(config, stringify({ currentContext: "local", contexts: [local] }));
  return {
    folder: folder.path,
    url: server.url,
    caPem: authority.pem,
    sim,
    environment: {
      PATH: process.env["PATH"] ?? "",
      HOME: folder.path,
      TMPDIR: folder.path,
      BOWLINE_CONFIG: config,
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await sim.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Whether this machine has a kubectl; tests that need the real one are skipped where it has not. */
export function hasKubectl(): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => isExecutable(join(folder, "kubectl")));
}

function answerFor(sim: Kubesim): TestHandler {
  return ({ method, url, headers, body }, response) => {
    if (headers.authorization !== `Bearer ${token}`) return sendJson(response, 401, unauthorized);
    if (url === "/api/v1/clusters/prod") return sendJson(response, 200, sampleObject(Cluster, "prod"));
    if (url.startsWith("/api/v1/clusters/")) return sendJson(response, 404, noSuchCluster);
    const forward = async (): Promise<void> => {
      const answer = await fetch(sim.url + url.replace(/^\/clusters\/prod/u, ""), {
        method,
        headers: {
          authorization: `Bearer ${sim.adminToken}`,
          accept: headers.accept ?? "*/*",
          "content-type": headers["content-type"] ?? "application/json",
        },
        ...(body === "" ? {} : { body }),
      });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      response.end(Buffer.from(await answer.arrayBuffer()));
    };
    return void forward();
  };
}

const noSuchCluster = { error: { code: "NotFound", message: "There is no such Cluster.", requestId: "1" } };

const unauthorized = {
  kind: "Status",
  apiVersion: "v1",
  status: "Failure",
  reason: "Unauthorized",
  code: 401,
};

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
