import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

import { TestAuthority } from "@bowline/client/testing";
import { BowlineError } from "@bowline/core";
import type { Cluster } from "@bowline/test-cluster";
import { onTestFinished } from "vitest";

/** A webhook of the cluster that refuses ConfigMaps with the label `refuse: yes`, until the test ends. */
export async function refuseByWebhook(cluster: Cluster, why: string): Promise<void> {
  const authority = await TestAuthority.create();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { request: review } = (await json(request)) as { readonly request: { readonly uid: string } };
    const refusal = { uid: review.uid, allowed: false, status: { message: why } };
    const body = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: refusal };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(body));
  };
  const server = createServer(await authority.issue(), (request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(BowlineError.from(error)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const configuration = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "refusing" },
    webhooks: [
      {
        name: "refusing.example.test",
        clientConfig: {
          url: `https://127.0.0.1:${port}/`,
          caBundle: Buffer.from(authority.pem).toString("base64"),
        },
        rules: [
          {
            apiGroups: [""],
            apiVersions: ["v1"],
            operations: ["CREATE", "UPDATE"],
            resources: ["configmaps"],
          },
        ],
        objectSelector: { matchLabels: { refuse: "yes" } },
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  };
  await cluster.kubectl(["create", "-f", "-"], { input: JSON.stringify(configuration) });
  onTestFinished(
    async () => void (await cluster.kubectl(["delete", "validatingwebhookconfiguration/refusing"])),
  );
}
