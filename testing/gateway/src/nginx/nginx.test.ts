import { once } from "node:events";
import { createServer, get as getHttp, type IncomingMessage } from "node:http";
import { Agent, get } from "node:https";
import { text } from "node:stream/consumers";
import { TLSSocket } from "node:tls";

import { contract, simulatedApiServer } from "@bowline/test-contract";
import { freePort } from "@bowline/test-services";
import { TestAuthority } from "@bowline/test-services/certificates";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { installGatewayApi, isProgrammed, openStage, type Stage } from "../contract/stage.ts";
import { untilState } from "../contract/route-topic.ts";
import { whyNoGatewayApi } from "../definitions/gateway-definitions.ts";
import { gatewayResources, type Gateway } from "../model/gateway-kinds.ts";
import { listener, tlsListener } from "../model/gateway-objects.ts";
import { writeTlsSecret } from "../certificates/tls-secret.ts";
import { Nginx } from "./nginx.ts";

const address = "127.0.0.1";
const { gateways, httpRoutes } = gatewayResources;

/** A program of the test that stands for the pods of a Service, and says who it is and what it was asked. */
async function startBackend(name: string): Promise<string> {
  const server = createServer((request, response) => {
    const { host, "x-forwarded-proto": scheme } = request.headers;
    response.end([name, host, request.url, scheme].join(" "));
  });
  server.listen(0, address);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const bound = server.address();
  return `${address}:${typeof bound === "object" ? bound?.port : ""}`;
}

/** Accepted is a route also while its Service, or the certificate of its listener, has not been seen. */
async function untilServed(stage: Stage, name: string): Promise<void> {
  await stage.until<Gateway>(gateways, "front", isProgrammed);
  await untilState(stage, name, "ResolvedRefs", "True: ResolvedRefs");
  await untilState(stage, name, "Accepted", "True: Accepted");
}

contract(simulatedApiServer, {
  nginx: (cluster) => {
    describe.skipIf(whyNoGatewayApi())("in front of Services", () => {
      let authority: TestAuthority;
      const agent = new Agent({ keepAlive: false });
      beforeAll(async () => {
        await installGatewayApi(cluster().admin);
        authority = await TestAuthority.create();
      });
      afterAll(() => agent.destroy());

      async function ask(
        host: string,
        port: number,
        path = "/",
      ): Promise<{ status: number | undefined; body: string; issuedFor: string }> {
        const asked = get({
          host: address,
          port,
          path,
          agent,
          servername: host,
          ca: authority.cert,
          headers: { host },
        });
        const [answer] = (await once(asked, "response")) as [IncomingMessage];
        const { socket } = answer;
        const issuedFor =
          socket instanceof TLSSocket ? (socket.getPeerCertificate().subjectaltname ?? "") : "";
        return { status: answer.statusCode, body: await text(answer), issuedFor };
      }

      it("answers each host over TLS with the certificate that is for it, and redirects who comes without", async () => {
        const backends = new Map([
          ["one", [await startBackend("one")]],
          ["two", [await startBackend("two")]],
        ]);
        await using nginx = await Nginx.start({ resolve: ({ service }) => backends.get(service) ?? [] });
        const stage = await openStage(cluster(), { addresses: [address], serve: nginx.serve });
        const [http, https] = [await freePort(), await freePort()];
        for (const host of ["one", "two"]) {
          const hosts = [`${host}.example.com`];
          await writeTlsSecret(stage.client, {
            namespace: stage.namespace,
            name: host,
            pair: await authority.issue({ commonName: host, hosts }),
          });
          await stage.service(host);
        }
        await stage.gateway("front", [
          listener("http", { port: http }),
          tlsListener("one", "one", { port: https, hostname: "one.example.com" }),
          tlsListener("two", "two", { port: https, hostname: "two.example.com" }),
        ]);
        const requestRedirect = { scheme: "https", port: https, statusCode: 301 };
        const toTls = [{ filters: [{ type: "RequestRedirect", requestRedirect }] }];
        await stage.route("to-tls", { parentRefs: [{ name: "front", sectionName: "http" }], rules: toTls });
        for (const name of ["one", "two"]) {
          const rules = [{ backendRefs: [{ name, port: 80 }] }];
          await stage.route(name, { parentRefs: [{ name: "front", sectionName: name }], rules });
        }
        for (const name of ["to-tls", "one", "two"]) await untilServed(stage, name);

        expect(await ask("one.example.com", https, "/a?b=c")).toEqual({
          status: 200,
          body: "one one.example.com /a?b=c https",
          issuedFor: "DNS:one.example.com",
        });
        expect((await ask("two.example.com", https)).issuedFor).toBe("DNS:two.example.com");
        // No listener is for this name: the handshake itself is refused.
        await expect(ask("three.example.com", https)).rejects.toThrow(/alert/u);

        const plain = getHttp({
          host: address,
          port: http,
          path: "/x",
          agent: false,
          headers: { host: "one.example.com" },
        });
        const [redirect] = (await once(plain, "response")) as [IncomingMessage];
        redirect.resume();
        expect([redirect.statusCode, redirect.headers.location]).toEqual([
          301,
          `https://one.example.com:${https}/x`,
        ]);
        await stage.controller.stop();
      });

      it("loses no request while it is told of new routes", async () => {
        const web = await startBackend("web");
        await using nginx = await Nginx.start({ resolve: () => [web] });
        const stage = await openStage(cluster(), { addresses: [address], serve: nginx.serve });
        const port = await freePort();
        await writeTlsSecret(stage.client, {
          namespace: stage.namespace,
          name: "cert",
          pair: await authority.issue({ commonName: "a", hosts: ["*.example.com"] }),
        });
        await stage.service("web");
        await stage.gateway("front", [tlsListener("https", "cert", { port })]);
        await stage.route("a", { parentRefs: [{ name: "front" }], hostnames: ["a.example.com"] });
        await untilServed(stage, "a");
        const stop = new AbortController();
        const statuses: (number | undefined)[] = [];
        const asking = (async () => {
          while (!stop.signal.aborted) statuses.push((await ask("a.example.com", port)).status);
        })();
        for (const name of ["b", "c", "d"]) {
          await stage.route(name, { parentRefs: [{ name: "front" }], hostnames: [`${name}.example.com`] });
          await untilServed(stage, name);
          expect((await ask(`${name}.example.com`, port)).body).toContain(`web ${name}.example.com`);
        }
        await stage.client.delete(httpRoutes, { name: "b", namespace: stage.namespace });
        await expect.poll(async () => (await ask("b.example.com", port)).status).toBe(404);
        stop.abort();
        await asking;
        expect(statuses.length).toBeGreaterThan(3);
        expect(new Set(statuses)).toEqual(new Set([200]));
        await stage.controller.stop();
      });
    });
  },
});
