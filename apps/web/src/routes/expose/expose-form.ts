import type { Gateway } from "@bowline/api";

import type { FieldPaths } from "../../ui/form-problems.ts";

export type TlsMode = Gateway["spec"]["tls"]["mode"];

/** What somebody has filled in to give a workload host names: the simple case of `bowline expose`. */
export interface ExposeForm {
  readonly name: string;
  /** With commas or in lines. */
  readonly hosts: string;
  readonly service: string;
  readonly port: string;
  readonly path: string;
  readonly tls: TlsMode;
}

/** As the command line has it when nobody says otherwise. */
export function exposeForm(instance: string): ExposeForm {
  return { name: instance, hosts: "", service: instance, port: "80", path: "/", tls: "terminate" };
}

/** What is written; what is not right the server says. */
export interface GatewayBody {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly instance: string;
    readonly hosts: readonly string[];
    readonly rules: readonly {
      readonly path: string;
      readonly service: string;
      readonly port: number | string;
    }[];
    readonly tls: { readonly mode: TlsMode };
  };
}

export function gatewayBody(
  instance: string,
  { name, hosts, service, port, path, tls }: ExposeForm,
): GatewayBody {
  const typedPort = port.trim();
  return {
    metadata: { name: name.trim() },
    spec: {
      instance,
      hosts: [...new Set(hosts.split(/[\s,]+/u).filter((host) => host !== ""))],
      rules: [
        {
          path: path.trim() === "" ? "/" : path.trim(),
          service: service.trim(),
          port: /^\d{1,9}$/u.test(typedPort) ? Number(typedPort) : typedPort,
        },
      ],
      tls: { mode: tls },
    },
  };
}

export const exposePaths: FieldPaths<keyof ExposeForm> = [
  ["metadata.name", "name"],
  ["spec.hosts", "hosts"],
  ["spec.rules[0].service", "service"],
  ["spec.rules[0].port", "port"],
  ["spec.rules", "path"],
  ["spec.tls", "tls"],
];
