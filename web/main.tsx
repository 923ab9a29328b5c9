import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { PAGES } from "./api/client.ts";
import { startLive } from "./api/live.ts";
import { makeQueries } from "./api/queries.ts";
import { Shell } from "./shell.tsx";
import { startSettings } from "./ui/settings.ts";

const queries = makeQueries();
startSettings();
startLive(queries);
createRoot(document.getElementById("desk")!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Router base={PAGES.pathname.replace(/\/$/, "")}>
        <Shell />
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
