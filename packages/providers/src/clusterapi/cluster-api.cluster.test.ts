import { connect, KubeClient } from "@bowline/kube";
import { startApiServer, type ApiServer } from "@bowline/test-cluster";
import { afterAll, beforeAll, describe } from "vitest";

import { clusterApiBehaviour } from "../testing/cluster-api/cluster-api-behaviour.ts";
import { prepareManagementCluster } from "../testing/cluster-api/cluster-api-world.ts";
import { templateStage, topologyStage } from "../testing/cluster-api/cluster-api-stages.ts";
import { providerContract } from "../testing/provider-contract.ts";

/** On the API server itself: its applies, its finalizers, its words. Cluster API is played here as well. */
describe.each(["1.36", "1.20"])("on kube-apiserver %s", (kubernetes) => {
  describe.each([{ version: "v1beta1", hasNewConditions: true }, { version: "v1beta2" }] as const)(
    "with $version of Cluster API",
    (form) => {
      let server: ApiServer;
      let admin: KubeClient;

      beforeAll(async () => {
        server = await startApiServer({ kubernetes });
        const auth = { type: "token", token: server.adminToken } as const;
        const { url, caCert } = server;
        admin = new KubeClient(
          connect({
            name: "mgmt",
            server: url,
            ca: { pem: caCert },
            namespace: "default",
            insecureSkipVerify: false,
            auth,
          }),
        );
        await prepareManagementCluster(admin, [form.version]);
      });

      afterAll(async () => {
        await admin.transport.close();
        await server.stop();
      });

      providerContract("clusterapi, of a class", { ...topologyStage(form, () => admin), cuts: "calls" });
      providerContract("clusterapi, of a template", { ...templateStage(form, () => admin), cuts: "calls" });
      clusterApiBehaviour(form, () => admin);
    },
  );
});
