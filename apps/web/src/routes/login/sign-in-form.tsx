import { useState, type FormEvent, type ReactNode } from "react";

import type { Failure } from "../../live/failure.ts";
import { RequestFailed } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { signInByToken, useConsoleInfo } from "../session.ts";

export interface SignInFormProps {
  readonly onSignedIn: () => void;
  /** Where the issuer is to send somebody afterwards, within the page; where they are, when not given. */
  readonly to?: string | undefined;
}

/** Signing in by a token or at the issuer. */
export function SignInForm({ onSignedIn, to }: SignInFormProps): ReactNode {
  const { data: info } = useConsoleInfo();
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const token = new FormData(form).get("token");
    if (typeof token !== "string") return;
    setBusy(true);
    setFailure(undefined);
    try {
      await signInByToken(token.trim());
      form.reset();
      onSignedIn();
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      setFailure(error.failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="space-y-3" onSubmit={(event) => void submit(event)}>
      <div>
        <label htmlFor="token" className="mb-1 block font-semibold">
          Token
        </label>
        <input
          id="token"
          name="token"
          type="password"
          required
          autoComplete="off"
          spellCheck={false}
          aria-describedby="token-help"
          className="w-full rounded-sm border border-control bg-bg px-2 py-1.5 font-mono"
        />
        <p id="token-help" className="mt-1 text-xs text-muted">
          `bowline ui` opens this page signed in. It is exchanged for a session, and not kept in the browser.
        </p>
      </div>
      {failure !== undefined && (
        <p role="alert" className="text-degraded">
          {cleanText(failure.message)}
        </p>
      )}
      <div className="flex gap-2">
        <button
          type="submit"
          disabled={isBusy}
          className="rounded-sm bg-accent px-4 py-1.5 font-semibold text-on-accent disabled:opacity-60"
        >
          Sign in
        </button>
        {info?.oidc !== undefined && (
          <a
            href={`/ui/oidc/start?${new URLSearchParams({ to: to ?? placeWithin(location) }).toString()}`}
            className="rounded-sm border border-control px-4 py-1.5"
          >
            Sign in with {cleanText(info.oidc.name)}
          </a>
        )}
      </div>
    </form>
  );
}

/** A place of the page without what is before all of them. */
function placeWithin({ pathname, search }: Pick<Location, "pathname" | "search">): string {
  const place = pathname.replace(/^\/ui(?=\/)/u, "");
  return place === "/login" ? "/" : `${place}${search}`;
}
