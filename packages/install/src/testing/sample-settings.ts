import {
  address,
  choice,
  duration,
  exactUrl,
  integer,
  list,
  logSettings,
  mapping,
  settingTable,
  size,
  text,
  urlList,
} from "@bowline/program";

/** Settings of every type that those of the server have; those are tested in `apps/cli`, with all of this. */
export const sampleSettings = settingTable(
  {
    listen: { type: address, default: "127.0.0.1:7443", description: "Where the server listens." },
    trustedProxies: { type: list, otherwise: "none", description: "Proxies that are believed." },
    gateway: { urls: { type: urlList(["https:"], "https://a"), description: "Where agents reach it." } },
    neo4j: {
      shared: { type: choice("no", "yes"), default: "no", description: "Whether others write there." },
    },
    oidc: {
      issuer: { type: exactUrl(["https:"], "https://id.example.com"), description: "The issuer." },
      clientId: { type: text, description: "The audience." },
      clientSecret: { type: text, secret: "whole", description: "The secret of the client." },
      roles: { type: mapping("viewer", "admin"), otherwise: "none", description: "Roles of groups." },
    },
    session: { idle: { type: duration("5m", "30d"), default: "8h", description: "Stays signed in." } },
    limits: {
      body: { type: size("1KiB", "64MiB"), default: "8MiB", description: "The largest body." },
      requests: { type: integer(1, 1_000_000), default: "1000", description: "Requests a second." },
      watchers: { type: integer(1, 1_000_000), default: "2000", description: "Watches at once." },
    },
    retention: {
      audit: { type: duration("1h", "3650d"), default: "90d", description: "How long records are kept." },
    },
    metrics: {
      access: { type: choice("token", "anybody"), default: "token", description: "Who may read /metrics." },
    },
    log: logSettings,
  },
  { page: "docs/reference/configuration.md", groupTitles: { oidc: "Sign-in with OpenID Connect" } },
);
