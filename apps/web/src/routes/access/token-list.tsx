import { Token, type Whoami } from "@bowline/api";
import { useMutation } from "@tanstack/react-query";
import { useMemo, useState, type ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { useNowMs } from "../../live/now.ts";
import { failureIn, request } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { ageOf } from "../../text/time.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { isInTheWay, ListState } from "../../ui/list-state.tsx";
import { Empty, Failed } from "../../ui/states.tsx";
import { NewToken } from "./new-token.tsx";

export interface TokenListProps {
  readonly me: Whoami;
  /** Whose; all that one may see when not given. */
  readonly user?: string;
  readonly filter?: string;
  /** Why none can be made. */
  readonly unable?: string | undefined;
}

/** Tokens with when they were last used; they are made, shown once, and revoked here. */
export function TokenList({ me, user, filter = "", unable }: TokenListProps): ReactNode {
  const nowMs = useNowMs();
  const list = useObjects(Token);
  const [isMaking, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<Token>();
  const tokens = useMemo(
    () =>
      [...list.items.values()]
        .filter(({ spec }) => user === undefined || spec.user === user)
        .filter(({ metadata, spec }) =>
          [metadata.name, spec.user, spec.description ?? ""].join(" ").includes(filter),
        )
        .toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name)),
    [list, user, filter],
  );
  if (isInTheWay(list)) return <ListState list={list} what="the tokens" isPart />;
  return (
    <>
      {tokens.length === 0 && unable === undefined && <Empty>No token.</Empty>}
      {tokens.length > 0 && (
        <div className="overflow-x-auto">
          <table className="w-full max-w-4xl text-left">
            <thead className="text-xs text-muted">
              <tr>
                {["Name", "User", "Role", "For", "Last used", "Ends", ""].map((title) => (
                  <th key={title} scope="col" className="pr-4 pb-1 font-semibold">
                    {title === "" ? <span className="sr-only">Actions</span> : title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {tokens.map((token) => (
                <TokenRow
                  key={token.metadata.id}
                  {...{ token, nowMs }}
                  isUsed={token.metadata.name === me.token}
                  onRevoke={() => setRevoking(token)}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div className="mt-2">
        {unable === undefined ? (
          <Button onClick={() => setMaking(true)}>Make a token</Button>
        ) : (
          <p className="max-w-prose text-muted">{unable}</p>
        )}
      </div>
      {isMaking && <NewToken me={me} user={user ?? me.user} onClose={() => setMaking(false)} />}
      {revoking !== undefined && <Revoke token={revoking} onClose={() => setRevoking(undefined)} />}
    </>
  );
}

interface TokenRowProps {
  readonly token: Token;
  readonly nowMs: number;
  /** By this session. */
  readonly isUsed: boolean;
  readonly onRevoke: () => void;
}

function TokenRow({ token: { metadata, spec, status }, nowMs, isUsed, onRevoke }: TokenRowProps): ReactNode {
  const isOver = status.revokedAt !== undefined;
  const hasEnded = spec.expiresAt !== undefined && Date.parse(spec.expiresAt) <= nowMs;
  const end = isOver
    ? `revoked ${ageOf(status.revokedAt, nowMs)} ago`
    : spec.expiresAt === undefined
      ? "never"
      : hasEnded
        ? "expired"
        : `in ${ageOf(new Date(2 * nowMs - Date.parse(spec.expiresAt)).toISOString(), nowMs)}`;
  return (
    <tr className="border-t border-border/60">
      <th scope="row" className="py-1 pr-4 font-semibold">
        {cleanText(metadata.name)}
        {isUsed && <span className="ml-1 text-xs font-normal text-healthy">this session</span>}
      </th>
      <td className="pr-4">{cleanText(spec.user)}</td>
      <td className="pr-4">{spec.role ?? "its user's"}</td>
      <td className="max-w-64 truncate pr-4">{cleanText(spec.description ?? "–", 200)}</td>
      <td className="pr-4">
        {status.lastUsedAt === undefined ? "never" : `${ageOf(status.lastUsedAt, nowMs)} ago`}
      </td>
      <td className={`pr-4 ${isOver || hasEnded ? "text-missing" : ""}`}>{end}</td>
      <td>
        {!isOver && (
          <Button look="link" aria-label={`Revoke the token ${metadata.name}`} onClick={onRevoke}>
            Revoke
          </Button>
        )}
      </td>
    </tr>
  );
}

function Revoke({ token: { metadata, status }, onClose }: { token: Token; onClose: () => void }): ReactNode {
  const revoking = useMutation({
    mutationFn: () =>
      request(`/api/v1/tokens/${encodeURIComponent(metadata.name)}/revoke`, { method: "POST" }),
    onSuccess: onClose,
  });
  const failure = failureIn(revoking.error);
  return (
    <Dialog title={`Revoke ${cleanText(metadata.name)}`} onClose={onClose}>
      <p>
        It stops working at once, and whoever uses it is signed out: programs, command lines, and sessions of
        browsers that were begun with it. It begins with <code>{cleanText(status.prefix ?? "?")}</code>. This
        cannot be undone.
      </p>
      {failure !== undefined && <Failed failure={failure} />}
      <div className="mt-3 flex gap-2">
        <Button look="danger" disabled={revoking.isPending} onClick={() => revoking.mutate()}>
          Revoke the token
        </Button>
        <Button onClick={onClose}>Keep it</Button>
      </div>
    </Dialog>
  );
}
