import { X509Certificate } from "node:crypto";

import { replaceFile, type Clock } from "@bowline/core";

import type { ServerConfig } from "../config/server-config.ts";
import type { DataFolder } from "../data-folder/data-folder.ts";
import type { Store } from "@bowline/store";
import { CertificateFiles } from "../tls/certificate-files.ts";
import { certificateNames, fingerprintOf } from "@bowline/tls";
import type { CertificateSource } from "../tls/certificate-source.ts";
import { SelfMadeCertificate, sharedAuthority } from "../tls/self-made-certificate.ts";
import { servingNames } from "./server-urls.ts";

export interface ServingCertificate {
  readonly source: CertificateSource;
  /** The CA that clients have to trust, where the server made it itself. */
  readonly caFile: string | undefined;
  /** The CA itself, and its fingerprint; undefined when the certificate was given without it. */
  readonly caPem: string | undefined;
  readonly caFingerprint: string | undefined;
}

export interface ServingCertificateOptions {
  readonly config: ServerConfig;
  readonly folder: DataFolder;
  readonly store: Pick<Store, "installation">;
  readonly clock: Clock;
}

/** The certificate in the files that were given, else one that the server makes; undefined when TLS is off. */
export async function openServingCertificate(
  options: ServingCertificateOptions,
): Promise<ServingCertificate | undefined> {
  const { mode, certFile, keyFile } = options.config.tls;
  if (mode === "off") return undefined;
  if (certFile === undefined || keyFile === undefined) return selfMade(options);
  const source = await CertificateFiles.open({ certFile, keyFile, clock: options.clock });
  const caPem = rootIn(source.current.cert);
  const caFingerprint = caPem === undefined ? undefined : fingerprintOf(caPem);
  return { source, caFile: undefined, caPem, caFingerprint };
}

async function selfMade(options: ServingCertificateOptions): Promise<ServingCertificate> {
  const { config, folder, store, clock } = options;
  const authority = await sharedAuthority(store.installation, clock.now());
  await replaceFile(folder.caCertificate, authority.cert, { mode: 0o644 });
  const names = certificateNames(servingNames(config));
  const source = await SelfMadeCertificate.open({ authority, names, file: folder.servingCertificate, clock });
  const caPem = authority.cert;
  return { source, caFile: folder.caCertificate, caPem, caFingerprint: fingerprintOf(caPem) };
}

/** A file may have the CA at its end. */
function rootIn(chainPem: string): string | undefined {
  const last = chainPem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/gu)?.at(-1);
  if (last === undefined) return undefined;
  const certificate = new X509Certificate(last);
  return certificate.checkIssued(certificate) ? last : undefined;
}
