#!/usr/bin/env node
import { runCli } from "./run.ts";

const code = await runCli(process.argv);
// After an error something half-started may still be open; nothing of it is worth waiting for.
if (code === 0) process.exitCode = 0;
else process.exit(code);
