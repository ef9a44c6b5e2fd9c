import { createHash } from "node:crypto";

import type { PackageInside } from "./packages-inside.ts";
import type { Version } from "./read-version.ts";

/** A list of what is inside, in the format CycloneDX. */
export function sbomOf({ version, revision }: Version, packages: readonly PackageInside[]): string {
  const components = packages.map(({ name, version, license }) => component(name, version, license));
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([version, revision?.commit, components]))}`,
    version: 1,
    metadata: {
      ...(revision === undefined ? {} : { timestamp: revision.at.toISOString() }),
      component: {
        type: "application",
        name: "bowline",
        version,
        licenses: [{ license: { id: "Apache-2.0" } }],
        ...(revision === undefined
          ? {}
          : { properties: [{ name: "bowline:revision", value: revision.commit }] }),
      },
    },
    components,
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function component(name: string, version: string, license: string): object {
  // An expression has words between the names of licences.
  const licence = /\s/u.test(license) ? { expression: license } : { license: { id: license } };
  return {
    type: "library",
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    licenses: [licence],
  };
}

/** The same content has the same number: version 8 is for numbers that somebody made in a way of their own. */
function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The words of all licences. */
export function licenceText(packages: readonly PackageInside[]): string {
  return packages
    .map(({ name, version, license, text }) => `${name} ${version}: ${license}\n\n${text}\n`)
    .join(`\n${"-".repeat(80)}\n\n`);
}
