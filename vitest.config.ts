import { defineConfig } from "vitest/config";

// Five projects: `fast` (pure code and stories, no outside parts), `real` (PostgreSQL, processes, the local engine),
// `web` (the pages, in a browser), `pool` (a live HTCondor pool) and `faults` (the pool's own daemons are killed, so nothing else may run beside it).
// `scripts/test` decides which of them can run here.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "fast",
          include: [
            "{src,lab}/**/*.test.ts",
            "tests/*.test.ts",
            "tests/{kinds,scenarios}/**/*.test.ts",
            "web/**/*.test.ts",
          ],
          exclude: ["**/*.real.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 30_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "real",
          sequence: { groupOrder: 1 },
          include: ["{src,lab}/**/*.real.test.ts", "tests/real/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "web",
          sequence: { groupOrder: 2 },
          include: ["tests/web/*.test.ts"],
          globalSetup: ["tests/web/support/global.ts"],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          maxWorkers: 1,
        },
      },
      {
        test: {
          name: "pool",
          sequence: { groupOrder: 3 },
          include: ["tests/condor/*.test.ts"],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "faults",
          sequence: { groupOrder: 4 },
          include: ["tests/condor/faults/*.test.ts"],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          maxWorkers: 1,
        },
      },
    ],
  },
});
