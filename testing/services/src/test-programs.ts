import type { RequiredProgram } from "./find-program.ts";

/** A program that tests or benchmarks start, with the packages that bring it where there is no Debian. */
export interface TestProgram extends RequiredProgram {
  readonly purpose: string;
  readonly homebrewFormula: string;
}

export const postgresProgram = {
  program: "postgres",
  debianPackage: "postgresql",
  // Debian keeps the server's programs out of PATH, one folder per version.
  alsoIn: "/usr/lib/postgresql/*/bin",
  homebrewFormula: "postgresql",
  purpose: "the PostgreSQL server",
} as const satisfies TestProgram;

export const natsProgram = {
  program: "nats-server",
  debianPackage: "nats-server",
  homebrewFormula: "nats-server",
  purpose: "the NATS server",
} as const satisfies TestProgram;

export const kubectlProgram = {
  program: "kubectl",
  debianPackage: "kubernetes-client",
  homebrewFormula: "kubernetes-cli",
  purpose: "the command line of Kubernetes",
} as const satisfies TestProgram;

export const chromiumProgram = {
  program: "chromium",
  debianPackage: "chromium",
  homebrewFormula: "chromium",
  purpose: "the browser in which the console is tested",
} as const satisfies TestProgram;

export const gitProgram = {
  program: "git",
  debianPackage: "git",
  homebrewFormula: "git",
  purpose: "repositories, and the server of them behind HTTP",
} as const satisfies TestProgram;

export const sshdProgram = {
  program: "sshd",
  debianPackage: "openssh-server",
  homebrewFormula: "openssh",
  purpose: "the SSH server that repositories are fetched from",
} as const satisfies TestProgram;

export const prometheusProgram = {
  program: "prometheus",
  debianPackage: "prometheus",
  homebrewFormula: "prometheus",
  purpose: "Prometheus and its checks of configuration",
} as const satisfies TestProgram;

export const nginxProgram = {
  program: "nginx",
  debianPackage: "nginx",
  homebrewFormula: "nginx",
  purpose: "the proxy that serves what Gateways and HTTPRoutes say",
} as const satisfies TestProgram;

export const namedProgram = {
  program: "named",
  debianPackage: "bind9",
  homebrewFormula: "bind",
  purpose: "the DNS server",
} as const satisfies TestProgram;

export const nsupdateProgram = {
  program: "nsupdate",
  debianPackage: "bind9-dnsutils",
  homebrewFormula: "bind-tools",
  purpose: "changes of DNS records; dig comes with it",
} as const satisfies TestProgram;

/** All that `npm test` needs beside the npm packages. */
export const testPrograms: readonly TestProgram[] = [
  postgresProgram,
  natsProgram,
  kubectlProgram,
  // With it comes promtool.
  prometheusProgram,
  chromiumProgram,
  gitProgram,
  sshdProgram,
  nginxProgram,
  namedProgram,
  nsupdateProgram,
  {
    program: "gpg",
    debianPackage: "gnupg",
    homebrewFormula: "gnupg",
    purpose: "signatures of commits and tags",
  },
];
