import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { LiveLists, LiveProvider } from "./live/live-context.tsx";
import { openStreams } from "./live/open-streams.ts";
import { queries, router } from "./router.tsx";
import { startPreferences } from "./ui/preferences.ts";

const page = document.getElementById("page");
if (page !== null) {
  startPreferences();
  const lists = new LiveLists(openStreams());
  // A page that the browser has kept for «back» may be of a session that is over.
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
  createRoot(page).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <LiveProvider lists={lists}>
          <RouterProvider router={router} />
        </LiveProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}
