import {
  choice,
  flag,
  integer,
  labelValue,
  list,
  optional,
  text,
  withDefault,
  type TextRule,
} from "@bowline/api";

import { routeValues } from "./route-values.ts";
import {
  anyLine,
  dataKey,
  group,
  hostName,
  ipAddress,
  maybe,
  memorySize,
  objectName,
  part,
  parts,
  quantity,
  secretKey,
  textMap,
  textOr,
} from "./value-parts.ts";

const imageRepository = {
  pattern: "^[a-z0-9][-a-z0-9._:/]*$",
  expects: "an image without tag and digest, such as registry.example.com/bowline",
  minLength: 1,
  maxLength: 256,
};
const imageTag = { pattern: "^\\w[-.\\w]{0,127}$", expects: "a tag of an image", maxLength: 128 };
const imageDigest = {
  pattern: "^sha256:[0-9a-f]{64}$",
  expects: "a digest, which is sha256: and 64 hexadecimal digits",
  maxLength: 71,
};
const webAddress = {
  pattern: "^https://[^\\s,/]+$",
  expects: "an address such as https://bowline.example.com",
  maxLength: 512,
};

function resourceList(description: string, memory: TextRule, preset: Readonly<Record<string, string>>) {
  const { default: _, ...fields } = group(description, {
    cpu: optional(text("Cores, such as `500m` or `2`.", quantity)),
    memory: optional(text("Bytes, such as `512Mi` or `2Gi`.", memory)),
    "ephemeral-storage": optional(text("Bytes on the disk of the node, such as `4Gi`.", quantity)),
  });
  return Object.assign(fields, { default: preset });
}

