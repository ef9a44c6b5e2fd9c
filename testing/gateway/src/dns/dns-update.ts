import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { BowlineError } from "@bowline/core";
import { createTempFolder, nsupdateProgram, requireProgram, runCommand } from "@bowline/test-services";

import type { DnsServer } from "./dns-server.ts";
import { markName, markOf, type RecordChange } from "./record-plan.ts";

const ttlSeconds = 5;

/**
 * Makes one change by RFC 2136, signed. Its prerequisites are checked by the server together with the change: what
 * somebody else wrote since the zone was read is never overwritten. False when they did not hold.
 */
export async function updateRecords(
  { port, zone, keyFile }: DnsServer,
  change: RecordChange,
  owner: string,
): Promise<boolean> {
  const command = await requireProgram(nsupdateProgram);
  await using folder = await createTempFolder("nsupdate");
  const file = join(folder.path, "update");
  await writeFile(
    file,
    [`server 127.0.0.1 ${port}`, `zone ${zone}`, ...lines(change, owner), "send", ""].join("\n"),
  );
  let said = "";
  try {
    await runCommand({
      name: "nsupdate",
      command,
      args: ["-k", keyFile, file],
      onOutput: (chunk) => (said += chunk.toString()),
    });
    return true;
  } catch (error) {
    if (/update failed: (?:YXDOMAIN|YXRRSET|NXRRSET|NXDOMAIN)/u.test(said)) return false;
    throw BowlineError.from(error);
  }
}

function lines({ kind, host, type, targets }: RecordChange, owner: string): string[] {
  const mark = `${markName(host, type)}.`;
  const text = `"${markOf(owner)}"`;
  const adds = targets.map(
    (target) => `update add ${host}. ${ttlSeconds} ${type} ${target}${type === "CNAME" ? "." : ""}`,
  );
  const addMark = `update add ${mark} ${ttlSeconds} TXT ${text}`;
  if (kind === "create") return [`prereq nxdomain ${host}.`, `prereq nxdomain ${mark}`, ...adds, addMark];
  const isOurs = `prereq yxrrset ${mark} TXT ${text}`;
  const drop = `update delete ${host}. ${type}`;
  return kind === "replace" ? [isOurs, drop, ...adds] : [isOurs, drop, `update delete ${mark} TXT ${text}`];
}
