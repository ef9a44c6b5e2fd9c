import { once } from "node:events";
import { createServer } from "node:http";

import { expect, onTestFinished, test } from "vitest";

import { startKubesim, type Kubesim } from "../kubesim.ts";
import { forwardTo } from "./service-proxy.ts";
import { ApiClient } from "./testing/api-client.ts";

const services = "/api/v1/namespaces/default/services";

async function start(): Promise<{ sim: Kubesim; client: ApiClient }> {
  const sim = await startKubesim({ tls: false, controllers: false });
  onTestFinished(() => sim.stop());
  sim.api.create("services", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "default" },
    spec: { ports: [{ name: "http", port: 9090 }] },
  });
  return { sim, client: new ApiClient(sim) };
}

test("passes what follows to the backend of the Service, by port or by name of the port", async () => {
  const { sim, client } = await start();
  sim.backends.add("default", "web", ({ method }, response, path) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ method, path }));
  });
  for (const target of ["web", "web:9090", "web:http", "http:web:9090"]) {
    const { body } = await client.get(`${services}/${target}/proxy/api/v1/query?query=up%20%3D%3D%200`);
    expect(body).toEqual({ method: "GET", path: "/api/v1/query?query=up%20%3D%3D%200" });
  }
  expect((await client.post(`${services}/web/proxy/a`, {})).body).toEqual({ method: "POST", path: "/a" });
});

test("says when there is no Service, no such port, or nothing behind it", async () => {
  const { sim, client } = await start();
  expect((await client.get(`${services}/other:80/proxy/`)).status).toBe(404);
  const silent = await client.get(`${services}/web:9090/proxy/`);
  expect([silent.status, silent.at("message")]).toEqual([503, 'no endpoints available for service "web"']);
  const remove = sim.backends.add("default", "web", (_, response) => void response.end());
  expect((await client.get(`${services}/web:9090/proxy/`)).status).toBe(200);
  expect((await client.get(`${services}/web:80/proxy/`)).status).toBe(503);
  remove();
  expect((await client.get(`${services}/web:9090/proxy/`)).status).toBe(503);
});

test("is a right of its own", async () => {
  const { sim } = await start();
  sim.addUser("looker", { name: "looker", groups: ["system:authenticated"] });
  sim.backends.add("default", "web", (_, response) => void response.end());
  const looker = new ApiClient(sim, { token: "looker" });
  const { status, body } = await looker.get(`${services}/web:9090/proxy/`);
  expect(status).toBe(403);
  expect(JSON.stringify(body)).toContain("services/proxy");
});

test("a backend can be a program of this machine, which is not told who asks", async () => {
  const { sim, client } = await start();
  const seen: (string | undefined)[] = [];
  const program = createServer(({ headers, url }, response) => {
    seen.push(url, headers.authorization);
    response.writeHead(418, { "x-own": "yes", "content-type": "application/json" }).end('{"a":1}');
  }).listen(0, "127.0.0.1");
  await once(program, "listening");
  onTestFinished(() => void program.close());
  const address = program.address();
  if (typeof address !== "object" || address === null) throw new Error("It listens nowhere.");
  sim.backends.add("default", "web", forwardTo(address.port));
  const answer = await client.get(`${services}/web:9090/proxy/graph?q=1`);
  expect([answer.status, answer.headers.get("x-own"), answer.body]).toEqual([418, "yes", { a: 1 }]);
  expect(seen).toEqual(["/graph?q=1", undefined]);
});
