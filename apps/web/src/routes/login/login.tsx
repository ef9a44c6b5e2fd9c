import { useNavigate, useSearch } from "@tanstack/react-router";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { useLiveLists } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { useConsoleInfo, whoamiQuery } from "../session.ts";
import { dock } from "../../ui/dock-items.ts";
import { SignInForm } from "./sign-in-form.tsx";

/** Why somebody is here who did not ask for it. */
const reasons: Readonly<Record<string, string>> = {
  ended: "Your session is over. Sign in again to go on.",
  code: "The link was used already, or is older than a minute. `bowline ui` makes a new one.",
  role: "The issuer knows you, but nobody has given you or your groups a role here. Ask an admin.",
  oidc: "The issuer did not sign you in. Try again, or use a token.",
};

export function Login(): ReactNode {
  const { reason, to } = useSearch({ from: "/login" });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const lists = useLiveLists();
  const { data: info } = useConsoleInfo();
  const signedIn = async (): Promise<void> => {
    queries.clear();
    lists.clear();
    dock.clear();
    await queries.fetchQuery(whoamiQuery);
    await navigate({ to: to ?? "/", replace: true });
  };
  const why = reason === undefined ? undefined : reasons[reason];
  return (
    <main className="mx-auto mt-[12vh] w-full max-w-md p-4">
      <h1 className="mb-4 text-xl">Sign in to Bowline</h1>
      {why !== undefined && <p className="mb-3 rounded-sm bg-surface p-2">{why}</p>}
      <SignInForm to={to} onSignedIn={() => void signedIn()} />
      <p className="mt-6 text-xs text-muted">
        {info === undefined ? "" : `Bowline ${cleanText(info.version)}`}
      </p>
    </main>
  );
}
