import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ManualClock } from "@bowline/core/testing";
import { createTempFolder } from "@bowline/test-services";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { CertificateFiles } from "./certificate-files.ts";
import { certificateNames, type KeyPair } from "@bowline/tls";
import { issueServingCertificate, makeAuthority } from "@bowline/tls/issue";
import { keepCertificateFresh } from "./certificate-source.ts";
import { shakeHands, startTlsServer } from "./testing/tls-server.ts";

const dayMs = 86_400_000;

let clock: ManualClock;
let authority: KeyPair;
let certFile: string;
let keyFile: string;

beforeEach(async () => {
  const folder = await createTempFolder("tls");
  onTestFinished(() => folder[Symbol.asyncDispose]());
  [certFile, keyFile] = [join(folder.path, "tls.crt"), join(folder.path, "tls.key")];
  clock = new ManualClock(Date.now());
  authority = await makeAuthority(clock.now());
});

async function newPair(): Promise<KeyPair> {
  return issueServingCertificate(authority, { names: certificateNames(["localhost"]), nowMs: clock.now() });
}

function write({ cert, key }: KeyPair): void {
  for (const [file, content] of [
    [certFile, cert],
    [keyFile, key],
  ] as const) {
    writeFileSync(`${file}.new`, content);
    renameSync(`${file}.new`, file);
  }
}

function open(): Promise<CertificateFiles> {
  return CertificateFiles.open({ certFile, keyFile, clock });
}

describe("a certificate in files", () => {
  test("is served, and a new one takes its place without a restart", async () => {
    write(await newPair());
    const source = await open();
    const server = await startTlsServer(source.current);
    const before = await shakeHands(server, authority.cert, "localhost");
    expect(before.problem).toBeUndefined();

    const stop = new AbortController();
    const happened: string[] = [];
    let next = Promise.withResolvers<void>();
    const running = keepCertificateFresh({
      source,
      clock,
      signal: stop.signal,
      onRenewed: (pair) => {
        server.setSecureContext(pair);
        happened.push("renewed");
        next.resolve();
      },
      onFailure: (error) => {
        happened.push(String(error));
        next.resolve();
      },
    });
    const another = await newPair();
    write({ ...another, key: "half of a ke" });
    await clock.advance(source.refreshMs);
    await next.promise;
    expect(happened).toEqual([expect.stringContaining("holds no private key")]);
    expect(await shakeHands(server, authority.cert, "localhost")).toEqual(before);

    next = Promise.withResolvers();
    write(another);
    await clock.settle();
    await clock.advance(source.refreshMs);
    await next.promise;
    expect(happened.slice(1)).toEqual(["renewed"]);
    const after = await shakeHands(server, authority.cert, "localhost");
    expect(after).toMatchObject({ problem: undefined });
    expect(after.serialNumber).not.toBe(before.serialNumber);
    stop.abort();
    await running;
  });

  test("is refused with the file and what is wrong with it", async () => {
    await expect(open()).rejects.toThrow(`The file ${certFile} cannot be read`);
    const pair = await newPair();
    write({ ...pair, cert: "nonsense" });
    await expect(open()).rejects.toThrow(`${certFile} holds no certificate in PEM form`);
    write({ ...pair, key: (await newPair()).key });
    await expect(open()).rejects.toThrow(
      `The key in ${keyFile} does not belong to the certificate in ${certFile}`,
    );
    write(pair);
    await clock.advance(91 * dayMs);
    await expect(open()).rejects.toMatchObject({ code: "CertificateExpired" });
    clock.setNow(Date.now() - 2 * dayMs);
    await expect(open()).rejects.toThrow(/begins on .* check the clock/u);
  });
});
