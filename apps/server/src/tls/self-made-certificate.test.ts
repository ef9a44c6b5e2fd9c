import { X509Certificate } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ManualClock } from "@bowline/core/testing";
import { createTempFolder, findProgram, runCommand } from "@bowline/test-services";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { openStore, type Store } from "@bowline/store";
import { testKey } from "@bowline/store/testing";
import { certificateNames, fingerprintOf, type KeyPair } from "@bowline/tls";
import { keepCertificateFresh } from "./certificate-source.ts";
import { SelfMadeCertificate, sharedAuthority } from "./self-made-certificate.ts";
import { shakeHands, startTlsServer } from "./testing/tls-server.ts";

const dayMs = 86_400_000;
const names = certificateNames([
  "localhost",
  "127.0.0.1",
  "::1",
  "Bowline.Example.com.",
  "*.apps.example.com",
]);
const openssl = await findProgram({ program: "openssl", debianPackage: "openssl" });

let folder: string;
let clock: ManualClock;
let store: Store;
let authority: KeyPair;

beforeEach(async () => {
  const temporary = await createTempFolder("tls");
  onTestFinished(() => temporary[Symbol.asyncDispose]());
  folder = temporary.path;
  // TLS clients go by the real time.
  clock = new ManualClock(Date.now());
  store = await openStore({
    database: { type: "sqlite", file: ":memory:" },
    encryptionKeys: [testKey("k1")],
  });
  onTestFinished(() => store.close());
  authority = await sharedAuthority(store.installation, clock.now());
});

function open(
  options: Partial<Parameters<typeof SelfMadeCertificate.open>[0]> = {},
): Promise<SelfMadeCertificate> {
  return SelfMadeCertificate.open({ authority, names, file: join(folder, "server.pem"), clock, ...options });
}

describe("the server's own CA", () => {
  test("is the same for all servers on a database, also when they start at once", async () => {
    const other = await openStore({
      database: { type: "sqlite", file: ":memory:" },
      encryptionKeys: [testKey("k1")],
    });
    onTestFinished(() => other.close());
    const made = await Promise.all([1, 2, 3].map(() => sharedAuthority(other.installation, clock.now())));
    expect(new Set(made.map(({ cert }) => cert)).size).toBe(1);
    expect(await sharedAuthority(store.installation, clock.now())).toEqual(authority);
  });

  test("lasts ten years and may sign servers only", () => {
    const certificate = new X509Certificate(authority.cert);
    expect(certificate.ca).toBe(true);
    expect(certificate.publicKey.asymmetricKeyDetails).toMatchObject({ namedCurve: "prime256v1" });
    const lastsMs = certificate.validToDate.getTime() - clock.now();
    expect(Math.round(lastsMs / dayMs)).toBe(3650);
    expect(fingerprintOf(authority.cert)).toBe(
      `sha256:${certificate.fingerprint256.replaceAll(":", "").toLowerCase()}`,
    );
  });

  test("that has ended is refused with what to do", async () => {
    await expect(sharedAuthority(store.installation, clock.now() + 3651 * dayMs)).rejects.toMatchObject({
      code: "CertificateExpired",
      message: expect.stringContaining("--tls-cert-file"),
    });
  });
});

describe("the certificate the server makes for itself", () => {
  test("is trusted by clients that trust the CA, for its names and no others", async () => {
    const server = await startTlsServer((await open()).current);
    for (const host of ["localhost", "127.0.0.1", "::1", "bowline.example.com", "shop.apps.example.com"]) {
      expect(await shakeHands(server, authority.cert, host)).toMatchObject({ problem: undefined });
    }
    for (const host of ["evil.example.com", "10.0.0.1"]) {
      expect((await shakeHands(server, authority.cert, host)).problem).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
    }
    const { makeAuthority } = await import("@bowline/tls/issue");
    const stranger = await makeAuthority(clock.now());
    expect((await shakeHands(server, stranger.cert, "localhost")).problem).toBeDefined();
  });

  test.runIf(openssl)("satisfies a strict OpenSSL", async () => {
    const { current } = await open();
    writeFileSync(join(folder, "ca.crt"), authority.cert);
    writeFileSync(join(folder, "server.crt"), current.cert);
    const args = ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", "ca.crt", "server.crt"];
    await expect(runCommand({ command: "openssl", args, cwd: folder })).resolves.toBeUndefined();
  });

  test("comes with its CA, for clients that know the fingerprint only", async () => {
    expect((await open()).current.cert).toContain(authority.cert);
  });

  test("is kept over a restart, readable by its owner only", async () => {
    const first = await open();
    const second = await open();
    expect(second.current).toEqual(first.current);
    expect(statSync(join(folder, "server.pem")).mode & 0o777).toBe(0o600);
  });

  test("is made anew when its names change, the CA is another, or the file is damaged", async () => {
    const { current: first } = await open();
    const { current: renamed } = await open({ names: certificateNames(["localhost", "new.example.com"]) });
    expect(new X509Certificate(renamed.cert).subjectAltName).toBe("DNS:localhost, DNS:new.example.com");
    const { makeAuthority } = await import("@bowline/tls/issue");
    const other = await makeAuthority(clock.now());
    const { current: resigned } = await open({ authority: other });
    expect(new X509Certificate(resigned.cert).verify(new X509Certificate(other.cert).publicKey)).toBe(true);
    const file = join(folder, "server.pem");
    writeFileSync(file, readFileSync(file, "utf8").slice(0, 300));
    const { current: repaired } = await open();
    expect(repaired.cert).not.toBe(first.cert);
  });

  test("is renewed before it ends, while the server runs", async () => {
    const source = await open();
    const server = await startTlsServer(source.current);
    const before = await shakeHands(server, authority.cert, "localhost");
    const stop = new AbortController();
    const running = keepCertificateFresh({
      source,
      clock,
      signal: stop.signal,
      onRenewed: (pair) => server.setSecureContext(pair),
      onFailure: (error) => expect.unreachable(String(error)),
    });
    await clock.advance(59 * dayMs);
    expect(await shakeHands(server, authority.cert, "localhost")).toEqual(before);
    const { cert } = source.current;
    const renewed = Promise.withResolvers<void>();
    const setContext = server.setSecureContext.bind(server);
    server.setSecureContext = (pair) => {
      setContext(pair);
      renewed.resolve();
    };
    await clock.advance(1.5 * dayMs);
    await renewed.promise;
    expect(source.current.cert).not.toBe(cert);
    const certificate = new X509Certificate(source.current.cert);
    expect(Math.round((certificate.validToDate.getTime() - clock.now()) / dayMs)).toBeGreaterThanOrEqual(89);
    expect((await shakeHands(server, authority.cert, "localhost")).serialNumber).not.toBe(
      before.serialNumber,
    );
    expect((await open()).current).toEqual(source.current);
    stop.abort();
    await running;
    expect(clock.pending).toBe(0);
  });
});
