import { matchCode, narrowerRole, roles, type Role, type Whoami } from "@bowline/api";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";

import { failureIn } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { fieldClass, FormField } from "../../ui/form-field.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Failed } from "../../ui/states.tsx";
import { approveCommand, useWhoami } from "../session.ts";
import { answerAddress, readApproveRequest, type ApproveRequest } from "./approve-request.ts";

const dayMs = 24 * 3_600_000;
const lifetimes = [1, 7, 30, 90];

/** Somebody is asked whether a command line may sign in as them. */
export function Approve(): ReactNode {
  const asked = readApproveRequest(useSearch({ strict: false }));
  const { data: me } = useWhoami();
  return (
    <>
      <PageHead title="Sign in at a command line" />
      <div className="max-w-xl p-4">
        {asked === undefined ? (
          <p>
            This is no link of <code>bowline login --browser</code>. Run it again, and open the link that it
            prints.
          </p>
        ) : (
          me !== undefined && <Question asked={asked} me={me} />
        )}
      </div>
    </>
  );
}

function Question({ asked, me }: { asked: ApproveRequest; me: Whoami }): ReactNode {
  const [role, setRole] = useState<Role>(me.role);
  const [days, setDays] = useState(30);
  const [isRefused, setRefused] = useState(false);
  const { data: match } = useQuery({
    queryKey: ["match-code", asked.challenge],
    queryFn: () => matchCode(asked.challenge),
    staleTime: Infinity,
  });
  const approval = useMutation({
    mutationFn: () =>
      approveCommand({
        challenge: asked.challenge,
        description: asked.from,
        ...(me.method === "oidc"
          ? {}
          : { role, expiresAt: new Date(Date.now() + days * dayMs).toISOString() }),
      }),
    onSuccess({ code }) {
      const address = answerAddress(asked, code);
      if (address !== undefined) location.assign(address);
    },
  });
  const refuse = (): void => {
    setRefused(true);
    const address = answerAddress(asked);
    if (address !== undefined) location.assign(address);
  };
  if (isRefused) return <p role="status">Nothing was given away. You can close this page.</p>;
  if (approval.isSuccess) return <Given asked={asked} code={approval.data.code} />;
  const failure = failureIn(approval.error);
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        approval.mutate();
      }}
    >
      <p>
        A command line asks to sign in as <strong>{cleanText(me.user)}</strong>. It says that it is{" "}
        <strong>{cleanText(asked.from)}</strong>.
      </p>
      <div className="rounded-md border border-border bg-surface p-3">
        <p>Your terminal must show the same code:</p>
        <output aria-label="Code to compare" className="block py-2 font-mono text-xl tracking-widest">
          {match ?? "…"}
        </output>
        <p className="text-muted">
          If it does not, or if you did not run <code>bowline login</code> just now, somebody else has sent
          you here to get your rights: refuse.
        </p>
      </div>
      {me.method === "oidc" ? (
        <p className="text-muted">
          It gets a session with your rights and groups, which ends after a day at most. You can end it under
          Me.
        </p>
      ) : (
        <div className="grid gap-4 sm:grid-cols-2">
          <FormField label="Role" help="The most that the command line may do.">
            {(ids) => (
              <select
                {...ids}
                className={fieldClass}
                value={role}
                onChange={({ target }) => setRole(roles.find((known) => known === target.value) ?? me.role)}
              >
                {roles
                  .filter((known) => narrowerRole(known, me.role) === known)
                  .map((known) => (
                    <option key={known}>{known}</option>
                  ))}
              </select>
            )}
          </FormField>
          <FormField label="Ends after" help="You can revoke it under Me at any time.">
            {(ids) => (
              <select
                {...ids}
                className={fieldClass}
                value={days}
                onChange={({ target }) => setDays(Number(target.value))}
              >
                {lifetimes.map((count) => (
                  <option key={count} value={count}>
                    {count === 1 ? "1 day" : `${count} days`}
                  </option>
                ))}
              </select>
            )}
          </FormField>
        </div>
      )}
      {failure !== undefined && <Failed failure={failure} />}
      <div className="flex gap-2">
        <Button look="main" submits disabled={approval.isPending || match === undefined}>
          The codes are the same: sign it in
        </Button>
        <Button onClick={refuse}>Refuse</Button>
      </div>
    </form>
  );
}

function Given({ asked, code }: { asked: ApproveRequest; code: string }): ReactNode {
  if (asked.port !== undefined) {
    return <p role="status">The command line has it. You can close this page.</p>;
  }
  return (
    <div role="status" className="space-y-2">
      <p>Paste this where the command waits. It works once, for five minutes, and for that command only.</p>
      <p className="flex items-center gap-3">
        <code className="rounded-sm bg-surface px-2 py-1 wrap-anywhere">{code}</code>
        <CopyButton text={code} what="the one-time code" />
      </p>
      <p className="text-muted">Do not send it to anybody, whoever asks for it.</p>
    </div>
  );
}
