import type { Deployment } from "kubernetes-types/apps/v1.js";
import type { Service } from "kubernetes-types/core/v1.js";

import type { App } from "./bowline.ts";

/** A web server: `bowline deploy app.ts --cluster NAME --set image=nginx:1.29 --set replicas:integer=3`. */
const app: App = ({ parameters, cluster }) => {
  const { image = "nginx:1.29", replicas = 1 } = parameters;
  const labels = { app: "web" };

  const deployment: Deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", labels },
    spec: {
      replicas: Number(replicas),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: "web",
              image: String(image),
              env: [{ name: "CLUSTER", value: cluster.name }],
              ports: [{ containerPort: 80 }],
            },
          ],
        },
      },
    },
  };

  const service: Service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", labels },
    spec: { selector: labels, ports: [{ port: 80 }] },
  };

  return [deployment, service];
};

export default app;
