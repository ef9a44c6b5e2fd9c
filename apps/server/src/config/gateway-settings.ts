import { choice, list, pairs, text } from "@bowline/program";

/** What the server does for the hosts of Gateways. */
export const gatewaySettings = {
  user: {
    type: text,
    otherwise:
      "whoever wrote the oldest of the Gateways that share it and may reach the cluster; for what is installed, whoever wrote its definition",
    description:
      "The User in whose name is written what Gateways share in a cluster: its namespace, its Gateway and the certificates, and what is installed for them. Needs an AccessGrant that covers them.",
  },
  probe: {
    type: choice("on", "off"),
    default: "on",
    description:
      "Whether the server looks up the hosts of Gateways and asks them, to tell that they answer from outside.",
  },
  probeNetworks: {
    type: list,
    otherwise: "public addresses only",
    description:
      "IP addresses and networks that it may ask as well, such as those of internal load balancers. Whoever writes a Gateway can have the server connect to any of them.",
  },
  resolvers: {
    type: list,
    otherwise: "those of the machine",
    description:
      "IP addresses of the DNS servers that hosts are looked up at, each with its port if that is not 53.",
  },
  implementations: {
    type: pairs(
      "CLASS=NAME",
      "one or more CLASS=NAME with commas between, each a GatewayClass and a WorkloadDefinition",
      /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?=[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/u,
    ),
    otherwise: "none is installed",
    description:
      "The WorkloadDefinitions that bring GatewayClasses, with all that these need, to clusters where a Gateway wants one that is not there: `envoy=envoy-gateway`. In a cluster without any class, Gateways that name none get the first.",
  },
  certManager: {
    type: text,
    otherwise: "it is not installed",
    description:
      "The WorkloadDefinition that brings cert-manager and a ClusterIssuer to clusters where a Gateway wants certificates from it and its API is not there.",
  },
  externalDns: {
    type: text,
    otherwise: "it is not installed",
    description:
      "The WorkloadDefinition that brings external-dns to clusters that have Gateways and no Deployment of it. Where it declares the parameters `owner` and `domains`, it is given them.",
  },
} as const;
