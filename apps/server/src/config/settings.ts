import {
  address,
  choice,
  duration,
  exactUrl,
  integer,
  list,
  logSettings,
  mapping,
  onOff,
  pairs,
  path,
  settingTable,
  size,
  text,
  urlList,
  webUrl,
  type ValuesOf,
} from "@bowline/program";

import { gatewaySettings } from "./gateway-settings.ts";

/**
 * Every setting of the server, once: the flags, the variables, the config file, the help and
 * `docs/reference/configuration.md` are made from it.
 *
 * The command line reads this table before it knows whether a server is wanted: nothing heavy may be imported here.
 */
export const serverSettings = settingTable(
  {
    listen: {
      type: address,
      default: "127.0.0.1:7443",
      description:
        "Where the server listens. The address 0.0.0.0 or [::] stands for every network of the machine.",
    },
    advertisedUrl: {
      type: webUrl,
      otherwise: "made from the address it listens on",
      description:
        "The address under which clients and agents reach this server, or the load balancer before it.",
    },
    data: {
      type: path,
      otherwise: "`bowline` in `$XDG_DATA_HOME`, usually `~/.local/share/bowline`",
      description:
        "The data folder: the SQLite database, the encryption keys, certificates and the first admin token. It is made when it is missing.",
    },
    role: {
      type: choice("all", "api", "controllers", "gateway"),
      default: "all",
      description:
        "What this process does: `api` answers requests, those to clusters through servers that hold their agents; `gateway` holds the connections of agents, and answers requests to clusters only; `controllers` bring objects to their desired state; `all` does everything. All of them answer probes and /metrics. Anything but `all` needs PostgreSQL.",
    },
    trustedProxies: {
      type: list,
      otherwise: "none",
      description:
        "IP addresses and networks of proxies whose `X-Forwarded-For` is believed, for audit records and limits by address.",
    },
    drainDelay: {
      type: duration("0s", "10m"),
      default: "0s",
      description:
        "How long to go on as before after SIGTERM, with /readyz failing: for load balancers that have to notice first.",
    },
    drainTime: {
      type: duration("1s", "1h"),
      default: "20s",
      description:
        "How long requests and controllers may take to finish after that. Kubernetes kills a pod 30 seconds after SIGTERM, unless told otherwise.",
    },

    database: {
      url: {
        type: exactUrl(
          ["postgres:", "postgresql:"],
          "postgres://bowline@db.example.com/bowline?sslmode=verify-full",
        ),
        otherwise: "SQLite in the data folder",
        secret: "password",
        description: "The PostgreSQL database. Several servers may share one.",
      },
      connections: {
        type: integer(2, 1000),
        default: "10",
        description: "The most connections to PostgreSQL that this process opens.",
      },
      wait: {
        type: duration("0s", "1h"),
        default: "30s",
        description: "How long to try at the start when PostgreSQL cannot be reached.",
      },
    },

    nats: {
      url: {
        type: urlList(["nats:", "tls:"], "nats://nats.example.com:4222"),
        otherwise: "keys are handed over within the process",
        secret: "password",
        description:
          "The NATS server, with JetStream, through which several servers share the work of the controllers; `tls://…` insists on TLS.",
      },
      name: {
        type: text,
        default: "bowline",
        description:
          "Tells installations apart that share a NATS; all servers on one database need the same.",
      },
      credentialsFile: {
        type: path,
        description: "A NATS credentials file (`.creds`). Read again for each connection.",
      },
      caFile: {
        type: path,
        otherwise: "the CAs of the system",
        description: "PEM certificates of the CAs that may have signed the certificate of the NATS server.",
      },
      certFile: {
        type: path,
        description: "PEM file with a certificate to show to the NATS server.",
      },
      keyFile: {
        type: path,
        description: "PEM file with the key of that certificate.",
      },
    },

    git: {
      renderers: {
        type: choice("all", "kustomize", "helm", "none"),
        default: "all",
        description:
          "The programs of this machine that may render what comes from git: `kustomize` (or kubectl, which has it inside), `helm`, or both. They run in a sandbox without network. Plain YAML needs none of them.",
      },
    },

    neo4j: {
      url: {
        type: exactUrl(
          ["neo4j:", "neo4j+s:", "neo4j+ssc:", "bolt:", "bolt+s:", "bolt+ssc:"],
          "neo4j+s://neo4j.example.com",
        ),
        otherwise: "no copy is made",
        description:
          "The Neo4j that gets a copy of the graphs of all clusters. With `+s` it insists on TLS, with `+ssc` it trusts any certificate.",
      },
      user: {
        type: text,
        default: "neo4j",
        description: "The user of that Neo4j. It has to be allowed to make constraints and indexes.",
      },
      password: {
        type: text,
        secret: "whole",
        description: "The password of that user.",
      },
      database: {
        type: text,
        default: "neo4j",
        description: "The database of that Neo4j: one that nobody else writes to.",
      },
      shared: {
        type: choice("no", "yes"),
        default: "no",
        description:
          "Whether that database may hold nodes that are not of Bowline; otherwise nothing is written to one that does.",
      },
    },

    tls: {
      mode: {
        type: choice("on", "off"),
        default: "on",
        flag: "tls",
        description:
          "Whether clients speak TLS with the server; `off` is allowed on loopback addresses only.",
      },
      certFile: {
        type: path,
        otherwise: "the server makes its own, signed by a CA of its own",
        description:
          "PEM file with the certificate and those between it and the CA. Read again when it changes.",
      },
      keyFile: {
        type: path,
        description: "PEM file with the key of the certificate. Read again when it changes.",
      },
      names: {
        type: list,
        otherwise: "`localhost`, `127.0.0.1`, `::1`, the name of the machine and the advertised host",
        description: "More DNS names and IP addresses for the certificate that the server makes itself.",
      },
    },

    gateways: gatewaySettings,

    gateway: {
      urls: {
        type: urlList(["https:"], "https://agents.example.com"),
        otherwise: "the advertised URL",
        description:
          "Where agents reach this server, the best first, if not under the advertised URL. New join tokens carry it.",
      },
    },

    agent: {
      image: {
        type: text,
        otherwise: "`bowline` and the version of the server",
        description:
          "The image of the agents that the server installs in clusters which it makes, and describes in manifests.",
      },
    },

    provider: {
      programs: {
        type: pairs(
          "NAME=PATH",
          "one or more NAME=PATH with commas between, each path from the root",
          /^[a-z0-9]([-a-z0-9]*[a-z0-9])?=\/[^,\r\n]*$/u,
        ),
        otherwise: "none",
        description:
          "The programs that Clusters with the provider `exec` may name: `rack=/usr/local/bin/make-rack`. Others are never started.",
      },
      kind: {
        type: onOff,
        default: "off",
        description:
          "Whether Clusters may have the provider `kind`: their nodes are privileged containers of the machine that the server runs on, which needs kind and a container engine.",
      },
      eksAccess: {
        type: list,
        otherwise: "everywhere",
        description:
          "The networks, such as `203.0.113.7/32`, from which control planes that Bowline makes in Amazon EKS are reached at their public addresses: those that the servers call from. Clusters that are there already stay as they are.",
      },
    },

    replica: {
      url: {
        type: exactUrl(["https:"], "https://10.1.2.3:7443"),
        otherwise:
          "made from the address it listens on; where that is every network, from an address of the machine",
        description:
          "Where the other servers on the same PostgreSQL reach this one, past any load balancer, to relay requests for agents that are connected here.",
      },
    },

    admin: {
      token: {
        type: text,
        secret: "whole",
        fileMayBeGone: true,
        otherwise: "the server makes one, and writes it to `admin.token` in the data folder",
        description:
          "The token of the first admin, used at the first start in place of one that the server makes. Later starts pay no attention to it.",
      },
    },

    encryption: {
      keysFile: {
        type: path,
        otherwise: "`encryption.keys` in the data folder, made at the first start",
        description:
          "The keys that secrets in the database are encrypted with, the newest first. All servers on one database need the same.",
      },
    },

    oidc: {
      issuer: {
        type: exactUrl(["https:", "http:"], "https://id.example.com"),
        otherwise: "only Bowline's own tokens are accepted",
        description:
          "The OpenID Connect issuer whose JWTs are accepted, exactly as it writes itself into them.",
      },
      clientId: {
        type: text,
        description: "The audience that JWTs of the issuer must be for.",
      },
      clientSecret: {
        type: text,
        secret: "whole",
        otherwise: "a public client, which needs none",
        description:
          "The secret of that client, for browsers that sign in at the issuer. Better in its variable than on a command line.",
      },
      name: {
        type: text,
        otherwise: "the host of the issuer",
        description: "What the console calls the issuer: `Sign in with …`.",
      },
      scopes: {
        type: list,
        default: "profile,email",
        description:
          "What is asked of the issuer besides `openid` when a browser signs in there; some give groups for a scope only.",
      },
      userClaim: {
        type: text,
        default: "email",
        description: "The claim that names the user.",
      },
      groupsClaim: {
        type: text,
        default: "groups",
        description: "The claim that lists the groups of the user.",
      },
      userPrefix: {
        type: text,
        default: "oidc-",
        description:
          "Put before the names of users, so that nobody becomes a User of Bowline by choosing a name at the issuer.",
      },
      groupsPrefix: {
        type: text,
        default: "oidc-",
        description: "Put before the names of groups.",
      },
      roles: {
        type: mapping("viewer", "editor", "admin"),
        otherwise: "none",
        description:
          "The roles of groups, as the issuer names them: `platform=admin`. Of several roles a user has the one that may do most.",
      },
      defaultRole: {
        type: choice("viewer", "editor", "admin"),
        otherwise: "no access",
        description: "The role of those whose groups give them none.",
      },
    },

    console: {
      listen: {
        type: address,
        otherwise: "the console is served where everything else is",
        description:
          "Where the server also listens without TLS, on a loopback address: browsers of this machine then need not trust a certificate.",
      },
      hsts: {
        type: duration("0s", "3650d"),
        default: "0s",
        description:
          "How long browsers are told to use nothing but TLS for this host; `0s` for not at all. Not for a certificate that the server makes itself.",
      },
    },

    session: {
      idle: {
        type: duration("5m", "30d"),
        default: "8h",
        description:
          "How long a browser stays signed in while nobody uses it; exact to a minute. A page that is open and only shows what comes is not used.",
      },
      lifetime: {
        type: duration("5m", "30d"),
        default: "24h",
        description: "How long a browser stays signed in at most.",
      },
    },

    limits: {
      body: {
        type: size("1KiB", "64MiB"),
        default: "8MiB",
        description: "The largest body of a request.",
      },
      requests: {
        type: integer(1, 1_000_000),
        default: "1000",
        description: "How many requests a second one user may make for long; five times as many at once.",
      },
      strangerRequests: {
        type: integer(1, 1_000_000),
        default: "50",
        description:
          "How many requests a second may come from one address without a valid token; ten times as many at once. Files of the console are counted apart, and twenty times as many of them may be asked for.",
      },
      watchers: {
        type: integer(1, 1_000_000),
        default: "2000",
        description: "How many watches may be open at once.",
      },
      connections: {
        type: integer(1, 1_000_000),
        default: "10000",
        description: "How many connections may be open at once.",
      },
    },

    proxy: {
      requests: {
        type: integer(1, 1_000_000),
        default: "1000",
        description:
          "How many requests a second one user may make of one cluster for long; five times as many at once. They do not count for `limits.requests`.",
      },
      concurrentRequests: {
        type: integer(1, 1_000_000),
        default: "400",
        description: "How many requests one user may have under way in one cluster, streams not among them.",
      },
      streams: {
        type: integer(1, 1_000_000),
        default: "200",
        description:
          "How many watches, followed logs and upgraded connections, such as those of `kubectl exec`, one user may have open to one cluster.",
      },
      answerTimeout: {
        type: duration("1s", "1h"),
        default: "75s",
        description:
          "How long a cluster may take to begin its answer. API servers give up after a minute themselves, and then say why.",
      },
    },

    retention: {
      changes: {
        type: duration("1m", "3650d"),
        default: "24h",
        description:
          "How long the log of changes is kept: a watch that was away for longer starts from the beginning.",
      },
      audit: {
        type: duration("1h", "3650d"),
        default: "90d",
        description: "How long audit records are kept.",
      },
      events: {
        type: duration("1m", "3650d"),
        default: "7d",
        description: "How long an event is kept after it last happened.",
      },
      graph: {
        type: duration("1m", "3650d"),
        default: "7d",
        description:
          "How far back questions about the objects of clusters can go: what they said is kept so long after it was over.",
      },
      interval: {
        type: duration("10s", "24h"),
        default: "10m",
        description: "How often what is too old is deleted.",
      },
    },

    metrics: {
      access: {
        type: choice("token", "anybody"),
        default: "token",
        description: "Who may read /metrics: whoever has a token, of any role, or anybody who can connect.",
      },
    },

    log: logSettings,
  },
  {
    page: "docs/reference/configuration.md",
    configFile: {
      flag: "--config",
      variable: "BOWLINE_SERVER_CONFIG",
      description: "A YAML file with settings; docs/reference/configuration.md lists them.",
    },
    groupTitles: {
      database: "Database",
      nats: "NATS",
      neo4j: "Copy of the graph in Neo4j",
      tls: "TLS",
      admin: "First admin",
      encryption: "Encryption of secrets",
      oidc: "Sign-in with OpenID Connect",
      console: "Console",
      session: "Sessions of browsers",
      limits: "Limits",
      retention: "Retention",
      metrics: "Metrics",
      log: "Logs",
    },
  },
);

export type ServerValues = ValuesOf<typeof serverSettings.settings>;
