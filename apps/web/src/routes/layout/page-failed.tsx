import { useRouter } from "@tanstack/react-router";
import { useEffect, type ReactNode } from "react";

import { failureIn, RequestFailed } from "../../live/request.ts";
import { pageClock } from "../../live/page-clock.ts";
import { Failed } from "../../ui/states.tsx";

const againAfterMs = 2_000;

/**
 * In the place of a page that cannot be: the server did not say who one is, or a script of the page did not come. What
 * passes is asked for again; a browser keeps in mind which scripts did not come, until the page is loaded anew.
 */
export function PageFailed({ error }: { readonly error: unknown }): ReactNode {
  const router = useRouter();
  const failure = failureIn(error);
  const isAnswer = error instanceof RequestFailed;
  useEffect(() => {
    const isPassing = error instanceof RequestFailed && error.failure.isPassing;
    return isPassing ? pageClock.after(againAfterMs, () => void router.invalidate()) : undefined;
  }, [router, error]);
  return (
    <main className="mx-auto mt-[12vh] w-full max-w-md p-4">
      <h1 className="mb-4 text-xl">Bowline cannot show this page</h1>
      {failure !== undefined && (
        <Failed failure={failure} onRetry={() => (isAnswer ? void router.invalidate() : location.reload())} />
      )}
    </main>
  );
}
