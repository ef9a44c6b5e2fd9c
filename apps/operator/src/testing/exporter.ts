import type { KubeObject } from "@bowline/kube";
import { busyboxImage } from "@bowline/test-cluster";

interface Exporter {
  readonly id: string;
  readonly metric: string;
  /** The password of the user `collector`; without it everybody may read. */
  readonly password?: string;
}

/** A pod with a metric in `/secure/metrics`, and a port beside that nobody asked to be collected. */
export function exporter({ id, metric, password }: Exporter): KubeObject {
  const [namespaceName = "", name = ""] = id.split("/");
  const script = [
    "mkdir -p /tmp/www/secure",
    `echo '${metric}' > /tmp/www/secure/metrics`,
    ...(password === undefined ? [] : [lock(password)]),
    "exec httpd -f -p 8080 -h /tmp/www",
  ];
  const container = {
    name: "server",
    image: busyboxImage,
    imagePullPolicy: "Never",
    command: ["sh", "-c", script.join(" && ")],
    ports: [
      { name: "web", containerPort: 8080, protocol: "TCP" },
      { name: "admin", containerPort: 8081, protocol: "TCP" },
    ],
  };
  const metadata = { namespace: namespaceName, name, labels: { app: name } };
  const spec = { automountServiceAccountToken: false, containers: [container] };
  return { apiVersion: "v1", kind: "Pod", metadata, spec };
}

/** The command that lets only this password in; the web server reads the file at each request. */
export function lock(password: string): string {
  return `echo '/:collector:${password}' > /tmp/www/secure/httpd.conf`;
}

/** A Service in front of the pods of `web`. */
export function service(id: string, app: string): KubeObject {
  const [namespaceName = "", name = ""] = id.split("/");
  const ports = [{ name: "web", port: 80, targetPort: 8080, protocol: "TCP" }];
  const metadata = { namespace: namespaceName, name, labels: { app } };
  return { apiVersion: "v1", kind: "Service", metadata, spec: { selector: { app: "web" }, ports } };
}