/** Every value of an installation but the settings of the server, which come from its own table. */
export const chartValues = {
  image: group("The image of the server.", {
    repository: textOr("Where it is, without a tag.", imageRepository, "docker.io/library/bowline"),
    tag: maybe("Its tag; the version of Bowline when empty.", imageTag),
    digest: maybe("Its digest, such as `sha256:…`. Then the tag is not looked at.", imageDigest),
    pullPolicy: withDefault(
      choice("When nodes pull it.", ["IfNotPresent", "Always", "Never"]),
      "IfNotPresent",
    ),
    pullSecrets: withDefault(
      list("Names of Secrets to pull it with.", text("A name.", objectName), { maxItems: 10, unique: true }),
      [],
    ),
  }),
  replicas: withDefault(
    integer(
      "How many servers run. With SQLite there is one; more need PostgreSQL, and are better with NATS.",
      {
        minimum: 1,
        maximum: 50,
      },
    ),
    1,
  ),
  url: maybe(
    "The address under which clients and agents reach the servers. When empty: the host of the ingress or the gateway, or else the name of the Service, which only pods of this cluster can reach.",
    webAddress,
  ),
  database: group("Where the server keeps what it knows: SQLite, unless a PostgreSQL is named.", {
    sqlite: group(
      "The volume of SQLite. It also holds the encryption keys, unless `encryption` names some.",
      {
        size: textOr("How large the volume is.", { ...quantity, minLength: 1 }, "10Gi"),
        storageClassName: maybe("Its storage class; that of the cluster when empty.", objectName),
      },
    ),
    postgres: secretKey(
      "A Secret with the address of a PostgreSQL, such as `postgres://bowline:PASSWORD@db.example.com/bowline?sslmode=verify-full`.",
      "url",
    ),
    connections: withDefault(
      integer("The most connections to PostgreSQL that each server opens.", { minimum: 2, maximum: 1000 }),
      10,
    ),
  }),
  nats: group("A NATS with JetStream, through which several servers share the work of the controllers.", {
    existingSecret: maybe("The name of a Secret with its address.", objectName),
    key: textOr("The key with the address, such as `nats://nats.example.com:4222`.", dataKey, "url"),
    credentialsKey: maybe("A key of the same Secret with a credentials file (`.creds`).", dataKey),
    caKey: maybe("A key of the same Secret with certificates of CAs that NATS is trusted by.", dataKey),
  }),
  encryption: secretKey(
    "A Secret with the keys that secrets in the database are encrypted with, as `bowline server keys new` makes them. Needed with PostgreSQL; with SQLite they are made at the first start, on its volume.",
    "encryption.keys",
  ),
  adminToken: secretKey(
    "A Secret with the token that the first admin gets. When empty, the server makes one at its first start, and prints it once.",
    "token",
  ),
  tls: group(
    "The certificate of the servers. When neither a Secret nor an issuer is named, they make one, signed by a CA of their own, which agents and clients know by its fingerprint.",
    {
      existingSecret: maybe("The name of a Secret with `tls.crt` and `tls.key`.", objectName),
      certManager: group("Has cert-manager make the certificate.", {
        issuerRef: group("The issuer that signs it.", {
          name: maybe("Its name; no certificate is asked for when empty.", objectName),
          kind: withDefault(text("Its kind.", { ...anyLine, maxLength: 63 }), "Issuer"),
          group: withDefault(
            text("The API group of its kind.", { ...anyLine, maxLength: 253 }),
            "cert-manager.io",
          ),
        }),
      }),
      names: withDefault(
        list(
          "More names for the certificate that servers make or cert-manager does. The names of the Service and the hosts of ingress and gateway are in it anyway; with cert-manager, the host of `url` belongs here.",
          text("A host name.", hostName),
          { maxItems: 50, unique: true },
        ),
        [],
      ),
      addresses: withDefault(
        list("IP addresses for the same certificate.", text("An IP address.", ipAddress), {
          maxItems: 50,
          unique: true,
        }),
        [],
      ),
    },
  ),
  ...routeValues,
  probes: group("How long Kubernetes has patience with a server.", {
    startupSeconds: withDefault(
      integer(
        "How long a server may take to start, before it is started again. It listens when its database is there and its tables are changed: a large one may take longer, after an upgrade.",
        { minimum: 60, maximum: 86_400 },
      ),
      600,
    ),
  }),
  drain: group("How a server stops: both together, and ten seconds more, are its grace period.", {
    delaySeconds: withDefault(
      integer("How long it goes on as before, so that everybody notices.", { minimum: 0, maximum: 600 }),
      5,
    ),
    timeSeconds: withDefault(
      integer("How long requests and controllers may take to finish after that.", {
        minimum: 1,
        maximum: 3600,
      }),
      20,
    ),
  }),
  resources: group("What a server needs. Its heap is made to fit: three quarters of the limit of memory.", {
    requests: resourceList("What it is promised.", quantity, { cpu: "100m", memory: "256Mi" }),
    limits: resourceList("What it gets at most.", memorySize, { memory: "1Gi" }),
  }),
  temporaryStorage: group("Folders that are gone with the pod.", {
    data: textOr("How large the data folder may get with PostgreSQL.", quantity, "2Gi"),
    tmp: textOr("How large `/tmp` may get.", quantity, "1Gi"),
  }),
  podDisruptionBudget: group(
    "Keeps all but some servers running while nodes are drained. Not for one server.",
    {
      enabled: withDefault(flag("Whether there is one."), true),
      maxUnavailable: withDefault(integer("How many servers may be away.", { minimum: 1, maximum: 50 }), 1),
    },
  ),
  nodeSelector: textMap("Labels of nodes that servers may run on.", labelValue, {
    "kubernetes.io/os": "linux",
  }),
  tolerations: parts("Taints of nodes that do not matter."),
  affinity: part("Where servers run. When empty, on different nodes as far as that is possible."),
  topologySpreadConstraints: parts("How servers are spread, over zones for example."),
  priorityClassName: maybe("The priority of the pods.", objectName),
  labels: textMap("Labels of all objects.", labelValue),
  podLabels: textMap("Labels of the pods.", labelValue),
  podAnnotations: textMap("Annotations of the pods."),
  extraEnv: parts("More environment variables of the server, as a container of Kubernetes has them."),
  extraVolumes: parts("More volumes of the pods."),
  extraVolumeMounts: parts("Where the server finds those volumes."),
  global: part("Helm gives it to a chart that is inside of another one. It is not looked at."),
};
