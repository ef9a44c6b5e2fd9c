import type { ConfigSource } from "@bowline/api";
import type { ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";
import { Age } from "../../ui/age.tsx";
import { shortCommit } from "../managed-by-git.tsx";

/** The repository of a source, the commit that is applied, and by which rules. */
export function Origin({ source: { spec, status } }: { source: ConfigSource }): ReactNode {
  const { git, actsAs, kinds, prune, pruneLimit, paused } = spec;
  const { applied, source: seen } = status;
  return (
    <dl className="grid grid-cols-[9rem_minmax(0,1fr)] gap-x-3 gap-y-1">
      <Fact name="Repository">{cleanText(git.url, 500)}</Fact>
      <Fact name="Ref">{cleanText(git.ref, 253)}</Fact>
      <Fact name="Folder">{cleanText(git.path, 500)}</Fact>
      <Fact name="Applied">
        {applied === undefined ? (
          "nothing yet"
        ) : (
          <>
            commit <code title={applied.commit}>{shortCommit(applied.commit)}</code>, {applied.objects}{" "}
            {applied.objects === 1 ? "object" : "objects"},{" "}
            <span className="text-muted">
              <Age at={applied.at} /> ago
            </span>
          </>
        )}
      </Fact>
      <Fact name="Signed by">
        {applied?.signer === undefined
          ? git.verify === undefined
            ? "signatures are not asked for"
            : "–"
          : cleanText(applied.signer, 500)}
      </Fact>
      <Fact name="Last seen">
        {seen?.commit === undefined ? (
          "–"
        ) : (
          <>
            commit <code title={seen.commit}>{shortCommit(seen.commit)}</code>
          </>
        )}
      </Fact>
      <Fact name="Looked at every">{cleanText(git.interval)}</Fact>
      <Fact name="Last push told">
        {seen?.pushedAt === undefined ? (
          "never"
        ) : (
          <>
            <Age at={seen.pushedAt} /> ago
          </>
        )}
      </Fact>
      <Fact name="Credential">{cleanText(git.credential ?? "none")}</Fact>
      <Fact name="Acts as">{cleanText(actsAs, 253)}</Fact>
      <Fact name="Kinds">{kinds.join(", ")}</Fact>
      <Fact name="Prune">
        {prune ? `yes; more than ${pruneLimit.count} or ${pruneLimit.percent} % wait for approval` : "no"}
      </Fact>
      {paused !== undefined && (
        <Fact name="Paused">{cleanText(paused.reason ?? "no reason is given", 1_024)}</Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </>
  );
}
